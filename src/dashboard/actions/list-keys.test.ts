import { describe, expect, test } from 'vitest';
import { draw } from '../../../test/support/dashboard-frames.tsx';
import { SIZE, busy, getStatusLine, play, some, visible } from '../../../test/support/dashboard-keys.ts';
import { NOW, auditRow, deliveryRow, emptyState, failedRow, withUpdates } from '../../../test/support/dashboard-states.ts';
import type { DeliveryRow, State } from '../state/model.ts';
import { selectList } from '../tables/selectors.ts';

describe('moving the selection', () => {
  test('stops following when moved up from the newest row and resumes at the end of the list', () => {
    const up = play(busy, 'k').state;
    expect([selectList(busy, NOW).following, selectList(up, NOW).following, selectList(up, NOW).selected]).toEqual([true, false, 48]);
    expect(selectList(play(up, 'j').state, NOW).following).toBe(true);
    expect(selectList(play(busy, 'g', 'G').state, NOW)).toMatchObject({ following: true, selected: 49 });
  });

  test('keeps the selected row selected when rows are added or moved', () => {
    const on = play(some, 'g').state;
    const more = withUpdates(on, { deliveries: [deliveryRow(9), deliveryRow(1, { attempts: 2 })] });
    const { rows, selected } = selectList(more, NOW);
    expect([selected, rows[selected]?.id]).toEqual([4, deliveryRow(1).id]);
  });

  test('never moves outside the list', () => {
    expect(selectList(play(busy, 'g', 'k', 'up', 'pageup').state, NOW).selected).toBe(0);
    expect(selectList(play(busy, 'pagedown', 'j').state, NOW).selected).toBe(49);
    expect(selectList(play(emptyState(), 'j', 'k', 'g', 'G', 'enter', 'r', 'y', 'e', 'w', 'o', 's', ' ', 'R').state, NOW).selected).toBe(
      -1,
    );
  });
});

describe('f', () => {
  test('applies to its own tab, and only where some rows are problems', () => {
    const shown = (state: State) => [state.ui.tab, visible(state).length, getStatusLine(state)];
    const onlyFailed = play(busy, 'f').state;
    expect(shown(onlyFailed)).toEqual(['deliveries', 8, expect.stringContaining('problems only')]);
    expect(shown(play(onlyFailed, '4').state)).toEqual(['requests', 50, expect.not.stringContaining('problems only')]);
    expect(shown(play(onlyFailed, '4', 'f').state)).toEqual(['requests', 6, expect.stringContaining('problems only')]);
    expect(shown(play(onlyFailed, '4', '1').state)).toEqual(shown(onlyFailed));
    expect(visible(play(onlyFailed, '4', 'f', 'esc', '1').state)).toHaveLength(8);
    const calm = withUpdates(emptyState(), { deliveries: [deliveryRow(1)], audit: [auditRow(1)] });
    for (const tab of ['1', '5']) {
      const before = play(calm, tab).state;
      expect(play(before, 'f').state).toBe(before);
      expect(getStatusLine(before)).not.toContain('f problems');
    }
    expect(getStatusLine(busy)).toContain('f problems');
  });

  test('stays on when the last problem is solved, and says so', () => {
    const solved = withUpdates(play(some, 'f').state, {
      deliveries: [2, 4].map((number) => deliveryRow(number, { updatedAt: failedRow(9).updatedAt })),
    });
    expect(draw(solved, SIZE)).toContain('No problems (0 of 4). Esc shows all rows.');
    expect(visible(play(solved, 'f').state)).toHaveLength(4);
  });
});

test('w writes all rows, including those hidden by a filter or a pause', () => {
  const paused = withUpdates(play(some, 'p', 'f').state, { deliveries: [deliveryRow(5)] });
  const [effect] = play(paused, 'w').effects;
  expect(effect?.type === 'save' ? effect.rows.length : 0).toBe(5);
});

test('s sorts by one column after the other, S reverses, and esc restores the order', () => {
  const byTry = play(busy, 's', 's', 's', 's', 's').state;
  const attempts = (state: State) => (selectList(state, NOW).rows as readonly DeliveryRow[]).map((row) => row.attempts);
  expect([byTry.ui.views.deliveries.sorting?.by, attempts(byTry)[0], attempts(byTry).at(-1)]).toEqual(['TRY', 1, 8]);
  const reversed = play(byTry, 'S').state;
  expect([attempts(reversed)[0], attempts(reversed).at(-1), selectList(reversed, NOW)]).toMatchObject([
    8,
    1,
    { selected: 0, following: false },
  ]);
  expect(visible(play(reversed, 'esc').state)).toEqual(visible(busy));
  expect(play(busy, 'S').state.ui.views.deliveries.sorting).toBeNull();
});

describe('pause', () => {
  test('freezes the rows and shows everything received when resumed', () => {
    const paused = play(some, 'p').state;
    const after = withUpdates(paused, { deliveries: [deliveryRow(5), failedRow(6)] });
    expect(visible(after)).toEqual(visible(some));
    expect(after.ui.paused?.held.deliveries).toBe(2);
    expect(visible(play(after, 'p').state)).toHaveLength(6);
  });
});
