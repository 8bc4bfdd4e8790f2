/** Keys while a filter (`/`) or a command (`:`) is being typed. */
import { type State, withUi, withView } from '../state/model.ts';
import type { KeyPress } from '../state/key-bindings.ts';
import { type KeyResult, type Viewport, withNotice } from './effects.ts';
import { getTypedProblem } from '../tables/selectors.ts';
import { showTarget } from './show-target.ts';
import { parseJump } from '../state/jump.ts';

/** The text after an editing key; null for other keys. */
export function editText(text: string, key: KeyPress): string | null {
  if (key.name === 'backspace') return Array.from(text).slice(0, -1).join('');
  if (key.name === 'ctrl-u') return '';
  return key.text === null ? null : text + key.text.replaceAll(/\p{Control}/gu, '');
}

export function handleFilterKey(state: State, input: string, key: KeyPress): State {
  const { tab, views, recalledBack } = state.ui;
  const { filterHistory } = views[tab];
  switch (key.name) {
    case 'enter': {
      if (getTypedProblem(state) !== null) return state;
      const filter = input.trim();
      const closed = withUi(state, { filterInput: null });
      return withView(closed, tab, { filter, filterHistory: addFilter(filterHistory, filter), selected: null });
    }
    case 'esc':
      return withUi(state, { filterInput: null });
    case 'up':
    case 'down': {
      const back = Math.min(Math.max(0, recalledBack + (key.name === 'up' ? 1 : -1)), filterHistory.length);
      return withUi(state, { filterInput: filterHistory[back - 1] ?? '', recalledBack: back });
    }
    default:
      return withUi(state, { filterInput: editText(input, key) ?? input });
  }
}

const FILTERS_MAX = 50;

/** The history with a filter that was typed, each once. */
export const addFilter = (history: readonly string[], filter: string): readonly string[] =>
  filter === '' ? history : [filter, ...history.filter((each) => each !== filter)].slice(0, FILTERS_MAX);

export function handleCommandKey(state: State, input: string, key: KeyPress, viewport: Viewport): KeyResult {
  if (key.name === 'esc' || (key.name === 'backspace' && input === '')) return { state: withUi(state, { commandInput: null }) };
  if (key.name !== 'enter') return { state: withUi(state, { commandInput: editText(input, key) ?? input }) };
  const closed = withUi(state, { commandInput: null });
  const jump = parseJump(input);
  if ('quit' in jump) return { state: closed, effect: { type: 'quit' } };
  if ('problem' in jump) return withNotice(closed, jump.problem, viewport, 'bad');
  if ('tab' in jump) {
    const { tab, filter } = jump;
    return { state: showTarget(closed, { tab, filter, problemsOnly: state.ui.views[tab].problemsOnly }) };
  }
  const id = `${jump.kind} ${jump.name}`;
  const overlay = { kind: 'record', id, content: { state: 'loading' }, scroll: 0 } as const;
  return { state: withUi(closed, { overlay }), effect: { type: 'find', id, target: jump } };
}
