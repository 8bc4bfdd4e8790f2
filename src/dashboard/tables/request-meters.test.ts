import { expect, test } from 'vitest';
import { NOW, ABOUT, requestRow, withUpdates } from '../../../test/support/dashboard-states.ts';
import { createInitialState } from '../state/model.ts';
import { reduce } from '../state/reduce.ts';
import { listRequestMeters } from './request-meters.ts';

test('all requests are never fewer than those that failed, also of keys that are gone', () => {
  const rows = [1, 2, 3].map((number) => ({ ...requestRow(number), at: new Date(NOW - 60_000).toISOString(), keyId: 'gone', status: 404 }));
  const past = reduce(createInitialState(ABOUT, NOW), { type: 'requests', at: NOW, rows, perMinute: [] });
  const state = withUpdates(past, { requests: [requestRow(4)] });
  const counts = Object.fromEntries(listRequestMeters(state, NOW).map(({ label, count }) => [label, count]));
  expect(counts).toEqual({ all: 4, '4xx': 3 });
});
