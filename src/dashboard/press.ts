/** From a key to what the reader sees next, and what has to be done outside: pure. */
import type { Press } from './keys.ts';
import { type AnyRow, type DeliveryRow, type Overlay, type Place, type State, type Tab, type Ui, TABS, nobodyHeld } from './model.ts';
import { NOTICE_MS } from './reduce.ts';
import { listed } from './select.ts';
import { tableOf } from './tables.ts';

/** What a key asks of the world outside the state. */
export type Effect =
  | { readonly type: 'quit' }
  | { readonly type: 'load'; readonly tab: Tab; readonly row: AnyRow }
  | { readonly type: 'resend'; readonly ids: readonly string[] }
  | { readonly type: 'trigger'; readonly row: AnyRow | undefined }
  | { readonly type: 'check'; readonly row: AnyRow }
  | { readonly type: 'copy'; readonly tab: Tab; readonly row: AnyRow; readonly as: 'curl' | 'json' }
  | { readonly type: 'page'; readonly tab: Tab; readonly row: AnyRow }
  | { readonly type: 'save'; readonly tab: Tab; readonly rows: readonly AnyRow[] };

export interface Pressed {
  readonly state: State;
  readonly effect?: Effect;
}

/** `now` in epoch milliseconds; `height` is how many rows are in sight, `lines` how many lines an open overlay has. */
export interface Sight {
  readonly now: number;
  readonly height: number;
  readonly lines: number;
}

export function press(state: State, key: Press, sight: Sight): Pressed {
  const { draft, overlay } = state.ui;
  if (key.name === 'ctrl-c') return { state, effect: { type: 'quit' } };
  if (draft !== null) return { state: typed(state, draft, key) };
  if (overlay !== null) return inOverlay(state, overlay, key, sight);
  return inList(state, key, sight);
}

const withUi = (state: State, ui: Partial<Ui>): State => ({ ...state, ui: { ...state.ui, ...ui } });

const told = (state: State, text: string, { now }: Sight): Pressed => ({
  state: withUi(state, { notice: { text, tone: 'info', until: now + NOTICE_MS } }),
});

/** The line behind `/`. */
function typed(state: State, draft: string, key: Press): State {
  const { ui } = state;
  const { tab } = ui;
  const place: Ui['places'] = { ...ui.places, [tab]: { selected: null, index: 0 } };
  switch (key.name) {
    case 'enter':
      return withUi(state, { draft: null, filters: { ...ui.filters, [tab]: draft.trim() }, places: place });
    case 'esc':
      return withUi(state, { draft: null });
    case 'backspace':
      return withUi(state, { draft: Array.from(draft).slice(0, -1).join('') });
    case 'ctrl-u':
      return withUi(state, { draft: '' });
    case 'up':
      return withUi(state, { draft: ui.recalled[tab] });
    default:
      return key.text === null ? state : withUi(state, { draft: draft + key.text.replaceAll(/\p{Control}/gu, '') });
  }
}

function inOverlay(state: State, overlay: Overlay, key: Press, sight: Sight): Pressed {
  const close = (): Pressed => ({ state: withUi(state, { overlay: null }) });
  if (overlay.kind === 'confirm-resend') {
    return key.name === 'y'
      ? { ...close(), effect: { type: 'resend', ids: overlay.ids } }
      : told(close().state, 'nothing was resent', sight);
  }
  if (overlay.kind === 'copy') {
    const { tab, row } = overlay;
    const as = key.name === 'c' ? 'curl' : key.name === 'j' ? 'json' : null;
    return as === null ? close() : { ...close(), effect: { type: 'copy', tab, row, as } };
  }
  const scrolled = scrolledTo(overlay.scroll, key, sight);
  if (scrolled !== null) return { state: withUi(state, { overlay: { ...overlay, scroll: scrolled } }) };
  if (key.name === 'q' || key.name === 'esc' || key.name === 'enter' || (key.name === '?' && overlay.kind === 'help')) return close();
  if (overlay.kind === 'detail') {
    if (['r', 'T', 'e', 's'].includes(key.name)) return acted(state, key, overlay.row, sight) ?? { state };
    if (key.name === 'y') return { state: withUi(state, { overlay: { kind: 'copy', tab: overlay.tab, row: overlay.row } }) };
  }
  return { state };
}

/** Where an overlay stands after a key that scrolls; null for other keys. */
function scrolledTo(scroll: number, key: Press, { height, lines }: Sight): number | null {
  const last = Math.max(0, lines - height);
  const to = moved(key, Math.min(scroll, last), last, height);
  return to === null ? null : Math.min(Math.max(0, to), last);
}

function moved({ name }: Press, from: number, last: number, height: number): number | null {
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

function inList(state: State, key: Press, sight: Sight): Pressed {
  const { ui } = state;
  const { tab } = ui;
  const list = listed(state, sight.now);
  const to = moved(key, list.selected, list.rows.length - 1, sight.height);
  if (to !== null) return { state: selected(state, list.rows, to) };
  const digit = TABS[Number(key.name) - 1];
  if (digit !== undefined) return { state: withUi(state, { tab: digit }) };
  switch (key.name) {
    case 'tab':
    case 'right':
    case ']':
      return { state: withUi(state, { tab: next(tab, 1) }) };
    case 'shift-tab':
    case 'left':
    case '[':
      return { state: withUi(state, { tab: next(tab, -1) }) };
    case '/':
      // The filter that is there can be changed; after it was cleared, the same key brings it back.
      return { state: withUi(state, { draft: ui.filters[tab] === '' ? ui.recalled[tab] : ui.filters[tab] }) };
    case 'esc': {
      const filter = ui.filters[tab];
      const recalled = filter === '' ? ui.recalled : { ...ui.recalled, [tab]: filter };
      return { state: withUi(state, { filters: { ...ui.filters, [tab]: '' }, recalled, failedOnly: false, notice: null }) };
    }
    case 'f':
      return { state: withUi(state, { failedOnly: !ui.failedOnly }) };
    case 'p':
      return { state: withUi(state, { paused: ui.paused ? null : { rows: state.rows, held: nobodyHeld } }) };
    case '?':
      return { state: withUi(state, { overlay: { kind: 'help', scroll: 0 } }) };
    case 'q':
      return { state, effect: { type: 'quit' } };
    case 'R': {
      const failed = list.rows.filter((row) => tab === 'deliveries' && (row as DeliveryRow).status === 'failed');
      if (failed.length === 0) return told(state, 'no failed delivery is shown', sight);
      return { state: withUi(state, { overlay: { kind: 'confirm-resend', ids: failed.map(({ id }) => id) } }) };
    }
    case 'y': {
      const row = list.rows[list.selected];
      return row ? { state: withUi(state, { overlay: { kind: 'copy', tab, row } }) } : told(state, 'there is no row to copy', sight);
    }
    case 'enter': {
      const row = list.rows[list.selected];
      if (!row) return { state };
      const more = tab === 'deliveries' ? ({ state: 'loading' } as const) : null;
      const detail = { kind: 'detail', tab, row, more, scroll: 0 } as const;
      return { state: withUi(state, { overlay: detail }), effect: { type: 'load', tab, row } };
    }
    default:
      return acted(state, key, list.rows[list.selected], sight) ?? { state };
  }
}

/** Keys that do something to the row that is selected, or open. */
function acted(state: State, key: Press, row: AnyRow | undefined, sight: Sight): Pressed | null {
  const { tab } = state.ui;
  switch (key.name) {
    case 'r':
      if (tab !== 'deliveries' || !row) return told(state, 'choose a delivery to resend', sight);
      return { state, effect: { type: 'resend', ids: [row.id] } };
    case 'T':
      if (tab === 'endpoints' && row) return { state, effect: { type: 'check', row } };
      return { state, effect: { type: 'trigger', row } };
    case 'e':
      return row ? { state, effect: { type: 'page', tab, row } } : told(state, 'there is no row to open', sight);
    case 's': {
      const rows: readonly AnyRow[] = state.rows[tab];
      return rows.length === 0 ? told(state, 'there is nothing to save yet', sight) : { state, effect: { type: 'save', tab, rows } };
    }
    default:
      return null;
  }
}

const next = (tab: Tab, step: number): Tab => TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] ?? tab;

/** At the end of a list whose newest rows are there, the reader follows them again. */
function selected(state: State, rows: readonly AnyRow[], wanted: number): State {
  const { tab, places } = state.ui;
  const index = Math.min(Math.max(0, wanted), rows.length - 1);
  const atEnd = tableOf(tab).tail && index === rows.length - 1;
  const place: Place = atEnd || rows.length === 0 ? { selected: null, index: 0 } : { selected: rows[index]?.id ?? null, index };
  return withUi(state, { places: { ...places, [tab]: place } });
}
