import { expect, test } from 'vitest';
import {
  ABOUT,
  NOW,
  deliveryRow,
  emptyState,
  endpointRow,
  iso,
  itemRow,
  orderRow,
  requestRow,
  withUpdates,
} from '../../../test/support/dashboard-states.ts';
import type { Action } from './reduce.ts';
import { reduce } from './reduce.ts';
import { showsSeconds } from './shows-seconds.ts';

const quiet = reduce(emptyState(), { type: 'connected', at: NOW });
const limit = (resetAt: number) => ({
  keyId: 'k',
  keyPrefix: 'pk_test_a',
  tier: 'free',
  limit: 60,
  remaining: 3,
  resetAt: NOW / 1_000 + resetAt,
});

test('seconds are shown while something of the last minute, a countdown or a lost connection is', () => {
  expect(showsSeconds(quiet, NOW)).toBe(false);
  expect(showsSeconds(emptyState(), NOW)).toBe(true);
  expect(showsSeconds(withUpdates(quiet, { requests: [requestRow(1, { at: iso(59) })] }), NOW)).toBe(true);
  expect(showsSeconds(withUpdates(quiet, { requests: [requestRow(1, { at: iso(62) })] }), NOW)).toBe(false);
  expect(showsSeconds(withUpdates(quiet, { deliveries: [deliveryRow(1, { nextAttemptAt: iso(-30) })] }), NOW)).toBe(true);
  expect(showsSeconds(reduce(quiet, { type: 'endpoints', rows: [endpointRow(1, { failingSince: iso(20) })] }), NOW)).toBe(true);
  expect([42, 0, -2].map((resetAt) => showsSeconds(withUpdates(quiet, { limits: [limit(resetAt)] }), NOW))).toEqual([true, true, false]);
});

test.for<() => Action>([
  () => ({ type: 'about', about: { ...ABOUT } }),
  () => ({ type: 'endpoints', rows: [endpointRow(1)] }),
  () => ({ type: 'items', rows: [itemRow(1)] }),
  () => ({ type: 'orders', rows: [orderRow(1)] }),
])('a poll that has read nothing new is no change, so that nothing is drawn: %#', (read) => {
  const state = reduce(quiet, read());
  expect(reduce(state, read())).toBe(state);
});
