/** Limits attempts per minute and subject, such as a client. OAuth requests have no API key whose rate window could count them. A-4. */
export interface AttemptLimiter {
  /** Counts an attempt. Returns 0, or the seconds to wait if the limit is reached. */
  consume(client: string, now: Date): number;
  /** Seconds to wait before the next attempt, without counting one. */
  getWaitSeconds(client: string, now: Date): number;
}

const WINDOW_MS = 60_000;
const TRACKED_MAX = 10_000;

export function createAttemptLimiter(perMinute: number): AttemptLimiter {
  const windows = new Map<string, { startedAt: number; used: number }>();
  const findWindow = (client: string, now: Date) => {
    const window = windows.get(client);
    const age = now.getTime() - (window?.startedAt ?? 0);
    // Negative if a test clock was set back.
    return age >= 0 && age < WINDOW_MS ? window : undefined;
  };
  const getWaitSeconds: AttemptLimiter['getWaitSeconds'] = (client, now) => {
    const window = findWindow(client, now);
    if (!window || window.used < perMinute) return 0;
    return Math.max(1, Math.ceil((window.startedAt + WINDOW_MS - now.getTime()) / 1_000));
  };
  return {
    getWaitSeconds,
    consume(client, now) {
      const seconds = getWaitSeconds(client, now);
      if (seconds > 0) return seconds;
      let window = findWindow(client, now);
      if (!window) {
        // Delete first, so that the windows stay in the order of their start.
        windows.delete(client);
        const [oldest] = windows.keys();
        if (windows.size >= TRACKED_MAX && oldest !== undefined) windows.delete(oldest);
        windows.set(client, (window = { startedAt: now.getTime(), used: 0 }));
      }
      window.used += 1;
      return 0;
    },
  };
}
