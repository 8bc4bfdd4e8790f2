/** Reads the daemon's current state at the start and after a gap in the stream: deliveries, endpoints, keys, audit trail and usage. */
import type { Client } from '../../client/client.ts';
import { type LevelQuery, createLevelNames } from '../../client/level-names.ts';
import { readAllRows } from '../../client/lists/pages.ts';
import { ApiError } from '../../client/errors.ts';
import { listRecentRequests } from '../../contract/admin/daemon.ts';
import { listAuditTrail } from '../../contract/admin/audit.ts';
import { listTenantLevels, listTenantOrders } from '../../contract/admin/lists.ts';
import { listKeys } from '../../contract/admin/keys.ts';
import { COUNTED_DELIVERIES } from '../tables/delivery-counts.ts';
import { toRunnableCommand } from '../../cli/program-name.ts';
import { listReorders } from '../../contract/admin/stock-reorder.ts';
import { listTiers } from '../../contract/admin/tiers.ts';
import { PROBLEM_STATUSES, listHealth, tailDeliveries } from '../../contract/admin/webhooks.ts';
import { AUDIT_LIMIT_MAX, EVENTS_LIMIT_MAX, PAGE_SIZE_MAX } from '../../contract/limits.ts';
import { listEvents } from '../../contract/resources/events.ts';
import type { StockLevel } from '../../contract/resources/stock-levels.ts';
import { getUsage } from '../../contract/resources/usage.ts';
import { trimEvent } from './event-rows.ts';
import type { DeliveryRow, EventRow } from '../state/model.ts';
import type { Dispatch } from './source.ts';
import { type LocalConnection, readDaemonAbout, readLocalAbout } from './local-connection.ts';
import { LATE_ORDERS, OTHER_LEVELS, OTHER_ORDERS, toItemRow, toOrderRows } from './business-rows.ts';

const MISSED_DELIVERIES = 2_000;
/** So that they leave room for the latest deliveries. */
const MAX_PROBLEMS = 1_000;
const EVENT_HISTORY_MS = 900_000;

/** Null if the daemon is of an earlier release that does not have the operation. */
async function ifSupported<T>(reply: Promise<T>): Promise<T | null> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

export class LocalReads {
  readonly #connection: LocalConnection;
  readonly #dispatch: Dispatch;
  #changedSince: string | null = null;
  #auditedUntil: string | undefined;
  #clockAheadMs = 0;
  #url = '';
  #lastTiers = '';
  readonly #levelNames = createLevelNames();
  readonly #unnamed: Pick<EventRow, 'resourceType' | 'resourceId'>[] = [];

  constructor(connection: LocalConnection, dispatch: Dispatch) {
    this.#connection = connection;
    this.#dispatch = dispatch;
  }

  async readAbout(): Promise<void> {
    const about = await readLocalAbout(this.#connection);
    this.#clockAheadMs = about.clockAheadMs;
    this.#url = about.url;
    this.#dispatch({ type: 'about', about });
  }

  /** What may change while the daemon runs. */
  async readDaemon(client: Client): Promise<void> {
    this.#dispatch({ type: 'about', about: await readDaemonAbout(client, this.#url) });
  }

  /** Later reads ask for deliveries changed after this one. */
  advanceChangedSince(updatedAt: string): void {
    if (updatedAt > (this.#changedSince ?? '')) this.#changedSince = updatedAt;
  }

  /**
   * Reads what changed since the last message. With `isComplete` it reads everything, because known rows may belong to replaced data.
   * Returns the number of deliveries that are new.
   */
  async readHistory(client: Client, isComplete: boolean): Promise<number> {
    const { tenant } = this.#connection;
    const since = this.#changedSince;
    const range = since === null ? { limit: COUNTED_DELIVERIES } : { limit: MISSED_DELIVERIES, ...(isComplete ? {} : { since }) };
    const { data: latest } = (await client.perform(tailDeliveries, { query: { tenant, ...range } })).body;
    const known = new Set(latest.map(({ id }) => id));
    const problems = since === null || isComplete ? await this.#readProblems(client) : [];
    const deliveries = [...problems.filter(({ id }) => !known.has(id)), ...latest];
    await this.readEndpoints(client);
    await this.readKeys(client);
    await this.readItems(client);
    await this.readOrders(client);
    await this.readAudit(client, since === null || isComplete);
    if (since === null || isComplete) await this.#readRequests(client);
    this.#dispatch({ type: 'history', deliveries, isComplete });
    const newest = deliveries.at(-1)?.updatedAt;
    if (newest !== undefined && (isComplete || newest > (since ?? ''))) this.#changedSince = newest;
    this.#changedSince ??= new Date().toISOString();
    void this.#readWithApiKey(client, isComplete).then(() => this.#dispatch({ type: 'complete' }));
    return since === null ? 0 : deliveries.filter(({ updatedAt }) => updatedAt > since).length;
  }

  /** Failed and retrying deliveries, also those that changed before the latest ones. */
  async #readProblems(client: Client): Promise<readonly DeliveryRow[]> {
    const query = { tenant: this.#connection.tenant, status: PROBLEM_STATUSES, limit: MAX_PROBLEMS };
    return (await client.perform(tailDeliveries, { query })).body.data;
  }

  /** The latest changes with the names of actors and records; with `isComplete` not only those since the last read. */
  async readAudit(client: Client, isComplete = false): Promise<void> {
    const since = isComplete ? undefined : this.#auditedUntil;
    const query = { tenant: this.#connection.tenant, since, limit: AUDIT_LIMIT_MAX };
    const newestFirst = (await ifSupported(client.perform(listAuditTrail, { query })))?.body.data ?? [];
    this.#auditedUntil = newestFirst[0]?.createdAt ?? since;
    this.#dispatch({ type: 'history', audit: newestFirst.toReversed() });
  }

  async readEndpoints(client: Client): Promise<void> {
    const { data } = (await client.perform(listHealth, { query: { tenant: this.#connection.tenant } })).body;
    this.#dispatch({ type: 'endpoints', rows: data });
  }

  /** What is short comes with the commands that replenish it. */
  async readItems(client: Client): Promise<void> {
    const { tenant } = this.#connection;
    const short = await ifSupported(client.perform(listReorders, { query: { tenant } }));
    const others = await ifSupported(client.perform(listTenantLevels, { query: { tenant, ...OTHER_LEVELS } }));
    if (!short && !others) return;
    const rows = (short?.body.data ?? []).map((row) =>
      toItemRow({ ...row, unit: row.stockUnit }, row.command === null ? null : toRunnableCommand(row.command)),
    );
    this.#dispatch({ type: 'items', rows: [...rows, ...(others?.body.data ?? []).map((level) => toItemRow(level, null))] });
  }

  async readOrders(client: Client): Promise<void> {
    const { tenant } = this.#connection;
    const late = await ifSupported(client.perform(listTenantOrders, { query: { tenant, ...LATE_ORDERS } }));
    if (!late) return;
    const others = await client.perform(listTenantOrders, { query: { tenant, ...OTHER_ORDERS } });
    this.#dispatch({ type: 'orders', rows: toOrderRows(late.body.data, others.body.data) });
  }

  async #readRequests(client: Client): Promise<void> {
    const reply = await ifSupported(client.perform(listRecentRequests, { query: { tenant: this.#connection.tenant } }));
    if (!reply) return;
    const { requests: rows, perMinute } = reply.body.data;
    this.#dispatch({ type: 'requests', at: Date.now(), rows, perMinute });
  }

  async readKeys(client: Client): Promise<void> {
    const query = { tenant: this.#connection.tenant, page_size: PAGE_SIZE_MAX };
    const [{ body: keys }, { body: tiers, text }] = await Promise.all([client.perform(listKeys, { query }), client.perform(listTiers)]);
    this.#lastTiers = text;
    const limits = Object.fromEntries(tiers.data.map(({ name, requestsPerMinute }) => [name, requestsPerMinute]));
    this.#dispatch({ type: 'keys', at: Date.now(), keys: keys.data, tiers: limits });
  }

  /** Tiers belong to no tenant, so no audit trail reports their changes. */
  async haveTiersChanged(client: Client): Promise<boolean> {
    return (await client.perform(listTiers)).text !== this.#lastTiers;
  }

  /** Returns whether stock levels in them have no name yet. */
  addEvents(events: readonly EventRow[]): boolean {
    if (!this.#levelNames.areMissing(events)) return false;
    for (const { resourceType, resourceId } of events) this.#unnamed.push({ resourceType, resourceId });
    return true;
  }

  /** The names of stock levels in the events that were added. */
  async readLevelNames(client: Client): Promise<void> {
    const { tenant } = this.#connection;
    const events = this.#unnamed.splice(0);
    if (!this.#levelNames.areMissing(events)) return;
    const readLevels = (query: LevelQuery) => readAllRows<StockLevel>(client, listTenantLevels, { query: { tenant, ...query } });
    await this.#levelNames.read(events, async (query) => (await ifSupported(readLevels(query))) ?? []);
    this.#dispatch({ type: 'levelNames', names: this.#levelNames.getAll() });
  }

  async #readEvents(api: Client): Promise<void> {
    const since = new Date(Date.now() + this.#clockAheadMs - EVENT_HISTORY_MS).toISOString();
    const reply = await ifSupported(api.perform(listEvents, { query: { since, limit: EVENTS_LIMIT_MAX } }));
    if (!reply) return;
    this.#dispatch({ type: 'events', rows: reply.body.data.map(trimEvent) });
    this.addEvents(reply.body.data);
  }

  /** The usage counts and the events exist only in the public API. Without a key, or its scopes, they start now. */
  async #readWithApiKey(client: Client, isFirst: boolean): Promise<void> {
    try {
      const api = await this.#connection.api();
      if (!api) return;
      if (isFirst) {
        const { data } = (await api.perform(getUsage)).body;
        this.#dispatch({ type: 'capabilities', since: `since ${data.billing_period.start}`, rows: data.requests.by_capability });
      }
      await this.#readEvents(api);
      await this.readLevelNames(client);
    } catch {
      // What the key may not read is not shown.
    }
  }
}
