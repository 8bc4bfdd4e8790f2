/**
 * The daemon of this machine: everything as it happens, over its owner-only socket.
 *
 *   connect   read what it is, open the stream, catch up with what changed while nobody listened. Leaves to follow.
 *   follow    messages are gathered and told together. Leaves when the stream ends: the daemon stops, is restarted, or was too fast for us.
 *   lost      said once; looked for again every half second, wherever its state file says that it is now.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { ApiError, Unreachable } from '../client/errors.ts';
import { queryText } from '../client/request.ts';
import { type OpenStream, type StreamMessage, openStream } from '../client/stream.ts';
import { showClock } from '../contract/admin/clock.ts';
import { getStatus } from '../contract/admin/daemon.ts';
import type { FeedData, FeedType } from '../contract/admin/feed.ts';
import { listKeys } from '../contract/admin/keys.ts';
import { getTenant, listTenants } from '../contract/admin/tenants.ts';
import { listTiers } from '../contract/admin/tiers.ts';
import {
  FEED_PATH,
  listHealth,
  resendDelivery,
  showDelivery,
  tailDeliveries,
  testWebhook,
  triggerEvent,
} from '../contract/admin/webhooks.ts';
import { listAuditEvents } from '../contract/audit.ts';
import type { EmittedEvent } from '../contract/events.ts';
import { AUDIT_LIMIT_MAX, PAGE_SIZE_MAX } from '../contract/limits.ts';
import type { DaemonState } from '../contract/places.ts';
import { getUsage } from '../contract/usage.ts';
import { faultsOf } from './faults.ts';
import type { About } from './model.ts';
import { type Action, type News, NO_NEWS } from './reduce.ts';
import type { Deeds, Source } from './source.ts';
import { counted, span } from './words.ts';

export interface LocalPlaces {
  /** The daemon as its state file tells it now; throws while there is none. */
  daemon(): DaemonState;
  /** A client of its settings plane. */
  admin(daemon: DaemonState): Client;
  /** A client of its public API with the saved key; null when there is no key. */
  api(): Promise<Client> | null;
  readonly tenant: string | undefined;
  /** How long messages are gathered before they are told. */
  readonly gatherMs: number;
}

const TYPES = ['delivery', 'audit', 'request', 'limit'] as const satisfies readonly FeedType[];
const AGAIN_MS = 500;
const HISTORY_ROWS = 500;
const CAUGHT_UP_ROWS = 2_000;
const STATUS_EVERY_MS = 5_000;
const HEALTH_EVERY_MS = 2_000;
const HEALTH_IDLE_MS = 20_000;
const KEYS_EVERY_MS = 30_000;
/** A daemon that leaves a question unanswered for so long hangs, although its stream is still open. */
const HANGS_MS = 5_000;
/** How far back the audit trail is read: less far when it is full. */
const AUDIT_BACK_MS = [3_600_000, 300_000, 15_000];

/** What a daemon is, before the first frame; throws what a command says when there is none, or no such tenant. */
export async function localAbout({
  daemon,
  admin,
  tenant,
}: LocalPlaces): Promise<Pick<About, 'url' | 'version' | 'tenant' | 'faults' | 'clockAheadMs'>> {
  const found = daemon();
  const client = admin(found);
  const [{ body: status }, { body: clock }] = await Promise.all([client.perform(getStatus), client.perform(showClock)]);
  const chosen = await chosenTenant(client, tenant);
  return {
    url: status.data.url ?? found.url,
    version: status.data.version,
    tenant: chosen,
    faults: faultsOf(status.data),
    clockAheadMs: clock.data.offsetSeconds * 1_000,
  };
}

async function chosenTenant(client: Client, tenant: string | undefined): Promise<About['tenant']> {
  if (tenant !== undefined) {
    const { data } = (await client.perform(getTenant, { params: { tenant } })).body;
    return { slug: data.slug, name: data.name, plan: data.plan };
  }
  const { data } = (await client.perform(listTenants, { query: { page_size: 2 } })).body;
  const [only, other] = data;
  // The service's own sentence says which tenants there are.
  if (!only || other) await client.perform(tailDeliveries, { query: { limit: 1 } });
  return { slug: only?.slug ?? null, name: only?.name ?? null, plan: only?.plan ?? null };
}

export function localSource(places: LocalPlaces): Source {
  let last: { readonly instanceId: string; readonly id: string } | null = null;
  let changedSince: string | null = null;
  let lostAt: number | null = null;
  /** How far the clock of the service is ahead. */
  let aheadMs = 0;
  /** As they came when they were told last. */
  let tiersTold = '';

  async function follow(tell: (action: Action) => void, signal: AbortSignal): Promise<void> {
    const daemon = places.daemon();
    const client = places.admin(daemon);
    await tellAbout(tell);
    const query = queryText({ tenant: places.tenant, types: [...TYPES] });
    const resumed = last?.instanceId === daemon.instanceId ? last.id : undefined;
    const stream = await openStream(daemon.adminSocket, FEED_PATH + query, resumed);
    const stop = (): void => stream.close();
    signal.addEventListener('abort', stop, { once: true });
    // The reader may have left while the stream was being opened.
    if (signal.aborted) stop();
    try {
      const gathered = await readHistory(client, tell, resumed === undefined);
      tell({ type: 'connected', at: Date.now() });
      if (lostAt !== null) tellReturn(tell, lostAt, resumed === undefined, gathered);
      lostAt = null;
      const polls = startPolls(client, tell, signal);
      try {
        await listen(stream, daemon.instanceId, tell, {
          healthIsOld: polls.healthIsOld,
          keysAreOld: polls.keysAreOld,
          async readAnew() {
            await tellAbout(tell);
            await readHistory(client, tell, true);
          },
        });
      } finally {
        polls.stop();
      }
    } finally {
      signal.removeEventListener('abort', stop);
      stream.close();
    }
  }

  async function tellAbout(tell: (action: Action) => void): Promise<void> {
    const about = await localAbout(places);
    aheadMs = about.clockAheadMs;
    tell({ type: 'about', about });
  }

  /**
   * What changed since the last message, or before the first one; `anew`: everything, because what was known may be of other data.
   * Returns how many deliveries are new.
   */
  async function readHistory(client: Client, tell: (action: Action) => void, anew: boolean): Promise<number> {
    const since = changedSince;
    const isFirst = since === null;
    const query = {
      tenant: places.tenant,
      ...(isFirst ? { limit: HISTORY_ROWS } : { ...(anew ? {} : { since }), limit: CAUGHT_UP_ROWS }),
    };
    const { data: deliveries } = (await client.perform(tailDeliveries, { query })).body;
    const { data: endpoints } = (await client.perform(listHealth, { query: { tenant: places.tenant } })).body;
    tell({ type: 'endpoints', rows: endpoints });
    await tellKeys(client, tell);
    tell({ type: 'history', at: Date.now(), deliveries, audit: [], anew });
    const newest = deliveries.at(-1)?.updatedAt;
    if (newest !== undefined && (anew || newest > (changedSince ?? ''))) changedSince = newest;
    changedSince ??= new Date().toISOString();
    void tellWhatNeedsAKey(tell, anew).then(() => tell({ type: 'complete' }));
    return since === null ? 0 : deliveries.filter(({ updatedAt }) => updatedAt > since).length;
  }

  /** The audit trail, and the counts of the billing period, are only in the public API. Without a key, or its scopes, they begin now. */
  async function tellWhatNeedsAKey(tell: (action: Action) => void, first: boolean): Promise<void> {
    try {
      const api = await places.api();
      if (!api) return;
      if (first) {
        const { data } = (await api.perform(getUsage)).body;
        tell({ type: 'capabilities', since: `since ${data.billing_period.start}`, rows: data.requests.by_capability });
      }
      for (const back of AUDIT_BACK_MS) {
        const query = { since: new Date(Date.now() + aheadMs - back).toISOString(), limit: AUDIT_LIMIT_MAX };
        const { data, pagination } = (await api.perform(listAuditEvents, { query })).body;
        if (pagination.hasMore) continue;
        tell({ type: 'history', at: Date.now(), deliveries: [], audit: data });
        return;
      }
    } catch {
      // What the key may not read is not shown.
    }
  }

  async function tellKeys(client: Client, tell: (action: Action) => void): Promise<void> {
    const query = { tenant: places.tenant, is_revoked: false, page_size: PAGE_SIZE_MAX };
    const [{ body: keys }, { body: tiers, text }] = await Promise.all([client.perform(listKeys, { query }), client.perform(listTiers)]);
    tiersTold = text;
    const limits = Object.fromEntries(tiers.data.map(({ name, requestsPerMinute }) => [name, requestsPerMinute]));
    tell({ type: 'keys', at: Date.now(), keys: keys.data, tiers: limits });
  }

  /** Gathers messages, so that many of them cost one frame. Ends when the stream does. */
  async function listen(
    { messages }: OpenStream,
    instanceId: string,
    tell: (action: Action) => void,
    { healthIsOld, keysAreOld, readAnew }: Heeded,
  ): Promise<void> {
    let news = emptyNews();
    let timer: NodeJS.Timeout | undefined;
    const flush = (): void => {
      timer = undefined;
      const gathered = news;
      news = emptyNews();
      tell({ type: 'news', at: Date.now(), news: gathered });
    };
    try {
      for await (const message of messages) {
        last = { instanceId, id: message.id };
        if (message.event === 'gap') {
          clearTimeout(timer);
          if (timer) flush();
          const { dataReplaced = false } = message.data as FeedData['gap'];
          if (dataReplaced) tell({ type: 'replaced' });
          await readAnew();
          const what = dataReplaced ? 'the data of the daemon were replaced' : 'some of what happened was not told';
          tell({ type: 'notice', at: Date.now(), text: `${what}; everything was read anew`, tone: 'info' });
          continue;
        }
        take(news, message);
        if (message.event === 'delivery') {
          const { updatedAt } = message.data as FeedData['delivery'];
          if (updatedAt > (changedSince ?? '')) changedSince = updatedAt;
          healthIsOld();
        }
        // Made, renamed, paused, deleted: nothing else tells of it before the next delivery, or request.
        if (message.event === 'audit') {
          const { resourceType } = message.data as FeedData['audit'];
          if (resourceType === 'webhook') healthIsOld();
          if (resourceType === 'api_key') keysAreOld();
        }
        timer ??= setTimeout(flush, places.gatherMs);
      }
    } finally {
      clearTimeout(timer);
      if (timer) flush();
    }
  }

  interface Heeded {
    healthIsOld(): void;
    keysAreOld(): void;
    /** Everything that can be read. */
    readAnew(): Promise<void>;
  }

  interface Polls {
    healthIsOld(): void;
    keysAreOld(): void;
    stop(): void;
  }

  /** What is not on the stream is asked for: how endpoints are doing soon after a delivery, the rest from time to time. */
  function startPolls(client: Client, tell: (action: Action) => void, signal: AbortSignal): Polls {
    let [isHealthOld, areKeysOld] = [false, false];
    let [healthAt, keysAt] = [performance.now(), performance.now()];
    let busySince: number | undefined;
    let [hangs, isOver] = [false, false];
    const poll = async (): Promise<void> => {
      const now = performance.now();
      if (now - healthAt >= (isHealthOld ? HEALTH_EVERY_MS : HEALTH_IDLE_MS)) {
        [healthAt, isHealthOld] = [now, false];
        tell({ type: 'endpoints', rows: (await client.perform(listHealth, { query: { tenant: places.tenant } })).body.data });
      }
      if (areKeysOld || now - keysAt >= KEYS_EVERY_MS) {
        [keysAt, areKeysOld] = [now, false];
        await tellKeys(client, tell);
      }
    };
    const status = async (): Promise<void> => {
      const [{ body }, { body: clock }, { text }] = await Promise.all([
        client.perform(getStatus),
        client.perform(showClock),
        client.perform(listTiers),
      ]);
      tell({ type: 'about', about: { faults: faultsOf(body.data), clockAheadMs: clock.data.offsetSeconds * 1_000 } });
      // Tiers belong to no tenant, so no audit trail tells that one was changed.
      areKeysOld ||= text !== tiersTold;
    };
    const sayThatItHangs = (): void => {
      hangs = true;
      tell({ type: 'lost', at: Date.now(), reason: 'the daemon does not answer; waiting for it' });
    };
    const sayThatItAnswers = (): void => {
      if (hangs && !isOver) tell({ type: 'connected', at: Date.now() });
      hangs = false;
    };
    const guarded = (work: () => Promise<void>) => (): void => {
      if (signal.aborted) return;
      if (busySince !== undefined) {
        if (!hangs && performance.now() - busySince >= HANGS_MS) sayThatItHangs();
        return;
      }
      busySince = performance.now();
      // A daemon that went away ends the stream too, which says so.
      void work()
        .then(sayThatItAnswers, () => undefined)
        .finally(() => (busySince = undefined));
    };
    const timers = [setInterval(guarded(poll), HEALTH_EVERY_MS), setInterval(guarded(status), STATUS_EVERY_MS)];
    return {
      healthIsOld: () => void (isHealthOld = true),
      keysAreOld: () => void (areKeysOld = true),
      stop: () => {
        isOver = true;
        timers.forEach((timer) => clearInterval(timer));
      },
    };
  }

  return {
    deeds: localDeeds(places),
    async run(tell, signal) {
      while (!signal.aborted) {
        let reason = 'the daemon has gone; waiting for it';
        try {
          await follow(tell, signal);
        } catch (error) {
          if (error instanceof ApiError) reason = `the daemon refuses: ${error.message}`;
          else if (!(error instanceof Unreachable)) throw error;
        }
        if (signal.aborted) return;
        lostAt ??= Date.now();
        tell({ type: 'lost', at: Date.now(), reason });
        await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

function tellReturn(tell: (action: Action) => void, lostAt: number, restarted: boolean, gathered: number): void {
  const away = span(Date.now() - lostAt);
  const what = restarted ? `the daemon is back after ${away}, restarted` : `connected again after ${away}`;
  const missed = gathered === 0 ? 'no delivery was missed' : `${counted(gathered, 'delivery', 'deliveries')} caught up`;
  const unseen = restarted ? '; its requests of that time were not seen' : '';
  tell({ type: 'notice', at: Date.now(), text: `${what}; ${missed}${unseen}`, tone: 'good' });
}

type Gathering = { -readonly [K in keyof News]: News[K] extends readonly (infer T)[] ? T[] : News[K] };
const emptyNews = (): Gathering => ({ ...NO_NEWS, deliveries: [], requests: [], audit: [], limits: [] });

/** The daemon keeps the contract of its feed. */
function take(news: Gathering, { id, event, data }: StreamMessage): void {
  switch (event as (typeof TYPES)[number]) {
    case 'delivery':
      news.deliveries.push(data as FeedData['delivery']);
      break;
    case 'audit':
      news.audit.push(data as FeedData['audit']);
      break;
    case 'request':
      news.requests.push({ ...(data as FeedData['request']), id });
      break;
    case 'limit':
      news.limits.push(data as FeedData['limit']);
      break;
  }
}

function localDeeds({ daemon, admin, tenant }: LocalPlaces): Deeds {
  const query = { tenant };
  return {
    async show(deliveryId) {
      return (await admin(daemon()).perform(showDelivery, { params: { delivery_id: deliveryId }, query })).body.data;
    },
    async resend(deliveryId) {
      await admin(daemon()).perform(resendDelivery, { params: { delivery_id: deliveryId }, query, body: {} });
    },
    async trigger(event) {
      const body = { event: event as EmittedEvent, data: {} };
      return (await admin(daemon()).perform(triggerEvent, { query, body })).body.data;
    },
    async check(webhookId) {
      return (await admin(daemon()).perform(testWebhook, { params: { webhook_id: webhookId }, query, body: {} })).body.data;
    },
  };
}
