/** From a key to what the reader sees next, and what has to be done outside: pure. */
import type { KeyPress } from '../view/key-bindings.ts';
import {
  type AnyRow,
  type DeliveryRow,
  type Overlay,
  type ListPosition,
  type State,
  type Tab,
  type Ui,
  TABS,
  NONE_HELD,
} from '../state/model.ts';
import { NOTICE_MS } from '../state/reduce.ts';
import { formatCount } from '../view/format.ts';
import { describeProblems, selectList } from '../view/selectors.ts';
import { getTable, isDeliveryProblem } from '../view/tables.ts';

/** A side effect that a key requests. */
export type Effect =
  | { readonly type: 'quit' }
  | { readonly type: 'load'; readonly tab: Tab; readonly row: AnyRow }
  | { readonly type: 'resend'; readonly ids: readonly string[] }
  | { readonly type: 'trigger'; readonly row: AnyRow | undefined }
  | { readonly type: 'check'; readonly row: AnyRow }
  | { readonly type: 'copy'; readonly tab: Tab; readonly row: AnyRow; readonly as: 'curl' | 'json' }
  | { readonly type: 'page'; readonly tab: Tab; readonly row: AnyRow }
  | { readonly type: 'save'; readonly tab: Tab; readonly rows: readonly AnyRow[] };

export interface KeyResult {
  readonly state: State;
  readonly effect?: Effect;
}

/** `now` in epoch milliseconds; `height` is the number of visible rows, `lines` the number of lines of an open overlay. */
export interface Viewport {
  readonly now: number;
  readonly height: number;
  readonly lines: number;
}

export function handleKey(state: State, key: KeyPress, sight: Viewport): KeyResult {
  const { filterInput, overlay } = state.ui;
  if (key.name === 'ctrl-c') return { state, effect: { type: 'quit' } };
  if (filterInput !== null) return { state: handleFilterKey(state, filterInput, key) };
  if (overlay !== null) return handleOverlayKey(state, overlay, key, sight);
  return handleListKey(state, key, sight);
}

const withUi = (state: State, ui: Partial<Ui>): State => ({ ...state, ui: { ...state.ui, ...ui } });

const withNotice = (state: State, text: string, { now }: Viewport): KeyResult => ({
  state: withUi(state, { notice: { text, tone: 'info', until: now + NOTICE_MS } }),
});

/** Editing the filter after `/`. */
function handleFilterKey(state: State, input: string, key: KeyPress): State {
  const { ui } = state;
  const { tab } = ui;
  const place: Ui['positions'] = { ...ui.positions, [tab]: { selectRow: null, index: 0 } };
  switch (key.name) {
    case 'enter':
      return withUi(state, { filterInput: null, filters: { ...ui.filters, [tab]: input.trim() }, positions: place });
    case 'esc':
      return withUi(state, { filterInput: null });
    case 'backspace':
      return withUi(state, { filterInput: Array.from(input).slice(0, -1).join('') });
    case 'ctrl-u':
      return withUi(state, { filterInput: '' });
    case 'up':
      return withUi(state, { filterInput: ui.previousFilters[tab] });
    default:
      return key.text === null ? state : withUi(state, { filterInput: input + key.text.replaceAll(/\p{Control}/gu, '') });
  }
}

function handleOverlayKey(state: State, overlay: Overlay, key: KeyPress, sight: Viewport): KeyResult {
  const close = (): KeyResult => ({ state: withUi(state, { overlay: null }) });
  if (overlay.kind === 'confirm-resend') {
    return key.name === 'y'
      ? { ...close(), effect: { type: 'resend', ids: overlay.ids } }
      : withNotice(close().state, 'Nothing was resent', sight);
  }
  if (overlay.kind === 'copy') {
    const { tab, row } = overlay;
    const as = key.name === 'c' ? 'curl' : key.name === 'j' ? 'json' : null;
    return as === null ? close() : { ...close(), effect: { type: 'copy', tab, row, as } };
  }
  const scrolled = scrollTo(overlay.scroll, key, sight);
  if (scrolled !== null) return { state: withUi(state, { overlay: { ...overlay, scroll: scrolled } }) };
  if (key.name === 'q' || key.name === 'esc' || key.name === 'enter' || (key.name === '?' && overlay.kind === 'help')) return close();
  if (overlay.kind === 'detail') {
    if (['r', 'T', 'e', 's'].includes(key.name)) return handleRowKey(state, key, overlay.row, sight) ?? { state };
    if (key.name === 'y') return { state: withUi(state, { overlay: { kind: 'copy', tab: overlay.tab, row: overlay.row } }) };
  }
  return { state };
}

/** The scroll position of an overlay after a scroll key; null for other keys. */
function scrollTo(scroll: number, key: KeyPress, { height, lines }: Viewport): number | null {
  const last = Math.max(0, lines - height);
  const to = moveTo(key, Math.min(scroll, last), last, height);
  return to === null ? null : Math.min(Math.max(0, to), last);
}

function moveTo({ name }: KeyPress, from: number, last: number, height: number): number | null {
  switch (name) {
    case 'j':
    case 'down':
      return from + 1;
    case 'k':
    case 'up':
      return from - 1;
    case 'pagedown':
    case 'ctrl-d':
      return from + Math.max(1, height - 1);
    case 'pageup':
    case 'ctrl-u':
      return from - Math.max(1, height - 1);
    case 'g':
    case 'home':
      return 0;
    case 'G':
    case 'end':
      return last;
    default:
      return null;
  }
}

function handleListKey(state: State, key: KeyPress, sight: Viewport): KeyResult {
  const { ui } = state;
  const { tab } = ui;
  const list = selectList(state, sight.now);
  const to = moveTo(key, list.selected, list.rows.length - 1, sight.height);
  if (to !== null) return { state: selected(state, list.rows, to) };
  const digit = TABS[Number(key.name) - 1];
  if (digit !== undefined) return { state: withUi(state, { tab: digit }) };
  switch (key.name) {
    case 'tab':
    case 'right':
    case ']':
      return { state: withUi(state, { tab: adjacentTab(tab, 1) }) };
    case 'shift-tab':
    case 'left':
    case '[':
      return { state: withUi(state, { tab: adjacentTab(tab, -1) }) };
    case '/':
      // Edits the current filter; after it was cleared, recalls it.
      return { state: withUi(state, { filterInput: ui.filters[tab] === '' ? ui.previousFilters[tab] : ui.filters[tab] }) };
    case 'esc': {
      const filter = ui.filters[tab];
      const recalled = filter === '' ? ui.previousFilters : { ...ui.previousFilters, [tab]: filter };
      return {
        state: withUi(state, { filters: { ...ui.filters, [tab]: '' }, previousFilters: recalled, problemsOnly: false, notice: null }),
      };
    }
    case 'f':
      return { state: withUi(state, { problemsOnly: !ui.problemsOnly }) };
    case 'p':
      return { state: withUi(state, { paused: ui.paused ? null : { rows: state.rows, held: NONE_HELD } }) };
    case '?':
      return { state: withUi(state, { overlay: { kind: 'help', scroll: 0 } }) };
    case 'q':
      return { state, effect: { type: 'quit' } };
    case 'R': {
      const problems = tab === 'deliveries' ? (list.rows as readonly DeliveryRow[]).filter(isDeliveryProblem) : [];
      if (problems.length === 0) return withNotice(state, 'No failed or retrying delivery is shown', sight);
      const description = `${formatCount(problems.length, 'delivery', 'deliveries')} shown (${describeProblems(problems)})`;
      return { state: withUi(state, { overlay: { kind: 'confirm-resend', ids: problems.map(({ id }) => id), description } }) };
    }
    case 'y': {
      const row = list.rows[list.selected];
      return row ? { state: withUi(state, { overlay: { kind: 'copy', tab, row } }) } : withNotice(state, 'No row to copy', sight);
    }
    case 'enter': {
      const row = list.rows[list.selected];
      if (!row) return { state };
      const content = tab === 'deliveries' ? ({ state: 'loading' } as const) : null;
      const detail = { kind: 'detail', tab, row, content, scroll: 0 } as const;
      return { state: withUi(state, { overlay: detail }), effect: { type: 'load', tab, row } };
    }
    default:
      return handleRowKey(state, key, list.rows[list.selected], sight) ?? { state };
  }
}

/** Keys that act on the selected or open row. */
function handleRowKey(state: State, key: KeyPress, row: AnyRow | undefined, sight: Viewport): KeyResult | null {
  const { tab } = state.ui;
  switch (key.name) {
    case 'r':
      if (tab !== 'deliveries' || !row) return withNotice(state, 'Select a delivery to resend', sight);
      return { state, effect: { type: 'resend', ids: [row.id] } };
    case 'T':
      if (tab === 'endpoints' && row) return { state, effect: { type: 'check', row } };
      return { state, effect: { type: 'trigger', row } };
    case 'e':
      return row ? { state, effect: { type: 'page', tab, row } } : withNotice(state, 'No row to open', sight);
    case 's': {
      const rows: readonly AnyRow[] = state.rows[tab];
      return rows.length === 0 ? withNotice(state, 'Nothing to save yet', sight) : { state, effect: { type: 'save', tab, rows } };
    }
    default:
      return null;
  }
}

const adjacentTab = (tab: Tab, step: number): Tab => TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] ?? tab;

/** Selecting the newest row of a followable list follows it again. */
function selected(state: State, rows: readonly AnyRow[], wanted: number): State {
  const { tab, positions: places } = state.ui;
  const index = Math.min(Math.max(0, wanted), rows.length - 1);
  const atEnd = getTable(tab).isFollowable && index === rows.length - 1;
  const place: ListPosition = atEnd || rows.length === 0 ? { selected: null, index: 0 } : { selected: rows[index]?.id ?? null, index };
  return withUi(state, { positions: { ...places, [tab]: place } });
}
