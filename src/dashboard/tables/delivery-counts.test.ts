import { describe, expect, test } from 'vitest';
import { NOW, deliveryRow, emptyState, endpointRow, failedRow, iso, withUpdates } from '../../../test/support/dashboard-states.ts';
import { PAGE_SIZE_MAX } from '../../contract/limits.ts';
import { getTotal } from '../state/meter.ts';
import type { DeliveryRow, State } from '../state/model.ts';
import { reduce } from '../state/reduce.ts';
import { COUNTED_DELIVERIES, countDeliveries, getDeliveriesPerMinute } from './delivery-counts.ts';
import { summarizeEndpoints } from './endpoint-summary.ts';

/** What a dashboard shows that has been open while the deliveries changed, one after the other. */
const watch = (versions: readonly DeliveryRow[], before: State = emptyState(NOW - 3_600_000)): State =>
  versions.reduce((state, row) => withUpdates(state, { deliveries: [row] }, Date.parse(row.updatedAt)), before);
/** What a dashboard shows that was just opened. */
const open = (deliveries: readonly DeliveryRow[]): State => reduce(emptyState(), { type: 'history', deliveries });
const getCounts = (state: State) => {
  const { attempted, problems, counts, text } = countDeliveries(state, NOW);
  return {
    text,
    counts,
    attempted: getTotal(attempted, NOW),
    problems: getTotal(problems, NOW),
    perMinute: getDeliveriesPerMinute(state, NOW),
  };
};

const versions = [
  deliveryRow(1, { status: 'retrying', updatedAt: iso(3_000), lastError: 'http_500' }),
  deliveryRow(1, { status: 'retrying', updatedAt: iso(2_000), lastError: 'http_500', attempts: 2 }),
  deliveryRow(1, { status: 'failed', updatedAt: iso(1_000), lastError: 'http_500', attempts: 3 }),
  deliveryRow(2, { updatedAt: iso(59) }),
  deliveryRow(3, { status: 'retrying', updatedAt: iso(40) }),
];

describe('counts of deliveries', () => {
  test('are the same whether the dashboard was open for an hour or just opened', () => {
    const expected = {
      text: '3 deliveries in the last hour',
      counts: { failed: 1, retrying: 1 },
      attempted: 3,
      problems: 2,
      perMinute: 2,
    };
    expect(getCounts(watch(versions))).toEqual(expected);
    expect(getCounts(open(versions.slice(2)))).toEqual(expected);
  });

  test('leave out pending and discarded deliveries, and those attempted before', () => {
    const others = [
      deliveryRow(4, { updatedAt: iso(3_601) }),
      deliveryRow(5, { status: 'discarded', updatedAt: iso(20) }),
      deliveryRow(6, { status: 'pending', updatedAt: iso(10) }),
    ];
    expect(getCounts(open(others))).toMatchObject({ text: '0 deliveries in the last hour', attempted: 0, perMinute: 0 });
  });

  test('are of the time that the latest ones took if the hour has more than are known', () => {
    const many = Array.from({ length: COUNTED_DELIVERIES + 300 }, (_, at) => deliveryRow(at, { updatedAt: iso(1_300 - at) }));
    const expected = { text: '1,000 deliveries in the last 16m', attempted: COUNTED_DELIVERIES, perMinute: 59 };
    expect(getCounts(watch(many))).toMatchObject(expected);
    expect(getCounts(open([failedRow(9_999, { updatedAt: iso(3_000) }), ...many.slice(-COUNTED_DELIVERIES)]))).toMatchObject(expected);
  });

  test('become a rate per minute if the latest ones took less', () => {
    const many = Array.from({ length: COUNTED_DELIVERIES }, (_, at) => deliveryRow(at, { updatedAt: iso(30 - at / 100) }));
    expect(getDeliveriesPerMinute(open(many), NOW)).toBe(2 * COUNTED_DELIVERIES);
  });

  test('of a service whose clock is ahead are of the hour of its clock', () => {
    const ahead = reduce(emptyState(), { type: 'about', about: { clockAheadMs: 7_200_000 } });
    const rows = [deliveryRow(1, { updatedAt: iso(-7_190) }), deliveryRow(2, { updatedAt: iso(0) })];
    expect(getCounts(watch(rows, ahead))).toMatchObject({ text: '1 delivery in the last hour', attempted: 1, perMinute: 1 });
  });

  test('say that there may be more where only a page of each endpoint was read', () => {
    const remote = reduce(open(versions), { type: 'about', about: { isLocal: false } });
    const state = reduce(remote, { type: 'endpoints', rows: [endpointRow(1, { delivered: PAGE_SIZE_MAX - 1, failed: 1 })] });
    expect(getCounts(state).text).toBe('at least 3 deliveries in the last hour');
  });
});

test('the error of an endpoint is what the service reports, not that of a delivery that was seen', () => {
  const state = reduce(watch(versions), { type: 'endpoints', rows: [endpointRow(1, { lastError: 'timeout' }), endpointRow(2)] });
  expect(summarizeEndpoints(state).map(({ lastError }) => lastError)).toEqual(['timeout', null]);
});
