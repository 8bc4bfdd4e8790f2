/** Keys while help, details, a record or a question is open. */
import { FOLLOWS_END, type OpenOverlay, type Overlay, type State, type Tab, withUi } from '../state/model.ts';
import type { KeyPress } from '../state/key-bindings.ts';
import { type KeyResult, type Viewport, withNotice } from './effects.ts';
import { showsRecord } from '../details/overlay.ts';
import { moveTo } from './movement.ts';
import { showTarget } from './show-target.ts';
import { handleResendKey } from './resend-keys.ts';
import { handleStatusKey } from './status-keys.ts';
import { handleSearchKey } from './search-keys.ts';
import { handleRowKey } from './row-keys.ts';

/** Keys that act on the row of an open detail view. */
const DETAIL_KEYS: ReadonlySet<string> = new Set(['c', 'r', 'T', 'e', 'w', 'o', 'y']);

export function handleOverlayKey(state: State, overlay: Overlay, key: KeyPress, viewport: Viewport): KeyResult {
  switch (overlay.kind) {
    case 'confirm': {
      const answered = withUi(state, { overlay: overlay.before });
      return key.name === 'y' ? { state: answered, effect: overlay.effect } : withNotice(answered, overlay.refusal, viewport);
    }
    case 'copy': {
      const { tab, row } = overlay;
      const as = key.name === 'c' ? 'curl' : key.name === 'j' ? 'json' : null;
      return as === null ? close(state) : { ...close(state), effect: { type: 'copy', tab, row, as } };
    }
    case 'status':
      return handleStatusKey(state, overlay, key, viewport) ?? handleScrollKey(state, overlay, key, viewport) ?? { state };
    case 'resend':
      return handleResendKey(state, overlay, key, viewport) ?? handleScrollKey(state, overlay, key, viewport) ?? { state };
    case 'filters': {
      const saved = state.savedFilters.find((filter) => filter.key === key.name);
      if (!saved) return handlePageKey(state, overlay, key, viewport);
      // The configuration was checked when it was read.
      const target = { tab: saved.tab as Tab, filter: saved.query, problemsOnly: false };
      return { state: showTarget(withUi(state, { overlay: null }), target) };
    }
    case 'help':
    case 'detail':
    case 'record':
      return handlePageKey(state, overlay, key, viewport);
  }
}

const close = (state: State): KeyResult => ({ state: withUi(state, { overlay: null, search: null }) });

function handlePageKey(state: State, overlay: OpenOverlay, key: KeyPress, viewport: Viewport): KeyResult {
  const scrolled = handleScrollKey(state, overlay, key, viewport);
  if (scrolled !== null) return scrolled;
  if (key.name === 'q' || key.name === 'esc' || key.name === 'enter' || (key.name === '?' && overlay.kind === 'help')) return close(state);
  if (overlay.kind === 'detail' && DETAIL_KEYS.has(key.name)) return handleRowKey(state, key, overlay, viewport) ?? { state };
  if (key.name === 'J' && showsRecord(overlay)) return { state: withUi(state, { showsRecordsAsJson: !state.ui.showsRecordsAsJson }) };
  if (overlay.kind === 'record' && key.name === 'o' && overlay.content.state === 'ready')
    return { state, effect: { type: 'url', path: overlay.content.value.path } };
  return { state };
}

/** Searches or scrolls; null for other keys. */
function handleScrollKey(state: State, overlay: OpenOverlay, key: KeyPress, viewport: Viewport): KeyResult | null {
  const searched = handleSearchKey(state, overlay, key, viewport);
  if (searched !== null) return searched;
  const { height, lines } = viewport;
  const last = Math.max(0, lines - height);
  const to = moveTo(key, Math.min(overlay.scroll, last), last, height);
  if (to === null) return null;
  // The end stays shown, also after more has been loaded.
  const scroll = key.name === 'G' || key.name === 'end' ? FOLLOWS_END : Math.min(Math.max(0, to), last);
  return { state: withUi(state, { overlay: { ...overlay, scroll } }) };
}
