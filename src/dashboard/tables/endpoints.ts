/** The table of endpoints. */
import { DELIVERY_LOG_DAYS } from '../../contract/limits.ts';
import type { EndpointRow } from '../state/model.ts';
import { formatNumber } from './format.ts';
import { type Column, type Table, dimColumn, numberColumn, relativeColumn, textField } from './table.ts';

export const successRate = ({ delivered, failed }: EndpointRow): string =>
  delivered + failed === 0 ? '–' : `${String(Math.floor((delivered / (delivered + failed)) * 100))} %`;

/** The settings of the service forbid deliveries to it. A daemon of an earlier release does not report it. */
export const isBlocked = ({ blockedReason, status }: EndpointRow): boolean => status === 'active' && typeof blockedReason === 'string';

export const isFailing = (row: EndpointRow): boolean => row.status === 'active' && (row.failingSince !== null || isBlocked(row));

/** The column with the status of an endpoint. */
export const endpointStatus: Column<EndpointRow> = {
  title: 'STATUS',
  width: 10,
  rank: 1,
  text: (row) => describeStatus(row),
  tone: (row) => (isFailing(row) ? 'bad' : row.status === 'active' ? 'good' : 'dim'),
};

export const endpointQueue = (rank: number): Column<EndpointRow> =>
  numberColumn(
    'QUEUE',
    { width: 5, rank },
    ({ queued }) => queued,
    (queued) => (queued === null ? '?' : formatNumber(queued)),
  );

const describeStatus = (row: EndpointRow): string =>
  isBlocked(row) ? 'x blocked' : isFailing(row) ? 'x failing' : row.status === 'active' ? '+ active' : `- ${row.status}`;

export const endpoints: Table<EndpointRow> = {
  title: 'Endpoints',
  short: 'Endpt',
  isFollowable: false,
  columns: [
    { title: 'NAME', width: 12, rank: 1, text: ({ name }) => name },
    endpointStatus,
    {
      title: 'OK',
      label: ({ isLocal }) => (isLocal ? `OK ${String(DELIVERY_LOG_DAYS)} d` : 'OK'),
      width: 7,
      rank: 2,
      right: true,
      order: ({ delivered, failed }) => (delivered + failed === 0 ? null : delivered / (delivered + failed)),
      text: successRate,
    },
    endpointQueue(3),
    relativeColumn('OLDEST', { width: 8, rank: 4 }, ({ oldestQueuedAt }) => oldestQueuedAt),
    { ...relativeColumn('FAILING SINCE', { width: 13, rank: 5 }, ({ failingSince }) => failingSince), tone: () => 'bad' },
    dimColumn('TARGET', { width: 16, rank: 6 }, ({ targetUrl }) => targetUrl),
    dimColumn('ENDPOINT', { width: 36, rank: 7 }, ({ id }) => id),
  ],
  search: ({ name, status, targetUrl, id }) => [name, status, targetUrl, id].join(' '),
  queryFields: () => ({
    name: textField(({ name }) => name),
    status: textField((row) => [row.status, ...(isFailing(row) ? ['failing'] : [])]),
    target: textField(({ targetUrl }) => targetUrl),
    queue: { kind: 'number', get: ({ queued }) => queued },
  }),
  isProblem: (row) => isFailing(row) || row.status === 'disabled',
  emptyText: 'No endpoints. Create one with `stockroom webhooks create`, or a temporary one with `stockroom webhooks listen`.',
};
