import { expect, test } from 'vitest';
import { toEventRow, trimEvent } from './event-rows.ts';

test('an entry of the feed becomes a row with its record, and long lists are shortened', () => {
  const data = {
    id: 'o1',
    eventId: 'e1',
    occurredAt: '2026-03-31T14:00:00.000Z',
    lines: Array.from({ length: 90 }, (_, line) => ({ line })),
  };
  const row = toEventRow({ position: 7, body: JSON.stringify({ event: 'inventory.item.created', data }) });
  expect(row).toMatchObject({ id: 'e1', event: 'inventory.item.created', resourceType: 'item', resourceId: 'o1', sequence: 7 });
  expect(row.data['lines']).toHaveLength(50);
  expect(trimEvent({ ...row, data })).toEqual(row);
});
