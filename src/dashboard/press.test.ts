import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ABOUT, NOW, busyState, deliveryRow, failedRow, told } from '../../test/support/dashboard.ts';
import { frameOf, sightOf } from './frame.ts';
import type { Press } from './keys.ts';
import { type State, TABS, initialState } from './model.ts';
import { type Effect, press } from './press.ts';
import { listed } from './select.ts';
import { testEventOf } from './source.ts';

const SEED = 20_261_121;

const SIZE = { columns: 80, rows: 24 };
const NAMED = [
  'enter',
  'esc',
  'backspace',
  'up',
  'down',
  'left',
  'right',
  'pageup',
  'pagedown',
  'home',
  'end',
  'tab',
  'shift-tab',
  'ctrl-u',
  'ctrl-d',
];
const keyOf = (name: string): Press => ({ name, text: NAMED.includes(name) ? null : name });

/** Presses keys one after the other; what they asked for is collected. */
function play(state: State, ...names: readonly string[]): { state: State; effects: Effect[] } {
  const effects: Effect[] = [];
  let now = state;
  for (const name of names) {
    const { state: next, effect } = press(now, keyOf(name), sightOf(now, NOW, SIZE));
    now = next;
    if (effect) effects.push(effect);
  }
  return { state: now, effects };
}
const busy = busyState(50);
const some = told(initialState(ABOUT, NOW), { deliveries: [deliveryRow(1), failedRow(2), deliveryRow(3), failedRow(4)] });
const visible = (state: State): string[] => listed(state, NOW).rows.map(({ id }) => id);

describe('moving', () => {
  test('up from the newest row stops following, the end of the list begins again', () => {
    const up = play(busy, 'k').state;
    expect([listed(busy, NOW).following, listed(up, NOW).following, listed(up, NOW).selected]).toEqual([true, false, 48]);
    expect(listed(play(up, 'j').state, NOW).following).toBe(true);
    expect(listed(play(busy, 'g', 'G').state, NOW)).toMatchObject({ following: true, selected: 49 });
  });

  test('a row that is selected stays selected when others come, and also when it moves', () => {
    const on = play(some, 'g').state;
    const more = told(on, { deliveries: [deliveryRow(9), deliveryRow(1, { attempts: 2 })] });
    const { rows, selected } = listed(more, NOW);
    expect([selected, rows[selected]?.id]).toEqual([4, deliveryRow(1).id]);
  });

  test('never leaves the list', () => {
    expect(listed(play(busy, 'g', 'k', 'up', 'pageup').state, NOW).selected).toBe(0);
    expect(listed(play(busy, 'pagedown', 'j').state, NOW).selected).toBe(49);
    expect(listed(play(initialState(ABOUT, NOW), 'j', 'k', 'g', 'G', 'enter', 'r', 'y', 'e', 's', 'R').state, NOW).selected).toBe(-1);
  });
});

describe('the filter', () => {
  test('is seen while it is typed, kept with enter, dropped with esc', () => {
    const typing = play(some, '/', 'f', 'a', 'i', 'l').state;
    expect(visible(typing)).toEqual([failedRow(2).id, failedRow(4).id]);
    expect(play(typing, 'esc').state.ui.filters.deliveries).toBe('');
    expect(play(typing, 'enter').state.ui).toMatchObject({ draft: null, filters: { deliveries: 'fail' } });
  });

  test('can be changed, cleared and recalled, each tab for itself', () => {
    const kept = play(some, '/', 'x', 'enter').state;
    expect(play(kept, '/', 'y').state.ui.draft).toBe('xy');
    const cleared = play(kept, 'esc').state;
    expect([cleared.ui.filters.deliveries, play(cleared, '/').state.ui.draft]).toEqual(['', 'x']);
    expect(play(cleared, '4', '/').state.ui.draft).toBe('');
    expect(play(cleared, '/', 'ctrl-u', 'up').state.ui.draft).toBe('x');
    expect(play(cleared, '/', 'backspace', 'backspace').state.ui.draft).toBe('');
  });

  test('takes keys as text that would do something elsewhere', () => {
    const { state, effects } = play(some, '/', 'q', 'r', 'T', '1');
    expect([state.ui.draft, effects]).toEqual(['qrT1', []]);
  });
});

describe('what keys ask for', () => {
  test('r resends the selected delivery, and nothing on other tabs', () => {
    expect(play(some, 'r').effects).toEqual([{ type: 'resend', ids: [failedRow(4).id] }]);
    expect(play(busy, '4', 'r').effects).toEqual([]);
  });

  test('R asks first, and then takes exactly the failed ones that are shown', () => {
    const asked = play(some, '/', '0', '2', 'enter', 'R');
    expect(asked.effects).toEqual([]);
    expect(asked.state.ui.overlay).toEqual({ kind: 'confirm-resend', ids: [failedRow(2).id] });
    expect(play(asked.state, 'y').effects).toEqual([{ type: 'resend', ids: [failedRow(2).id] }]);
    for (const other of ['n', 'enter', 'esc', 'q'])
      expect(play(asked.state, other)).toMatchObject({ effects: [], state: { ui: { overlay: null } } });
  });

  test('s saves what is buffered, also what the filter hides and a pause holds back', () => {
    const paused = told(play(some, 'p', 'f').state, { deliveries: [deliveryRow(5)] });
    const [effect] = play(paused, 's').effects;
    expect(effect?.type === 'save' ? effect.rows.length : 0).toBe(5);
  });

  test('enter opens the row, and keys there are about that row', () => {
    const open = play(some, 'g', 'enter');
    expect(open.effects).toEqual([{ type: 'load', tab: 'deliveries', row: deliveryRow(1) }]);
    const later = told(open.state, { deliveries: [deliveryRow(1, { attempts: 2 })] });
    expect(play(later, 'r').effects).toEqual([{ type: 'resend', ids: [deliveryRow(1).id] }]);
    expect(play(later, 'y', 'c').effects).toEqual([{ type: 'copy', tab: 'deliveries', row: deliveryRow(1), as: 'curl' }]);
    expect(play(later, 'q').state.ui.overlay).toBeNull();
  });

  test('T checks on an endpoint, and is an event everywhere else', () => {
    expect(play(busy, '3', 'T').effects).toMatchObject([{ type: 'check' }]);
    expect(play(busy, 'T').effects).toMatchObject([{ type: 'trigger' }]);
    expect(testEventOf(deliveryRow(1), [])).toBe('inventory.item.created');
    expect(testEventOf(undefined, busy.rows.endpoints)).toBe('order.created');
    expect(testEventOf(undefined, [])).toBeNull();
  });

  test('q leaves, and so does ctrl-c from everywhere', () => {
    expect(play(some, 'q').effects).toEqual([{ type: 'quit' }]);
    for (const before of [[], ['/'], ['enter'], ['?'], ['R']])
      expect(play(some, ...before, 'ctrl-c').effects.at(-1)).toEqual({ type: 'quit' });
  });
});

describe('a pause', () => {
  test('shows what stood there, and goes on with everything that came', () => {
    const paused = play(some, 'p').state;
    const after = told(paused, { deliveries: [deliveryRow(5), failedRow(6)] });
    expect(visible(after)).toEqual(visible(some));
    expect(after.ui.paused?.held.deliveries).toBe(2);
    expect(visible(play(after, 'p').state)).toHaveLength(6);
  });
});

test('whatever is pressed, the frame stays whole', () => {
  const names = [...NAMED, ...Array.from('12345jkgGfpRryTse/?q![]x漢')];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...names), { maxLength: 60 }), (keys) => {
      const { state } = play(busy, ...keys);
      expect(TABS).toContain(state.ui.tab);
      expect(frameOf(state, NOW, SIZE)).toHaveLength(SIZE.rows);
    }),
    { seed: SEED, numRuns: 60 },
  );
});
