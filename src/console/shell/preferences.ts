/** What this browser remembers: colors, and larger type for a projector. */
import { createSavedStore } from '../api/index.ts';

export const THEMES = ['system', 'light', 'dark'] as const;

interface Preferences {
  readonly theme: (typeof THEMES)[number];
  readonly isProjector: boolean;
}

const preferences = createSavedStore('stockroom-console-preferences', (saved): Preferences => {
  const { theme, isProjector } = (saved ?? {}) as Partial<Preferences>;
  return { theme: THEMES.find((name) => name === theme) ?? 'system', isProjector: isProjector === true };
});

export function applyPreferences(): void {
  const { theme, isProjector } = preferences.get();
  const { dataset, style } = document.documentElement;
  style.colorScheme = theme === 'system' ? '' : theme;
  dataset['projector'] = String(isProjector);
}

export function setPreferences(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change });
  applyPreferences();
  // Tables measure their rows.
  globalThis.dispatchEvent(new Event('resize'));
}

export const usePreferences = preferences.use;
