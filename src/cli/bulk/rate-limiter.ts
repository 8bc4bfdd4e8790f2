/**
 * Keeps the requests of one key within its rate limit, which the responses of the service report, so that none is rejected.
 *
 * unknown ── response to a probe ──► known: `remaining` requests of the window may be sent, less those in flight
 *    ▲                                 │ none remains, or a 429
 *    └────────── the window ends ◄─────┘
 */
import { RATE_LIMIT } from '../../contract/headers.ts';
import { RATE_WINDOW_S } from '../../contract/limits.ts';

export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Resolves after the time, or when `signal` aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export interface RateLimiterOptions {
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** Called when requests start to wait for the next window, with the time and the limit per minute, if known. */
  readonly onWait?: (seconds: number, limit: number | null) => void;
  /** Maximum wait in seconds. */
  readonly maxWait: number;
}

export interface RateLimiter {
  /** Resolves to true when a request may be sent, to false when the job was stopped. Throws RateLimitWaitTooLong. */
  acquire(): Promise<boolean>;
  /** Call it after a request, with the headers of the response, if there was one. */
  release(headers?: Readonly<Record<string, string | undefined>>): void;
  /** Call it instead after a response with 429. */
  onRefused(retryAfterSeconds: number | null): void;
  /** Requests per minute, if known. */
  readonly limit: number | null;
  /** Minimum seconds that so many more requests take because of the limit; null if it does not slow them down. */
  estimateSeconds(requests: number): number | null;
}

/** The wait for the next window would exceed the maximum. */
export class RateLimitWaitTooLong extends Error {
  override readonly name = 'TooLong';
  readonly seconds: number;
  constructor(seconds: number) {
    super(`The rate limit requires a wait of ${String(seconds)} s`);
    this.seconds = seconds;
  }
}

export function createRateLimiter({ signal, clock = realClock, onWait, maxWait }: RateLimiterOptions): RateLimiter {
  let limit: number | null = null;
  /** Requests left in the window; null if unknown. */
  let remaining: number | null = null;
  let window = 0;
  let endsAt = 0;
  let inFlight = 0;
  let change = Promise.withResolvers<void>();
  let waiting = false;

  const wakeAll = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  signal.addEventListener('abort', wakeAll);
  const canSend = (): boolean => (remaining === null ? inFlight === 0 : remaining - inFlight > 0);

  async function waitForWindow(): Promise<void> {
    const left = endsAt - clock.now();
    if (left <= 0) {
      remaining = null;
      return;
    }
    const seconds = Math.ceil(left / 1000);
    if (seconds > maxWait) throw new RateLimitWaitTooLong(seconds);
    if (waiting) return change.promise;
    waiting = true;
    onWait?.(seconds, limit);
    await clock.sleep(left, signal);
    waiting = false;
    remaining = null;
    wakeAll();
  }
  return {
    get limit() {
      return limit;
    },
    async acquire() {
      for (;;) {
        if (signal.aborted) return false;
        if (canSend()) break;
        if (remaining !== null && remaining <= 0 && inFlight === 0) await waitForWindow();
        else await change.promise;
      }
      inFlight += 1;
      return true;
    },
    release(headers = {}) {
      inFlight -= 1;
      const reported = Number(headers[RATE_LIMIT.remaining]);
      const reset = headers[RATE_LIMIT.reset];
      if (reset === undefined || !Number.isFinite(reported)) {
        // Without rate-limit headers there is no limit, unless an earlier response had them.
        remaining = remaining === null ? Infinity : remaining - 1;
      } else {
        limit = Number(headers[RATE_LIMIT.limit]) || limit;
        // A late response of the previous window.
        if (Number(reset) < window) return wakeAll();
        remaining = Number(reset) === window && remaining !== null ? Math.min(remaining, reported) : reported;
        window = Number(reset);
        const seconds = Number(/;t=(\d+)/u.exec(headers[RATE_LIMIT.state] ?? '')?.[1] ?? RATE_WINDOW_S);
        endsAt = clock.now() + seconds * 1000;
      }
      wakeAll();
    },
    onRefused(retryAfterSeconds) {
      inFlight -= 1;
      remaining = 0;
      endsAt = clock.now() + (retryAfterSeconds ?? RATE_WINDOW_S) * 1000;
      wakeAll();
    },
    estimateSeconds(requests) {
      if (limit === null || remaining === null || requests <= remaining) return null;
      const untilReset = Math.max(0, (endsAt - clock.now()) / 1000);
      return untilReset + (Math.ceil((requests - remaining) / limit) - 1) * RATE_WINDOW_S;
    },
  };
}

const realClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      signal.addEventListener('abort', done);
    }),
};
