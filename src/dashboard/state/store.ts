/** Holds the current state and notifies subscribers. All changes are computed by pure functions. */
import type { State } from './model.ts';

export interface Store {
  get(): State;
  set(next: State): void;
  subscribe(listener: () => void): () => void;
}

export function createStore(initial: State): Store {
  let state = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => state,
    set(next) {
      if (next === state) return;
      state = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
