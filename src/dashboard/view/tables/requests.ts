/** The table of requests. */
import type { RequestRow } from '../../state/model.ts';
import { formatDuration, formatTimeOrDate } from '../format.ts';
import { type Table, timeFields } from '../table-types.ts';

const isFailedRequest = ({ status }: RequestRow): boolean => status === null || status >= 400;

export const requests: Table<RequestRow> = {
  title: 'Requests',
  short: 'Reqs',
  isFollowable: true,
  columns: [
    { title: 'TIME', width: 8, rank: 1, order: ({ at }) => at, text: ({ at }, { serviceNow }) => formatTimeOrDate(at, serviceNow) },
    {
      title: 'STATUS',
      width: 6,
      rank: 1,
      order: ({ status }) => status,
      text: (row) => `${isFailedRequest(row) ? 'x' : '+'} ${String(row.status ?? 'gone')}`,
      tone: (row) => (!isFailedRequest(row) ? 'good' : (row.status ?? 500) >= 500 ? 'bad' : 'warn'),
    },
    { title: 'METHOD', width: 6, rank: 2, text: ({ method }) => method },
    { title: 'PATH', width: 20, rank: 2, text: ({ path }) => path },
    {
      title: 'TOOK',
      width: 6,
      rank: 3,
      right: true,
      order: ({ milliseconds }) => milliseconds,
      text: ({ milliseconds }) => formatDuration(milliseconds),
    },
    { title: 'KEY', width: 16, rank: 4, text: ({ keyPrefix }) => keyPrefix ?? '–' },
    { title: 'OPERATION', width: 16, rank: 5, text: ({ operationId }) => operationId ?? '', tone: () => 'dim' },
    { title: 'REQUEST', width: 36, rank: 6, text: ({ requestId }) => requestId, tone: () => 'dim' },
  ],
  search: ({ method, path, status, keyPrefix, operationId, requestId }) =>
    [method, path, status ?? 'gone', keyPrefix ?? '', operationId ?? '', requestId].join(' '),
  queryFields: () => ({
    status: { kind: 'number', get: ({ status }) => status },
    method: { kind: 'text', get: ({ method }) => method },
    path: { kind: 'text', get: ({ path }) => path },
    operation: { kind: 'text', get: ({ operationId }) => operationId },
    key: { kind: 'text', get: ({ keyPrefix }) => keyPrefix },
    took: { kind: 'milliseconds', get: ({ milliseconds }) => milliseconds },
    ...timeFields(({ at }: RequestRow) => at),
  }),
  isProblem: isFailedRequest,
  emptyText: 'No requests since the daemon was started.',
};
