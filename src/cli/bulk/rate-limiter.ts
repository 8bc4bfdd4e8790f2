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

type ResponseHeaders = Readonly<Record<string, string | undefined>>;

export interface RateLimiter {
  /** Resolves to true when a request may be sent, to false when the job was stopped. Throws RateLimitWaitTooLong. */
  acquire(): Promise<boolean>;
  /** Call it after a request, with the headers of the response, if there was one. */
  release(headers?: ResponseHeaders): void;
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

/** The current window as the responses report it. */
class Window {
  readonly #clock: Clock;
  limit: number | null = null;
  /** Requests left; null if unknown. */
  remaining: number | null = null;
  /** What the service calls the window; later ones have greater numbers. */
  #reset = 0;
  #endsAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get millisecondsLeft(): number {
    return this.#endsAt - this.#clock.now();
  }

  update(headers: ResponseHeaders): void {
    const reported = Number(headers[RATE_LIMIT.remaining]);
    const reset = headers[RATE_LIMIT.reset];
    if (reset === undefined || !Number.isFinite(reported)) {
      // Without rate-limit headers there is no limit, unless an earlier response had them.
      this.remaining = this.remaining === null ? Infinity : this.remaining - 1;
      return;
    }
    this.limit = Number(headers[RATE_LIMIT.limit]) || this.limit;
    // A late response of the previous window.
    if (Number(reset) < this.#reset) return;
    this.remaining = Number(reset) === this.#reset && this.remaining !== null ? Math.min(this.remaining, reported) : reported;
    this.#reset = Number(reset);
    this.#endIn(Number(/;t=(\d+)/u.exec(headers[RATE_LIMIT.state] ?? '')?.[1] ?? RATE_WINDOW_S));
  }

  /** Nothing remains until the window ends. */
  exhaust(seconds: number): void {
    this.remaining = 0;
    this.#endIn(seconds);
  }

  estimateSeconds(requests: number): number | null {
    const { limit, remaining } = this;
    if (limit === null || remaining === null || requests <= remaining) return null;
    return Math.max(0, this.millisecondsLeft / 1000) + (Math.ceil((requests - remaining) / limit) - 1) * RATE_WINDOW_S;
  }

  #endIn(seconds: number): void {
    this.#endsAt = this.#clock.now() + seconds * 1000;
  }
}

export function createRateLimiter({ signal, clock = realClock, onWait, maxWait }: RateLimiterOptions): RateLimiter {
  const window = new Window(clock);
  let inFlight = 0;
  let change = Promise.withResolvers<void>();
  let waiting = false;

  const wakeAll = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  signal.addEventListener('abort', wakeAll);
  const canSend = (): boolean => (window.remaining === null ? inFlight === 0 : window.remaining - inFlight > 0);

  async function waitForWindow(): Promise<void> {
    const left = window.millisecondsLeft;
    if (left <= 0) {
      window.remaining = null;
      return;
    }
    const seconds = Math.ceil(left / 1000);
    if (seconds > maxWait) throw new RateLimitWaitTooLong(seconds);
    if (waiting) return change.promise;
    waiting = true;
    onWait?.(seconds, window.limit);
    await clock.sleep(left, signal);
    waiting = false;
    window.remaining = null;
    wakeAll();
  }
  return {
    get limit() {
      return window.limit;
    },
    async acquire() {
      for (;;) {
        if (signal.aborted) return false;
        if (canSend()) break;
        if (window.remaining !== null && window.remaining <= 0 && inFlight === 0) await waitForWindow();
        else await change.promise;
      }
      inFlight += 1;
      return true;
    },
    release(headers = {}) {
      inFlight -= 1;
      window.update(headers);
      wakeAll();
    },
    onRefused(retryAfterSeconds) {
      inFlight -= 1;
      window.exhaust(retryAfterSeconds ?? RATE_WINDOW_S);
      wakeAll();
    },
    estimateSeconds: (requests) => window.estimateSeconds(requests),
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
