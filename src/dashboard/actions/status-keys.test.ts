import { describe, expect, test } from 'vitest';
import { draw } from '../../../test/support/dashboard-frames.tsx';
import { SIZE, busy, getStatusLine, play } from '../../../test/support/dashboard-keys.ts';
import type { OrderStatus } from '../../contract/resources/orders.ts';
import type { State } from '../state/model.ts';
import { reduce } from '../state/reduce.ts';

describe('c', () => {
  const opened = play(busy, '7', 'c');
  const [order] = busy.rows.orders;
  const preview = {
    version: '2026-03-31T13:00:00.000Z',
    effects: [{ item: 'HB-250', change: -2, onHand: 1, committed: 3, available: -2 }],
  };
  const answer = (state: State, to: OrderStatus): State =>
    reduce(state, { type: 'previewed', orderId: order?.id ?? '', to, content: { state: 'ready', value: preview } });

  test('asks for the status of an order, the most frequent first, and shows what it does to the stock before it can be answered', () => {
    expect(opened.effects).toEqual([{ type: 'preview-status', order, to: 'completed' }]);
    expect(draw(opened.state, SIZE)).toMatch(/Change the status of SO-000000[^]*open → \[completed\] in_progress [^]*effect on stock…/u);
    expect(play(opened.state, 'y')).toEqual({ state: opened.state, effects: [] });
    const shown = answer(opened.state, 'completed');
    expect(draw(shown, SIZE)).toMatch(/HB-250 +3 +-2 +1 +3 +-2/u);
    expect(getStatusLine(shown)).toContain('y changes SO-000000 to completed');
    const answered = play(shown, 'y');
    expect(answered.effects).toEqual([{ type: 'set-status', order, to: 'completed', preview }]);
    expect(answered.state.ui.overlay).toBeNull();
  });

  test('chooses another status with the arrow keys, and ignores the effect of one that is no longer chosen', () => {
    const other = play(opened.state, 'right');
    expect(other.effects).toEqual([{ type: 'preview-status', order, to: 'in_progress' }]);
    expect(play(other.state, 'left').effects).toEqual([{ type: 'preview-status', order, to: 'completed' }]);
    expect(answer(other.state, 'completed')).toBe(other.state);
    expect(play(answer(other.state, 'in_progress'), 'n').state.ui).toMatchObject({
      overlay: null,
      notice: { text: 'SO-000000 was not changed' },
    });
  });

  test('works in the details of an order, which are shown again after the answer', () => {
    const detail = play(busy, '7', 'enter').state;
    expect(play(answer(play(detail, 'c').state, 'completed'), 'y').state.ui.overlay).toEqual(detail.ui.overlay);
    expect(play(detail, 'c', 'esc').state.ui.overlay).toEqual(detail.ui.overlay);
  });

  test('is for orders only', () => {
    expect(play(busy, 'c').state.ui.notice?.text).toBe('Select an order to change its status');
  });
});
