/** Maps a key press to the next state and, if needed, a side effect. Pure. */
import type { State } from '../state/model.ts';
import type { KeyPress } from '../state/key-bindings.ts';
import type { KeyResult, Viewport } from './effects.ts';
import { handleCommandKey, handleFilterKey } from './input-keys.ts';
import { handleListKey } from './list-keys.ts';
import { handleOverlayKey } from './overlay-keys.ts';

export function handleKey(state: State, key: KeyPress, viewport: Viewport): KeyResult {
  const { filterInput, commandInput, overlay } = state.ui;
  if (key.name === 'ctrl-c') return { state, effect: { type: 'quit' } };
  if (key.name === 'ctrl-z') return { state, effect: { type: 'stop' } };
  if (key.name === 'ctrl-l') return { state, effect: { type: 'redraw' } };
  if (filterInput !== null) return { state: handleFilterKey(state, filterInput, key) };
  if (commandInput !== null) return handleCommandKey(state, commandInput, key, viewport);
  if (overlay !== null) return handleOverlayKey(state, overlay, key, viewport);
  return handleListKey(state, key, viewport);
}
