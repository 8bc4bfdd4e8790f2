/** The table of requests. */
import type { RequestRow } from '../state/model.ts';
import { type Table, dimColumn, durationColumn, textField, timeColumn, timeFields } from './table.ts';

const getTime = ({ at }: RequestRow): string => at;
const isFailedRequest = ({ status }: RequestRow): boolean => status === null || status >= 400;

export const requests: Table<RequestRow> = {
  title: 'Requests',
  short: 'Req',
  isFollowable: true,
  columns: [
    timeColumn(getTime),
    {
      title: 'STATUS',
      width: 6,
      rank: 1,
      order: ({ status }) => status,
      text: (row) => `${isFailedRequest(row) ? 'x' : '+'} ${String(row.status ?? 'gone')}`,
      tone: (row) => (!isFailedRequest(row) ? 'good' : (row.status ?? 0) >= 500 ? 'bad' : 'warn'),
    },
    { title: 'METHOD', width: 6, rank: 2, text: ({ method }) => method },
    { title: 'PATH', width: 20, rank: 2, text: ({ path }) => path },
    durationColumn('TOOK', { width: 6, rank: 3 }, ({ milliseconds }) => milliseconds),
    { title: 'KEY', width: 16, rank: 4, text: ({ keyPrefix }) => keyPrefix ?? '–' },
    dimColumn('OPERATION', { width: 16, rank: 5 }, ({ operationId }) => operationId ?? ''),
    dimColumn('REQUEST', { width: 36, rank: 6 }, ({ requestId }) => requestId),
  ],
  search: ({ method, path, status, keyPrefix, operationId, requestId }) =>
    [method, path, status ?? 'gone', keyPrefix ?? '', operationId ?? '', requestId].join(' '),
  queryFields: () => ({
    status: { kind: 'number', get: ({ status }) => status },
    method: textField(({ method }) => method),
    path: textField(({ path }) => path),
    operation: textField(({ operationId }) => operationId),
    key: textField(({ keyPrefix }) => keyPrefix),
    took: { kind: 'milliseconds', get: ({ milliseconds }) => milliseconds },
    ...timeFields(getTime),
  }),
  isProblem: isFailedRequest,
  emptyText: 'No requests since the daemon was started.',
};
