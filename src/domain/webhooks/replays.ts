/**
 * Replays: jobs that resend the ended deliveries of an endpoint, oldest first. W-8.
 *
 * Each step queues a batch: the next deliveries, all of different records, at most those of a second. The next step follows when all of the
 * batch have ended and the rate allows it, so the deliveries of one record are sent in the order of their events. A step is one transaction
 * that any daemon may run.
 *
 *   running    Left when no delivery is left, the endpoint is disabled or the plan has no webhooks; deleted when it is cancelled or the
 *              endpoint is deleted.
 *   completed  All were sent.
 *   stopped    The endpoint was disabled, or the plan lost webhooks.
 */
import type { BodyOf } from '../../contract/operation.ts';
import type { createReplay as createReplayOperation } from '../../contract/resources/webhook-replays.ts';
import { REPLAYS_KEPT } from '../../contract/limits.ts';
import { recordChange } from '../events/changes.ts';
import { checkNotDisabled, requeueDelivery } from '../events/deliveries.ts';
import { isOpen } from '../events/delivery-state.ts';
import type { DeliveryRecord } from '../events/records.ts';
import type { Context } from '../kernel/context.ts';
import { StockroomError, notFound } from '../kernel/errors.ts';
import type { Condition } from '../kernel/ports.ts';
import { getRowsById } from '../kernel/rows.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { canUseWebhooks, getWebhook } from './endpoints.ts';
import type { ReplayRecord } from './records.ts';

const RUNNING: Condition = { field: 'state', equals: 'running' };
const whereEndpoint = (webhookId: string): Condition => ({ field: 'webhookId', equals: webhookId });

export async function getReplay(tx: ReadTx, webhookId: string, id: string): Promise<ReplayRecord> {
  const replay = await tx.webhookReplays.get(id);
  if (replay?.webhookId !== webhookId) throw notFound('replay', id);
  return replay;
}

/** `since` and `until` in UTC. */
export async function createReplay(
  tx: Tx,
  context: Context,
  webhookId: string,
  { since, until, types, statuses, rate }: BodyOf<typeof createReplayOperation> & { readonly until: string },
): Promise<ReplayRecord> {
  checkNotDisabled(await getWebhook(tx, webhookId));
  const [running] = (await tx.webhookReplays.listAfter({ where: [whereEndpoint(webhookId), RUNNING], limit: 1 })).rows;
  if (running)
    throw new StockroomError('INVALID_STATE', 'Another replay of this endpoint is running. Wait for its end, or cancel it.', {
      details: { replayId: running.id },
    });
  const at = context.now.toISOString();
  const selection = { webhookId, since, until, types: types ?? null, statuses };
  const where = toConditions(selection);
  const [selected, oldest, newest] = await Promise.all([
    tx.deliveries.count({ where }),
    tx.deliveries.listAfter({ where, limit: 1 }),
    tx.deliveries.listAfter({ where, descending: true, limit: 1 }),
  ]);
  const replay: ReplayRecord = {
    id: context.newId(),
    ...selection,
    state: selected === 0 ? 'completed' : 'running',
    rate,
    selected,
    sent: 0,
    failed: 0,
    oldestAt: oldest.rows[0]?.createdAt ?? null,
    newestAt: newest.rows[0]?.createdAt ?? null,
    after: null,
    batch: [],
    nextAt: at,
    createdAt: at,
    updatedAt: at,
  };
  await tx.webhookReplays.put(replay);
  await deleteOldest(tx, webhookId);
  await recordReplayChange(tx, context, 'webhook.replay_started', replay);
  return replay;
}

export async function cancelReplay(tx: Tx, context: Context, webhookId: string, id: string): Promise<void> {
  const replay = await getReplay(tx, webhookId, id);
  await tx.webhookReplays.remove(id);
  await recordReplayChange(tx, context, 'webhook.replay_cancelled', replay);
}

const recordReplayChange = (tx: Tx, context: Context, action: string, { id, webhookId, selected, sent }: ReplayRecord): Promise<void> =>
  recordChange(tx, context, { action, resourceType: 'webhook', resourceId: webhookId, metadata: { replayId: id, selected, sent } });

const toConditions = ({
  webhookId,
  since,
  until,
  types,
  statuses,
}: Pick<ReplayRecord, 'webhookId' | 'since' | 'until' | 'types' | 'statuses'>): Condition[] => [
  whereEndpoint(webhookId),
  { field: 'status', in: statuses },
  { field: 'createdAt', from: since, before: until },
  ...(types === null ? [] : [{ field: 'eventType', in: types }]),
];

async function deleteOldest(tx: Tx, webhookId: string): Promise<void> {
  const { ids } = await tx.webhookReplays.listIdsAfter({
    where: [whereEndpoint(webhookId)],
    descending: true,
    limit: Number.MAX_SAFE_INTEGER,
  });
  for (const id of ids.slice(REPLAYS_KEPT)) await tx.webhookReplays.remove(id);
}

/** The running replays of the tenant. */
export const listRunningReplays = async (tx: ReadTx): Promise<readonly ReplayRecord[]> =>
  (await tx.webhookReplays.listAfter({ where: [RUNNING], limit: Number.MAX_SAFE_INTEGER })).rows;

/** Whether a step would do something: its batch has ended, and the next one is due. */
export async function isReplayDue(tx: ReadTx, { batch, nextAt }: ReplayRecord, now: Date): Promise<boolean> {
  if (nextAt > now.toISOString()) return false;
  return !(await tx.deliveries.getMany(batch)).some((delivery) => delivery !== undefined && isOpen(delivery));
}

/** Counts the outcomes of the last batch and queues the next one. */
export async function advanceReplay(tx: Tx, tenantId: string, id: string): Promise<void> {
  const replay = await tx.webhookReplays.get(id);
  if (replay?.state !== 'running' || !(await isReplayDue(tx, replay, tx.now))) return;
  const ended = await tx.deliveries.getMany(replay.batch);
  const sent = ended.filter((delivery) => delivery?.status === 'delivered' && delivery.lastError === null).length;
  const counted = { ...replay, batch: [], sent: replay.sent + sent, failed: replay.failed + ended.length - sent };
  const [tenant, webhook] = [await tx.tenants.get(tenantId), await tx.webhooks.get(replay.webhookId)];
  const isAllowed = tenant !== undefined && canUseWebhooks(tenant) && webhook !== undefined && webhook.status !== 'disabled';
  const next = isAllowed ? await queueBatch(tx, counted) : { ...counted, state: 'stopped' as const };
  await tx.webhookReplays.put({ ...next, updatedAt: tx.now.toISOString() });
}

async function queueBatch(tx: Tx, replay: ReplayRecord): Promise<ReplayRecord> {
  const { after, rate } = replay;
  const { rows } = await tx.deliveries.listAfter({
    where: toConditions(replay),
    limit: rate,
    ...(after === null ? {} : { after: { values: [after.createdAt], id: after.id } }),
  });
  if (rows.length === 0) return { ...replay, state: 'completed' };
  const events = await getRowsById(
    tx.events,
    rows.map(({ eventId }) => eventId),
  );
  const records = new Set<string>();
  const batch: DeliveryRecord[] = [];
  let last = after;
  let expired = 0;
  for (const row of rows) {
    const event = events.get(row.eventId);
    if (event !== undefined && records.has(event.resourceId)) break;
    last = { createdAt: row.createdAt, id: row.id };
    // An event that is no longer kept cannot be sent.
    if (event === undefined) expired += 1;
    else {
      records.add(event.resourceId);
      batch.push(requeueDelivery(row, tx.now));
    }
  }
  await tx.deliveries.putMany(batch);
  const nextAt = new Date(tx.now.getTime() + (batch.length * 1_000) / rate).toISOString();
  return { ...replay, after: last, batch: batch.map(({ id }) => id), failed: replay.failed + expired, nextAt };
}
