/**
 * A service elsewhere: its public API, asked question by question in turn, at a pace that leaves the key at least half its limit.
 * What the key may not read is left out and said once. Requests of others are not told by the API.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Reply } from '../client/client.ts';
import { ApiError, Unreachable } from '../client/errors.ts';
import { listAuditEvents } from '../contract/audit.ts';
import { getAuthContext } from '../contract/auth-context.ts';
import { RATE_LIMIT } from '../contract/headers.ts';
import { AUDIT_LIMIT_MAX, PAGE_SIZE_MAX } from '../contract/limits.ts';
import type { Operation, ResultOf } from '../contract/operation.ts';
import { getOrganization } from '../contract/organization.ts';
import { getUsage } from '../contract/usage.ts';
import { type Webhook, listDeliveries, listWebhooks } from '../contract/webhooks.ts';
import type { LooseParts } from '../client/request.ts';
import type { About, DeliveryRow, EndpointRow } from './model.ts';
import { type Pace, afterRefusal, afterRequest, newPace, paceText, waitOf } from './pace.ts';
import { type Action, NO_NEWS } from './reduce.ts';
import type { Source } from './source.ts';

const AGAIN_MS = 5_000;
const AUDIT_BACK_MS = 900_000;

/** Who the key is; throws what a command says when it is refused or nobody answers. */
export async function remoteAbout(api: Client): Promise<Pick<About, 'tenant' | 'productionKey'>> {
  const { data } = (await api.perform(getAuthContext)).body;
  const { tenant, api_key: key } = data;
  return {
    tenant: { slug: null, name: null, plan: tenant.plan },
    productionKey: key.environment === 'production' ? key.prefix : null,
  };
}

export function remoteSource(api: Client): Source {
  let pace: Pace = newPace;
  const forbidden = new Set<string>();
  let key: { id: string; prefix: string; tier: string } | null = null;
  let used: number | null = null;
  let webhooks: readonly Webhook[] = [];
  const deliveries = new Map<string, Map<string, DeliveryRow>>();
  const seenUntil = new Map<string, string>();
  let auditCursor: { createdAt: string; id: string } | null = null;
  let hurry = true;

  /** Asks when the pace allows it. Null: the key may not. */
  async function ask<O extends Operation>(
    tell: (action: Action) => void,
    signal: AbortSignal,
    op: O,
    parts: LooseParts = {},
  ): Promise<ResultOf<O> | null> {
    if (forbidden.has(op.id)) return null;
    await sleep(waitOf(pace, Date.now(), hurry), undefined, { signal });
    try {
      const reply = await api.perform(op, parts);
      pace = afterRequest(pace, Date.now(), rateOf(reply));
      tell({ type: 'about', about: { pace: paceText(pace) } });
      tellLimit(tell, reply);
      return reply.body;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      pace = afterRequest(pace, Date.now(), null);
      if (error.retryAfterSeconds !== null) pace = afterRefusal(pace, Date.now(), error.retryAfterSeconds);
      if (error.status !== 403) throw error;
      forbidden.add(op.id);
      tell({ type: 'notice', at: Date.now(), text: `not shown, because the key may not: ${op.summary.toLowerCase()}`, tone: 'info' });
      return null;
    }
  }

  function tellLimit(tell: (action: Action) => void, reply: Reply): void {
    const rate = rateOf(reply);
    if (rate === null || key === null) return;
    const { id, prefix, tier } = key;
    const limits = [{ keyId: id, keyPrefix: prefix, tier, limit: rate.limit, remaining: rate.remaining, resetAt: rate.resetAt }];
    const now = rate.limit - rate.remaining;
    const counted = used === null ? {} : { [id]: now >= used ? now - used : now };
    used = now;
    tell({ type: 'news', at: Date.now(), news: { ...NO_NEWS, limits, counted } });
  }

  async function round(tell: (action: Action) => void, signal: AbortSignal): Promise<void> {
    const usage = await ask(tell, signal, getUsage);
    if (usage) {
      const { api_key: own, rate_limit: rate, requests, billing_period: period } = usage.data;
      key = { id: own.id, prefix: own.prefix, tier: rate.tier };
      tell({ type: 'capabilities', since: `since ${period.start}`, rows: requests.by_capability });
    }
    const listed = await ask(tell, signal, listWebhooks, { query: { page_size: PAGE_SIZE_MAX } });
    if (listed) webhooks = listed.data;
    for (const { id } of webhooks) {
      const since = seenUntil.get(id);
      const query = { page_size: PAGE_SIZE_MAX, ...(since === undefined ? {} : { updated_since: since, sort: '-created_at' }) };
      const body = await ask(tell, signal, listDeliveries, { params: { webhook_id: id }, query });
      if (body) tellDeliveries(tell, id, body.data, since !== undefined);
    }
    tell({ type: 'endpoints', rows: webhooks.map((webhook) => endpointOf(webhook, deliveries.get(webhook.id))) });
    const where = auditCursor
      ? { cursor_created_at: auditCursor.createdAt, cursor_id: auditCursor.id }
      : { since: new Date(Date.now() - AUDIT_BACK_MS).toISOString() };
    const audit = await ask(tell, signal, listAuditEvents, { query: { ...where, limit: AUDIT_LIMIT_MAX } });
    if (audit) {
      tell({ type: 'history', at: Date.now(), deliveries: [], audit: audit.data });
      auditCursor = audit.pagination.nextCursor ?? auditCursor;
    }
    hurry = false;
  }

  function tellDeliveries(
    tell: (action: Action) => void,
    webhookId: string,
    rows: ResultOf<typeof listDeliveries>['data'],
    isNews: boolean,
  ): void {
    const known = deliveries.get(webhookId) ?? new Map<string, DeliveryRow>();
    deliveries.set(webhookId, known);
    const fresh = rows
      .map((row): DeliveryRow => ({ ...row, webhookId, eventId: null, nextAttemptAt: null, lastMilliseconds: null }))
      .filter((row) => known.get(row.id)?.updatedAt !== row.updatedAt)
      .toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
    for (const row of fresh) known.set(row.id, row);
    const newest = fresh.at(-1)?.updatedAt;
    if (newest !== undefined) seenUntil.set(webhookId, newest);
    else if (!seenUntil.has(webhookId)) seenUntil.set(webhookId, new Date(Date.now() - AUDIT_BACK_MS).toISOString());
    if (fresh.length === 0) return;
    if (isNews) tell({ type: 'news', at: Date.now(), news: { ...NO_NEWS, deliveries: fresh } });
    else tell({ type: 'history', at: Date.now(), deliveries: fresh, audit: [] });
  }

  return {
    deeds: null,
    async run(tell, signal) {
      let lost = false;
      const organization = await ask(tell, signal, getOrganization).catch(() => null);
      if (organization) tell({ type: 'about', about: { tenant: { slug: null, name: organization.data.name, plan: await planOf(api) } } });
      while (!signal.aborted) {
        try {
          await round(tell, signal);
          if (lost) tell({ type: 'notice', at: Date.now(), text: 'the service answers again', tone: 'good' });
          lost = false;
          tell({ type: 'connected', at: Date.now() });
          tell({ type: 'complete' });
        } catch (error) {
          if (signal.aborted) return;
          if (!(error instanceof ApiError) && !(error instanceof Unreachable)) throw error;
          lost = true;
          tell({ type: 'lost', at: Date.now(), reason: error.message });
          await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
        }
      }
    },
  };
}

const planOf = async (api: Client) => (await remoteAbout(api)).tenant.plan;

interface Rate {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly resetAt: number;
}

function rateOf({ headers }: Reply): Rate | null {
  const [limit, remaining, resetAt] = [RATE_LIMIT.limit, RATE_LIMIT.remaining, RATE_LIMIT.reset].map((name) =>
    Number(headers[name] ?? Number.NaN),
  );
  if (limit === undefined || remaining === undefined || resetAt === undefined || Number.isNaN(limit + remaining + resetAt)) return null;
  return { limit, remaining, resetAt, resetSeconds: Math.max(1, resetAt - Math.floor(Date.now() / 1_000)) };
}

/** As far as the public API tells: rates over the deliveries that were read. */
function endpointOf(
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
    oldestQueuedAt: open.reduce<string | null>((oldest, row) => (oldest === null || row.createdAt < oldest ? row.createdAt : oldest), null),
    nextAttemptAt: null,
    failingSince: failures[0]?.updatedAt ?? null,
    failedAttempts: failures.reduce((sum, row) => sum + row.attempts, 0),
  };
}
