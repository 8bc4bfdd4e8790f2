/** What this browser remembers: colors, and larger type for a projector. */
import { useSyncExternalStore } from 'react';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

interface Preferences {
  readonly theme: Theme;
  readonly isProjector: boolean;
}

const NAME = 'stockroom-console-preferences';
const listeners = new Set<() => void>();
let preferences = read();

function read(): Preferences {
  try {
    const saved = JSON.parse(localStorage.getItem(NAME) ?? '{}') as Partial<Preferences>;
    return { theme: THEMES.find((theme) => theme === saved.theme) ?? 'system', isProjector: saved.isProjector === true };
  } catch {
    return { theme: 'system', isProjector: false };
  }
}

export function applyPreferences(): void {
  const { dataset } = document.documentElement;
  dataset['theme'] = preferences.theme;
  dataset['projector'] = String(preferences.isProjector);
}

export function setPreferences(change: Partial<Preferences>): void {
  preferences = { ...preferences, ...change };
  localStorage.setItem(NAME, JSON.stringify(preferences));
  applyPreferences();
  for (const listener of listeners) listener();
  // Tables measure their rows.
  globalThis.dispatchEvent(new Event('resize'));
}

export const usePreferences = (): Preferences =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => preferences,
  );
