/** Keys while a filter (`/`) or a command (`:`) is being typed. */
import type { State, Ui } from '../state/model.ts';
import type { KeyPress } from '../state/key-bindings.ts';
import { type KeyResult, type Viewport, withNotice, withUi } from './effects.ts';
import { addQuery, recall } from '../state/filter-history.ts';
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
  const { ui } = state;
  const { tab } = ui;
  const positions: Ui['positions'] = { ...ui.positions, [tab]: { selected: null, index: 0 } };
  switch (key.name) {
    case 'enter':
      if (getTypedProblem(state) !== null) return state;
      return withUi(state, {
        filterInput: null,
        filters: { ...ui.filters, [tab]: input.trim() },
        positions,
        ...remember(ui, input.trim()),
      });
    case 'esc':
      return withUi(state, { filterInput: null });
    case 'up':
    case 'down': {
      const { text, back } = recall(ui.filterHistory[tab], ui.recalledBack, key.name === 'up' ? 1 : -1);
      return withUi(state, { filterInput: text, recalledBack: back });
    }
    default:
      return withUi(state, { filterInput: editText(input, key) ?? input });
  }
}

/** The history of the tab with this query. */
export const remember = ({ filterHistory, tab }: Ui, query: string): Pick<Ui, 'filterHistory'> => ({
  filterHistory: { ...filterHistory, [tab]: addQuery(filterHistory[tab], query) },
});

export function handleCommandKey(state: State, input: string, key: KeyPress, viewport: Viewport): KeyResult {
  if (key.name === 'esc' || (key.name === 'backspace' && input === '')) return { state: withUi(state, { commandInput: null }) };
  if (key.name !== 'enter') return { state: withUi(state, { commandInput: editText(input, key) ?? input }) };
  const closed = withUi(state, { commandInput: null });
  const jump = parseJump(input);
  if ('quit' in jump) return { state: closed, effect: { type: 'quit' } };
  if ('problem' in jump) return withNotice(closed, jump.problem, viewport, 'bad');
  if ('tab' in jump) {
    const { tab, filter } = jump;
    return { state: showTarget(closed, { tab, filter, problemsOnly: state.ui.problemsOnly[tab] }) };
  }
  const id = `${jump.kind} ${jump.name}`;
  const overlay = { kind: 'record', id, title: id, content: { state: 'loading' }, scroll: 0 } as const;
  return { state: withUi(closed, { overlay }), effect: { type: 'find', id, target: jump } };
}
