/** Keys while a list is shown. */
import { type AnyRow, type Sorting, type State, type Tab, NONE_HELD, TABS, withUi, withView } from '../state/model.ts';
import type { KeyPress } from '../state/key-bindings.ts';
import { type VisibleList, canFollow, canToggleProblems, selectList } from '../tables/selectors.ts';
import { getTable } from '../tables/index.ts';
import { type KeyResult, type Viewport, withNotice } from './effects.ts';
import { moveTo } from './movement.ts';
import { needsLoading } from './record-paths.ts';
import { addFilter } from './input-keys.ts';
import { showTarget } from './show-target.ts';
import { askToResend } from './resend-keys.ts';
import { handleRowKey } from './row-keys.ts';

export function handleListKey(state: State, key: KeyPress, viewport: Viewport): KeyResult {
  const { ui } = state;
  const view = ui.views[ui.tab];
  const list = selectList(state, viewport.now);
  const row = list.rows[list.selected];
  const to = moveTo(key, list.selected, list.rows.length - 1, viewport.height);
  if (to !== null) return { state: select(state, list.rows, to) };
  const tab = findTab(ui.tab, key.name);
  if (tab !== undefined) return { state: withUi(state, { tab, endpointId: null }) };
  switch (key.name) {
    case '/':
      return { state: withUi(state, { filterInput: view.filter, recalledBack: 0 }) };
    case ':':
      return { state: withUi(state, { commandInput: '' }) };
    case 'esc':
      return { state: goBack(state) };
    case 'f':
      return {
        state: canToggleProblems(state, list, viewport.now) ? withView(state, ui.tab, { problemsOnly: !view.problemsOnly }) : state,
      };
    case 'v':
      return { state: withUi(state, { isSplit: !ui.isSplit }) };
    case 'p':
      return { state: withUi(state, { paused: ui.paused ? null : { rows: state.rows, held: NONE_HELD } }) };
    case 's':
      return { state: withSorting(state, getNextSorting(state)) };
    case 'S':
      return { state: withSorting(state, view.sorting && { ...view.sorting, isDescending: !view.sorting.isDescending }) };
    case ' ':
      return toggleMark(state, list, viewport);
    case 'F':
      return { state: withUi(state, { overlay: { kind: 'filters', scroll: 0 } }) };
    case '?':
      return { state: withUi(state, { overlay: { kind: 'help', scroll: 0 } }) };
    case 'q':
      return { state, effect: { type: 'quit' } };
    case 'R':
      return askToResend(state, list, viewport);
    case 'enter':
      return row ? open(state, row) : { state };
    case 'i':
      return row ? openDetail(state, row) : { state };
    default:
      return handleRowKey(state, key, { tab: ui.tab, row }, viewport) ?? { state };
  }
}

function findTab(current: Tab, name: string): Tab | undefined {
  if (name === 'tab' || name === 'right' || name === ']') return getAdjacentTab(current, 1);
  if (name === 'shift-tab' || name === 'left' || name === '[') return getAdjacentTab(current, -1);
  return /^\d$/u.test(name) ? TABS[Number(name)] : undefined;
}

const getAdjacentTab = (tab: Tab, step: number): Tab => TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] ?? tab;

/** Returns from the deliveries of one endpoint; otherwise clears marks, filters and sorting. */
function goBack(state: State): State {
  const { tab, views, endpointId } = state.ui;
  if (endpointId !== null) return withUi(state, { tab: 'endpoints', endpointId: null, notice: null });
  const { filter, filterHistory } = views[tab];
  const cleared = { filter: '', filterHistory: addFilter(filterHistory, filter), sorting: null, problemsOnly: false };
  return withView(withUi(state, { marked: new Set(), notice: null }), tab, cleared);
}

/** Enter on an endpoint opens its deliveries, on a sentence of the overview the rows that it is about, on other rows the details. */
function open(state: State, row: AnyRow): KeyResult {
  if ('target' in row) return { state: row.target === null ? state : showTarget(state, row.target) };
  if (state.ui.tab !== 'endpoints') return openDetail(state, row);
  return { state: withView(withUi(state, { tab: 'deliveries', endpointId: row.id }), 'deliveries', { selected: null }) };
}

function openDetail(state: State, row: AnyRow): KeyResult {
  const { tab } = state.ui;
  if (tab === 'overview') return { state };
  const isLoaded = needsLoading(tab, row);
  const content = isLoaded ? ({ state: 'loading' } as const) : null;
  const next = withUi(state, { overlay: { kind: 'detail', tab, row, content, scroll: 0 } });
  return isLoaded ? { state: next, effect: { type: 'load', tab, row } } : { state: next };
}

const withSorting = (state: State, sorting: Sorting | null): State => withView(state, state.ui.tab, { sorting, selected: null });

/** Sorts by the next column; after the last one, by none. */
function getNextSorting({ ui }: State): Sorting | null {
  const { columns } = getTable(ui.tab);
  const current = columns.findIndex(({ title }) => title === ui.views[ui.tab].sorting?.by);
  const next = columns[current + 1];
  return next ? { by: next.title, isDescending: false } : null;
}

/** Marks or unmarks the selected delivery and selects the next one. */
function toggleMark(state: State, { rows, selected }: VisibleList, viewport: Viewport): KeyResult {
  const row = rows[selected];
  if (state.ui.tab !== 'deliveries' || !row) return withNotice(state, 'Only deliveries can be marked', viewport);
  const marked = new Set(state.ui.marked);
  if (!marked.delete(row.id)) marked.add(row.id);
  return { state: select(withUi(state, { marked }), rows, selected + 1) };
}

/** Selecting the newest row of a list that can follow it follows it again. */
function select(state: State, rows: readonly AnyRow[], wanted: number): State {
  const { tab } = state.ui;
  const index = Math.min(Math.max(0, wanted), rows.length - 1);
  const isAtEnd = canFollow(state, tab) && index === rows.length - 1;
  return withView(state, tab, { selected: isAtEnd ? null : (rows[index]?.id ?? null), index });
}
