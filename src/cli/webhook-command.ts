/** Webhook endpoints at the terminal: events by flag, and the secret that only one answer shows. */
import { Flags } from '@oclif/core';
import { SUBSCRIBABLE_EVENTS, type SubscribableEvent } from '../contract/events.ts';
import type { Operation } from '../contract/operation.ts';
import { ApiCommand } from './api-command.ts';
import { usage } from './failure.ts';
import { type Parsed, viewOf } from './service-command.ts';

export const eventFlag = {
  event: Flags.option({
    options: SUBSCRIBABLE_EVENTS,
    multiple: true,
    multipleNonGreedy: true,
    description: 'An event to be told about. Repeatable.',
  })(),
};

/** The body's part of `--event`. */
export const eventsOf = (flags: { readonly event?: readonly string[] | undefined }): { subscribedEvents?: readonly string[] } =>
  flags.event === undefined ? {} : { subscribedEvents: flags.event };

export const globalEventFlags = {
  events: Flags.string({ helpValue: 'A,B', description: 'Only these events. Default: all.' }),
};

/** The events of `--events`, every one when it was not given. */
export function eventList(text: string | undefined): readonly SubscribableEvent[] {
  if (text === undefined) return SUBSCRIBABLE_EVENTS;
  return text.split(',').map((name) => {
    const known = SUBSCRIBABLE_EVENTS.find((event) => event === name.trim());
    if (known === undefined) throw usage(`there is no event "${name}"`, `events: ${SUBSCRIBABLE_EVENTS.join(', ')}`);
    return known;
  });
}

export abstract class WebhookCommand extends ApiCommand {
  /** Like `write`; a signing secret in the answer is shown whatever the format and the columns, because nothing shows it again. */
  protected async writeWithSecret(op: Operation, parsed: Parsed, more: Readonly<Record<string, unknown>>): Promise<void> {
    const view = this.checked(viewOf(op));
    const reply = await this.submit(op, parsed, more);
    if (!reply) return;
    const { data, signingSecret } = reply.body as { data: object; signingSecret?: string };
    if (signingSecret === undefined) return this.printOne({ data }, view, reply.text);
    const shown = { ...view, fields: [...view.fields, 'signingSecret'], columns: [...view.columns, 'signingSecret'] };
    await this.printOne({ data: { ...data, signingSecret } }, shown, reply.text);
    if (this.format === 'table') this.note('Keep the signing secret now: it is not shown again.');
  }
}
