/** From what the service tells to what the dashboard knows: pure, bounded, and never in the way of the reader. */
import type { ApiKey } from '../contract/admin/keys.ts';
import type { FeedLimit } from '../contract/admin/feed.ts';
import { AUTO_DISABLE_H } from '../contract/limits.ts';
import { count, countPast, emptyMeter } from './meter.ts';
import type {
  About,
  AuditRow,
  Capability,
  DeliveryRow,
  EndpointRow,
  LimitRow,
  Loaded,
  Notice,
  RequestRow,
  Rows,
  State,
  Tab,
} from './model.ts';
import { pushed } from './ring.ts';

/** News of one moment, gathered so that a busy service costs one new state for many messages. */
export interface News {
  readonly deliveries: readonly DeliveryRow[];
  readonly requests: readonly RequestRow[];
  readonly audit: readonly AuditRow[];
  readonly limits: readonly FeedLimit[];
  /** Requests by key id where they are not told one by one. */
  readonly counted: Readonly<Record<string, number>>;
}

export const NO_NEWS: News = { deliveries: [], requests: [], audit: [], limits: [], counted: {} };

export type Action =
  | { readonly type: 'news'; readonly at: number; readonly news: News }
  /** What was there before: it counts when it happened, not now. */
  | {
      readonly type: 'history';
      readonly at: number;
      readonly deliveries: readonly DeliveryRow[];
      readonly audit: readonly AuditRow[];
      /** All deliveries that there are: what is not among them is no more. */
      readonly anew?: boolean;
    }
  /** Other data have taken the place of those that these rows were of. */
  | { readonly type: 'replaced' }
  | { readonly type: 'endpoints'; readonly rows: readonly EndpointRow[] }
  | { readonly type: 'keys'; readonly at: number; readonly keys: readonly ApiKey[]; readonly tiers: Readonly<Record<string, number>> }
  | { readonly type: 'capabilities'; readonly since: string; readonly rows: readonly Capability[] }
  | { readonly type: 'about'; readonly about: Partial<About> }
  | { readonly type: 'connected'; readonly at: number }
  /** What there was at the beginning has been told, as far as it may be read. */
  | { readonly type: 'complete' }
  | { readonly type: 'lost'; readonly at: number; readonly reason: string }
  | { readonly type: 'notice'; readonly at: number; readonly text: string; readonly tone: Notice['tone'] }
  | { readonly type: 'loaded'; readonly id: string; readonly more: Loaded }
  | { readonly type: 'tick'; readonly at: number };

export const NOTICE_MS = 8_000;
/** A status that an attempt leaves behind. */
const ATTEMPTED: ReadonlySet<string> = new Set(['delivered', 'failed', 'retrying']);
/** The audit trail's word for an endpoint that the service itself has disabled. */
const AUTO_DISABLED = 'webhook.auto_disabled';
const DISABLED_BECAUSE: Readonly<Record<string, string>> = {
  endpoint_gone: 'its receiver answered 410 (gone)',
  failing_too_long: `nothing has succeeded for ${String(AUTO_DISABLE_H)} h`,
};
const TOO_MANY = 429;
const CAPABILITIES_MAX = 200;

export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'news':
      return withNews(state, action.at, action.news);
    case 'history':
      return withHistory(state, action);
    case 'replaced':
      return withRows(state, { deliveries: [], audit: [] });
    case 'endpoints':
      return withRows(state, { endpoints: action.rows });
    case 'keys':
      return withRows(state, { limits: withKeys(state.rows.limits, action) });
    case 'capabilities':
      return { ...state, capabilities: { since: action.since, rows: action.rows.slice(0, CAPABILITIES_MAX) } };
    case 'about':
      return { ...state, about: { ...state.about, ...action.about } };
    case 'connected':
      return { ...state, connection: { state: 'live', since: action.at, tries: 0, reason: null } };
    case 'complete':
      return state;
    case 'lost': {
      const { connection } = state;
      const since = connection.state === 'lost' ? connection.since : action.at;
      return { ...state, connection: { state: 'lost', since, tries: connection.tries + 1, reason: action.reason } };
    }
    case 'notice': {
      const { text, tone, at } = action;
      return { ...state, ui: { ...state.ui, notice: { text, tone, until: at + NOTICE_MS } } };
    }
    case 'loaded': {
      const { overlay } = state.ui;
      if (overlay?.kind !== 'detail' || overlay.row.id !== action.id) return state;
      return { ...state, ui: { ...state.ui, overlay: { ...overlay, more: action.more } } };
    }
    case 'tick':
      return state.ui.notice !== null && state.ui.notice.until <= action.at ? { ...state, ui: { ...state.ui, notice: null } } : state;
  }
}

const withRows = (state: State, rows: Partial<Rows>): State => ({ ...state, rows: { ...state.rows, ...rows } });

function withNews(state: State, at: number, news: News): State {
  const { rows } = state;
  const attempts = news.deliveries.filter(({ status }) => ATTEMPTED.has(status)).length;
  const ended = news.audit.findLast(({ action }) => action === AUTO_DISABLED);
  return {
    ...state,
    rows: {
      ...rows,
      deliveries: pushed(rows.deliveries, news.deliveries),
      requests: pushed(rows.requests, news.requests),
      audit: pushed(rows.audit, news.audit),
      limits: withLimits(rows.limits, at, news, state.about.clockAheadMs),
    },
    delivered: count(state.delivered, at, attempts),
    capabilities: { ...state.capabilities, rows: withRequests(state.capabilities.rows, news.requests) },
    refused: state.refused + news.requests.filter(({ status }) => status === TOO_MANY).length,
    ui: ended === undefined ? held(state, news) : { ...held(state, news), notice: disabledNotice(state, ended, at) },
  };
}

/** What nobody has done, and somebody has to undo. */
function disabledNotice({ rows }: State, { resourceId, metadata }: AuditRow, at: number): Notice {
  const name = rows.endpoints.find(({ id }) => id === resourceId)?.name ?? resourceId;
  const why = DISABLED_BECAUSE[String(metadata['reason'])];
  return { text: `the endpoint ${name} was disabled${why === undefined ? '' : `: ${why}`}`, tone: 'bad', until: at + NOTICE_MS };
}

function withHistory(state: State, { at, deliveries, audit, anew = false }: Extract<Action, { type: 'history' }>): State {
  const { rows, about } = state;
  const updateTime = ({ updatedAt }: DeliveryRow): string => updatedAt;
  const fresh = unknown(rows.deliveries, deliveries, updateTime);
  const attempts = fresh.filter(({ status }) => ATTEMPTED.has(status));
  const delivered = attempts.reduce(
    (meter, { updatedAt }) => countPast(meter, Date.parse(updatedAt) - about.clockAheadMs, 1),
    count(state.delivered, at, 0),
  );
  const merge = <R extends { readonly id: string }>(known: readonly R[], more: readonly R[], timeOf: (row: R) => string) =>
    more.length === 0 ? known : pushed([], sortedBy(pushed(known, more, Number.POSITIVE_INFINITY), timeOf));
  const auditTime = ({ createdAt }: AuditRow): string => createdAt;
  return withRows(
    { ...state, delivered },
    {
      deliveries: anew ? merge([], deliveries, updateTime) : merge(rows.deliveries, fresh, updateTime),
      audit: merge(rows.audit, unknown(rows.audit, audit, auditTime), auditTime),
    },
  );
}

/** Rows that are not there yet, or only as they were earlier. */
function unknown<R extends { readonly id: string }>(known: readonly R[], rows: readonly R[], timeOf: (row: R) => string): readonly R[] {
  const times = new Map(known.map((row) => [row.id, timeOf(row)]));
  return rows.filter((row) => (times.get(row.id) ?? '') < timeOf(row));
}

const sortedBy = <R>(rows: readonly R[], timeOf: (row: R) => string): readonly R[] =>
  rows.toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : 0));

/** While paused, what comes is counted and kept behind the scenes. */
function held({ ui }: State, news: News): State['ui'] {
  if (!ui.paused) return ui;
  const more: Partial<Record<Tab, number>> = {
    deliveries: news.deliveries.length,
    requests: news.requests.length,
    audit: news.audit.length,
    limits: news.limits.length,
  };
  const counts = Object.entries(ui.paused.held).map(([tab, before]) => [tab, before + (more[tab as Tab] ?? 0)]);
  return { ...ui, paused: { ...ui.paused, held: Object.fromEntries(counts) as Readonly<Record<Tab, number>> } };
}

const emptyLimit = (id: string, prefix: string, tier: string, at: number): LimitRow => ({
  id,
  prefix,
  name: null,
  tier,
  limit: null,
  remaining: null,
  resetsAt: null,
  meter: emptyMeter(at),
  refused: 0,
});

function withLimits(rows: readonly LimitRow[], at: number, news: News, aheadMs: number): readonly LimitRow[] {
  const changed = new Map<string, LimitRow>();
  const rowOf = (id: string, prefix: string, tier: string): LimitRow =>
    changed.get(id) ?? rows.find((row) => row.id === id) ?? emptyLimit(id, prefix, tier, at);
  for (const { keyId, keyPrefix, tier, limit, remaining, resetAt } of news.limits) {
    changed.set(keyId, { ...rowOf(keyId, keyPrefix, tier), tier, limit, remaining, resetsAt: resetAt * 1_000 - aheadMs });
  }
  for (const { keyId, keyPrefix, status } of news.requests) {
    if (keyId === null) continue;
    const row = rowOf(keyId, keyPrefix ?? '', '');
    changed.set(keyId, { ...row, meter: count(row.meter, at, 1), refused: row.refused + (status === TOO_MANY ? 1 : 0) });
  }
  for (const [keyId, requests] of Object.entries(news.counted)) {
    const row = rowOf(keyId, '', '');
    changed.set(keyId, { ...row, meter: count(row.meter, at, requests) });
  }
  if (changed.size === 0) return rows;
  const known = rows.map((row) => changed.get(row.id) ?? row);
  return [...known, ...[...changed.values()].filter(({ id }) => !rows.some((row) => row.id === id))];
}

/** Names and tiers of the keys there are; one that was revoked goes, with all that is known of it. */
function withKeys(rows: readonly LimitRow[], { at, keys, tiers }: Extract<Action, { type: 'keys' }>): readonly LimitRow[] {
  return keys.map(({ id, prefix, name, rateLimitTier: tier }) => {
    const row = rows.find((known) => known.id === id) ?? emptyLimit(id, prefix, tier, at);
    return { ...row, prefix, name, tier, limit: tiers[tier] ?? row.limit };
  });
}

function withRequests(rows: readonly Capability[], requests: readonly RequestRow[]): readonly Capability[] {
  if (requests.length === 0) return rows;
  const counts = new Map(rows.map((row) => [row.capability, row.count]));
  for (const { operationId } of requests) {
    if (operationId !== null) counts.set(operationId, (counts.get(operationId) ?? 0) + 1);
  }
  return [...counts].map(([capability, total]) => ({ capability, count: total })).slice(0, CAPABILITIES_MAX);
}
