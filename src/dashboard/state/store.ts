/** Holds the current state and notifies subscribers. All changes are computed by pure functions. */
import type { State } from './model.ts';
import { type Action, reduce } from './reduce.ts';

export type Store = ReturnType<typeof createStore>;

export function createStore(initial: State) {
  let state = initial;
  const listeners = new Set<() => void>();
  const set = (next: State): void => {
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  };
  return {
    get: (): State => state,
    set,
    dispatch: (action: Action): void => set(reduce(state, action)),
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
