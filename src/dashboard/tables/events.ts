/** The table of events: every change of a record, with what became of its deliveries. */
import type { EventRow } from '../state/model.ts';
import { formatNumber } from './format.ts';
import { SIGNS } from './deliveries.ts';
import { type RenderContext, type Table, dimColumn, numberColumn, textField, timeColumn, timeFields } from './table.ts';

const getTime = ({ occurredAt }: EventRow): string => occurredAt;

/** What people call the record, as far as it is known. */
function getRecordName({ data, resourceId }: EventRow, { getLevelName }: RenderContext): string {
  const names = ['orderNumber', 'documentNumber', 'sku', 'name', 'symbol', 'code', 'email'].map((field) => data[field]);
  return names.find((name): name is string => typeof name === 'string' && name !== '') ?? getLevelName(resourceId) ?? resourceId;
}

const getChanges = ({ data: { changes } }: EventRow): string => (Array.isArray(changes) ? changes.join(', ') : '');

/** From what needs attention most, with the signs of deliveries. */
const STATUSES = ['failed', 'retrying', 'pending', 'discarded', 'delivered'] as const;

/** `+ 2 delivered`, `x 1 of 2 failed`: the status that needs attention most. */
function describeDeliveries(row: EventRow, { getDeliveries }: RenderContext): string {
  const all = getDeliveries(row);
  const status = STATUSES.find((each) => all.some((delivery) => delivery.status === each));
  if (status === undefined) return '';
  const count = all.filter((delivery) => delivery.status === status).length;
  return `${SIGNS[status]} ${formatNumber(count)}${count === all.length ? '' : ` of ${formatNumber(all.length)}`} ${status}`;
}

export const events: Table<EventRow> = {
  title: 'Events',
  short: 'Event',
  isFollowable: true,
  columns: [
    timeColumn(getTime),
    { title: 'EVENT', width: 22, rank: 1, text: ({ event }) => event },
    { title: 'RECORD', width: 12, comfortable: 24, rank: 2, text: getRecordName },
    { title: 'CHANGED', width: 14, rank: 4, text: getChanges },
    {
      title: 'DELIVERIES',
      width: 17,
      rank: 2,
      text: describeDeliveries,
      tone: (row, context) => (/^[x~]/u.test(describeDeliveries(row, context)) ? 'bad' : 'plain'),
    },
    numberColumn('SEQUENCE', { width: 8, rank: 5 }, ({ sequence }) => sequence, String),
    dimColumn('EVENT ID', { width: 36, rank: 6 }, ({ id }) => id),
  ],
  search: (row, context) => [row.event, getRecordName(row, context), getChanges(row), row.resourceType, row.resourceId, row.id].join(' '),
  queryFields: (context) => ({
    event: textField(({ event }) => event),
    record: textField((row) => [getRecordName(row, context), row.resourceId]),
    changed: textField(getChanges),
    ...timeFields(getTime),
  }),
  emptyText: 'No events yet. Earlier ones are read with an API key.',
};
