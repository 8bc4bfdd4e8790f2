/**
 * What happened, told once: `note` writes the audit row and the event of a change in the same commit as the change itself (D §7).
 * The event rows are the change log; `fanOut` writes a delivery for each subscribed endpoint beside them.
 */
import type { ActorType } from '../contract/audit.ts';
import type { EmittedEvent } from '../contract/events.ts';
import { EVENT_MAX_BYTES } from '../contract/limits.ts';
import type { Context } from './context.ts';
import { fanOut } from './fan-out.ts';
import type { Tx } from './tables.ts';

export interface AuditRecord {
  readonly id: string;
  readonly actorType: ActorType;
  readonly actorId: string;
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly ipAddress: string | null;
  readonly createdAt: string;
}

export interface EventRecord {
  /** Also `data.eventId` and the dedupe identity of deliveries. */
  readonly id: string;
  readonly event: EmittedEvent;
  /** Counts the tenant's events from 1 in commit order, without gaps. */
  readonly position: number;
  readonly resourceId: string;
  readonly occurredAt: string;
  /** The exact body of every delivery: `{"event":…,"data":…}`. */
  readonly body: string;
}

export type Changes = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;

export interface Change {
  /** Dotted name, e.g. `item.created`. */
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId: string;
  /** Changed fields with their old and new wire values. Never secrets. */
  readonly changes?: Changes;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly event?: {
    readonly name: EmittedEvent;
    readonly resourceId: string;
    /** Names of changed fields; empty when the resource is new. */
    readonly changes: readonly string[];
    /** The fields of the resource that the event carries besides the common ones. */
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** Records one change. Several events of one resource in one transaction become one event with the last data and all change names. */
export async function note(tx: Tx, context: Context, change: Change): Promise<void> {
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

/** An event that its transaction has written and may write again with more changes. */
export interface WrittenEvent {
  readonly record: EventRecord;
  readonly changes: readonly string[];
  readonly data: Readonly<Record<string, unknown>>;
}
async function recordEvent(tx: Tx, context: Context, event: NonNullable<Change['event']>): Promise<void> {
  const written = (context.written ??= new Map<string, WrittenEvent>());
  const createdKey = `${event.name.replace(/updated$/u, 'created')} ${event.resourceId}`;
  const key = written.has(createdKey) ? createdKey : `${event.name} ${event.resourceId}`;
  const earlier = written.get(key);
  const changes = earlier ? (earlier.changes.length === 0 ? [] : [...new Set([...earlier.changes, ...event.changes])]) : event.changes;
  const data = earlier ? { ...earlier.data, ...event.data } : event.data;
  const id = earlier?.record.id ?? context.newId();
  const name = earlier?.record.event ?? event.name;
  const common = { id: event.resourceId, eventId: id, occurredAt: context.now.toISOString(), actor: context.actor, changes };
  const record: EventRecord = {
    id,
    event: name,
    position: earlier?.record.position ?? (await nextNumber(tx, 'events')),
    resourceId: event.resourceId,
    occurredAt: common.occurredAt,
    body: eventBody(name, common, data),
  };
  await tx.events.put(record);
  // Deliveries name the event and carry no copy of its body, so one that grows in the same transaction needs no second look.
  if (!earlier) await fanOut(tx, context, { id, name });
  written.set(key, { record, changes, data });
}

function eventBody(event: EmittedEvent, common: Readonly<Record<string, unknown>>, data: Readonly<Record<string, unknown>>): string {
  const body = JSON.stringify({ event, data: { ...common, ...data } });
  if (body.length <= EVENT_MAX_BYTES / 4 || Buffer.byteLength(body) <= EVENT_MAX_BYTES) return body;
  return JSON.stringify({ event, data: { ...common, truncated: true } });
}

/** The next value of one of the tenant's gapless counters, from 1. */
export const nextNumber = (tx: Tx, counter: string): Promise<number> => nextNumbers(tx, counter, 1);

/** The next `count` values of a gapless counter: the first of them. */
export async function nextNumbers(tx: Tx, counter: string, count: number): Promise<number> {
  const value = (await tx.counters.get(counter))?.value ?? 0;
  if (count > 0) await tx.counters.put({ id: counter, value: value + count });
  return value + 1;
}

/** The fields whose value differs, as `{field: {from, to}}`. */
export function differences<T extends object>(before: T, after: T, fields: readonly (keyof T & string)[]): Changes {
  const changed: Record<string, { from: unknown; to: unknown }> = {};
  for (const field of fields) {
    if (JSON.stringify(before[field]) !== JSON.stringify(after[field])) changed[field] = { from: before[field], to: after[field] };
  }
  return changed;
}
