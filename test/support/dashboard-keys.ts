/** Presses keys in a dashboard, without a terminal. */
import { handleKey } from '../../src/dashboard/actions/key-press.ts';
import type { Effect } from '../../src/dashboard/actions/effects.ts';
import type { KeyPress } from '../../src/dashboard/state/key-bindings.ts';
import type { State } from '../../src/dashboard/state/model.ts';
import { selectList } from '../../src/dashboard/tables/selectors.ts';
import { getViewport } from '../../src/dashboard/view/layout.ts';
import { drawLines } from './dashboard-frames.tsx';
import { NOW, busyState, deliveryRow, emptyState, failedRow, withUpdates } from './dashboard-states.ts';

export const SIZE = { columns: 80, rows: 24 };
/** The keys that have a name instead of a text. */
export const NAMED_KEYS = [
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
const getKey = (name: string): KeyPress => ({ name, text: NAMED_KEYS.includes(name) ? null : name });

/** Presses keys one after the other; what they asked for is collected. */
export function play(state: State, ...names: readonly string[]): { state: State; effects: Effect[] } {
  const effects: Effect[] = [];
  let now = state;
  for (const name of names) {
    const { state: next, effect } = handleKey(now, getKey(name), getViewport(now, NOW, SIZE));
    now = next;
    if (effect) effects.push(effect);
  }
  return { state: now, effects };
}
export const busy = busyState(50);
export const some = withUpdates(emptyState(), { deliveries: [deliveryRow(1), failedRow(2), deliveryRow(3), failedRow(4)] });
export const getStatusLine = (state: State): string => drawLines(state, { columns: 160, rows: 50 }).at(-1) ?? '';
export const visible = (state: State): string[] => selectList(state, NOW).rows.map(({ id }) => id);
