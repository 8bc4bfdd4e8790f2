/** The health of endpoints of a remote service. */
import type { Webhook } from '../../contract/resources/webhooks.ts';
import type { DeliveryRow, EndpointRow } from '../state/model.ts';

/** Derived from the deliveries that were read, as the public API has no endpoint health. */
export function toEndpointRow(
  { id, name, targetUrl, subscribedEvents, status }: Webhook,
  known: ReadonlyMap<string, DeliveryRow> = new Map(),
): EndpointRow {
  const rows = [...known.values()].toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
  const count = (...statuses: readonly string[]): number => rows.filter((row) => statuses.includes(row.status)).length;
  const open = rows.filter((row) => row.status === 'pending' || row.status === 'retrying');
  const lastSuccess = rows.findLastIndex((row) => row.status === 'delivered');
  const failures = rows.slice(lastSuccess + 1).filter((row) => row.lastError !== null && row.status !== 'discarded');
  return {
    id,
    name,
    targetUrl,
    subscribedEvents,
    status,
    delivered: count('delivered'),
    failed: count('failed'),
    discarded: count('discarded'),
    queued: open.length,
    oldestQueuedAt: findFirst(open),
    nextAttemptAt: null,
    // Retries change the times of failures, not when the first of them was recorded.
    failingSince: findFirst(failures),
    failedAttempts: failures.reduce((sum, row) => sum + row.attempts, 0),
    lastError: failures.at(-1)?.lastError ?? null,
    // Its settings are unknown here; blocked deliveries say so.
    blockedReason: null,
  };
}

/** When the first of the deliveries was recorded. */
const findFirst = (rows: readonly DeliveryRow[]): string | null => rows.map(({ createdAt }) => createdAt).toSorted()[0] ?? null;
