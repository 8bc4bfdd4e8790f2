/** Stores what came of attempts: many in one commit, with what follows for their endpoints. */
import { DELIVERY_LOG_MAX_ROWS } from '../contract/limits.ts';
import type { Context } from '../domain/context.ts';
import {
  type DeliveryRecord,
  type Outcome,
  type RetryRules,
  afterAttempt,
  discarded,
  isOpen,
  purgeDeliveries,
} from '../domain/deliveries.ts';
import type { NewId } from '../domain/ports.ts';
import type { StockroomStore, Tx } from '../domain/tables.ts';
import { disableWebhook, healthAfter, isGivenUp } from '../domain/webhooks.ts';

export interface Result {
  readonly tenantId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  /** Where it was sent; an endpoint that has another address by now is not blamed. */
  readonly targetUrl: string;
  /** Null: no attempt was made, because the event is gone. */
  readonly outcome: Outcome | null;
}

/** A delivery as it is after one of the results. */
export interface Recorded {
  readonly tenantId: string;
  readonly delivery: DeliveryRecord;
  readonly outcome: Outcome | null;
}

export interface Recorder {
  readonly store: StockroomStore;
  readonly newId: NewId;
  readonly rules: RetryRules;
  readonly random: () => number;
  readonly now: () => Date;
}

/** The surplus that may gather before the oldest ends are dropped in the commits of newer ones. */
const SURPLUS = 500;
const PURGE_MORE = 50;

/** One commit with the results of one tenant. */
export function record(
  { store, newId, rules, random, now: clock }: Recorder,
  tenantId: string,
  results: readonly Result[],
): Promise<Recorded[]> {
  // Drawn outside: the work may run again.
  const draws = results.map(() => random());
  return store.transact(tenantId, async (tx) => {
    const now = clock();
    const recorded: Recorded[] = [];
    const finished = new Map<string, { result: Result; outcome: Outcome }[]>();
    for (const [at, result] of results.entries()) {
      const before = await tx.deliveries.get(result.deliveryId);
      const { outcome } = result;
      if (outcome) {
        const others = finished.get(result.webhookId);
        if (others) others.push({ result, outcome });
        else finished.set(result.webhookId, [{ result, outcome }]);
      }
      // Its endpoint was deleted meanwhile.
      if (!before) continue;
      const delivery = outcome
        ? afterAttempt(before, outcome, rules, draws[at] ?? 0)
        : isOpen(before)
          ? discarded(before, 'event_expired', now)
          : before;
      await tx.deliveries.put(delivery);
      recorded.push({ tenantId, delivery, outcome });
    }
    let isDisabled = false;
    for (const [webhookId, attempts] of finished)
      isDisabled = (await judge(tx, tenantId, webhookId, attempts, { now, newId })) || isDisabled;
    // With its endpoint, some of them were discarded after all.
    if (isDisabled)
      for (const [at, each] of recorded.entries())
        recorded[at] = { ...each, delivery: (await tx.deliveries.get(each.delivery.id)) ?? each.delivery };
    if ((await tx.deliveries.count()) > DELIVERY_LOG_MAX_ROWS + SURPLUS) await purgeDeliveries(tx, now, results.length + PURGE_MORE);
    return recorded;
  });
}

/** Keeps the failures of an endpoint, and disables it when it is gone or has failed for too long: then true. */
async function judge(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  attempts: readonly { result: Result; outcome: Outcome }[],
  { now, newId }: Pick<Context, 'now' | 'newId'>,
): Promise<boolean> {
  const webhook = await tx.webhooks.get(webhookId);
  if (!webhook) return false;
  const before = await tx.webhookHealth.get(webhookId);
  let health = before;
  let gone = false;
  for (const { result, outcome } of attempts) {
    if (result.targetUrl !== webhook.targetUrl) continue;
    health = healthAfter(health, webhookId, outcome.error === null, outcome.startedAt.toISOString());
    gone ||= outcome.error === 'endpoint_gone';
  }
  if (health !== before) {
    if (health) await tx.webhookHealth.put(health);
    else await tx.webhookHealth.remove(webhookId);
  }
  // Only one more failure gives it up: an attempt that is not its own says nothing about it.
  const reason = gone ? 'endpoint_gone' : health && health !== before && isGivenUp(health, now) ? 'failing_too_long' : undefined;
  const tenant = reason === undefined ? undefined : await tx.tenants.get(tenantId);
  if (reason === undefined || !tenant) return false;
  const actor = { type: 'system', id: 'deliveries' } as const;
  await disableWebhook(tx, { tenant, actor, requestId: newId(), ipAddress: null, now, newId }, webhookId, reason);
  return true;
}
