/** Base of the commands for webhook endpoints: flags for events, and output of the signing secret, which only one response contains. */
import { Flags, type Interfaces } from '@oclif/core';
import { SUBSCRIBABLE_EVENTS, type SubscribableEvent } from '../../contract/events.ts';
import type { Operation } from '../../contract/operation.ts';
import { listDeliveries, updateWebhook } from '../../contract/resources/webhooks.ts';
import { HELD_MAX_H } from '../../contract/limits.ts';
import { ApiError } from '../../client/errors.ts';
import { ApiCommand } from './api-command.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { Failure, invalidValueError } from '../errors/failure.ts';
import { quoteForShell } from '../errors/hints.ts';
import { confirm } from '../input/confirm.ts';
import { formatCount } from '../output/numbers.ts';
import { type ExtraFields, type Parsed, getView } from './service-command.ts';

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

/** Comma-separated values in one flag are accepted as well, because that was the syntax of `--events`. */
export const eventsFlag = {
  event: Flags.string({
    aliases: ['events'],
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'EVENT',
    description: 'Event to receive. Repeatable. Default: all.',
  }),
};

const EVENT_TYPE = 'event-type';

/** Gives the filter `event_type` the flag `--event`, like all commands; `--event-type` still works. */
export function renameEventType({ [EVENT_TYPE]: filter, ...others }: Interfaces.FlagInput): Interfaces.FlagInput {
  return { event: { ...filter, aliases: [EVENT_TYPE] } as Interfaces.FlagInput[string], ...others };
}

/** Converts the flag back to the name of the filter, from which the query is made. */
export const restoreEventType = <P extends Parsed>({ flags: { event, ...others }, ...parsed }: P): P =>
  // A flag has another name than in the type of the parser's result, which only the query reads.
  ({ ...parsed, flags: { ...others, [EVENT_TYPE]: event } }) as unknown as P;

/** Parses the values of `--event`; all events without the flag. */
export function parseEventList(texts: readonly string[] | undefined): readonly SubscribableEvent[] {
  if (texts === undefined) return SUBSCRIBABLE_EVENTS;
  return texts
    .join(',')
    .split(',')
    .map((name) => {
      const known = SUBSCRIBABLE_EVENTS.find((event) => event === name.trim());
      if (known === undefined) throw invalidValueError('--event', name.trim(), SUBSCRIBABLE_EVENTS, 'events');
      return known;
    });
}

const formatDeliveries = (count: number, adjective = ''): string =>
  `${formatCount(count)} ${adjective}${count === 1 ? 'delivery' : 'deliveries'}`;

/** What creating and updating an endpoint return. */
interface WebhookReply {
  readonly data: object;
  readonly signingSecret?: string;
  readonly discardedDeliveries?: number;
}

export abstract class WebhookCommand extends ApiCommand {
  /** Asks before deliveries are discarded, if there are any. */
  protected async confirmDisabling(parsed: Parsed): Promise<void> {
    if (parsed.flags['yes'] === true || parsed.flags['dry-run'] === true || !this.canPrompt) return;
    const waiting = await this.countWaiting(parsed);
    if (waiting === 0) return;
    const what = waiting === undefined ? 'all waiting deliveries' : formatDeliveries(waiting, 'waiting ');
    if (!(await confirm(`Disable ${String(parsed.args['webhook_id'])}? This discards ${what}.`)))
      throw new Failure('CANCELLED', 'Cancelled; the endpoint was not changed', { exit: EXIT.usage });
  }

  /** Counts the deliveries that wait to be sent; undefined if the key may not read deliveries. */
  private async countWaiting(parsed: Parsed): Promise<number | undefined> {
    const { params } = await this.toRequestParts(updateWebhook, parsed);
    const client = await this.connect();
    const count = async (status: 'pending' | 'retrying') =>
      (await client.call(listDeliveries, { params: { webhook_id: params['webhook_id'] ?? '' }, query: { status, page_size: 1 } })).body
        .pagination.total;
    try {
      return (await count('pending')) + (await count('retrying'));
    } catch (error) {
      if (error instanceof ApiError && error.status === 403) return undefined;
      throw error;
    }
  }

  private reportDiscarded(name: string, count: number): void {
    this.printNote(`${formatDeliveries(count)} discarded. To send them, set --status active and run:`);
    this.printNote(`  stockroom webhooks deliveries resend --discarded --since ${String(HELD_MAX_H)}h --webhook-id ${quoteForShell(name)}`);
  }

  /** Like `write`, but always prints the signing secret: no other response contains it. */
  protected async writeWithSecret(op: Operation, parsed: Parsed, more: ExtraFields): Promise<void> {
    const view = this.validateOutput(getView(op));
    const reply = await this.submit(op, parsed, more);
    if (!reply) return;
    const { data, signingSecret, discardedDeliveries = 0 } = reply.body as WebhookReply;
    if (discardedDeliveries > 0 && this.format !== 'json') this.reportDiscarded(String(parsed.args['webhook_id']), discardedDeliveries);
    if (signingSecret === undefined) return this.printOne({ data }, view, reply.text);
    await this.printWithSecret(data, { field: 'signingSecret', secret: signingSecret }, view, reply.text);
    if (this.format === 'table') this.printNote('Store the signing secret now: it is not shown again.');
  }
}
