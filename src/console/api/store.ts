/** Values outside the components, which those that use them follow. */
import { useSyncExternalStore } from 'react';

interface Store<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  readonly use: () => T;
}

export function createStore<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get: () => value,
    set(next) {
      if (next === value) return;
      value = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, () => value),
  };
}

/** One that this browser keeps, for all tabs. `parse` gets what was saved, null if nothing was. */
export function createSavedStore<T>(name: string, parse: (saved: unknown) => T): Store<T> {
  const read = (): T => {
    try {
      return parse(JSON.parse(localStorage.getItem(name) ?? 'null'));
    } catch {
      return parse(null);
    }
  };
  const store = createStore(read());
  globalThis.addEventListener('storage', ({ key }) => {
    if (key === name) store.set(read());
  });
  return {
    ...store,
    set(next) {
      if (next === null) localStorage.removeItem(name);
      else localStorage.setItem(name, JSON.stringify(next));
      store.set(next);
    },
  };
}
