/** Writes events to the change log, which is also the outbox of webhooks, in the commit of the change. D-23. */
import { type ChangeEvent, isWebhookEvent } from '../../contract/change-events.ts';
import { listKeptFields } from '../../contract/event-data.ts';
import { EVENT_MAX_BYTES } from '../../contract/limits.ts';
import type { Context, RecordedEvent } from '../kernel/context.ts';
import { getNextNumber, setCounter } from '../counters/counters.ts';
import type { Tx } from '../tables.ts';
import { createDeliveries, readEndpoints } from './fan-out.ts';
import type { EventRecord } from './records.ts';

/** The counter of the positions of events. */
export const EVENT_POSITIONS = 'events';

export interface EventDraft {
  readonly name: ChangeEvent;
  readonly resourceId: string;
  /** Version of the resource after the change. */
  readonly updatedAt: string;
  /** Names of the changed fields; empty for a new resource. */
  readonly changes: readonly string[];
  /** Fields of the resource that the event contains in addition to the common ones. */
  readonly data: Readonly<Record<string, unknown>>;
  /** An `updated` event that is not merged with the `created` event of the same transaction. */
  readonly isSeparate?: boolean;
}

/** Records events. Those of one resource in one transaction are merged: the latest data, and the names of all changed fields. */
export async function recordEvents(tx: Tx, context: Context, drafts: readonly EventDraft[]): Promise<void> {
  if (context.unrecorded || drafts.length === 0) return;
  const recorded = (context.recordedEvents ??= new Map<string, RecordedEvent>());
  const found = drafts.map((draft) => findRecorded(recorded, draft));
  const added = found.filter(({ earlier }) => earlier === undefined).length;
  // Together, and endpoints also for events that webhooks do not have: a store may need a round trip for each.
  const [next, endpoints] = await Promise.all([getNextPosition(tx, context), readEndpoints(tx, context)]);
  if (added > 0) await setLastPosition(tx, context, next + added - 1);
  const occurredAt = context.now.toISOString();
  let position = next;
  const rows = drafts.map((draft, index): EventRecord => {
    const { key, earlier } = found[index]!;
    const event = earlier ? mergeEvents(earlier, draft) : { ...draft, id: createEventId(context, draft), position: position++ };
    recorded.set(key, event);
    const { id, name } = event;
    const body = buildEventBody(context, event, draft, occurredAt);
    const row = { id, event: name, position: event.position, resourceId: draft.resourceId, occurredAt, body };
    return context.traceparent === undefined ? row : { ...row, traceparent: context.traceparent };
  });
  await (rows.length === 1 ? tx.events.put(rows[0]!) : tx.events.putMany(rows));
  for (const [index, { id, event }] of rows.entries()) {
    // Deliveries refer to the event without copying its body, so a merged event needs no further ones.
    if (!found[index]!.earlier && isWebhookEvent(event)) await createDeliveries(tx, context, endpoints, { id, name: event });
  }
}

const createEventId = ({ newId, newLogEventId = newId }: Context, { name }: EventDraft): string =>
  isWebhookEvent(name) ? newId() : newLogEventId();

/** Reads the counter once per transaction. */
const getNextPosition = async (tx: Tx, context: Context): Promise<number> =>
  context.lastPosition === undefined ? getNextNumber(tx, EVENT_POSITIONS) : context.lastPosition + 1;

async function setLastPosition(tx: Tx, context: Context, position: number): Promise<void> {
  context.lastPosition = position;
  await setCounter(tx, EVENT_POSITIONS, position);
}

interface Found {
  readonly key: string;
  readonly earlier: RecordedEvent | undefined;
}

/** The event of this transaction with which a draft is merged. */
function findRecorded(recorded: ReadonlyMap<string, RecordedEvent>, { name, resourceId, isSeparate }: EventDraft): Found {
  const createdKey = `${name.replace(/updated$/u, 'created')} ${resourceId}`;
  const key = isSeparate !== true && recorded.has(createdKey) ? createdKey : `${name} ${resourceId}`;
  return { key, earlier: recorded.get(key) };
}

function mergeEvents(earlier: RecordedEvent, { changes, data }: EventDraft): RecordedEvent {
  const merged = earlier.changes.length === 0 ? [] : [...new Set([...earlier.changes, ...changes])];
  return { ...earlier, changes: merged, data: { ...earlier.data, ...data } };
}

function buildEventBody({ actor }: Context, recorded: RecordedEvent, { resourceId, updatedAt }: EventDraft, occurredAt: string): string {
  const { id: eventId, name: event, position, changes, data } = recorded;
  const common = { id: resourceId, eventId, sequence: position, position, occurredAt, updatedAt, actor, changes };
  const body = JSON.stringify({ event, data: { ...common, ...data } });
  if (body.length <= EVENT_MAX_BYTES / 4 || Buffer.byteLength(body) <= EVENT_MAX_BYTES) return body;
  const kept = Object.fromEntries(listKeptFields(event).map((field) => [field, data[field]]));
  return JSON.stringify({ event, data: { ...common, ...kept, truncated: true } });
}
