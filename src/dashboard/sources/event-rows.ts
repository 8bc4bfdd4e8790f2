/** Converts entries of the feed to rows of the tab Events. */
import type { FeedEvent } from '../../contract/admin/feed.ts';
import { type ChangeEvent, getChangedResource } from '../../contract/change-events.ts';
import type { EventRow } from '../state/model.ts';

/** Of each list, as an order has of lines: many events are kept. */
const ENTRIES_MAX = 50;

const trim = (data: EventRow['data']): EventRow['data'] =>
  Object.fromEntries(Object.entries(data).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, ENTRIES_MAX) : value]));

export const trimEvent = (row: EventRow): EventRow => ({ ...row, data: trim(row.data) });

export function toEventRow({ position, body }: FeedEvent): EventRow {
  // The daemon keeps the contract of its feed.
  const { event, data } = JSON.parse(body) as { event: ChangeEvent; data: EventRow['data'] & { eventId: string; occurredAt: string } };
  return {
    id: data.eventId,
    event,
    resourceType: getChangedResource(event),
    resourceId: typeof data['id'] === 'string' ? data['id'] : '',
    sequence: position,
    occurredAt: data.occurredAt,
    data: trim(data),
  };
}
