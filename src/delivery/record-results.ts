/** Stores the results of attempts, many in one commit, and updates the health of their endpoints. */
import { DELIVERY_LOG_MAX_ROWS } from '../contract/limits.ts';
import { purgeDeliveries } from '../domain/events/deliveries.ts';
import type { DeliveryRecord } from '../domain/events/records.ts';
import { type AttemptOutcome, applyAttempt, toDiscarded, isOpen } from '../domain/events/delivery-state.ts';
import type { RetryRules } from '../domain/events/retry-schedule.ts';
import { getReferencedRows, getRowsById } from '../domain/kernel/rows.ts';
import type { StockroomStore, Tx } from '../domain/tables.ts';
import { disableWebhook } from '../domain/webhooks/endpoints.ts';
import { shouldAutoDisable, updateHealth } from '../domain/webhooks/health.ts';
import type { WebhookHealthRecord, WebhookRecord } from '../domain/webhooks/records.ts';

export interface AttemptResult {
  readonly tenantId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  /** The number of attempts of the delivery when this one started. */
  readonly attempts: number;
  /** The URL of the attempt. It does not count for the health of an endpoint whose URL was changed since. */
  readonly targetUrl: string;
  /** Null when no attempt was made, because the event is no longer in the change log. */
  readonly outcome: AttemptOutcome | null;
}

/** A delivery after its result was stored. */
export interface RecordedDelivery {
  readonly tenantId: string;
  readonly delivery: DeliveryRecord;
  readonly outcome: AttemptOutcome | null;
}

export interface RecordOptions {
  readonly store: StockroomStore;
  readonly rules: RetryRules;
  readonly random: () => number;
}

/** The delivery log may exceed its limit by this many rows before commits delete the oldest ended ones. */
const PURGE_THRESHOLD_ROWS = 500;
/** Rows that a commit deletes in addition to the number it writes. */
const EXTRA_PURGE_ROWS = 50;

/** Stores results of one tenant in one commit. Returns those that were stored; others were made of a delivery that has changed since. */
export function recordResults(
  { store, rules, random }: RecordOptions,
  tenantId: string,
  results: readonly AttemptResult[],
): Promise<RecordedDelivery[]> {
  // Outside the transaction, whose work may run again.
  const jitters = results.map(() => random());
  return store.transact(tenantId, async (tx) => {
    const deliveries = await getReferencedRows(tx.deliveries, results, ({ deliveryId }) => deliveryId);
    const recorded: RecordedDelivery[] = [];
    const attemptsByEndpoint = new Map<string, Attempt[]>();
    for (const [index, result] of results.entries()) {
      const before = deliveries.get(result.deliveryId);
      const { outcome } = result;
      // Another daemon took the endpoint over and has made this attempt, or this outcome was stored although its commit seemed to fail.
      if (before && before.attempts !== result.attempts) continue;
      if (outcome) {
        const attempts = attemptsByEndpoint.get(result.webhookId);
        if (attempts) attempts.push({ result, outcome });
        else attemptsByEndpoint.set(result.webhookId, [{ result, outcome }]);
      }
      // The endpoint was deleted in the meantime.
      if (!before) continue;
      const delivery = outcome
        ? applyAttempt(before, outcome, rules, jitters[index] ?? 0, tx.now)
        : isOpen(before)
          ? toDiscarded(before, 'event_expired', tx.now)
          : before;
      await tx.deliveries.put(delivery);
      deliveries.set(delivery.id, delivery);
      recorded.push({ tenantId, delivery, outcome });
    }
    const webhookIds = [...attemptsByEndpoint.keys()];
    const [webhooks, healths] = await Promise.all([getRowsById(tx.webhooks, webhookIds), getRowsById(tx.webhookHealth, webhookIds)]);
    let isDisabled = false;
    for (const webhook of webhooks.values()) {
      const attempts = attemptsByEndpoint.get(webhook.id) ?? [];
      isDisabled = (await updateEndpointHealth(tx, tenantId, webhook, healths.get(webhook.id), attempts)) || isDisabled;
    }
    // Disabling an endpoint discards its open deliveries, which may be among these.
    if (isDisabled)
      for (const [index, each] of recorded.entries())
        recorded[index] = { ...each, delivery: (await tx.deliveries.get(each.delivery.id)) ?? each.delivery };
    if ((await tx.deliveries.count()) > DELIVERY_LOG_MAX_ROWS + PURGE_THRESHOLD_ROWS)
      await purgeDeliveries(tx, tx.now, results.length + EXTRA_PURGE_ROWS);
    return recorded;
  });
}

interface Attempt {
  readonly result: AttemptResult;
  readonly outcome: AttemptOutcome;
}

/** Disables the endpoint when it responded with 410 or has failed for too long, and then returns true. */
async function updateEndpointHealth(
  tx: Tx,
  tenantId: string,
  { id: webhookId, targetUrl }: WebhookRecord,
  before: WebhookHealthRecord | undefined,
  attempts: readonly Attempt[],
): Promise<boolean> {
  const { now, newId } = tx;
  let health = before;
  let isGone = false;
  for (const { result, outcome } of attempts) {
    if (result.targetUrl !== targetUrl) continue;
    health = updateHealth(health, webhookId, outcome.error, outcome.startedAt.toISOString());
    isGone ||= outcome.error === 'endpoint_gone';
  }
  if (health !== before) {
    if (health) await tx.webhookHealth.put(health);
    else await tx.webhookHealth.remove(webhookId);
  }
  // Unchanged health means that no attempt counted, so the endpoint is not disabled now.
  const reason = isGone ? 'endpoint_gone' : health && health !== before && shouldAutoDisable(health, now) ? 'failing_too_long' : undefined;
  const tenant = reason === undefined ? undefined : await tx.tenants.get(tenantId);
  if (reason === undefined || !tenant) return false;
  const actor = { type: 'system', id: 'deliveries' } as const;
  await disableWebhook(tx, { tenant, actor, requestId: newId(), ipAddress: null, now, newId }, webhookId, reason);
  return true;
}
