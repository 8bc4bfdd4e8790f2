import { expect, test } from 'vitest';
import type { OwnedDelivery } from '../contract/admin/webhooks.ts';
import { seenStates } from './follow.ts';

type State = Pick<OwnedDelivery, 'id' | 'status' | 'attempts' | 'updatedAt'>;
const state = (status: State['status'], attempts: number, second: number): State => ({
  id: 'd',
  status,
  attempts,
  updatedAt: `2026-01-01T00:00:0${String(second)}.000Z`,
});

/** One delivery as it changes, with two attempts and a resend. */
const LIFE = [
  state('pending', 0, 1),
  state('retrying', 1, 2),
  state('failed', 2, 3),
  state('pending', 2, 4),
  state('delivered', 3, 5),
  // An attempt that ended at the time of the change before it.
  state('failed', 4, 5),
];

test.for(LIFE.map((_, at) => at))('messages older than a list that told state %i, or as old, are no news; those after it are', (at) => {
  const seen = seenStates();
  expect(seen.isNews(LIFE[at] as State)).toBe(true);
  expect(LIFE.filter((row) => seen.isNewsInStream(row))).toEqual(LIFE.slice(at + 1));
});

test('what was discarded at the time of its making is not pending afterwards', () => {
  const seen = seenStates();
  seen.isNews(state('discarded', 0, 1));
  expect(seen.isNewsInStream(state('pending', 0, 1))).toBe(false);
});

test('messages are in order among themselves, also when the clock is set back', () => {
  const seen = seenStates();
  for (const row of [state('delivered', 1, 5), state('pending', 1, 2), state('failed', 2, 2)]) expect(seen.isNewsInStream(row)).toBe(true);
});

test('an attempt more is news after a list, also when the clock is set back', () => {
  const seen = seenStates();
  seen.isNews(state('retrying', 1, 5));
  expect(seen.isNewsInStream(state('delivered', 2, 3))).toBe(true);
});

test('once a message has come to the state of the list, the next may be of an earlier time', () => {
  const seen = seenStates();
  seen.isNews(state('failed', 2, 5));
  expect(seen.isNewsInStream(state('failed', 2, 5))).toBe(false);
  expect(seen.isNewsInStream(state('pending', 2, 3))).toBe(true);
});

test('a list is newer than all before it', () => {
  const seen = seenStates();
  for (const row of [state('failed', 2, 5), state('pending', 2, 3), state('delivered', 3, 3)]) expect(seen.isNews(row)).toBe(true);
  expect(seen.isNews(state('delivered', 3, 3))).toBe(false);
});
