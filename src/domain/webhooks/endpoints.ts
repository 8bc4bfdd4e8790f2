/**
 * Webhook endpoints. W-5.
 *
 *   active    deliveries are sent. Changed by PATCH, or disabled automatically after a 410 response or a long time without success.
 *   paused    deliveries are recorded and held; those held too long, and the oldest of too many, are discarded.
 *   disabled  no deliveries are recorded, open ones are discarded.
 *
 * PATCH allows every transition. Back in `active`, recorded failures are cleared and held deliveries are due.
 */
import { WEBHOOKS_CEILING, WEBHOOKS_MAX } from '../../contract/limits.ts';
import { type Environment, includesPlan } from '../../contract/scopes.ts';
import { type WebhookDraft, type WebhookPatch, createWebhook as createWebhookOperation } from '../../contract/resources/webhooks.ts';
import { diffFields, recordChange } from '../events/changes.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import {
  countOpenDeliveries,
  discardOpenDeliveries,
  deleteDeliveries,
  makeDeliveriesDueNow,
  enforceHeldLimit,
} from '../events/deliveries.ts';
import { StockroomError, notFound } from '../kernel/errors.ts';
import type { ReadTx, Tx } from '../tables.ts';
import { type TargetPolicy, checkTargetUrl } from './target-policy.ts';
import type { TenantRecord } from '../kernel/tenant.ts';
import { blankToNull, requireText } from '../kernel/text.ts';
import { generateSecret, rotateSigningSecret } from './signing-secrets.ts';
import type { WebhookRecord } from './records.ts';

type WebhookFields = Pick<WebhookRecord, 'name' | 'targetUrl' | 'subscribedEvents' | 'status' | 'environment' | 'description'>;
const FIELDS = [
  'name',
  'targetUrl',
  'subscribedEvents',
  'status',
  'environment',
  'description',
] as const satisfies readonly (keyof WebhookFields)[];

export async function getWebhook(tx: ReadTx, id: string): Promise<WebhookRecord> {
  const webhook = await tx.webhooks.get(id);
  if (!webhook) throw notFound('webhook', id);
  return webhook;
}

/** Whether the plan of the tenant includes webhooks. Without them, existing endpoints remain and send nothing. */
export const canUseWebhooks = ({ plan }: Pick<TenantRecord, 'plan'>): boolean => includesPlan(plan, createWebhookOperation.plan);

/** Creates an endpoint with a new signing secret. `environment` is the environment of the API key, the default for the endpoint. */
export async function createWebhook(
  tx: Tx,
  context: Context,
  draft: WebhookDraft,
  environment: Environment | null,
  policy: TargetPolicy,
  secret = generateSecret(),
): Promise<WebhookRecord> {
  const { maxEndpoints = WEBHOOKS_MAX } = policy;
  if ((await tx.webhooks.count()) >= maxEndpoints) {
    throw new StockroomError('LIMIT_REACHED', `The limit of ${String(maxEndpoints)} webhook endpoints is reached. Delete one first.`, {
      details: { limit: maxEndpoints },
    });
  }
  checkTargetUrl(policy, draft.targetUrl);
  const at = context.now.toISOString();
  const webhook: WebhookRecord = {
    id: context.newId(),
    name: requireText(draft.name, '/name'),
    targetUrl: draft.targetUrl,
    subscribedEvents: draft.subscribedEvents,
    status: draft.status,
    environment: draft.environment ?? environment ?? 'development',
    description: blankToNull(draft.description ?? null),
    secret,
    previous: null,
    pausedAt: draft.status === 'paused' ? at : null,
    createdAt: at,
    updatedAt: at,
  };
  await tx.webhooks.put(webhook);
  const { name, targetUrl, subscribedEvents } = webhook;
  await recordWebhookChange(tx, context, 'webhook.created', webhook.id, { name, targetUrl, subscribedEvents });
  return webhook;
}

/** The outcome of an update. */
export interface UpdatedWebhook {
  readonly webhook: WebhookRecord;
  /** Given when the endpoint was disabled: deliveries that will not be sent. */
  readonly discardedDeliveries?: number;
}

/** Updates an endpoint. With `rotateSecret` it gets a new signing secret. */
export async function updateWebhook(
  tx: Tx,
  context: Context,
  id: string,
  { rotateSecret = false, ...patch }: WebhookPatch,
  policy: TargetPolicy,
): Promise<UpdatedWebhook> {
  const before = await getWebhook(tx, id);
  const fields: WebhookFields = {
    name: patch.name === undefined ? before.name : requireText(patch.name, '/name'),
    targetUrl: patch.targetUrl ?? before.targetUrl,
    subscribedEvents: patch.subscribedEvents ?? before.subscribedEvents,
    status: patch.status ?? before.status,
    environment: patch.environment ?? before.environment,
    description: patch.description === undefined ? before.description : blankToNull(patch.description),
  };
  // An unchanged URL is checked as well: the policy may have become stricter.
  if (patch.targetUrl !== undefined) checkTargetUrl(policy, patch.targetUrl);
  const changes = diffFields<WebhookFields>(before, fields, FIELDS);
  const hasChanges = Object.keys(changes).length > 0;
  if (!hasChanges && !rotateSecret) return { webhook: before };
  const webhook: WebhookRecord = {
    ...before,
    ...fields,
    ...(rotateSecret ? rotateSigningSecret(before, generateSecret(), context.now) : {}),
    pausedAt: fields.status === 'paused' ? (before.pausedAt ?? context.now.toISOString()) : null,
    updatedAt: getNextTimestamp(context.now, before.updatedAt),
  };
  await tx.webhooks.put(webhook);
  const isDisabling = webhook.status === 'disabled' && before.status !== 'disabled';
  const discarded = isDisabling ? { discardedDeliveries: await countOpenDeliveries(tx, id) } : {};
  if (hasChanges) {
    const action = isDisabling ? 'webhook.disabled' : 'webhook.updated';
    await recordChange(tx, context, { action, resourceType: 'webhook', resourceId: id, changes, metadata: discarded });
  }
  if (rotateSecret) await recordWebhookChange(tx, context, 'webhook.secret_rotated', id, { overlapUntil: webhook.previous?.until });
  if (webhook.status !== before.status) await applyStatusChange(tx, context, webhook, before.status);
  return { webhook, ...discarded };
}

/** Replaces the signing secret by a given one, without an overlap. */
export async function setSigningSecret(tx: Tx, context: Context, id: string, secret: string): Promise<WebhookRecord> {
  const before = await getWebhook(tx, id);
  if (before.secret === secret) return before;
  const webhook: WebhookRecord = { ...before, secret, previous: null, updatedAt: getNextTimestamp(context.now, before.updatedAt) };
  await tx.webhooks.put(webhook);
  await recordWebhookChange(tx, context, 'webhook.secret_rotated', id);
  return webhook;
}

/** Ends the overlap of a secret rotation, so that only the new secret signs. */
export async function endOverlap(tx: Tx, context: Context, id: string): Promise<WebhookRecord> {
  const before = await getWebhook(tx, id);
  if (before.previous === null || Date.parse(before.previous.until) <= context.now.getTime()) return before;
  const webhook: WebhookRecord = { ...before, previous: null, updatedAt: getNextTimestamp(context.now, before.updatedAt) };
  await tx.webhooks.put(webhook);
  await recordWebhookChange(tx, context, 'webhook.overlap_ended', id);
  return webhook;
}

/** Deletes an endpoint with its deliveries. The delivery engine deletes those that do not fit in the transaction. */
export async function deleteWebhook(tx: Tx, context: Context, id: string): Promise<void> {
  const { name, targetUrl } = await getWebhook(tx, id);
  await deleteDeliveries(tx, id);
  await tx.webhookHealth.remove(id);
  const replays = await tx.webhookReplays.listIdsAfter({ where: [{ field: 'webhookId', equals: id }], limit: Number.MAX_SAFE_INTEGER });
  for (const replayId of replays.ids) await tx.webhookReplays.remove(replayId);
  await tx.webhooks.remove(id);
  await recordWebhookChange(tx, context, 'webhook.deleted', id, { name, targetUrl });
}

/** Disables an endpoint automatically. `reason` is stored in the audit trail. */
export async function disableWebhook(tx: Tx, context: Context, id: string, reason: string): Promise<void> {
  const before = await tx.webhooks.get(id);
  if (!before || before.status === 'disabled') return;
  const webhook: WebhookRecord = {
    ...before,
    status: 'disabled',
    pausedAt: null,
    updatedAt: getNextTimestamp(context.now, before.updatedAt),
  };
  await tx.webhooks.put(webhook);
  await recordChange(tx, context, {
    action: 'webhook.auto_disabled',
    resourceType: 'webhook',
    resourceId: id,
    changes: { status: { from: before.status, to: webhook.status } },
    metadata: { reason, discardedDeliveries: await countOpenDeliveries(tx, id) },
  });
  await applyStatusChange(tx, context, webhook, before.status);
}

/**
 * Discards the open deliveries of all endpoints because the plan does not include webhooks: at most `limit` per endpoint when the plan
 * loses webhooks, and all that remain when it gets them back.
 */
export async function discardAllOpenDeliveries(tx: Tx, now: Date, limit?: number): Promise<void> {
  const { rows } = await tx.webhooks.listAfter({ limit: WEBHOOKS_CEILING });
  for (const { id } of rows) await discardOpenDeliveries(tx, id, 'plan_required', now, limit);
}

async function applyStatusChange(tx: Tx, { now }: Context, { id, status }: WebhookRecord, from: WebhookRecord['status']): Promise<void> {
  if (status !== 'paused') await tx.webhookHealth.remove(id);
  // Deliveries still open are older than the disabling, and were not discarded by the delivery engine yet.
  if (from === 'disabled') await discardOpenDeliveries(tx, id, 'endpoint_disabled', now, Number.MAX_SAFE_INTEGER);
  if (status === 'disabled') await discardOpenDeliveries(tx, id, 'endpoint_disabled', now);
  if (status === 'paused') await enforceHeldLimit(tx, id, now, 0);
  if (status === 'active' && from === 'paused') await makeDeliveriesDueNow(tx, id, now);
}

const recordWebhookChange = (
  tx: Tx,
  context: Context,
  action: string,
  id: string,
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<void> => recordChange(tx, context, { action, resourceType: 'webhook', resourceId: id, metadata });
