/** The rate windows of the only daemon of a store, in memory: a restart starts new ones. A-4. */
import { RATE_WINDOW_S } from '../../contract/limits.ts';
import type { RateWindows } from '../../domain/kernel/shared-state.ts';

const WINDOW_MS = RATE_WINDOW_S * 1_000;

interface OpenWindow {
  startedAt: number;
  used: number;
}

export function createLocalRateWindows(): RateWindows {
  const windows = new Map<string, OpenWindow>();
  const findOpen = (keyId: string, now: number): OpenWindow | undefined => {
    const window = windows.get(keyId);
    // A window in the future started before a test clock was set back.
    return window && now >= window.startedAt && now < window.startedAt + WINDOW_MS ? window : undefined;
  };
  return {
    count(keyId, limit, now) {
      let window = findOpen(keyId, now);
      if (!window) windows.set(keyId, (window = { startedAt: now, used: 0 }));
      const isAllowed = window.used < limit;
      if (isAllowed) window.used += 1;
      return { isAllowed, startedAt: window.startedAt, used: window.used };
    },
    peek: findOpen,
  };
}
