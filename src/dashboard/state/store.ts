/** Holds the current state and notifies subscribers. All changes are computed by pure functions. */
import type { State } from './model.ts';
import { type Action, reduce } from './reduce.ts';

export interface Store {
  get(): State;
  set(next: State): void;
  dispatch(action: Action): void;
  subscribe(listener: () => void): () => void;
}

export function createStore(initial: State): Store {
  let state = initial;
  const listeners = new Set<() => void>();
  const set = (next: State): void => {
    if (next === state) return;
    state = next;
    for (const listener of listeners) listener();
  };
  return {
    get: () => state,
    set,
    dispatch: (action) => set(reduce(state, action)),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
