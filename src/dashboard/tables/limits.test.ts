import { expect, test } from 'vitest';
import { ABOUT, NOW, requestRow, withUpdates } from '../../../test/support/dashboard-states.ts';
import { createInitialState } from '../state/model.ts';
import { reduce } from '../state/reduce.ts';
import { limits } from './limits.ts';
import { createRenderContext } from './table.ts';

const HOUR_MS = 3_600_000;
const column = limits.columns.find(({ title }) => title.startsWith('429s'));

test('the table of limits counts the rejections of the last hour, also from before the dashboard was opened', () => {
  const seen = withUpdates(createInitialState(ABOUT, NOW), { requests: [requestRow(1)] });
  const keyId = requestRow(1).keyId ?? '';
  const perMinute = [...Array.from({ length: 59 }, () => 0), 9];
  const opened = reduce(seen, { type: 'requests', at: NOW, rows: [], perMinute: [{ keyId, perMinute, rejectedPerMinute: perMinute }] });
  const state = withUpdates(opened, { requests: [requestRow(2, { status: 429 })] });
  const [row] = state.rows.limits;
  if (!row) throw new Error('no row');
  const show = (now: number, isLocal = true) => {
    const context = { ...createRenderContext(state, now), isLocal };
    return [column?.text(row, context, 6), limits.isProblem?.(row, context)];
  };
  expect([show(NOW), show(NOW + HOUR_MS)]).toEqual([
    ['10', true],
    ['0', false],
  ]);
  // A remote service does not say it.
  expect(show(NOW, false)[0]).toBe('–');
});
