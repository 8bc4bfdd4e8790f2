/** The details of a row. */
import { DELIVERY_LOG_DAYS, DELIVERY_LOG_MAX_ROWS } from '../../contract/limits.ts';
import { getTotal, renderSparkline } from '../state/meter.ts';
import type {
  AuditRow,
  DataTab,
  DeliveryRow,
  Detail,
  EndpointRow,
  EventRow,
  ItemRow,
  LimitRow,
  OrderRow,
  RequestRow,
} from '../state/model.ts';
import { isBlocked, isFailing, successRate } from '../tables/endpoints.ts';
import { autoDisableNote, formatCount, formatDuration, formatNumber } from '../tables/format.ts';
import { countRejected, drawGauge, getRemaining } from '../tables/limits.ts';
import type { RenderContext } from '../tables/table.ts';
import { listDeliveryParts } from './delivery.ts';
import { EMPTY_LINE, type Part, formatMoment } from './parts.ts';
import { listContentParts } from './record.ts';

export const NO_COMMAND =
  'None: what is incoming or on draft orders is enough, or the item has neither a supplier nor ingredients. `stock reorder` shows which. A remote service has no commands.';

const TITLES: Readonly<Record<DataTab, string>> = {
  deliveries: 'delivery',
  limits: 'key',
  endpoints: 'endpoint',
  requests: 'request',
  audit: 'audit event',
  items: 'item',
  orders: 'order',
  events: 'event',
};

export const getTitle = ({ tab, row }: Detail): string =>
  `${TITLES[tab]} ${'orderNumber' in row ? row.orderNumber : 'itemId' in row ? (row.sku ?? row.name) : row.id}`;

export function listDetailParts({ tab, row, content }: Detail, context: RenderContext): readonly Part[] {
  // The row belongs to the tab.
  switch (tab) {
    case 'deliveries':
      return listDeliveryParts(row as DeliveryRow, content, context);
    case 'limits':
      return listLimitParts(row as LimitRow, context);
    case 'endpoints':
      return listEndpointParts(row as EndpointRow, context);
    case 'requests':
      return listRequestParts(row as RequestRow, context);
    case 'audit':
      return listAuditParts(row as AuditRow, content, context);
    case 'events':
      return listEventParts(row as EventRow, context);
    case 'items':
      return [...listItemParts(row as ItemRow), ...listRecordParts(content, context)];
    case 'orders':
      return listOrderParts(row as OrderRow, content, context);
  }
}

function listLimitParts(row: LimitRow, { now, isLocal }: RenderContext): readonly Part[] {
  const left = getRemaining(row, now);
  const limit = row.limit ?? 0;
  return [
    ['key', row.prefix],
    ['name', row.name ?? '–'],
    ['tier', row.tier],
    ['limit', row.limit === null ? 'unknown' : `${formatNumber(limit)} requests/min`],
    ['left', left === null ? '–' : `${formatNumber(left)}  ${drawGauge(row, now, 30)}`],
    ['last minute', formatCount(getTotal(row.meter, now), 'request')],
    ['', renderSparkline(row.meter, now)],
    ['last hour', formatCount(getTotal(row.hour, now), 'request')],
    ['', renderSparkline(row.hour, now)],
    ['rejected (429)', isLocal ? `${formatNumber(countRejected(row, now))} in the last hour` : '–'],
    ['id', row.id],
  ];
}

function listEndpointParts(row: EndpointRow, context: RenderContext): readonly Part[] {
  return [
    ['name', row.name],
    ['target', row.targetUrl],
    ['status', row.status],
    ...(isBlocked(row) ? [['blocked', row.blockedReason ?? ''] as const] : []),
    [
      'success',
      `${successRate(row)}: ${formatNumber(row.delivered)} delivered, ${formatNumber(row.failed)} failed, ${formatNumber(row.discarded)} discarded`,
    ],
    [
      '',
      context.isLocal
        ? `of the last ${String(DELIVERY_LOG_DAYS)} days, at most ${formatNumber(DELIVERY_LOG_MAX_ROWS)} deliveries of the tenant`
        : 'of the deliveries that the dashboard has read',
    ],
    ['queue', row.queued === null ? 'unknown for a remote service' : formatNumber(row.queued)],
    ['oldest queued', formatMoment(row.oldestQueuedAt, context)],
    ['next attempt', formatMoment(row.nextAttemptAt, context)],
    ['failing since', formatMoment(row.failingSince, context)],
    ...(isFailing(row) && row.failingSince !== null
      ? [['', `${formatCount(row.failedAttempts, 'failed attempt')} since. ${autoDisableNote}`] as const]
      : []),
    ['id', row.id],
  ];
}

/** The log has the cause of errors of the service; those of clients are only in a log of all requests. */
const describeLog = ({ hasLogFile }: RenderContext): string =>
  hasLogFile
    ? 'Search `stockroom daemon logs` for the request id to see the cause.'
    : 'The log, with the cause under the request id, is in the terminal where the service runs.';

function listRequestParts(row: RequestRow, context: RenderContext): readonly Part[] {
  // A daemon of an earlier release sends no error.
  const error = [row.errorCode, row.errorMessage].filter((text) => typeof text === 'string');
  return [
    ['request', `${row.method} ${row.path}`],
    ['status', row.status === null ? 'client disconnected before the response' : String(row.status)],
    ...error.map((text, index) => [index === 0 ? 'error' : '', text] as const),
    ['took', formatDuration(row.milliseconds)],
    ['at', row.at],
    ['operation', row.operationId ?? 'none (unknown path)'],
    ['key', row.status === 401 && row.keyPrefix !== null ? `${row.keyPrefix} (expired or revoked)` : (row.keyPrefix ?? 'none or invalid')],
    ['request id', row.requestId],
    EMPTY_LINE,
    { text: 'Query, headers and body are not recorded because they may contain secrets.', tone: 'dim' },
    ...((row.status ?? 0) >= 500 ? [{ text: describeLog(context), tone: 'dim' } as const] : []),
  ];
}

function listEventParts(row: EventRow, context: RenderContext): readonly Part[] {
  const deliveries = context.getDeliveries(row);
  return [
    ['event', row.event],
    ['occurred', formatMoment(row.occurredAt, context)],
    ['record', [row.resourceType, context.getLevelName(row.resourceId), row.resourceId].filter((part) => part !== undefined).join('  ')],
    ['sequence', formatNumber(row.sequence)],
    { head: `Deliveries (${formatNumber(deliveries.length)})` },
    ...deliveries.map(({ endpoint, status }) => [`  ${endpoint}`, status] as const),
    { head: 'Data' },
    { json: JSON.stringify(row.data) },
  ];
}

function listItemParts(row: ItemRow): readonly Part[] {
  const quantity = (value: number): string => `${formatNumber(value)}${row.unit === null ? '' : ` ${row.unit}`}`;
  return [
    ['item', `${row.name}${row.sku === null ? '' : `  ${row.sku}`}`],
    ['site', row.site],
    ['on hand', quantity(row.onHand)],
    ['committed', quantity(row.committed)],
    ['available', quantity(row.available)],
    ['incoming', quantity(row.incoming)],
    ['reorder point', row.reorderPoint === null ? '–' : quantity(row.reorderPoint)],
    ['item id', row.itemId],
    { head: 'Command' },
    row.command === null ? { text: NO_COMMAND, tone: 'dim' } : { text: row.command },
  ];
}

function listAuditParts(row: AuditRow, content: Detail['content'], context: RenderContext): readonly Part[] {
  const { getActorName } = context;
  return [
    ['action', row.action],
    ['at', row.createdAt],
    ['actor', `${row.actorType} ${getActorName(row)}`],
    ['actor id', row.actorId],
    ['resource', [row.resourceType, row.recordName, row.resourceId].filter((part) => typeof part === 'string').join('  ')],
    ['from', row.ipAddress ?? '–'],
    ['id', row.id],
    { head: 'Metadata' },
    { json: JSON.stringify(row.metadata) },
    ...listRecordParts(content, context),
  ];
}

const listRecordParts = (content: Detail['content'], context: RenderContext): readonly Part[] =>
  content === null ? [] : [{ head: 'Record' }, ...listContentParts(content, context)];

function listOrderParts(row: OrderRow, content: Detail['content'], context: RenderContext): readonly Part[] {
  const late: readonly Part[] = row.isLate ? [{ text: `Late: was due ${row.dueDate}.`, tone: 'bad' }] : [];
  if (content?.state === 'ready') return [...late, ...listContentParts(content, context)];
  return [
    ...late,
    ['status', row.status],
    ['contact', row.contact],
    ['due', row.dueDate],
    ...(row.site === null ? [] : [['site', row.site] as const]),
    ...(content === null ? [] : listContentParts(content, context)),
  ];
}
