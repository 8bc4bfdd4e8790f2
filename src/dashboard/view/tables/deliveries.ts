/** The table of deliveries. */
import { getDeliveryFields, getDeliveryText } from '../../../client/row-query/delivery-fields.ts';
import { PROBLEM_STATUSES } from '../../../contract/admin/webhooks.ts';
import type { DeliveryRow } from '../../state/model.ts';
import { formatDuration, formatRelative, formatTime, formatTimeOrDate } from '../format.ts';
import type { Table, Tone } from '../table-types.ts';

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

export const deliveries: Table<DeliveryRow> = {
  title: 'Deliveries',
  short: 'Deliv',
  isFollowable: true,
  columns: [
    {
      title: 'TIME',
      width: 8,
      rank: 1,
      order: ({ updatedAt }) => updatedAt,
      text: ({ updatedAt }, { serviceNow }) => formatTimeOrDate(updatedAt, serviceNow),
    },
    { title: 'EVENT', width: 22, rank: 2, text: ({ eventType }) => eventType },
    { title: 'ENDPOINT', width: 9, rank: 3, text: ({ webhookId }, { getEndpointName: getName }) => getName(webhookId) },
    { title: 'STATUS', width: 11, rank: 1, text: ({ status }) => `${SIGNS[status]} ${status}`, tone: deliveryTone },
    { title: 'TRY', width: 3, rank: 5, right: true, order: ({ attempts }) => attempts, text: ({ attempts }) => String(attempts) },
    {
      title: 'HTTP',
      width: 4,
      rank: 4,
      right: true,
      order: ({ lastHttpStatus }) => lastHttpStatus,
      text: ({ lastHttpStatus }) => (lastHttpStatus === null ? '–' : String(lastHttpStatus)),
    },
    {
      title: 'TOOK',
      width: 6,
      rank: 6,
      right: true,
      order: ({ lastMilliseconds }) => lastMilliseconds,
      text: ({ lastMilliseconds }) => formatDuration(lastMilliseconds),
    },
    {
      title: 'NEXT',
      width: 7,
      rank: 7,
      order: ({ nextAttemptAt }) => nextAttemptAt,
      text: ({ nextAttemptAt }, { serviceNow }) => (nextAttemptAt === null ? '' : formatRelative(nextAttemptAt, serviceNow)),
    },
    { title: 'ERROR', width: 18, rank: 8, text: ({ lastError }) => lastError ?? '', tone: () => 'dim' },
    { title: 'DELIVERY', width: 36, rank: 9, text: ({ id }) => id, tone: () => 'dim' },
  ],
  search: (row, { getEndpointName: getName }) => `${getDeliveryText(row, getName(row.webhookId))} ${formatTime(row.updatedAt)}`,
  queryFields: ({ getEndpointName: getName }) => getDeliveryFields(({ webhookId }) => getName(webhookId)),
  isProblem: isDeliveryProblem,
  emptyText: 'No deliveries yet. Press T to send a test event to every subscribed endpoint.',
};
