import { expect, test } from 'vitest';
import type { OwnedDelivery } from '../../contract/admin/webhooks.ts';
import { createSeenStates } from './follow-deliveries.ts';

type State = Pick<OwnedDelivery, 'id' | 'status' | 'attempts' | 'updatedAt'>;
const state = (status: State['status'], attempts: number, second: number): State => ({
  id: 'd',
  status,
  attempts,
  updatedAt: `2026-01-01T00:00:0${String(second)}.000Z`,
});

/** The states of a delivery with two attempts and a resend. */
const STATES = [
  state('pending', 0, 1),
  state('retrying', 1, 2),
  state('failed', 2, 3),
  state('pending', 2, 4),
  state('delivered', 3, 5),
  // An attempt that ended at the time of the change before it.
  state('failed', 4, 5),
];

test.for(STATES.map((_, at) => at))('messages up to the listed state %i are not new; later ones are', (at) => {
  const seen = createSeenStates();
  expect(seen.isNew(STATES[at] as State)).toBe(true);
  expect(STATES.filter((row) => seen.isNewInStream(row))).toEqual(STATES.slice(at + 1));
});

test('a delivery that was discarded when it was created is not reported as pending afterwards', () => {
  const seen = createSeenStates();
  seen.isNew(state('discarded', 0, 1));
  expect(seen.isNewInStream(state('pending', 0, 1))).toBe(false);
});

test('messages are new in their order, even if the clock is set back', () => {
  const seen = createSeenStates();
  for (const row of [state('delivered', 1, 5), state('pending', 1, 2), state('failed', 2, 2)]) expect(seen.isNewInStream(row)).toBe(true);
});

test('another attempt is new after a list, even if the clock is set back', () => {
  const seen = createSeenStates();
  seen.isNew(state('retrying', 1, 5));
  expect(seen.isNewInStream(state('delivered', 2, 3))).toBe(true);
});

test('after a message with the listed state, later messages may have earlier times', () => {
  const seen = createSeenStates();
  seen.isNew(state('failed', 2, 5));
  expect(seen.isNewInStream(state('failed', 2, 5))).toBe(false);
  expect(seen.isNewInStream(state('pending', 2, 3))).toBe(true);
});

test('a list is newer than all earlier states', () => {
  const seen = createSeenStates();
  for (const row of [state('failed', 2, 5), state('pending', 2, 3), state('delivered', 3, 3)]) expect(seen.isNew(row)).toBe(true);
  expect(seen.isNew(state('delivered', 3, 3))).toBe(false);
});
