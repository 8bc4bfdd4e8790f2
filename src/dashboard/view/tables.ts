/** The table of each tab: columns, filter text, and which rows are problems. */
import { PROBLEM_STATUSES } from '../../contract/admin/webhooks.ts';
import type { AnyRow, AuditRow, DeliveryRow, EndpointRow, LimitRow, RequestRow, State, StockRow, Tab } from '../state/model.ts';
import { renderGauge, renderSparkline } from '../state/meter.ts';
import { formatTime, formatNumber, formatQuantity, formatRelative, formatInterval, formatDuration } from './format.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'dim' | 'plain';

export interface Column<R> {
  readonly title: string;
  readonly width: number;
  /** Maximum width when space remains. */
  readonly grow?: number;
  /** Columns with a higher rank are hidden first on a narrow screen. */
  readonly rank: number;
  readonly right?: true;
  text(row: R, moment: RenderContext, width: number): string;
  tone?(row: R, moment: RenderContext): Tone;
}

/** What a cell may need besides its row. */
export interface RenderContext {
  readonly now: number;
  /** The current time of the service's clock. */
  readonly serviceNow: number;
  getEndpointName(webhookId: string): string;
  /** The name of an API key, otherwise the id of the actor. */
  getActorName(row: Pick<AuditRow, 'actorId' | 'actorType'>): string;
}

export interface Table<R> {
  readonly title: string;
  /** Newest rows at the end; the list can follow them. */
  readonly isFollowable: boolean;
  readonly columns: readonly Column<R>[];
  /** The text that the filter matches. */
  search(row: R, moment: RenderContext): string;
  /** Whether `f` shows the row. */
  isProblem(row: R): boolean;
  /** Shown when there are no rows. */
  readonly emptyText: string;
}

export const createRenderContext = (state: State, now: number): RenderContext => {
  const names = new Map(state.rows.endpoints.map(({ id, name }) => [id, name]));
  return {
    now,
    serviceNow: now + state.about.clockAheadMs,
    getEndpointName: (id) => names.get(id) ?? id.slice(0, 8),
    getActorName: ({ actorType, actorId }) => (actorType === 'api' ? state.keyNames[actorId] : undefined) ?? actorId,
  };
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

/** Deliveries without attempts left and those whose latest attempt failed. A discarded one is not sent on purpose. */
export const isDeliveryProblem = ({ status }: DeliveryRow): boolean => PROBLEMS.has(status);
const PROBLEMS: ReadonlySet<string> = new Set(PROBLEM_STATUSES);

const deliveries: Table<DeliveryRow> = {
  title: 'Deliveries',
  isFollowable: true,
  columns: [
    { title: 'TIME', width: 8, rank: 1, text: ({ updatedAt }) => formatTime(updatedAt) },
    { title: 'EVENT', width: 22, grow: 30, rank: 2, text: ({ eventType }) => eventType },
    { title: 'ENDPOINT', width: 9, grow: 24, rank: 3, text: ({ webhookId }, { getEndpointName: getName }) => getName(webhookId) },
    { title: 'STATUS', width: 11, rank: 1, text: ({ status }) => `${SIGNS[status]} ${status}`, tone: deliveryTone },
    { title: 'TRY', width: 3, rank: 5, right: true, text: ({ attempts }) => String(attempts) },
    {
      title: 'HTTP',
      width: 4,
      rank: 4,
      right: true,
      text: ({ lastHttpStatus }) => (lastHttpStatus === null ? '–' : String(lastHttpStatus)),
    },
    { title: 'TOOK', width: 6, rank: 6, right: true, text: ({ lastMilliseconds }) => formatDuration(lastMilliseconds) },
    {
      title: 'NEXT',
      width: 7,
      rank: 7,
      text: ({ nextAttemptAt }, { serviceNow }) => (nextAttemptAt === null ? '' : formatRelative(nextAttemptAt, serviceNow)),
    },
    { title: 'ERROR', width: 18, grow: 24, rank: 8, text: ({ lastError }) => lastError ?? '', tone: () => 'dim' },
    { title: 'DELIVERY', width: 36, rank: 9, text: ({ id }) => id, tone: () => 'dim' },
  ],
  search: (row, { getEndpointName: getName }) =>
    [
      row.eventType,
      getName(row.webhookId),
      row.status,
      row.lastHttpStatus ?? '',
      row.lastError ?? '',
      row.id,
      row.webhookId,
      row.eventId ?? '',
      formatTime(row.updatedAt),
    ].join(' '),
  isProblem: isDeliveryProblem,
  emptyText: 'No deliveries yet. Press T to send a test event to every subscribed endpoint.',
};

/** Remaining requests now; after the end of a window, the whole limit. Null if the limit is unknown. */
export const getRemaining = ({ limit, remaining, resetsAt }: LimitRow, now: number): number | null =>
  limit === null ? null : remaining === null || resetsAt === null || resetsAt <= now ? limit : remaining;

const limits: Table<LimitRow> = {
  title: 'Limits',
  isFollowable: false,
  columns: [
    { title: 'KEY', width: 16, rank: 1, text: ({ prefix }) => prefix },
    {
      title: 'USED',
      width: 12,
      grow: 24,
      rank: 2,
      text: (row, { now }, width) => renderGauge((row.limit ?? 0) - (getRemaining(row, now) ?? 0), row.limit ?? 0, width),
      tone: (row, { now }) => limitTone(row, now),
    },
    {
      title: 'LEFT',
      width: 11,
      rank: 1,
      right: true,
      text: (row, { now }) => (row.limit === null ? '?' : `${String(getRemaining(row, now) ?? '?')}/${String(row.limit)}`),
      tone: (row, { now }) => limitTone(row, now),
    },
    {
      title: 'RESET',
      width: 6,
      rank: 3,
      text: ({ resetsAt, remaining }, { now }) =>
        remaining === null || resetsAt === null || resetsAt <= now ? 'full' : formatInterval(resetsAt - now + 999),
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
    { title: 'LAST HOUR', width: 12, grow: 60, rank: 5, text: ({ hour }, { now }, width) => renderSparkline(hour, now, width) },
    { title: 'LAST 60 s', width: 12, grow: 60, rank: 8, text: ({ meter }, { now }, width) => renderSparkline(meter, now, width) },
  ],
  search: ({ prefix, name, tier, id }) => [prefix, name ?? '', tier, id].join(' '),
  isProblem: (row) => row.refused > 0 || row.remaining === 0,
  emptyText: 'No API key has been used yet.',
};

function limitTone(row: LimitRow, now: number): Tone {
  const left = getRemaining(row, now);
  if (left === null || row.limit === null) return 'dim';
  return left === 0 ? 'bad' : left < row.limit / 4 ? 'warn' : 'good';
}

export const successRate = ({ delivered, failed }: EndpointRow): string =>
  delivered + failed === 0 ? '–' : `${String(Math.floor((delivered / (delivered + failed)) * 100))} %`;

export const isFailing = ({ failingSince, status }: EndpointRow): boolean => status === 'active' && failingSince !== null;

const endpoints: Table<EndpointRow> = {
  title: 'Endpoints',
  isFollowable: false,
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
    { title: 'QUEUE', width: 5, rank: 3, right: true, text: ({ queued }) => (queued === null ? '?' : formatNumber(queued)) },
    {
      title: 'OLDEST',
      width: 8,
      rank: 4,
      text: ({ oldestQueuedAt }, { serviceNow }) => (oldestQueuedAt === null ? '' : formatRelative(oldestQueuedAt, serviceNow)),
    },
    {
      title: 'FAILING SINCE',
      width: 13,
      rank: 5,
      text: ({ failingSince }, { serviceNow }) => (failingSince === null ? '' : formatRelative(failingSince, serviceNow)),
      tone: () => 'bad',
    },
    { title: 'TARGET', width: 16, grow: 80, rank: 6, text: ({ targetUrl }) => targetUrl, tone: () => 'dim' },
    { title: 'ENDPOINT', width: 36, rank: 7, text: ({ id }) => id, tone: () => 'dim' },
  ],
  search: ({ name, status, targetUrl, id }) => [name, status, targetUrl, id].join(' '),
  isProblem: (row) => isFailing(row) || row.status === 'disabled',
  emptyText: 'No endpoints. Create one with `stockroom webhooks create`, or a temporary one with `stockroom webhooks listen`.',
};

const isFailedRequest = ({ status }: RequestRow): boolean => status === null || status >= 400;

const requests: Table<RequestRow> = {
  title: 'Requests',
  isFollowable: true,
  columns: [
    { title: 'TIME', width: 8, rank: 1, text: ({ at }) => formatTime(at) },
    {
      title: 'STATUS',
      width: 6,
      rank: 1,
      text: (row) => `${isFailedRequest(row) ? 'x' : '+'} ${String(row.status ?? 'gone')}`,
      tone: (row) => (!isFailedRequest(row) ? 'good' : (row.status ?? 500) >= 500 ? 'bad' : 'warn'),
    },
    { title: 'METHOD', width: 6, rank: 2, text: ({ method }) => method },
    { title: 'PATH', width: 20, grow: 80, rank: 2, text: ({ path }) => path },
    { title: 'TOOK', width: 6, rank: 3, right: true, text: ({ milliseconds }) => formatDuration(milliseconds) },
    { title: 'KEY', width: 16, rank: 4, text: ({ keyPrefix }) => keyPrefix ?? '–' },
    { title: 'OPERATION', width: 16, grow: 32, rank: 5, text: ({ operationId }) => operationId ?? '', tone: () => 'dim' },
    { title: 'REQUEST', width: 36, rank: 6, text: ({ requestId }) => requestId, tone: () => 'dim' },
  ],
  search: ({ method, path, status, keyPrefix, operationId, requestId }) =>
    [method, path, status ?? 'gone', keyPrefix ?? '', operationId ?? '', requestId].join(' '),
  isProblem: isFailedRequest,
  emptyText: 'No requests since the daemon was started.',
};

const audit: Table<AuditRow> = {
  title: 'Audit',
  isFollowable: true,
  columns: [
    { title: 'TIME', width: 8, rank: 1, text: ({ createdAt }) => formatTime(createdAt) },
    { title: 'ACTION', width: 18, grow: 32, rank: 1, text: ({ action }) => action },
    { title: 'ACTOR', width: 6, rank: 2, text: ({ actorType }) => actorType },
    { title: 'WHO', width: 12, grow: 36, rank: 4, text: (row, { getActorName }) => getActorName(row) },
    { title: 'RESOURCE', width: 22, grow: 56, rank: 3, text: ({ resourceType, resourceId }) => `${resourceType} ${resourceId}` },
    { title: 'FROM', width: 9, grow: 24, rank: 5, text: ({ ipAddress }) => ipAddress ?? '' },
  ],
  search: ({ action, actorType, actorId, resourceType, resourceId, ipAddress }, { getActorName }) =>
    [action, actorType, getActorName({ actorType, actorId }), actorId, resourceType, resourceId, ipAddress ?? ''].join(' '),
  isProblem: () => true,
  emptyText: 'No changes yet.',
};

const isOversold = ({ available }: StockRow): boolean => available < 0;

const stock: Table<StockRow> = {
  title: 'Stock',
  isFollowable: false,
  columns: [
    { title: 'SKU', width: 12, grow: 20, rank: 1, text: ({ sku, itemId }) => sku ?? itemId.slice(0, 8) },
    { title: 'ITEM', width: 12, grow: 40, rank: 5, text: ({ name }) => name },
    { title: 'SITE', width: 8, grow: 20, rank: 6, text: ({ site }) => site },
    {
      title: 'STATE',
      width: 10,
      rank: 1,
      text: (row) => (isOversold(row) ? 'x oversold' : '~ low'),
      tone: (row) => (isOversold(row) ? 'bad' : 'warn'),
    },
    { title: 'ON HAND', width: 7, rank: 2, right: true, text: ({ onHand }) => formatQuantity(onHand) },
    { title: 'COMMITTED', width: 9, rank: 3, right: true, text: ({ committed }) => formatQuantity(committed) },
    { title: 'INCOMING', width: 8, rank: 3, right: true, text: ({ incoming }) => formatQuantity(incoming) },
    {
      title: 'REORDER AT',
      width: 10,
      rank: 4,
      right: true,
      text: ({ reorderPoint }) => (reorderPoint === null ? '–' : formatQuantity(reorderPoint)),
    },
    { title: 'UNIT', width: 5, rank: 6, text: ({ unit }) => unit ?? '' },
    { title: 'COMMAND', width: 24, grow: 150, rank: 7, text: ({ command }) => command ?? '', tone: () => 'dim' },
  ],
  search: ({ sku, name, site, itemId }) => [sku ?? '', name, site, itemId].join(' '),
  isProblem: () => true,
  emptyText: 'No item is low or oversold. Set reorder points with `stockroom stock levels set`.',
};

const TABLES: { readonly [T in Tab]: Table<State['rows'][T][number]> } = { deliveries, limits, endpoints, requests, audit, stock };

/** The table of a tab without its row type: callers pass only rows of the same tab. */
export const getTable = (tab: Tab): Table<AnyRow> => TABLES[tab];
