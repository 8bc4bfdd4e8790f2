/** Commands for webhook endpoints: flags for events, and output of the signing secret, which only one response contains. */
import { Flags, type Interfaces } from '@oclif/core';
import { SUBSCRIBABLE_EVENTS } from '../../contract/events.ts';
import type { Operation } from '../../contract/operation.ts';
import { listDeliveries, updateWebhook } from '../../contract/resources/webhooks.ts';
import { HELD_MAX_H, ROTATION_OVERLAP_H } from '../../contract/limits.ts';
import { ApiError } from '../../client/errors.ts';
import { quoteForShell } from '../errors/hints.ts';
import { valueList } from '../input/common-flags.ts';
import { confirmOrCancel } from '../input/confirm.ts';
import { formatCountWithNoun } from '../output/numbers.ts';
import { addSecretColumn } from '../command-output.ts';
import { getView, toRequestParts } from '../records/request.ts';
import { type ExtraFields, submitRecord } from '../records/write-record.ts';
import type { ApiContext } from '../session/api-session.ts';
import type { Parsed } from '../session/session.ts';

export const eventFlag = {
  event: Flags.option({
    options: SUBSCRIBABLE_EVENTS,
    ...valueList,
    helpValue: 'EVENT,…',
    description: 'Event to subscribe to. Repeatable.',
  })(),
};

/** Converts `--event` to a field of the body. */
export const toSubscribedEvents = (flags: { readonly event?: readonly string[] | undefined }): { subscribedEvents?: readonly string[] } =>
  flags.event === undefined ? {} : { subscribedEvents: flags.event };

export const eventsFlag = {
  event: Flags.option({
    aliases: ['events'],
    options: SUBSCRIBABLE_EVENTS,
    ...valueList,
    helpValue: 'EVENT,…',
    description: 'Event to receive. Repeatable. Default: all.',
  })(),
};

const EVENT_TYPE = 'event-type';

/** Gives the filter `event_type` the flag `--event`, like all commands; `--event-type` still works. */
export function renameEventType({ [EVENT_TYPE]: filter, ...others }: Interfaces.FlagInput): Interfaces.FlagInput {
  return { event: { ...filter, aliases: [EVENT_TYPE] } as Interfaces.FlagInput[string], ...others };
}

/** Converts the flag back to the name of the filter, from which the query is made. */
export function restoreEventType<P extends Parsed>(context: P): P & Parsed {
  const { event, ...others } = context.flags;
  return { ...context, flags: { ...others, [EVENT_TYPE]: event } };
}

/** What creating and updating an endpoint return. */
interface WebhookReply {
  readonly data: object;
  readonly signingSecret?: string;
  readonly discardedDeliveries?: number;
}

/** Asks before deliveries are discarded, if there are any. */
export async function confirmDisabling(context: ApiContext): Promise<void> {
  const { args, flags, output } = context;
  if (flags['yes'] === true || flags['dry-run'] === true || !output.canPrompt) return;
  const waiting = await countWaiting(context);
  if (waiting === 0) return;
  const what = waiting === undefined ? 'all waiting deliveries' : formatCountWithNoun(waiting, 'waiting deliveries');
  await confirmOrCancel(context, `Disable ${String(args['webhook_id'])}? This discards ${what}.`, 'the endpoint was not changed');
}

/** Counts the deliveries that wait to be sent; undefined if the key may not read deliveries. */
async function countWaiting(context: ApiContext): Promise<number | undefined> {
  const { params } = await toRequestParts(context, updateWebhook);
  const client = await context.session.connect();
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

/** Like `writeRecord`, but always prints the signing secret: no other response contains it. */
export async function writeWebhook(context: ApiContext, op: Operation, more: ExtraFields): Promise<void> {
  const { args, output } = context;
  const view = addSecretColumn(output, getView(op), 'signingSecret');
  const reply = await submitRecord(context, op, more);
  if (!reply) return;
  const { data, signingSecret, discardedDeliveries = 0 } = reply.body as WebhookReply;
  if (discardedDeliveries > 0 && output.format !== 'json')
    for (const note of listDiscardedNotes(String(args['webhook_id']), discardedDeliveries)) output.printNote(note);
  if (signingSecret === undefined) return output.printOne({ data }, view, reply.text);
  await output.printWithSecret(data, { field: 'signingSecret', secret: signingSecret }, view, reply.text);
  if (output.format !== 'table') return;
  output.printNote('Store the signing secret now: it is not shown again.');
  if (op === updateWebhook) output.printNote(formatOverlap(String(args['webhook_id'])));
}

const formatOverlap = (name: string): string =>
  `Deliveries are also signed with the previous secret for ${String(ROTATION_OVERLAP_H)} hours; when receivers have the new one, end that with \`stockroom webhooks end-overlap ${quoteForShell(name)}\``;

const listDiscardedNotes = (name: string, count: number): readonly string[] => [
  `${formatCountWithNoun(count, 'deliveries')} discarded. To send them, set --status active and run:`,
  `  stockroom webhooks deliveries resend --discarded --since ${String(HELD_MAX_H)}h --webhook-id ${quoteForShell(name)}`,
];
