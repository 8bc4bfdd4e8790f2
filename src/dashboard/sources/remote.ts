/**
 * A remote service, polled over its public API with at most half of the key's rate limit. What the key may not read is reported
 * as unavailable. The API does not list requests, so that tab stays empty.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Reply } from '../../client/client.ts';
import { ApiError, Unreachable } from '../../client/errors.ts';
import { type LevelQuery, createLevelNames } from '../../client/level-names.ts';
import { listAuditEvents } from '../../contract/resources/audit.ts';
import { getAuthContext } from '../../contract/resources/auth-context.ts';
import { RATE_LIMIT } from '../../contract/headers.ts';
import { AUDIT_LIMIT_MAX, EVENTS_LIMIT_MAX, PAGE_SIZE_MAX } from '../../contract/limits.ts';
import type { Operation, ResultOf } from '../../contract/operation.ts';
import { type Order, listOrders } from '../../contract/resources/orders.ts';
import { type ChangeEventEntry, listEvents } from '../../contract/resources/events.ts';
import { getOrganization } from '../../contract/resources/organization.ts';
import { listStockLevels } from '../../contract/resources/stock-levels.ts';
import { getUsage } from '../../contract/resources/usage.ts';
import { type Webhook, listDeliveries, listWebhooks } from '../../contract/resources/webhooks.ts';
import type { LooseParts } from '../../client/request.ts';
import type { About, DataTab, DeliveryRow } from '../state/model.ts';
import { toEndpointRow } from './endpoint-rows.ts';
import { trimEvent } from './event-rows.ts';
import { type Pacing, afterRateLimited, afterRequest, INITIAL_PACING, formatPacing, getDelay } from './request-pacing.ts';
import {
  LATE_ORDERS,
  OTHER_LEVELS,
  OTHER_ORDERS,
  PLAIN_LEVELS,
  PLAIN_ORDERS,
  SHORT_LEVELS,
  toItemRow,
  toOrderRows,
  toPlainOrderRows,
} from './business-rows.ts';
import type { Dispatch, Source } from './source.ts';

const RECONNECT_MS = 5_000;
const AUDIT_HISTORY_MS = 900_000;

/** The tenant and kind of the key; throws the error that a command would print. */
export async function readRemoteAbout(api: Client): Promise<Pick<About, 'tenant' | 'productionKey'>> {
  const { data } = (await api.perform(getAuthContext)).body;
  const { tenant, api_key: key } = data;
  return {
    tenant: { slug: null, name: null, plan: tenant.plan, currency: null },
    productionKey: key.environment === 'production' ? key.prefix : null,
  };
}

export function createRemoteSource(api: Client): Source {
  return {
    actions: null,
    api: () => Promise.resolve(api),
    run: (dispatch, signal) => new RemotePoller(api, dispatch, signal).run(),
  };
}

class RemotePoller {
  readonly #api: Client;
  readonly #dispatch: Dispatch;
  readonly #signal: AbortSignal;
  #pacing: Pacing = INITIAL_PACING;
  #isFirstRound = true;
  /** Operations that the key may not use, or that the service does not have. */
  readonly #forbidden = new Set<string>();
  #key: { id: string; prefix: string; tier: string } | null = null;
  /** Requests used in the current window at the last response. */
  #used: number | null = null;
  #webhooks: readonly Webhook[] = [];
  readonly #deliveries = new Map<string, Map<string, DeliveryRow>>();
  /** By endpoint: the newest `updatedAt` that was read. */
  readonly #readUntil = new Map<string, string>();
  #eventCursor: string | null = null;
  readonly #levelNames = createLevelNames();
  #auditCursor: { createdAt: string; id: string } | null = null;

  constructor(api: Client, dispatch: Dispatch, signal: AbortSignal) {
    this.#api = api;
    this.#dispatch = dispatch;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    let isLost = false;
    const organization = await this.#request(getOrganization).catch(() => null);
    if (organization) {
      const { tenant } = await readRemoteAbout(this.#api);
      this.#dispatch({
        type: 'about',
        about: { tenant: { ...tenant, name: organization.data.name, currency: organization.data.currency ?? null } },
      });
    }
    while (!this.#signal.aborted) {
      try {
        await this.#pollAll();
        if (isLost) this.#dispatch({ type: 'notice', at: Date.now(), text: 'Service reachable again', tone: 'good' });
        isLost = false;
        this.#dispatch({ type: 'connected', at: Date.now() });
        this.#dispatch({ type: 'complete' });
      } catch (error) {
        if (this.#signal.aborted) return;
        if (!(error instanceof ApiError) && !(error instanceof Unreachable)) throw error;
        isLost = true;
        this.#dispatch({ type: 'lost', at: Date.now(), reason: error.message });
        await sleep(RECONNECT_MS, undefined, { signal: this.#signal }).catch(() => undefined);
      }
    }
  }

  async #pollAll(): Promise<void> {
    await this.#pollUsage();
    await this.#pollEndpoints();
    await this.#pollAudit();
    await this.#pollEvents();
    await this.#pollItems();
    await this.#pollOrders();
    this.#isFirstRound = false;
  }

  async #pollUsage(): Promise<void> {
    const usage = await this.#request(getUsage);
    if (!usage) return;
    const { api_key: own, rate_limit: rate, requests, billing_period: period } = usage.data;
    this.#key = { id: own.id, prefix: own.prefix, tier: rate.tier };
    this.#dispatch({ type: 'capabilities', since: `since ${period.start}`, rows: requests.by_capability });
  }

  async #pollEndpoints(): Promise<void> {
    const list = await this.#request(listWebhooks, { query: { page_size: PAGE_SIZE_MAX } });
    if (list) this.#webhooks = list.data;
    for (const { id } of this.#webhooks) {
      const params = { webhook_id: id };
      const since = this.#readUntil.get(id);
      const changed = { page_size: PAGE_SIZE_MAX, updated_since: since, sort: '-created_at' };
      const changes = since === undefined ? null : await this.#request(listDeliveries, { params, query: changed }, true);
      // A service with the given contract only lists the newest deliveries.
      const body = changes ?? (await this.#request(listDeliveries, { params, query: { page_size: PAGE_SIZE_MAX } }));
      if (body) this.#dispatchDeliveries(id, body.data, since !== undefined);
    }
    this.#dispatch({ type: 'endpoints', rows: this.#webhooks.map((webhook) => toEndpointRow(webhook, this.#deliveries.get(webhook.id))) });
  }

  async #pollAudit(): Promise<void> {
    const cursor = this.#auditCursor;
    const range = cursor
      ? { cursor_created_at: cursor.createdAt, cursor_id: cursor.id }
      : { since: new Date(Date.now() - AUDIT_HISTORY_MS).toISOString() };
    const audit = await this.#request(listAuditEvents, { query: { ...range, limit: AUDIT_LIMIT_MAX } });
    if (!audit) return;
    this.#dispatch({ type: 'history', audit: audit.data });
    this.#auditCursor = audit.pagination.nextCursor ?? cursor;
  }

  async #pollEvents(): Promise<void> {
    const cursor = this.#eventCursor;
    const range = cursor === null ? { since: new Date(Date.now() - AUDIT_HISTORY_MS).toISOString() } : { cursor };
    const page = await this.#request(listEvents, { query: { ...range, limit: EVENTS_LIMIT_MAX } });
    if (!page) return;
    this.#dispatch({ type: 'updates', at: Date.now(), updates: { events: page.data.map(trimEvent) } });
    this.#eventCursor = page.pagination.nextCursor;
    await this.#readLevelNames(page.data);
  }

  /** The first page has the levels of all items, unless they are at several sites. */
  async #readLevelNames(events: readonly ChangeEventEntry[]): Promise<void> {
    if (!this.#levelNames.areMissing(events)) return;
    const readLevels = async (query: LevelQuery) =>
      (await this.#request(listStockLevels, { query: { ...query, page_size: PAGE_SIZE_MAX } }, true))?.data ?? [];
    await this.#levelNames.read(events, readLevels);
    this.#dispatch({ type: 'levelNames', names: this.#levelNames.getAll() });
  }

  /** A service with the given contract only takes no filters: its first levels are shown. */
  async #pollItems(): Promise<void> {
    const short = await this.#request(listStockLevels, { query: SHORT_LEVELS }, true);
    const others = await this.#request(listStockLevels, { query: short ? OTHER_LEVELS : PLAIN_LEVELS });
    const rows = [...(short?.data ?? []), ...(others?.data ?? [])].map((level) => toItemRow(level, null));
    if (others) this.#dispatch({ type: 'items', rows: short ? rows : rows.toSorted((a, b) => Number(b.isLow) - Number(a.isLow)) });
  }

  /** A service with the given contract only lists the orders of one module, with all statuses. */
  async #pollOrders(): Promise<void> {
    const late = await this.#request(listOrders, { query: LATE_ORDERS }, true);
    const others = late && (await this.#request(listOrders, { query: OTHER_ORDERS }));
    if (late && others) {
      this.#dispatch({ type: 'orders', rows: toOrderRows(late.data, others.data) });
      return;
    }
    const orders: Order[] = [];
    for (const query of PLAIN_ORDERS) {
      const page = await this.#request(listOrders, { query });
      if (!page) return;
      orders.push(...page.data);
    }
    this.#dispatch({ type: 'orders', rows: toPlainOrderRows(orders, new Date().toISOString().slice(0, 10)) });
  }

  /**
   * Sends a request when the pacing allows it. Null if the key may not use the operation, or the service does not have it or its
   * parameters; the tabs that need it are unavailable then, unless there is another way.
   */
  async #request<O extends Operation>(op: O, parts: LooseParts = {}, hasOtherWay = false): Promise<ResultOf<O> | null> {
    const kind = hasOtherWay ? `${op.id} with filters` : op.id;
    if (this.#forbidden.has(kind)) return null;
    await sleep(getDelay(this.#pacing, Date.now(), this.#isFirstRound), undefined, { signal: this.#signal });
    try {
      const reply = await this.#api.perform(op, parts);
      const rate = parseRateLimit(reply);
      this.#pacing = afterRequest(this.#pacing, Date.now(), rate);
      this.#dispatch({ type: 'about', about: { polling: formatPacing(this.#pacing) } });
      if (rate !== null) this.#dispatchLimit(rate);
      return reply.body;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#pacing = afterRequest(this.#pacing, Date.now(), null);
      if (error.retryAfterSeconds !== null) this.#pacing = afterRateLimited(this.#pacing, Date.now(), error.retryAfterSeconds);
      const reason = explainMissing(error, op);
      if (reason === null) throw error;
      this.#forbidden.add(kind);
      const tabs = TABS.find(([operation]) => operation === op)?.[1];
      if (!hasOtherWay && tabs) this.#dispatch({ type: 'unavailable', tabs, reason });
      return null;
    }
  }

  #dispatchLimit({ limit, remaining, resetAt }: RateLimit): void {
    if (this.#key === null) return;
    const { id, prefix, tier } = this.#key;
    const limits = [{ keyId: id, keyPrefix: prefix, tier, limit, remaining, resetAt }];
    const used = limit - remaining;
    const counted = this.#used === null ? {} : { [id]: used >= this.#used ? used - this.#used : used };
    this.#used = used;
    this.#dispatch({ type: 'updates', at: Date.now(), updates: { limits, counted } });
  }

  #dispatchDeliveries(webhookId: string, rows: ResultOf<typeof listDeliveries>['data'], isUpdate: boolean): void {
    const known = this.#deliveries.get(webhookId) ?? new Map<string, DeliveryRow>();
    this.#deliveries.set(webhookId, known);
    const changed = rows
      .map((row): DeliveryRow => ({ ...row, webhookId, eventId: null, nextAttemptAt: null, lastMilliseconds: null }))
      .filter((row) => known.get(row.id)?.updatedAt !== row.updatedAt)
      .toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
    for (const row of changed) known.set(row.id, row);
    const newest = changed.at(-1)?.updatedAt;
    if (newest !== undefined) this.#readUntil.set(webhookId, newest);
    else if (!this.#readUntil.has(webhookId)) this.#readUntil.set(webhookId, new Date(Date.now() - AUDIT_HISTORY_MS).toISOString());
    if (changed.length === 0) return;
    if (isUpdate) this.#dispatch({ type: 'updates', at: Date.now(), updates: { deliveries: changed } });
    else this.#dispatch({ type: 'history', deliveries: changed });
  }
}

/** The tabs that need an operation. */
const TABS: readonly (readonly [Operation, readonly DataTab[]])[] = [
  [getUsage, ['limits']],
  [listWebhooks, ['endpoints', 'deliveries']],
  [listDeliveries, ['deliveries']],
  [listAuditEvents, ['audit']],
  [listEvents, ['events']],
  [listStockLevels, ['items']],
  [listOrders, ['orders']],
];

/** Why nothing can be read with the operation; null if the request failed for another reason. */
function explainMissing({ status, code }: ApiError, op: Operation): string | null {
  if (status === 403) return code === 'PLAN_REQUIRED' ? 'the plan does not have it' : `the key lacks the scope ${op.scope ?? ''}`;
  // A service with the given contract only has neither parameters nor operations that extend it; other records may have been deleted.
  return status === 400 || (status === 404 && op.params === undefined) ? 'the service does not have it' : null;
}

interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly resetAt: number;
}

function parseRateLimit({ headers }: Reply): RateLimit | null {
  const [limit, remaining, resetAt] = [RATE_LIMIT.limit, RATE_LIMIT.remaining, RATE_LIMIT.reset].map((name) =>
    Number(headers[name] ?? Number.NaN),
  );
  if (limit === undefined || remaining === undefined || resetAt === undefined || Number.isNaN(limit + remaining + resetAt)) return null;
  return { limit, remaining, resetAt, resetSeconds: Math.max(1, resetAt - Math.floor(Date.now() / 1_000)) };
}
