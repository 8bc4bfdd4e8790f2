/** How often something may happen per minute, by who does it. The OAuth endpoints have no keys to count by. decisions-api §4. */
export interface Allowance {
  /** Counts one; seconds to wait when there are too many, else 0. */
  spend(who: string, now: Date): number;
  /** Seconds to wait before another, counting nothing. */
  wait(who: string, now: Date): number;
}

const WINDOW_MS = 60_000;
const TRACKED_MAX = 10_000;

export function allowance(perMinute: number): Allowance {
  const windows = new Map<string, { startedAt: number; used: number }>();
  const open = (who: string, now: Date) => {
    const window = windows.get(who);
    const age = now.getTime() - (window?.startedAt ?? 0);
    // A test clock may go back, before the window began.
    return age >= 0 && age < WINDOW_MS ? window : undefined;
  };
  const wait: Allowance['wait'] = (who, now) => {
    const window = open(who, now);
    if (!window || window.used < perMinute) return 0;
    return Math.max(1, Math.ceil((window.startedAt + WINDOW_MS - now.getTime()) / 1_000));
  };
  return {
    wait,
    spend(who, now) {
      const seconds = wait(who, now);
      if (seconds > 0) return seconds;
      let window = open(who, now);
      if (!window) {
        if (windows.size >= TRACKED_MAX) for (const key of windows.keys()) if (!open(key, now)) windows.delete(key);
        if (windows.size >= TRACKED_MAX) windows.clear();
        windows.set(who, (window = { startedAt: now.getTime(), used: 0 }));
      }
      window.used += 1;
      return 0;
    },
  };
}
