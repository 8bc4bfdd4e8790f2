/**
 * Keeps the requests of one key within its rate limit, which the responses of the service report, so that none is rejected.
 *
 * unknown ── response to a probe ──► known: `remaining` requests of the window may be sent, less those in flight
 *    ▲                                 │ none remains, or a 429
 *    └────────── the window ends ◄─────┘
 */
import { setTimeout as sleep } from 'node:timers/promises';
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

/** The wait for the next window would exceed the maximum. */
export class RateLimitWaitTooLong extends Error {
  override readonly name = 'TooLong';
  readonly seconds: number;
  constructor(seconds: number) {
    super(`The rate limit requires a wait of ${String(seconds)} s`);
    this.seconds = seconds;
  }
}

const realClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
};

export class RateLimiter {
  readonly #options: RateLimiterOptions & { readonly clock: Clock };
  /** Requests per minute; null if unknown. */
  #limit: number | null = null;
  /** Requests left in the window; null if unknown. */
  #remaining: number | null = null;
  /** What the service calls the window; later ones have greater numbers. */
  #reset = 0;
  #endsAt = 0;
  #inFlight = 0;
  #isWaiting = false;
  #change = Promise.withResolvers<void>();

  constructor(options: RateLimiterOptions) {
    this.#options = { clock: realClock, ...options };
    options.signal.addEventListener('abort', () => this.#wakeAll());
  }

  /** Resolves to true when a request may be sent, to false when the job was stopped. Throws RateLimitWaitTooLong. */
  async acquire(): Promise<boolean> {
    for (;;) {
      if (this.#options.signal.aborted) return false;
      const remaining = this.#remaining;
      if (remaining === null ? this.#inFlight === 0 : remaining > this.#inFlight) break;
      if (remaining !== null && remaining <= 0 && this.#inFlight === 0) await this.#waitForWindow();
      else await this.#change.promise;
    }
    this.#inFlight += 1;
    return true;
  }

  /** Call it after a request, with the headers of the response, if there was one. */
  release(headers: ResponseHeaders = {}): void {
    this.#inFlight -= 1;
    this.#update(headers);
    this.#wakeAll();
  }

  /** Call it instead after a response with 429. */
  onRefused(retryAfterSeconds: number | null): void {
    this.#inFlight -= 1;
    this.#remaining = 0;
    this.#endIn(retryAfterSeconds ?? RATE_WINDOW_S);
    this.#wakeAll();
  }

  /** Minimum seconds that so many more requests take because of the limit; null if it does not slow them down. */
  estimateSeconds(requests: number): number | null {
    if (this.#limit === null || this.#remaining === null || requests <= this.#remaining) return null;
    const left = Math.max(0, (this.#endsAt - this.#options.clock.now()) / 1000);
    return left + (Math.ceil((requests - this.#remaining) / this.#limit) - 1) * RATE_WINDOW_S;
  }

  #update(headers: ResponseHeaders): void {
    const reported = Number(headers[RATE_LIMIT.remaining]);
    const reset = headers[RATE_LIMIT.reset];
    if (reset === undefined || !Number.isFinite(reported)) {
      // Without rate-limit headers there is no limit, unless an earlier response had them.
      this.#remaining = this.#remaining === null ? Infinity : this.#remaining - 1;
      return;
    }
    this.#limit = Number(headers[RATE_LIMIT.limit]) || this.#limit;
    // A late response of the previous window.
    if (Number(reset) < this.#reset) return;
    this.#remaining = Number(reset) === this.#reset && this.#remaining !== null ? Math.min(this.#remaining, reported) : reported;
    this.#reset = Number(reset);
    this.#endIn(Number(/;t=(\d+)/u.exec(headers[RATE_LIMIT.state] ?? '')?.[1] ?? RATE_WINDOW_S));
  }

  async #waitForWindow(): Promise<void> {
    const { clock, maxWait, onWait, signal } = this.#options;
    const left = this.#endsAt - clock.now();
    if (left > 0) {
      const seconds = Math.ceil(left / 1000);
      if (seconds > maxWait) throw new RateLimitWaitTooLong(seconds);
      if (this.#isWaiting) return this.#change.promise;
      this.#isWaiting = true;
      onWait?.(seconds, this.#limit);
      await clock.sleep(left, signal);
      this.#isWaiting = false;
      this.#wakeAll();
    }
    this.#remaining = null;
  }

  #endIn(seconds: number): void {
    this.#endsAt = this.#options.clock.now() + seconds * 1000;
  }

  #wakeAll(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}
