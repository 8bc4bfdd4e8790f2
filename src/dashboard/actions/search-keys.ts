/** `/` in help, details and records: looks for text; `n` and `N` go to the next and previous line with it. */
import { type OpenOverlay, type State, withUi } from '../state/model.ts';
import type { KeyPress } from '../state/key-bindings.ts';
import { type KeyResult, type Viewport, withNotice } from './effects.ts';
import { editText } from './input-keys.ts';

/** Null for other keys. */
export function handleSearchKey(state: State, overlay: OpenOverlay, key: KeyPress, viewport: Viewport): KeyResult | null {
  const { search } = state.ui;
  if (search?.isTyping !== true) {
    if (key.name === '/') return { state: withUi(state, { search: { text: '', isTyping: true, line: null } }) };
    return search !== null && (key.name === 'n' || key.name === 'N')
      ? goToMatch(state, overlay, viewport, key.name === 'n' ? 1 : -1)
      : null;
  }
  if (key.name === 'esc') return { state: withUi(state, { search: null }) };
  if (key.name !== 'enter') return { state: withUi(state, { search: { ...search, text: editText(search.text, key) ?? search.text } }) };
  if (search.text === '') return { state: withUi(state, { search: null }) };
  return goToMatch(withUi(state, { search: { ...search, isTyping: false } }), overlay, viewport, 0);
}

/** `step`: 0 for the first match from the first visible line on. After the last match follows the first one. */
function goToMatch(state: State, overlay: OpenOverlay, viewport: Viewport, step: -1 | 0 | 1): KeyResult {
  const { matches, lines, height } = viewport;
  const at = Math.min(overlay.scroll, Math.max(0, lines - height));
  const current = matches.indexOf(state.ui.search?.line ?? -1);
  const next =
    current !== -1 && step !== 0 ? matches.at((current + step) % matches.length) : (matches.find((line) => line >= at) ?? matches[0]);
  const { search } = state.ui;
  if (next === undefined || search === null) return withNotice(state, `No line with ${search?.text ?? ''}`, viewport);
  // With some lines before it.
  const scroll = Math.max(0, next - Math.floor(height / 3));
  return { state: withUi(state, { overlay: { ...overlay, scroll }, search: { ...search, line: next } }) };
}
