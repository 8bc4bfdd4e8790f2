/** What this browser remembers: colors, and larger type for a projector. */
import { createStore } from '../api/store.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

interface Preferences {
  readonly theme: Theme;
  readonly isProjector: boolean;
}

const NAME = 'stockroom-console-preferences';
const preferences = createStore(read());

function read(): Preferences {
  try {
    const saved = JSON.parse(localStorage.getItem(NAME) ?? '{}') as Partial<Preferences>;
    return { theme: THEMES.find((theme) => theme === saved.theme) ?? 'system', isProjector: saved.isProjector === true };
  } catch {
    return { theme: 'system', isProjector: false };
  }
}

export function applyPreferences(): void {
  const { theme, isProjector } = preferences.get();
  const { dataset, style } = document.documentElement;
  style.colorScheme = theme === 'system' ? '' : theme;
  dataset['projector'] = String(isProjector);
}

export function setPreferences(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change });
  localStorage.setItem(NAME, JSON.stringify(preferences.get()));
  applyPreferences();
  // Tables measure their rows.
  globalThis.dispatchEvent(new Event('resize'));
}

export const usePreferences = preferences.use;
