/** What this browser remembers: colors, and larger type for a projector. */
import { createSavedStore } from '../api/index.ts';

export const THEMES = ['system', 'light', 'dark'] as const;

interface Preferences {
  readonly theme: (typeof THEMES)[number];
  readonly isProjector: boolean;
}

export const usePreferences = createSavedStore<Preferences>('stockroom-console-preferences', { theme: 'system', isProjector: false });

export function applyPreferences(): void {
  const { theme, isProjector } = usePreferences.getState();
  const { dataset, style } = document.documentElement;
  style.colorScheme = theme === 'system' ? '' : theme;
  dataset['projector'] = String(isProjector);
}
usePreferences.subscribe(applyPreferences);
