/** The rate windows of the only daemon of a store, in memory: a restart starts new ones. A-4. */
import { RATE_WINDOW_S } from '../../contract/limits.ts';
import type { RateWindows } from '../../domain/kernel/shared-state.ts';

const WINDOW_MS = RATE_WINDOW_S * 1_000;
/** How long a window is kept. It has ended long before, also by a clock that is slowed; clocks of tenants differ, so none of them decides. */
const KEPT_MS = 3_600_000;

interface OpenWindow {
  startedAt: number;
  used: number;
  /** In monotonic time. */
  readonly openedAt: number;
}

/** `monotonic`: milliseconds, not affected by changes of a clock. */
export function createLocalRateWindows(monotonic: () => number = () => performance.now()): RateWindows {
  const windows = new Map<string, OpenWindow>();
  let purgedAt = monotonic();
  /** Adds a window, and once in a while removes those of keys that are not used any more. */
  const open = (keyId: string, startedAt: number): OpenWindow => {
    const openedAt = monotonic();
    if (openedAt - purgedAt >= KEPT_MS) {
      purgedAt = openedAt;
      for (const [id, window] of windows) if (openedAt - window.openedAt >= KEPT_MS) windows.delete(id);
    }
    const window = { startedAt, used: 0, openedAt };
    windows.set(keyId, window);
    return window;
  };
  const findOpen = (keyId: string, now: number): OpenWindow | undefined => {
    const window = windows.get(keyId);
    // A window in the future started before a test clock was set back.
    return window && now >= window.startedAt && now < window.startedAt + WINDOW_MS ? window : undefined;
  };
  return {
    count(keyId, limit, now) {
      const window = findOpen(keyId, now) ?? open(keyId, now);
      const isAllowed = window.used < limit;
      if (isAllowed) window.used += 1;
      return { isAllowed, startedAt: window.startedAt, used: window.used };
    },
    peek: findOpen,
  };
}
