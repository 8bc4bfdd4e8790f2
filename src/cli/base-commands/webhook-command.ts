/** Base of the commands for webhook endpoints: flags for events, and output of the signing secret, which only one response contains. */
import { Flags } from '@oclif/core';
import { SUBSCRIBABLE_EVENTS, type SubscribableEvent } from '../../contract/events.ts';
import type { Operation } from '../../contract/operation.ts';
import { ApiCommand } from './api-command.ts';
import { invalidValueError } from '../errors/failure.ts';
import { type Parsed, getView } from './service-command.ts';

export const eventFlag = {
  event: Flags.option({
    options: SUBSCRIBABLE_EVENTS,
    multiple: true,
    multipleNonGreedy: true,
    description: 'Event to subscribe to. Repeatable.',
  })(),
};

/** Converts `--event` to a field of the body. */
export const toSubscribedEvents = (flags: { readonly event?: readonly string[] | undefined }): { subscribedEvents?: readonly string[] } =>
  flags.event === undefined ? {} : { subscribedEvents: flags.event };

export const eventsFlag = {
  events: Flags.string({ helpValue: 'A,B', description: 'Comma-separated events. Default: all.' }),
};

/** Parses `--events`; all events without the flag. */
export function parseEventList(text: string | undefined): readonly SubscribableEvent[] {
  if (text === undefined) return SUBSCRIBABLE_EVENTS;
  return text.split(',').map((name) => {
    const known = SUBSCRIBABLE_EVENTS.find((event) => event === name.trim());
    if (known === undefined) throw invalidValueError('--events', name.trim(), SUBSCRIBABLE_EVENTS, 'events');
    return known;
  });
}

export abstract class WebhookCommand extends ApiCommand {
  /** Like `write`, but always prints the signing secret: no other response contains it. */
  protected async writeWithSecret(op: Operation, parsed: Parsed, more: Readonly<Record<string, unknown>>): Promise<void> {
    const view = this.validateOutput(getView(op));
    const reply = await this.submit(op, parsed, more);
    if (!reply) return;
    const { data, signingSecret } = reply.body as { data: object; signingSecret?: string };
    if (signingSecret === undefined) return this.printOne({ data }, view, reply.text);
    const shown = { ...view, fields: [...view.fields, 'signingSecret'], columns: [...view.columns, 'signingSecret'] };
    await this.printOne({ data: { ...data, signingSecret } }, shown, reply.text);
    if (this.format === 'table') this.printNote('Store the signing secret now: it is not shown again.');
  }
}
