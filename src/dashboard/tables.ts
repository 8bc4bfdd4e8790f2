/** The list of each tab: its columns, what its filter looks at, and which of its rows count as failed. */
import type { AnyRow, AuditRow, DeliveryRow, EndpointRow, LimitRow, RequestRow, State, Tab } from './model.ts';
import { gauge, sparkline } from './meter.ts';
import { clockTime, grouped, relative, span, took } from './words.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'dim' | 'plain';

export interface Column<R> {
  readonly title: string;
  readonly width: number;
  /** Takes what is left, up to so many columns. */
  readonly grow?: number;
  /** 1 stays longest when the screen is narrow. */
  readonly rank: number;
  readonly right?: true;
  text(row: R, moment: Moment, width: number): string;
  tone?(row: R, moment: Moment): Tone;
}

/** What a cell may need beside its row. */
export interface Moment {
  readonly now: number;
  /** The service's clock now. */
  readonly serviceNow: number;
  nameOf(webhookId: string): string;
}

export interface Table<R> {
  readonly title: string;
  /** Newest at the end, and followed. */
  readonly tail: boolean;
  readonly columns: readonly Column<R>[];
  /** What the filter looks at. */
  search(row: R, moment: Moment): string;
  failed(row: R): boolean;
  /** What to read when there is nothing. */
  readonly empty: string;
}

export const momentOf = (state: State, now: number): Moment => {
  const names = new Map(state.rows.endpoints.map(({ id, name }) => [id, name]));
  return { now, serviceNow: now + state.about.clockAheadMs, nameOf: (id) => names.get(id) ?? id.slice(0, 8) };
};

const SIGNS: Readonly<Record<DeliveryRow['status'], string>> = {
  pending: '·',
  retrying: '~',
  delivered: '+',
  failed: 'x',
  discarded: '-',
};
const deliveryTone = ({ status }: DeliveryRow): Tone =>
  status === 'delivered' ? 'good' : status === 'failed' ? 'bad' : status === 'retrying' ? 'warn' : 'dim';

const deliveries: Table<DeliveryRow> = {
  title: 'Deliveries',
  tail: true,
  columns: [
    { title: 'TIME', width: 8, rank: 1, text: ({ updatedAt }) => clockTime(updatedAt) },
    { title: 'EVENT', width: 22, grow: 30, rank: 2, text: ({ eventType }) => eventType },
    { title: 'ENDPOINT', width: 9, grow: 24, rank: 3, text: ({ webhookId }, { nameOf }) => nameOf(webhookId) },
    { title: 'STATUS', width: 11, rank: 1, text: ({ status }) => `${SIGNS[status]} ${status}`, tone: deliveryTone },
    { title: 'TRY', width: 3, rank: 5, right: true, text: ({ attempts }) => String(attempts) },
    {
      title: 'HTTP',
      width: 4,
      rank: 4,
      right: true,
      text: ({ lastHttpStatus }) => (lastHttpStatus === null ? '–' : String(lastHttpStatus)),
    },
    { title: 'TOOK', width: 6, rank: 6, right: true, text: ({ lastMilliseconds }) => took(lastMilliseconds) },
    {
      title: 'NEXT',
      width: 7,
      rank: 7,
      text: ({ nextAttemptAt }, { serviceNow }) => (nextAttemptAt === null ? '' : relative(nextAttemptAt, serviceNow)),
    },
    { title: 'ERROR', width: 18, grow: 24, rank: 8, text: ({ lastError }) => lastError ?? '', tone: () => 'dim' },
    { title: 'DELIVERY', width: 36, rank: 9, text: ({ id }) => id, tone: () => 'dim' },
  ],
  search: (row, { nameOf }) =>
    [
      row.eventType,
      nameOf(row.webhookId),
      row.status,
      row.lastHttpStatus ?? '',
      row.lastError ?? '',
      row.id,
      row.webhookId,
      row.eventId ?? '',
      clockTime(row.updatedAt),
    ].join(' '),
  failed: ({ status, lastError }) => status !== 'delivered' && lastError !== null,
  empty: 'Nothing has been sent yet. T sends a test event to every endpoint that subscribed to it.',
};

/** What is left at this moment: a window that has ended is full again. */
export const leftOf = ({ limit, remaining, resetsAt }: LimitRow, now: number): number | null =>
  limit === null ? null : remaining === null || resetsAt === null || resetsAt <= now ? limit : remaining;

const limits: Table<LimitRow> = {
  title: 'Limits',
  tail: false,
  columns: [
    { title: 'KEY', width: 16, rank: 1, text: ({ prefix }) => prefix },
    {
      title: 'USED',
      width: 12,
      grow: 24,
      rank: 2,
      text: (row, { now }, width) => gauge((row.limit ?? 0) - (leftOf(row, now) ?? 0), row.limit ?? 0, width),
      tone: (row, { now }) => limitTone(row, now),
    },
    {
      title: 'LEFT',
      width: 11,
      rank: 1,
      right: true,
      text: (row, { now }) => (row.limit === null ? '?' : `${String(leftOf(row, now) ?? '?')}/${String(row.limit)}`),
      tone: (row, { now }) => limitTone(row, now),
    },
    {
      title: 'RESET',
      width: 6,
      rank: 3,
      text: ({ resetsAt, remaining }, { now }) =>
        remaining === null || resetsAt === null || resetsAt <= now ? 'full' : span(resetsAt - now + 999),
    },
    {
      title: '429s',
      width: 4,
      rank: 4,
      right: true,
      text: ({ refused }) => String(refused),
      tone: ({ refused }) => (refused > 0 ? 'bad' : 'plain'),
    },
    { title: 'TIER', width: 8, grow: 14, rank: 6, text: ({ tier }) => tier },
    { title: 'NAME', width: 8, grow: 24, rank: 7, text: ({ name }) => name ?? '' },
    { title: 'LAST 60 s', width: 12, grow: 60, rank: 5, text: ({ meter }, { now }, width) => sparkline(meter, now, width) },
  ],
  search: ({ prefix, name, tier, id }) => [prefix, name ?? '', tier, id].join(' '),
  failed: (row) => row.refused > 0 || row.remaining === 0,
  empty: 'No key has been used yet.',
};

function limitTone(row: LimitRow, now: number): Tone {
  const left = leftOf(row, now);
  if (left === null || row.limit === null) return 'dim';
  return left === 0 ? 'bad' : left < row.limit / 4 ? 'warn' : 'good';
}

export const successRate = ({ delivered, failed }: EndpointRow): string =>
  delivered + failed === 0 ? '–' : `${String(Math.floor((delivered / (delivered + failed)) * 100))} %`;

export const isFailing = ({ failingSince, status }: EndpointRow): boolean => status === 'active' && failingSince !== null;

const endpoints: Table<EndpointRow> = {
  title: 'Endpoints',
  tail: false,
  columns: [
    { title: 'NAME', width: 12, grow: 28, rank: 1, text: ({ name }) => name },
    {
      title: 'STATUS',
      width: 10,
      rank: 1,
      text: (row) => (isFailing(row) ? 'x failing' : row.status === 'active' ? '+ active' : `- ${row.status}`),
      tone: (row) => (isFailing(row) ? 'bad' : row.status === 'active' ? 'good' : 'dim'),
    },
    { title: 'OK', width: 5, rank: 2, right: true, text: successRate },
    { title: 'QUEUE', width: 5, rank: 3, right: true, text: ({ queued }) => (queued === null ? '?' : grouped(queued)) },
    {
      title: 'OLDEST',
      width: 8,
      rank: 4,
      text: ({ oldestQueuedAt }, { serviceNow }) => (oldestQueuedAt === null ? '' : relative(oldestQueuedAt, serviceNow)),
    },
    {
      title: 'FAILING SINCE',
      width: 13,
      rank: 5,
      text: ({ failingSince }, { serviceNow }) => (failingSince === null ? '' : relative(failingSince, serviceNow)),
      tone: () => 'bad',
    },
    { title: 'TARGET', width: 16, grow: 80, rank: 6, text: ({ targetUrl }) => targetUrl, tone: () => 'dim' },
    { title: 'ENDPOINT', width: 36, rank: 7, text: ({ id }) => id, tone: () => 'dim' },
  ],
  search: ({ name, status, targetUrl, id }) => [name, status, targetUrl, id].join(' '),
  failed: (row) => isFailing(row) || row.status === 'disabled',
  empty: 'There is no endpoint. `stockroom webhooks create` makes one, `stockroom webhooks listen` a temporary one.',
};

const requestFailed = ({ status }: RequestRow): boolean => status === null || status >= 400;

const requests: Table<RequestRow> = {
  title: 'Requests',
  tail: true,
  columns: [
    { title: 'TIME', width: 8, rank: 1, text: ({ at }) => clockTime(at) },
    {
      title: 'STATUS',
      width: 6,
      rank: 1,
      text: (row) => `${requestFailed(row) ? 'x' : '+'} ${String(row.status ?? 'gone')}`,
      tone: (row) => (!requestFailed(row) ? 'good' : (row.status ?? 500) >= 500 ? 'bad' : 'warn'),
    },
    { title: 'METHOD', width: 6, rank: 2, text: ({ method }) => method },
    { title: 'PATH', width: 20, grow: 80, rank: 2, text: ({ path }) => path },
    { title: 'TOOK', width: 6, rank: 3, right: true, text: ({ milliseconds }) => took(milliseconds) },
    { title: 'KEY', width: 16, rank: 4, text: ({ keyPrefix }) => keyPrefix ?? '–' },
    { title: 'OPERATION', width: 16, grow: 32, rank: 5, text: ({ operationId }) => operationId ?? '', tone: () => 'dim' },
    { title: 'REQUEST', width: 36, rank: 6, text: ({ requestId }) => requestId, tone: () => 'dim' },
  ],
  search: ({ method, path, status, keyPrefix, operationId, requestId }) =>
    [method, path, status ?? 'gone', keyPrefix ?? '', operationId ?? '', requestId].join(' '),
  failed: requestFailed,
  empty: 'No request has come since the dashboard was opened.',
};

const audit: Table<AuditRow> = {
  title: 'Audit',
  tail: true,
  columns: [
    { title: 'TIME', width: 8, rank: 1, text: ({ createdAt }) => clockTime(createdAt) },
    { title: 'ACTION', width: 18, grow: 32, rank: 1, text: ({ action }) => action },
    { title: 'ACTOR', width: 6, rank: 2, text: ({ actorType }) => actorType },
    { title: 'WHO', width: 12, grow: 36, rank: 4, text: ({ actorId }) => actorId, tone: () => 'dim' },
    { title: 'RESOURCE', width: 22, grow: 56, rank: 3, text: ({ resourceType, resourceId }) => `${resourceType} ${resourceId}` },
    { title: 'FROM', width: 9, grow: 24, rank: 5, text: ({ ipAddress }) => ipAddress ?? '' },
  ],
  search: ({ action, actorType, actorId, resourceType, resourceId, ipAddress }) =>
    [action, actorType, actorId, resourceType, resourceId, ipAddress ?? ''].join(' '),
  failed: () => true,
  empty: 'Nothing has been changed yet.',
};

const TABLES: { readonly [T in Tab]: Table<State['rows'][T][number]> } = { deliveries, limits, endpoints, requests, audit };

/** The table of a tab, its row type forgotten: it is only ever given rows of the same tab. */
export const tableOf = (tab: Tab): Table<AnyRow> => TABLES[tab];
