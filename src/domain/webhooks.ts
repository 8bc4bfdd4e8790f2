/**
 * Webhook endpoints. decisions-api §1.5.
 *
 *   active    sends. Leaves by PATCH, or to `disabled` by itself: after 410, or when nothing has succeeded for long.
 *   paused    new events are recorded and held with everything that is open; what is held too long, or too much of it, is discarded.
 *   disabled  new events are not recorded, what is open is discarded.
 *
 * Any status may follow any other by PATCH. Back to `active` means a clean slate: failures are forgotten, held deliveries are due.
 */
import { AUTO_DISABLE_H, AUTO_DISABLE_MIN_ATTEMPTS, WEBHOOKS_CEILING, WEBHOOKS_MAX } from '../contract/limits.ts';
import type { Environment } from '../contract/scopes.ts';
import { planCovers } from '../contract/scopes.ts';
import type { SubscribableEvent } from '../contract/events.ts';
import { type WebhookDraft, type WebhookPatch, type WebhookStatus, createWebhook as creation } from '../contract/webhooks.ts';
import { differences, note } from './changes.ts';
import { type Context, nextTimestamp } from './context.ts';
import { discardOpen, dropDeliveries, makeDue, makeRoom } from './deliveries.ts';
import { StockroomError, notFound } from './errors.ts';
import type { ReadTx, Tx } from './tables.ts';
import { type TargetPolicy, checkTargetUrl } from './targets.ts';
import type { TenantRecord } from './tenants.ts';
import { blankToNull, requiredText } from './text.ts';
import { type SigningSecrets, newSecret, rotate } from './webhook-secrets.ts';

export interface WebhookRecord extends SigningSecrets {
  readonly id: string;
  readonly name: string;
  readonly targetUrl: string;
  readonly subscribedEvents: readonly SubscribableEvent[];
  readonly status: WebhookStatus;
  readonly environment: Environment;
  readonly description: string | null;
  /** Since when it has been paused. */
  readonly pausedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Failures since the last success; no row while all is well, so that a delivery that succeeds writes none. */
export interface WebhookHealthRecord {
  /** The endpoint's. */
  readonly id: string;
  readonly failingSince: string;
  /** Finished attempts. */
  readonly failedAttempts: number;
}

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

/** Whether the plan of the tenant has webhooks at all; without it endpoints stay and send nothing. */
export const mayUseWebhooks = ({ plan }: Pick<TenantRecord, 'plan'>): boolean => planCovers(plan, creation.plan);

/** The endpoint; its secret is in the record. `environment` is that of the key that asks. */
export async function createWebhook(
  tx: Tx,
  context: Context,
  draft: WebhookDraft,
  environment: Environment | null,
  policy: TargetPolicy,
): Promise<WebhookRecord> {
  const { maxEndpoints = WEBHOOKS_MAX } = policy;
  if ((await tx.webhooks.count()) >= maxEndpoints) {
    throw new StockroomError(
      'LIMIT_REACHED',
      `There are ${String(maxEndpoints)} webhook endpoints, and there can be no more; delete one first.`,
      {
        details: { limit: maxEndpoints },
      },
    );
  }
  checkTargetUrl(policy, draft.targetUrl);
  const at = context.now.toISOString();
  const webhook: WebhookRecord = {
    id: context.newId(),
    name: requiredText(draft.name, '/name'),
    targetUrl: draft.targetUrl,
    subscribedEvents: draft.subscribedEvents,
    status: draft.status,
    environment: draft.environment ?? environment ?? 'development',
    description: blankToNull(draft.description ?? null),
    secret: newSecret(),
    previous: null,
    pausedAt: draft.status === 'paused' ? at : null,
    createdAt: at,
    updatedAt: at,
  };
  await tx.webhooks.put(webhook);
  const { name, targetUrl, subscribedEvents } = webhook;
  await noteWebhook(tx, context, 'webhook.created', webhook.id, { name, targetUrl, subscribedEvents });
  return webhook;
}

/** The endpoint after the change; with `rotateSecret` its record has a new secret. */
export async function updateWebhook(
  tx: Tx,
  context: Context,
  id: string,
  { rotateSecret = false, ...patch }: WebhookPatch,
  policy: TargetPolicy,
): Promise<WebhookRecord> {
  const before = await getWebhook(tx, id);
  const fields: WebhookFields = {
    name: patch.name === undefined ? before.name : requiredText(patch.name, '/name'),
    targetUrl: patch.targetUrl ?? before.targetUrl,
    subscribedEvents: patch.subscribedEvents ?? before.subscribedEvents,
    status: patch.status ?? before.status,
    environment: patch.environment ?? before.environment,
    description: patch.description === undefined ? before.description : blankToNull(patch.description),
  };
  // Also when it is the same as before: the policy may have become stricter.
  if (patch.targetUrl !== undefined) checkTargetUrl(policy, patch.targetUrl);
  const changes = differences<WebhookFields>(before, fields, FIELDS);
  const changed = Object.keys(changes).length > 0;
  if (!changed && !rotateSecret) return before;
  const webhook: WebhookRecord = {
    ...before,
    ...fields,
    ...(rotateSecret ? rotate(before, newSecret(), context.now) : {}),
    pausedAt: fields.status === 'paused' ? (before.pausedAt ?? context.now.toISOString()) : null,
    updatedAt: nextTimestamp(context.now, before.updatedAt),
  };
  await tx.webhooks.put(webhook);
  if (changed) {
    const isDisabling = webhook.status === 'disabled' && before.status !== 'disabled';
    const action = isDisabling ? 'webhook.disabled' : 'webhook.updated';
    await note(tx, context, { action, resourceType: 'webhook', resourceId: id, changes });
  }
  if (rotateSecret) await noteWebhook(tx, context, 'webhook.secret_rotated', id, { overlapUntil: webhook.previous?.until });
  if (webhook.status !== before.status) await enterStatus(tx, context, webhook, before.status);
  return webhook;
}

/** Ends the overlap of a rotation now: from here on only the newest secret signs. */
export async function endOverlap(tx: Tx, context: Context, id: string): Promise<WebhookRecord> {
  const before = await getWebhook(tx, id);
  if (before.previous === null || Date.parse(before.previous.until) <= context.now.getTime()) return before;
  const webhook: WebhookRecord = { ...before, previous: null, updatedAt: nextTimestamp(context.now, before.updatedAt) };
  await tx.webhooks.put(webhook);
  await noteWebhook(tx, context, 'webhook.overlap_ended', id);
  return webhook;
}

/** Deletes the endpoint. Deliveries beyond the first thousand are dropped by the engine, which finds that they belong to nobody. */
export async function deleteWebhook(tx: Tx, context: Context, id: string): Promise<void> {
  const { name, targetUrl } = await getWebhook(tx, id);
  await dropDeliveries(tx, id);
  await tx.webhookHealth.remove(id);
  await tx.webhooks.remove(id);
  await noteWebhook(tx, context, 'webhook.deleted', id, { name, targetUrl });
}

/** Disables an endpoint on behalf of the service itself. */
export async function disableWebhook(tx: Tx, context: Context, id: string, reason: string): Promise<void> {
  const before = await tx.webhooks.get(id);
  if (!before || before.status === 'disabled') return;
  const webhook: WebhookRecord = { ...before, status: 'disabled', pausedAt: null, updatedAt: nextTimestamp(context.now, before.updatedAt) };
  await tx.webhooks.put(webhook);
  await note(tx, context, {
    action: 'webhook.auto_disabled',
    resourceType: 'webhook',
    resourceId: id,
    changes: { status: { from: before.status, to: webhook.status } },
    metadata: { reason },
  });
  await enterStatus(tx, context, webhook, before.status);
}

/**
 * Discards what is open of every endpoint, because the plan has no webhooks: as much as one transaction should when it loses them, and
 * whatever the engine has not come to when it has them again.
 */
export async function silenceWebhooks(tx: Tx, now: Date, limit?: number): Promise<void> {
  const { rows } = await tx.webhooks.after({ limit: WEBHOOKS_CEILING });
  for (const { id } of rows) await discardOpen(tx, id, 'plan_required', now, limit);
}

async function enterStatus(tx: Tx, { now }: Context, { id, status }: WebhookRecord, from: WebhookRecord['status']): Promise<void> {
  if (status !== 'paused') await tx.webhookHealth.remove(id);
  // A disabled endpoint records nothing: what is open is from before, and the engine has not come to it yet.
  if (from === 'disabled') await discardOpen(tx, id, 'endpoint_disabled', now, Number.MAX_SAFE_INTEGER);
  if (status === 'disabled') await discardOpen(tx, id, 'endpoint_disabled', now);
  if (status === 'paused') await makeRoom(tx, id, now, 0);
  if (status === 'active' && from === 'paused') await makeDue(tx, id, now);
}

/** The failures of an endpoint after one more finished attempt; undefined: all is well. */
export function healthAfter(
  health: WebhookHealthRecord | undefined,
  id: string,
  succeeded: boolean,
  at: string,
): WebhookHealthRecord | undefined {
  if (succeeded) return undefined;
  return { id, failingSince: health?.failingSince ?? at, failedAttempts: (health?.failedAttempts ?? 0) + 1 };
}

/** Whether an endpoint has failed for so long, and so often, that it is switched off. */
export const isGivenUp = ({ failingSince, failedAttempts }: WebhookHealthRecord, now: Date): boolean =>
  failedAttempts >= AUTO_DISABLE_MIN_ATTEMPTS && now.getTime() - Date.parse(failingSince) >= AUTO_DISABLE_H * 3_600_000;

const noteWebhook = (
  tx: Tx,
  context: Context,
  action: string,
  id: string,
  metadata: Readonly<Record<string, unknown>> = {},
): Promise<void> => note(tx, context, { action, resourceType: 'webhook', resourceId: id, metadata });
