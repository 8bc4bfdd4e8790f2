/** Handlers of a delivery with its event, of its resend, and of replays. W-8. */
import type { ResultOf } from '../contract/operation.ts';
import type { readDelivery, webhookReplayOperations } from '../contract/resources/webhook-replays.ts';
import { recordChange } from '../domain/events/changes.ts';
import { getDelivery, resendDelivery } from '../domain/events/deliveries.ts';
import { isOpen } from '../domain/events/delivery-state.ts';
import type { DeliveryRecord } from '../domain/events/records.ts';
import { notFound } from '../domain/kernel/errors.ts';
import type { ReadTx } from '../domain/tables.ts';
import { getWebhook } from '../domain/webhooks/endpoints.ts';
import type { ReplayRecord } from '../domain/webhooks/records.ts';
import { cancelReplay, createReplay, getReplay } from '../domain/webhooks/replays.ts';
import { type Handlers, respondWithRecord } from './handler.ts';
import { toUtc } from './lists/pagination.ts';
import { checkVersion } from './versions.ts';
import { presentDelivery } from './webhooks.ts';

export const webhookReplayHandlers: Handlers<typeof webhookReplayOperations> = {
  'webhooks.deliveries.get': async ({ tx, params }) => presentDetail(tx, await getOwnDelivery(tx, params.webhook_id, params.delivery_id)),
  async 'webhooks.deliveries.requeue'({ tx, context, params }) {
    const { id, webhookId } = await getOwnDelivery(tx, params.webhook_id, params.delivery_id);
    const delivery = await resendDelivery(tx, id, context.now);
    const metadata = { deliveryId: id };
    await recordChange(tx, context, { action: 'webhook.delivery_resent', resourceType: 'webhook', resourceId: webhookId, metadata });
    return presentDetail(tx, delivery);
  },
  async 'webhooks.replays.create'({ tx, context, params, body }) {
    const { since, until = context.now.toISOString() } = body;
    const replay = await createReplay(tx, context, params.webhook_id, { ...body, since: toUtc(since), until: toUtc(until) });
    return respondWithRecord(replay, { data: presentReplay(replay) }, `/v1/webhooks/${replay.webhookId}/replays/${replay.id}`);
  },
  async 'webhooks.replays.get'({ tx, params }) {
    const replay = await getReplay(tx, params.webhook_id, params.replay_id);
    return respondWithRecord(replay, { data: presentReplay(replay) });
  },
  async 'webhooks.replays.cancel'({ tx, context, params, ifMatch }) {
    checkVersion(ifMatch, (await getReplay(tx, params.webhook_id, params.replay_id)).updatedAt);
    await cancelReplay(tx, context, params.webhook_id, params.replay_id);
  },
};

async function getOwnDelivery(tx: ReadTx, webhookId: string, id: string): Promise<DeliveryRecord> {
  await getWebhook(tx, webhookId);
  const delivery = await getDelivery(tx, id);
  if (delivery.webhookId !== webhookId) throw notFound('delivery', id);
  return delivery;
}

async function presentDetail(tx: ReadTx, delivery: DeliveryRecord) {
  const event = await tx.events.get(delivery.eventId);
  const { history = [] } = delivery;
  const data: ResultOf<typeof readDelivery>['data'] = {
    ...presentDelivery(delivery),
    eventId: delivery.eventId,
    resourceId: event?.resourceId ?? null,
    payload: event === undefined ? null : (JSON.parse(event.body) as unknown),
    nextAttemptAt: isOpen(delivery) ? delivery.dueAt : null,
    // Without what receivers answered, which only the owner of the daemon reads (W-3).
    history: history.map(({ at, milliseconds, httpStatus, error }) => ({ at, milliseconds, httpStatus, error })),
  };
  return respondWithRecord(delivery, { data });
}

function presentReplay({ after: _after, batch: _batch, nextAt: _nextAt, ...replay }: ReplayRecord) {
  return replay;
}
