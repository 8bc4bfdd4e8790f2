/** The table of events: every change of a record, with what became of its deliveries. */
import type { EventRow } from '../../state/model.ts';
import { formatNumber, formatTimeOrDate } from '../format.ts';
import { type RenderContext, type Table, timeFields } from '../table-types.ts';

/** What people call the record, as far as the event says it. */
function getRecordName({ data, resourceId }: EventRow): string {
  const names = ['orderNumber', 'documentNumber', 'sku', 'name', 'symbol', 'code', 'email'].map((field) => data[field]);
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? resourceId;
}

const getChanges = ({ data: { changes } }: EventRow): string => (Array.isArray(changes) ? changes.join(', ') : '');

/** `2 delivered, 1 failed` */
function countDeliveries(row: EventRow, { getDeliveries }: RenderContext): string {
  const byStatus = Map.groupBy(getDeliveries(row), ({ status }) => status);
  return Array.from(byStatus, ([status, rows]) => `${formatNumber(rows.length)} ${status}`).join(', ');
}

export const events: Table<EventRow> = {
  title: 'Events',
  short: 'Events',
  isFollowable: true,
  columns: [
    {
      title: 'TIME',
      width: 8,
      rank: 1,
      order: ({ occurredAt }) => occurredAt,
      text: ({ occurredAt }, { serviceNow }) => formatTimeOrDate(occurredAt, serviceNow),
    },
    { title: 'EVENT', width: 22, rank: 1, text: ({ event }) => event },
    { title: 'RECORD', width: 14, rank: 2, text: getRecordName },
    { title: 'CHANGED', width: 14, rank: 3, text: getChanges },
    {
      title: 'DELIVERIES',
      width: 11,
      rank: 4,
      text: countDeliveries,
      tone: (row, context) => (/failed|retrying/u.test(countDeliveries(row, context)) ? 'bad' : 'plain'),
    },
    { title: 'SEQUENCE', width: 8, rank: 5, right: true, order: ({ sequence }) => sequence, text: ({ sequence }) => String(sequence) },
    { title: 'EVENT ID', width: 36, rank: 6, text: ({ id }) => id, tone: () => 'dim' },
  ],
  search: (row) => [row.event, getRecordName(row), getChanges(row), row.resourceType, row.resourceId, row.id].join(' '),
  queryFields: () => ({
    event: { kind: 'text', get: ({ event }) => event },
    record: { kind: 'text', get: (row) => [getRecordName(row), row.resourceId] },
    changed: { kind: 'text', get: getChanges },
    ...timeFields(({ occurredAt }: EventRow) => occurredAt),
  }),
  emptyText: 'No events yet. Earlier ones are read with an API key.',
};
