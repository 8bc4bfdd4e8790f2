/** Finds, discards, resends and purges deliveries. W-2, W-3. */
import { DELIVERY_LOG_DAYS, DELIVERY_LOG_MAX_ROWS, HELD_MAX_H, HELD_MAX_ROWS } from '../../contract/limits.ts';
import type { DeliveryError, DeliveryStatus, WebhookStatus } from '../../contract/resources/webhooks.ts';
import { StockroomError, notFound } from '../kernel/errors.ts';
import type { Condition } from '../kernel/ports.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { isOpen, toDiscarded } from './delivery-state.ts';
import type { DeliveryRecord } from './records.ts';

/** Matches the open deliveries of an endpoint. The order `queue` sorts them by due time. */
export const whereOpen = (webhookId: string): Condition => ({ field: 'queue', equals: webhookId });
/** Matches the ended deliveries of all endpoints. The order `queue` sorts them by end time. */
const WHERE_ENDED: Condition = { field: 'queue', equals: null };

/** Rows changed in the transaction of a request; the delivery engine handles the rest. */
const MAX_ROWS_PER_TRANSACTION = 1_000;

/** Discards at most `limit` open deliveries of an endpoint. The delivery engine discards the rest when it polls them. */
export async function discardOpenDeliveries(
  tx: Tx,
  webhookId: string,
  reason: DeliveryError,
  now: Date,
  limit: number = MAX_ROWS_PER_TRANSACTION,
): Promise<void> {
  const { rows } = await tx.deliveries.listAfter({ orderBy: 'queue', where: [whereOpen(webhookId)], limit });
  await tx.deliveries.putMany(rows.map((row) => toDiscarded(row, reason, now)));
}

/** How many deliveries of an endpoint are still to be sent. */
export const countOpenDeliveries = (tx: ReadTx, webhookId: string): Promise<number> =>
  tx.deliveries.count({ where: [whereOpen(webhookId)] });

/** Makes the waiting deliveries of an endpoint due now. A paused endpoint holds no more than fit in one transaction. */
export async function makeDeliveriesDueNow(tx: Tx, webhookId: string, now: Date): Promise<void> {
  const dueAt = now.toISOString();
  const waiting = [whereOpen(webhookId), { field: 'dueAt', after: dueAt }];
  const { rows } = await tx.deliveries.listAfter({ orderBy: 'queue', where: waiting, limit: MAX_ROWS_PER_TRANSACTION });
  await tx.deliveries.putMany(rows.map((row) => ({ ...row, dueAt })));
}

/** Deletes at most `limit` deliveries of an endpoint. Returns whether there may be more. */
export async function deleteDeliveries(tx: Tx, webhookId: string, limit: number = MAX_ROWS_PER_TRANSACTION): Promise<boolean> {
  const { ids, more } = await tx.deliveries.listIdsAfter({ where: [{ field: 'webhookId', equals: webhookId }], limit });
  for (const id of ids) await tx.deliveries.remove(id);
  return more;
}

/** Discards the oldest held deliveries of a paused endpoint, so that `newCount` more stay within its limit. */
export async function enforceHeldLimit(tx: Tx, webhookId: string, now: Date, newCount = 1): Promise<void> {
  const surplus = (await countOpenDeliveries(tx, webhookId)) + newCount - HELD_MAX_ROWS;
  if (surplus <= 0) return;
  const { rows } = await tx.deliveries.listAfter({ orderBy: 'created_at', where: [whereOpen(webhookId)], limit: surplus });
  await tx.deliveries.putMany(rows.map((row) => toDiscarded(row, 'too_many_held', now)));
}

/** Discards at most `limit` deliveries that a paused endpoint has held for too long. Returns how many. */
export async function discardExpiredHeldDeliveries(tx: Tx, webhookId: string, pausedAt: string, now: Date, limit: number): Promise<number> {
  const heldSince = new Date(now.getTime() - HELD_MAX_H * 3_600_000).toISOString();
  // A delivery created before the pause is held since the pause.
  if (pausedAt > heldSince) return 0;
  // No limit here: resent deliveries are skipped below, and must not use up the limit. The held rows fit in a few transactions.
  const where: Condition[] = [whereOpen(webhookId), { field: 'createdAt', to: heldSince }];
  const { rows } = await tx.deliveries.listAfter({ where, limit: Number.MAX_SAFE_INTEGER });
  // A resent delivery is held since its resend.
  const expired = rows.filter(({ manual, dueAt }) => manual === undefined || dueAt <= heldSince).slice(0, limit);
  await tx.deliveries.putMany(expired.map((row) => toDiscarded(row, 'held_too_long', now)));
  return expired.length;
}

export async function getDelivery(tx: ReadTx, id: string): Promise<DeliveryRecord> {
  const delivery = await tx.deliveries.get(id);
  if (!delivery) throw notFound('delivery', id);
  return delivery;
}

/** Nothing is sent to an endpoint that is disabled. */
export function checkNotDisabled({ id, status }: { readonly id: string; readonly status: WebhookStatus }): void {
  if (status !== 'disabled') return;
  throw new StockroomError('INVALID_STATE', 'The endpoint is disabled. Set its status to active first.', {
    details: { webhookId: id, status },
  });
}

/** Makes a delivery due now. One that has ended gets one attempt without retries; an open one keeps its retries and their times. */
export async function resendDelivery(tx: Tx, id: string, now: Date): Promise<DeliveryRecord> {
  const delivery = await getDelivery(tx, id);
  const webhook = await tx.webhooks.get(delivery.webhookId);
  if (!webhook) throw notFound('webhook', delivery.webhookId);
  checkNotDisabled(webhook);
  if (!(await tx.events.get(delivery.eventId))) {
    throw new StockroomError(
      'INVALID_STATE',
      'The event of this delivery was purged from the change log, so the delivery cannot be resent.',
    );
  }
  const requeued = requeueDelivery(delivery, now);
  await tx.deliveries.put(requeued);
  return requeued;
}

export interface ResendFailedOptions {
  readonly webhookIds: readonly string[];
  readonly since: string;
  readonly statuses: readonly DeliveryStatus[];
  /** Continue after this delivery. */
  readonly after: Pick<DeliveryRecord, 'createdAt' | 'id'> | undefined;
  readonly limit: number;
}

/**
 * Makes at most `limit` deliveries of endpoints with given statuses due now, oldest first. `next` is where to continue; deliveries that fail again in
 * the meantime are before it.
 */
export async function resendFailedDeliveries(
  tx: Tx,
  { webhookIds, since, statuses, after, limit }: ResendFailedOptions,
  now: Date,
): Promise<{ resent: DeliveryRecord[]; next: Pick<DeliveryRecord, 'createdAt' | 'id'> | null }> {
  const where: Condition[] = [
    { field: 'webhookId', in: webhookIds },
    { field: 'status', in: statuses },
    { field: 'createdAt', from: since },
  ];
  const { rows, more } = await tx.deliveries.listAfter({
    where,
    limit,
    ...(after === undefined ? {} : { after: { values: [after.createdAt], id: after.id } }),
  });
  const resent: DeliveryRecord[] = [];
  for (const row of rows) {
    if (!(await tx.events.get(row.eventId))) continue;
    const again = requeueDelivery(row, now);
    await tx.deliveries.put(again);
    resent.push(again);
  }
  const last = rows.at(-1);
  return { resent, next: more && last ? { createdAt: last.createdAt, id: last.id } : null };
}

/** Makes a delivery due now: an open one sooner, one that ended for a single attempt. */
export function requeueDelivery(delivery: DeliveryRecord, now: Date): DeliveryRecord {
  const at = now.toISOString();
  const due = { queue: delivery.webhookId, dueAt: at };
  if (isOpen(delivery)) {
    const { scheduledAt = delivery.dueAt } = delivery;
    return { ...delivery, ...due, ...(scheduledAt > at ? { scheduledAt } : {}) };
  }
  const mark = delivery.status === 'delivered' ? { wasDelivered: true as const } : {};
  return { ...delivery, status: 'pending', manual: true, ...mark, updatedAt: at, ...due };
}

/** Deletes at most `limit` deliveries that ended too long ago or are too many, oldest first. Returns how many. */
export async function purgeDeliveries(tx: Tx, now: Date, limit: number): Promise<number> {
  const oldestKept = new Date(now.getTime() - DELIVERY_LOG_DAYS * 86_400_000).toISOString();
  const surplus = (await tx.deliveries.count()) - DELIVERY_LOG_MAX_ROWS;
  const tooOld = await tx.deliveries.count({ where: [WHERE_ENDED, { field: 'dueAt', before: oldestKept }] });
  const { ids } = await tx.deliveries.listIdsAfter({
    orderBy: 'queue',
    where: [WHERE_ENDED],
    limit: Math.min(limit, Math.max(0, surplus, tooOld)),
  });
  for (const id of ids) await tx.deliveries.remove(id);
  return ids.length;
}
