/** The table of deliveries. */
import { getDeliveryFields, getDeliveryText } from '../../client/row-query/delivery-fields.ts';
import { PROBLEM_STATUSES } from '../../contract/admin/webhooks.ts';
import type { DeliveryRow, Rows } from '../state/model.ts';
import { formatNumber, formatTime } from './format.ts';
import { type Table, type Tone, dimColumn, durationColumn, numberColumn, relativeColumn, timeColumn } from './table.ts';

export const SIGNS: Readonly<Record<DeliveryRow['status'], string>> = {
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

export type ProblemCounts = Readonly<Record<'failed' | 'retrying', number>>;

export function countProblems(rows: readonly DeliveryRow[]): ProblemCounts {
  const count = (status: DeliveryRow['status']): number => rows.filter((row) => row.status === status).length;
  return { failed: count('failed'), retrying: count('retrying') };
}

/** Failed ones as the service counts them: more than were read, if there are many. */
export const countServiceProblems = ({ endpoints, deliveries: rows }: Rows): ProblemCounts => ({
  ...countProblems(rows),
  failed: endpoints.reduce((sum, { failed }) => sum + failed, 0),
});

/** `2 failed, 1 retrying`; empty if there are none. */
export const describeProblems = (counts: ProblemCounts): string =>
  Object.entries(counts)
    .flatMap(([status, count]) => (count > 0 ? [`${formatNumber(count)} ${status}`] : []))
    .join(', ');

export const deliveries: Table<DeliveryRow> = {
  title: 'Deliveries',
  short: 'Deliv',
  isFollowable: true,
  columns: [
    timeColumn(({ updatedAt }) => updatedAt),
    { title: 'EVENT', width: 22, rank: 2, text: ({ eventType }) => eventType },
    { title: 'ENDPOINT', width: 9, rank: 3, text: ({ webhookId }, { getEndpointName }) => getEndpointName(webhookId) },
    { title: 'STATUS', width: 11, rank: 1, text: ({ status }) => `${SIGNS[status]} ${status}`, tone: deliveryTone },
    numberColumn('TRY', { width: 3, rank: 5 }, ({ attempts }) => attempts),
    numberColumn(
      'HTTP',
      { width: 4, rank: 4 },
      ({ lastHttpStatus }) => lastHttpStatus,
      (status) => String(status ?? '–'),
    ),
    durationColumn('TOOK', { width: 6, rank: 6 }, ({ lastMilliseconds }) => lastMilliseconds),
    relativeColumn('NEXT', { width: 7, rank: 7 }, ({ nextAttemptAt }) => nextAttemptAt),
    dimColumn('ERROR', { width: 18, rank: 8 }, ({ lastError }) => lastError ?? ''),
    dimColumn('DELIVERY', { width: 36, rank: 9 }, ({ id }) => id),
  ],
  search: (row, { getEndpointName }) => `${getDeliveryText(row, getEndpointName(row.webhookId))} ${formatTime(row.updatedAt)}`,
  queryFields: ({ getEndpointName }) => getDeliveryFields(({ webhookId }) => getEndpointName(webhookId)),
  isProblem: isDeliveryProblem,
  emptyText: 'No deliveries yet. Press T to send a test event to every subscribed endpoint.',
};
