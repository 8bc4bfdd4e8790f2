/** Keys while help, details, a record or a question is open. */
import { type DataTab, FOLLOWS_END, type Overlay, type State, withUi } from '../state/model.ts';
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
  const close = (): KeyResult => ({ state: withUi(state, { overlay: null, search: null }) });
  if (overlay.kind === 'confirm-resend') {
    const { row, before } = overlay;
    if (key.name !== 'y') return withNotice(withUi(state, { overlay: before }), 'Nothing was resent', viewport);
    return { state: withUi(state, { overlay: before }), effect: { type: 'resend', row } };
  }
  if (overlay.kind === 'confirm-trigger') {
    const { event, before } = overlay;
    if (key.name !== 'y') return withNotice(withUi(state, { overlay: before }), 'Nothing was sent', viewport);
    return { state: withUi(state, { overlay: before }), effect: { type: 'trigger', event } };
  }
  if (overlay.kind === 'copy') {
    const { tab, row } = overlay;
    const as = key.name === 'c' ? 'curl' : key.name === 'j' ? 'json' : null;
    return as === null ? close() : { ...close(), effect: { type: 'copy', tab, row, as } };
  }
  if (overlay.kind === 'filters') {
    const saved = state.savedFilters.find(({ key: wanted }) => wanted === key.name);
    // The configuration was checked when it was read.
    if (saved)
      return {
        state: showTarget(withUi(state, { overlay: null }), { tab: saved.tab as DataTab, filter: saved.query, problemsOnly: false }),
      };
  }
  const answered =
    overlay.kind === 'status'
      ? handleStatusKey(state, overlay, key, viewport)
      : overlay.kind === 'resend'
        ? handleResendKey(state, overlay, key, viewport)
        : null;
  if (answered !== null) return answered;
  const searched = handleSearchKey(state, overlay, key, viewport);
  if (searched !== null) return searched;
  const scrolled = scrollTo(overlay.scroll, key, viewport);
  if (scrolled !== null) return { state: withUi(state, { overlay: { ...overlay, scroll: scrolled } }) };
  if (overlay.kind === 'status' || overlay.kind === 'resend') return { state };
  if (key.name === 'q' || key.name === 'esc' || key.name === 'enter' || (key.name === '?' && overlay.kind === 'help')) return close();
  if (overlay.kind === 'detail' && DETAIL_KEYS.has(key.name)) return handleRowKey(state, key, overlay, viewport) ?? { state };
  if (key.name === 'J' && showsRecord(overlay)) return { state: withUi(state, { showsRecordsAsJson: !state.ui.showsRecordsAsJson }) };
  if (overlay.kind === 'record' && key.name === 'o' && overlay.content.state === 'ready')
    return { state, effect: { type: 'url', path: overlay.content.value.path } };
  return { state };
}

/** The scroll position of an overlay after a scroll key; null for other keys. */
function scrollTo(scroll: number, key: KeyPress, { height, lines }: Viewport): number | null {
  if (key.name === 'G' || key.name === 'end') return FOLLOWS_END;
  const last = Math.max(0, lines - height);
  const to = moveTo(key, Math.min(scroll, last), last, height);
  return to === null ? null : Math.min(Math.max(0, to), last);
}
