/** Reduces actions to the next state: pure, with bounded rows, never moving the selected row. */
import { isDeepStrictEqual } from 'node:util';
import type { ApiKey } from '../../contract/admin/keys.ts';
import type { FeedLimit } from '../../contract/admin/feed.ts';
import { AUTO_DISABLE_H } from '../../contract/limits.ts';
import { type Answer, type StatusChange, withAnswer, withStatus } from './answers.ts';
import { addToCounts } from './counts.ts';
import { MINUTE_MS, addToMeter, emptyMeter, toHourMeter } from './meter.ts';
import {
  type About,
  type AuditRow,
  type Capability,
  type DataTab,
  type DeliveryRow,
  type DetailContent,
  type LimitRow,
  type Notice,
  type RequestRow,
  type Rows,
  type State,
  type Ui,
  withUi,
} from './model.ts';
import { MAX_ROWS, pushRows } from './ring-buffer.ts';

/** A batch of changes, so that many messages cost one new state. */
export interface Updates extends Pick<Rows, 'deliveries' | 'requests' | 'audit' | 'events'> {
  readonly limits: readonly FeedLimit[];
  /** Requests by key id, for sources that cannot list them. */
  readonly counted: Readonly<Record<string, number>>;
}

const NO_UPDATES: Updates = { deliveries: [], requests: [], audit: [], events: [], limits: [], counted: {} };

/** Rows that are read from time to time, each time all of them. */
type Polled = 'endpoints' | 'items' | 'orders';

export type Action =
  | { readonly type: 'updates'; readonly at: number; readonly updates: Partial<Updates> }
  /** Earlier rows. */
  | {
      readonly type: 'history';
      readonly deliveries?: Rows['deliveries'];
      readonly audit?: Rows['audit'];
      /** `deliveries` is the complete list; rows not in it are removed. */
      readonly isComplete?: boolean;
    }
  /** The data of the daemon were replaced; known rows are obsolete. */
  | { readonly type: 'replaced' }
  | { readonly [T in Polled]: { readonly type: T; readonly rows: Rows[T] } }[Polled]
  | { readonly type: 'keys'; readonly at: number; readonly keys: readonly ApiKey[]; readonly tiers: Readonly<Record<string, number>> }
  /** The latest requests before the dashboard was opened, and the requests of each key in the last hour. */
  | {
      readonly type: 'requests';
      readonly at: number;
      readonly rows: Rows['requests'];
      readonly perMinute: readonly {
        readonly keyId: string;
        readonly perMinute: readonly number[];
        readonly rejectedPerMinute?: readonly number[] | undefined;
      }[];
    }
  | { readonly type: 'levelNames'; readonly names: State['levelNames'] }
  /** Earlier events. */
  | { readonly type: 'events'; readonly rows: Rows['events'] }
  | { readonly type: 'capabilities'; readonly since: string; readonly rows: readonly Capability[] }
  | { readonly type: 'about'; readonly about: Partial<About> }
  | { readonly type: 'connected'; readonly at: number }
  /** Nothing can be read for some tabs. */
  | { readonly type: 'unavailable'; readonly tabs: readonly DataTab[]; readonly reason: string }
  /** The initial read is complete, as far as the key permits. */
  | { readonly type: 'complete' }
  | { readonly type: 'lost'; readonly at: number; readonly reason: string }
  | { readonly type: 'notice'; readonly at: number; readonly text: string; readonly tone: Notice['tone'] }
  /** The details of the selected row are being loaded, to be shown next to the list. */
  | { readonly type: 'previewing'; readonly id: string }
  | { readonly type: 'loaded'; readonly id: string; readonly content: DetailContent }
  | Answer
  /** The order has another status; the next poll reads the rest. */
  | StatusChange
  | { readonly type: 'tick'; readonly at: number };

export const NOTICE_MS = 8_000;
/** The audit action when the service disables an endpoint. */
const AUTO_DISABLED = 'webhook.auto_disabled';
const DISABLED_BECAUSE: Readonly<Record<string, string>> = {
  endpoint_gone: 'receiver answered 410 Gone',
  failing_too_long: `no success for ${String(AUTO_DISABLE_H)} h`,
};
/** Fewer than other rows, because they have data. */
const MAX_EVENTS = 500;
const TOO_MANY_REQUESTS = 429;
const UNAUTHENTICATED = 401;
const CAPABILITIES_MAX = 200;

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'updates':
      return withUpdates(state, action.at, { ...NO_UPDATES, ...action.updates });
    case 'history':
      return withHistory(state, action);
    case 'replaced':
      return withRows(state, { deliveries: [], audit: [], items: [], orders: [], events: [] });
    case 'endpoints':
    case 'items':
    case 'orders':
      // The same state if nothing has changed, so that nothing is drawn.
      return isDeepStrictEqual(action.rows, state.rows[action.type]) ? state : withRows(state, { [action.type]: action.rows });
    case 'keys':
      return {
        ...withRows(state, { limits: withKeys(state.rows.limits, action) }),
        keyNames: Object.fromEntries(action.keys.map(({ id, name }) => [id, name])),
      };
    case 'requests':
      return withPastRequests(state, action);
    case 'events':
      return withRows(state, { events: pushRows(action.rows, state.rows.events, MAX_EVENTS) });
    case 'levelNames':
      return { ...state, levelNames: action.names };
    case 'capabilities':
      return { ...state, capabilities: { since: action.since, rows: action.rows.slice(0, CAPABILITIES_MAX) } };
    case 'about': {
      const about = { ...state.about, ...action.about };
      return isDeepStrictEqual(about, state.about) ? state : { ...state, about };
    }
    case 'connected':
      return { ...state, connection: { state: 'live', since: action.at } };
    case 'unavailable':
      return { ...state, unavailable: { ...state.unavailable, ...Object.fromEntries(action.tabs.map((tab) => [tab, action.reason])) } };
    case 'complete':
      return state.isComplete ? state : { ...state, isComplete: true };
    case 'lost': {
      const { connection } = state;
      const since = connection.state === 'lost' ? connection.since : action.at;
      return { ...state, connection: { state: 'lost', since, reason: action.reason } };
    }
    case 'notice':
      return withUi(state, { notice: { text: action.text, tone: action.tone, until: action.at + NOTICE_MS } });
    case 'previewing':
      return withUi(state, { preview: { id: action.id, content: { state: 'loading' } } });
    case 'loaded':
      return withLoaded(withPreview(state, action), action);
    case 'found':
    case 'previewed':
    case 'resent':
    case 'counted':
      return withAnswer(state, action);
    case 'status':
      return withRows(state, { orders: withStatus(state.rows.orders, action) });
    case 'tick':
      return state.ui.notice !== null && state.ui.notice.until <= action.at ? withUi(state, { notice: null }) : state;
  }
}

const withRows = (state: State, rows: Partial<Rows>): State => ({ ...state, rows: { ...state.rows, ...rows } });

const withPreview = (state: State, { id, content }: Extract<Action, { type: 'loaded' }>): State =>
  state.ui.preview?.id === id ? withUi(state, { preview: { id, content } }) : state;

/** With the details of the open row, which may be beneath a question. */
function withLoaded(state: State, action: Extract<Action, { type: 'loaded' }>): State {
  const { overlay } = state.ui;
  const isQuestion = overlay !== null && 'before' in overlay;
  const detail = isQuestion ? overlay.before : overlay;
  if (detail?.kind !== 'detail' || detail.row.id !== action.id) return state;
  const loaded = { ...detail, content: action.content };
  return withUi(state, { overlay: isQuestion ? { ...overlay, before: loaded } : loaded });
}

function withUpdates(state: State, at: number, received: Updates): State {
  const { rows } = state;
  const news = withoutKnownRequests(received, rows.requests);
  const next = {
    ...state,
    rows: {
      ...rows,
      deliveries: pushRows(rows.deliveries, news.deliveries),
      requests: pushRows(rows.requests, news.requests),
      audit: pushRows(rows.audit, news.audit),
      events: pushRows(rows.events, news.events, MAX_EVENTS),
      limits: withLimits(rows.limits, at, news, state.about.clockAheadMs),
    },
    counts: addToCounts(state.counts, at, news.requests),
    capabilities: { ...state.capabilities, rows: withRequests(state.capabilities.rows, news.requests) },
    ui: countHeld(state.ui, news),
  };
  const ended = news.audit.findLast(({ action }) => action === AUTO_DISABLED);
  return ended === undefined ? next : reduce(next, { type: 'notice', at, text: describeDisabled(state, ended), tone: 'bad' });
}

/** Requests that were read as the past may be received again. */
function withoutKnownRequests(news: Updates, known: readonly RequestRow[]): Updates {
  if (news.requests.length === 0) return news;
  const ids = new Set(known.map(({ id }) => id));
  return { ...news, requests: news.requests.filter(({ id }) => !ids.has(id)) };
}

/** The service disabled an endpoint; it must be enabled manually. */
function describeDisabled({ rows }: State, { resourceId, metadata }: AuditRow): string {
  const name = rows.endpoints.find(({ id }) => id === resourceId)?.name ?? resourceId;
  const why = DISABLED_BECAUSE[String(metadata['reason'])];
  return `Endpoint ${name} was disabled${why === undefined ? '' : `: ${why}`}`;
}

function withHistory(state: State, { deliveries = [], audit = [], isComplete = false }: Extract<Action, { type: 'history' }>): State {
  const { rows } = state;
  const times = new Map(rows.deliveries.map(({ id, updatedAt }) => [id, updatedAt]));
  const fresh = deliveries.filter(({ id, updatedAt }) => (times.get(id) ?? '') < updatedAt);
  const getTime = ({ updatedAt }: DeliveryRow): string => updatedAt;
  return withRows(state, {
    deliveries: isComplete ? mergeByTime([], deliveries, getTime) : mergeByTime(rows.deliveries, fresh, getTime),
    // Those that the feed has sent have no names.
    audit: mergeByTime(rows.audit, audit, ({ createdAt }) => createdAt),
  });
}

function mergeByTime<R extends { readonly id: string }>(
  known: readonly R[],
  added: readonly R[],
  getTime: (row: R) => string,
): readonly R[] {
  if (added.length === 0) return known;
  const compare = (a: R, b: R): number => (getTime(a) < getTime(b) ? -1 : getTime(a) > getTime(b) ? 1 : 0);
  return pushRows(known, added, Infinity).toSorted(compare).slice(-MAX_ROWS);
}

/** While paused, new rows are kept and counted, not shown. */
function countHeld(ui: Ui, { deliveries, requests, audit, events, limits }: Updates): Ui {
  if (ui.paused === null) return ui;
  const { held } = ui.paused;
  const counts = {
    ...held,
    deliveries: held.deliveries + deliveries.length,
    requests: held.requests + requests.length,
    audit: held.audit + audit.length,
    events: held.events + events.length,
    limits: held.limits + limits.length,
  };
  return { ...ui, paused: { ...ui.paused, held: counts } };
}

const createEmptyLimit = (id: string, prefix: string, tier: string, at: number): LimitRow => ({
  id,
  prefix,
  name: null,
  tier,
  limit: null,
  remaining: null,
  resetsAt: null,
  meter: emptyMeter(at),
  hour: emptyMeter(at, MINUTE_MS),
  rejected: emptyMeter(at, MINUTE_MS),
});

const countRequests = (row: LimitRow, at: number, count: number): LimitRow => ({
  ...row,
  meter: addToMeter(row.meter, at, count),
  hour: addToMeter(row.hour, at, count),
});

function withLimits(rows: readonly LimitRow[], at: number, news: Updates, aheadMs: number): readonly LimitRow[] {
  const changed = new Map<string, LimitRow>();
  const getRow = (id: string, prefix: string, tier: string): LimitRow =>
    changed.get(id) ?? rows.find((row) => row.id === id) ?? createEmptyLimit(id, prefix, tier, at);
  for (const { keyId, keyPrefix, tier, limit, remaining, resetAt } of news.limits) {
    changed.set(keyId, { ...getRow(keyId, keyPrefix, tier), tier, limit, remaining, resetsAt: resetAt * 1_000 - aheadMs });
  }
  for (const { keyId, keyPrefix, status } of news.requests) {
    // Requests with an expired or revoked key do not count.
    if (keyId === null || status === UNAUTHENTICATED) continue;
    const row = getRow(keyId, keyPrefix ?? '', '');
    changed.set(keyId, { ...countRequests(row, at, 1), rejected: addToMeter(row.rejected, at, status === TOO_MANY_REQUESTS ? 1 : 0) });
  }
  for (const [keyId, requests] of Object.entries(news.counted)) {
    const row = getRow(keyId, '', '');
    changed.set(keyId, countRequests(row, at, requests));
  }
  if (changed.size === 0) return rows;
  return [...new Map([...rows.map((row) => [row.id, row] as const), ...changed]).values()];
}

/** Names and tiers of the existing keys; revoked keys are removed. */
function withKeys(rows: readonly LimitRow[], { at, keys, tiers }: Extract<Action, { type: 'keys' }>): readonly LimitRow[] {
  return keys.flatMap(({ id, prefix, name, rateLimitTier: tier, revokedAt }) => {
    if (revokedAt !== null) return [];
    const row = rows.find((known) => known.id === id) ?? createEmptyLimit(id, prefix, tier, at);
    return [{ ...row, prefix, name, tier, limit: tiers[tier] ?? row.limit }];
  });
}

/** The rows are the past of those that arrived meanwhile. The counts contain them. */
function withPastRequests(state: State, { at, rows, perMinute }: Extract<Action, { type: 'requests' }>): State {
  const { requests, limits } = state.rows;
  const known = new Set(requests.map(({ id }) => id));
  const hours = new Map(
    // A daemon of an earlier release does not count what it rejected.
    perMinute.map(({ keyId, perMinute: all, rejectedPerMinute: rejected }) => [
      keyId,
      { hour: toHourMeter(at, all), ...(rejected && { rejected: toHourMeter(at, rejected) }) },
    ]),
  );
  const past = rows.filter(({ id }) => !known.has(id));
  const counts = addToCounts(state.counts, at, past, state.about.clockAheadMs);
  return withRows(
    { ...state, counts },
    {
      requests: pushRows(past, requests),
      limits: limits.map((row) => ({ ...row, ...hours.get(row.id) })),
    },
  );
}

/** As `usage` counts them: without requests that the rate limit rejected. */
function withRequests(rows: readonly Capability[], requests: readonly RequestRow[]): readonly Capability[] {
  if (requests.length === 0) return rows;
  const counts = new Map(rows.map((row) => [row.capability, row.count]));
  for (const { operationId, status } of requests) {
    if (operationId !== null && status !== TOO_MANY_REQUESTS) counts.set(operationId, (counts.get(operationId) ?? 0) + 1);
  }
  return [...counts].map(([capability, total]) => ({ capability, count: total })).slice(0, CAPABILITIES_MAX);
}
