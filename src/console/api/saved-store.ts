/** Values that this browser keeps, for all its tabs. */
import { create } from 'zustand';
import { persist } from 'zustand/middleware';

export function createSavedStore<T extends object>(name: string, initial: T) {
  const store = create(persist(() => initial, { name }));
  globalThis.addEventListener('storage', ({ key }) => {
    if (key === name) void store.persist.rehydrate();
  });
  return store;
}
