/**
 * `recordChange` writes the audit row and the event of a change in the same commit as the change (D-23). The events are the change log;
 * each also gets one delivery per subscribed webhook endpoint.
 */
import { listKeptFields } from '../../contract/event-data.ts';
import type { EmittedEvent } from '../../contract/events.ts';
import { EVENT_MAX_BYTES } from '../../contract/limits.ts';
import type { Context, RecordedEvent } from '../kernel/context.ts';
import { createDeliveries, listSubscribedEndpoints } from './fan-out.ts';
import type { Tx } from '../tables.ts';
import { getNextNumber, setCounter } from '../kernel/counters.ts';

/** The counter of positions in the event log. */
const POSITIONS = 'events';

export type Changes = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;

export interface Change {
  /** Dotted name, e.g. `item.created`. */
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId: string;
  /** Changed fields with their old and new values as in JSON. Never secrets. */
  readonly changes?: Changes;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly event?: {
    readonly name: EmittedEvent;
    readonly resourceId: string;
    /** Version of the resource after the change. */
    readonly updatedAt: string;
    /** Names of the changed fields; empty for a new resource. */
    readonly changes: readonly string[];
    /** Fields of the resource that the event contains in addition to the common ones. */
    readonly data: Readonly<Record<string, unknown>>;
    /** An `updated` event that is not merged with the `created` event of the same transaction. */
    readonly isSeparate?: boolean;
  };
}

/** Records one change. The events of one resource in one transaction are merged: the latest data, and the names of all changed fields. */
export async function recordChange(tx: Tx, context: Context, change: Change): Promise<void> {
  const { requestId, idempotencyKeyHash, now } = context;
  if (context.unrecorded) return;
  await tx.auditEvents.put({
    id: context.newId(),
    actorType: context.actor.type,
    actorId: context.actor.id,
    action: change.action,
    resourceType: change.resourceType,
    resourceId: change.resourceId,
    metadata: {
      requestId,
      ...(change.changes && Object.keys(change.changes).length > 0 ? { changes: change.changes } : {}),
      ...(idempotencyKeyHash === undefined ? {} : { idempotencyKeyHash }),
      ...change.metadata,
    },
    ipAddress: context.ipAddress,
    createdAt: now.toISOString(),
  });
  if (change.event) await recordEvent(tx, context, change.event);
}

async function recordEvent(tx: Tx, context: Context, event: NonNullable<Change['event']>): Promise<void> {
  const recorded = (context.recordedEvents ??= new Map<string, RecordedEvent>());
  const createdKey = `${event.name.replace(/updated$/u, 'created')} ${event.resourceId}`;
  const isMerged = event.isSeparate !== true && recorded.has(createdKey);
  const key = isMerged ? createdKey : `${event.name} ${event.resourceId}`;
  const earlier = recorded.get(key);
  const changes = earlier ? (earlier.changes.length === 0 ? [] : [...new Set([...earlier.changes, ...event.changes])]) : event.changes;
  const data = earlier ? { ...earlier.data, ...event.data } : event.data;
  const id = earlier?.id ?? context.newId();
  const name = earlier?.name ?? event.name;
  // Deliveries refer to the event without copying its body, so a merged event needs no further deliveries.
  const [position, endpoints] = earlier
    ? [earlier.position, []]
    : await Promise.all([getNextNumber(tx, POSITIONS), listSubscribedEndpoints(tx, context, name)]);
  if (!earlier) await setCounter(tx, POSITIONS, position);
  const { resourceId, updatedAt } = event;
  const occurredAt = context.now.toISOString();
  const body = buildEventBody(name, { id: resourceId, eventId: id, position, occurredAt, updatedAt, actor: context.actor, changes }, data);
  await tx.events.put({ id, event: name, position, resourceId, occurredAt, body });
  await createDeliveries(tx, context, endpoints, { id, name });
  recorded.set(key, { id, name, position, changes, data });
}

function buildEventBody(event: EmittedEvent, common: Readonly<Record<string, unknown>>, data: Readonly<Record<string, unknown>>): string {
  const body = JSON.stringify({ event, data: { ...common, ...data } });
  if (body.length <= EVENT_MAX_BYTES / 4 || Buffer.byteLength(body) <= EVENT_MAX_BYTES) return body;
  const kept = Object.fromEntries(listKeptFields(event).map((field) => [field, data[field]]));
  return JSON.stringify({ event, data: { ...common, ...kept, truncated: true } });
}

/** The fields that differ, as `{field: {from, to}}`. */
export function diffFields<T extends object>(before: T, after: T, fields: readonly (keyof T & string)[]): Changes {
  const changed: Record<string, { from: unknown; to: unknown }> = {};
  for (const field of fields) {
    if (JSON.stringify(before[field]) !== JSON.stringify(after[field])) changed[field] = { from: before[field], to: after[field] };
  }
  return changed;
}
