/**
 * `recordChange` writes the audit row and the event of a change in the same commit as the change (D-23). The events are the change log;
 * each also gets one delivery per subscribed webhook endpoint.
 */
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import type { Tx } from '../tables.ts';
import { type EventDraft, recordEvents } from './record-events.ts';

export type Changes = Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>;

export interface Change {
  /** Dotted name, e.g. `item.created`. */
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId: string;
  /** Changed fields with their old and new values as in JSON. Never secrets. */
  readonly changes?: Changes;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly event?: EventDraft;
}

/** Records one change. */
export async function recordChange(tx: Tx, context: Context, change: Change): Promise<void> {
  const { requestId, traceparent, idempotencyKeyHash, now } = context;
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
      ...(traceparent === undefined ? {} : { traceparent }),
      ...(change.changes && Object.keys(change.changes).length > 0 ? { changes: change.changes } : {}),
      ...(idempotencyKeyHash === undefined ? {} : { idempotencyKeyHash }),
      ...change.metadata,
    },
    ipAddress: context.ipAddress,
    createdAt: now.toISOString(),
  });
  if (change.event) await recordEvents(tx, context, [change.event]);
}

/** The fields that differ, as `{field: {from, to}}`. */
export function diffFields<T extends object>(before: T, after: T, fields: readonly (keyof T & string)[]): Changes {
  const changed: Record<string, { from: unknown; to: unknown }> = {};
  for (const field of fields) {
    if (JSON.stringify(before[field]) !== JSON.stringify(after[field]))
      changed[field] = { from: before[field] ?? null, to: after[field] ?? null };
  }
  return changed;
}

/** The event of a setting such as a site: the resource's fields, and when it was deleted. */
export function toSettingEvent<T extends { readonly id: string; readonly updatedAt: string }>(
  { now }: Context,
  action: EventDraft['name'],
  record: T,
  changes: Changes,
  fields: readonly (keyof T & string)[],
): EventDraft {
  const isDeleted = action.endsWith('.deleted');
  const at = isDeleted ? getNextTimestamp(now, record.updatedAt) : record.updatedAt;
  return {
    name: action,
    resourceId: record.id,
    updatedAt: at,
    changes: isDeleted ? ['deleted'] : Object.keys(changes),
    data: { ...Object.fromEntries(fields.map((field) => [field, record[field]])), ...(isDeleted ? { deletedAt: at } : {}) },
  };
}
