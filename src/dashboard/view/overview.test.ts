import { describe, expect, test } from 'vitest';
import {
  NOW,
  deliveryRow,
  emptyState,
  endpointRow,
  failedRow,
  iso,
  requestRow,
  itemRow,
  withUpdates,
} from '../../../test/support/dashboard-states.ts';
import { handleKey } from '../actions/key-press.ts';
import { type State, withView } from '../state/model.ts';
import { reduce } from '../state/reduce.ts';
import { listAttention } from '../tables/attention-list.ts';
import { getPercentile } from '../tables/endpoint-summary.ts';
import { selectList } from '../tables/selectors.ts';
import { draw } from '../../../test/support/dashboard-frames.tsx';
import { getViewport } from './layout.ts';

const SIZE = { columns: 80, rows: 24 };

function showOverview(state: State): State {
  const live = reduce(reduce(state, { type: 'connected', at: NOW }), { type: 'complete' });
  return { ...live, ui: { ...live.ui, tab: 'overview' } };
}
const calm = showOverview(emptyState());
const troubled = showOverview(
  reduce(
    withUpdates(
      reduce(emptyState(), {
        type: 'endpoints',
        rows: [
          endpointRow(1, { name: 'Shop sync', failed: 0 }),
          endpointRow(2, { name: 'Warehouse', failed: 1, failingSince: iso(300), lastError: 'http_500', queued: 2 }),
        ],
      }),
      {
        deliveries: [
          deliveryRow(1),
          deliveryRow(2, { lastMilliseconds: 90 }),
          failedRow(3, { webhookId: endpointRow(2).id, updatedAt: iso(5) }),
        ],
        requests: [requestRow(1), requestRow(2, { status: 429 }), requestRow(3, { status: 503 })],
        limits: [{ keyId: requestRow(1).keyId!, keyPrefix: 'pk_test_a', tier: 'free', limit: 60, remaining: 3, resetAt: NOW / 1_000 + 12 }],
      },
    ),
    { type: 'items', rows: [itemRow(1), itemRow(2, { available: -3 })] },
  ),
);
const getText = (state: State, size = SIZE): string => draw(state, size);
const press = (state: State, name: string): State => handleKey(state, { name, text: null }, getViewport(state, NOW, SIZE)).state;

describe('the overview', () => {
  test('says that all is well only when everything was read', () => {
    expect(getText(calm)).toMatch(/All is well: nothing needs attention/u);
    expect(getText({ ...calm, isComplete: false })).not.toContain('All is well');
  });

  test('lists what needs attention, the worst first', () => {
    expect(listAttention(troubled, NOW).map(({ tone, text }) => `${tone}: ${text}`)).toEqual([
      'bad: Warehouse has been failing for 5m; 2 deliveries waiting',
      'bad: 1 delivery failed for good; R resends them',
      'bad: 1 request failed in the service within the last hour',
      'bad: PKG-2 is oversold',
      'warn: pk_test_a has 3 of 60 requests left, reset in 12s',
      'warn: 1 request was rejected by the rate limit within the last hour',
      'warn: PKG-1 is low; the items tab has the command that reorders',
    ]);
  });

  test.each([80, 120, 160])('shows endpoints, charts and limits in one screen of %i columns', (columns) => {
    const text = getText(troubled, { columns, rows: 30 });
    expect(text).toMatch(/Warehouse +x failing +2 .*http_500/u);
    expect(text).toMatch(/Shop sync +\+ active +4 +12 ms +90 ms/u);
    expect(text).toMatch(/Deliveries {2}3 deliveries in the last hour, 1 failed\n.*█.*\n.*x/u);
    expect(text).toMatch(/Requests {2}3 in the last hour, 1 with 4xx, 1 with 5xx\n.*█ +all\n.*█ +4xx\n.*█ +5xx/u);
    expect(text).toMatch(/pk_test_a +\[#+-+\] +3\/60 left 12s/u);
  });

  test.each(listAttention(troubled, NOW))('enter on "$text" shows just the rows that it is about', ({ id }) => {
    const selected = withView(troubled, 'overview', { selected: id });
    const opened = press(selected, 'enter');
    expect(opened.ui.tab).not.toBe('overview');
    expect([selectList(opened, NOW).rows.length, opened.ui.filterInput]).toEqual([1, null]);
    expect(press(press(opened, '0'), 'esc').ui.tab).toBe('overview');
  });
});

test.each([
  [[], 95, null],
  [[7], 50, 7],
  [[1, 2, 3, 4], 50, 2],
  [Array.from({ length: 100 }, (_, at) => at + 1), 95, 95],
])('a percentile is the nearest rank: %j, %i %%', (sorted, percent, value) => {
  expect(getPercentile(sorted, percent)).toBe(value);
});
