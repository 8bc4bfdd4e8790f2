/**
 * Keeps many requests of one key within its rate limit: no request is sent that the service would refuse, as far as its answers tell.
 *
 * unknown ── a probe is answered ──► known: `remaining` of the window is what may still be sent, less what is on its way
 *    ▲                                 │ nothing remains, or a 429
 *    └────────── the window ends ◄─────┘
 */
import { RATE_LIMIT } from '../../contract/headers.ts';
import { RATE_WINDOW_S } from '../../contract/limits.ts';

export interface Clock {
  /** Milliseconds. */
  now(): number;
  /** Resolves after so long, or when `signal` says so. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export interface PaceOptions {
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** Told each time that everybody begins to wait: how long, and requests per minute when known. */
  readonly onWait?: (seconds: number, limit: number | null) => void;
  /** The longest wait that is allowed, in seconds. */
  readonly maxWait: number;
}

export interface Pace {
  /** Resolves true when one request may be sent; false when the job is stopped. Throws `TooLong` when the wait would be too long. */
  enter(): Promise<boolean>;
  /** The request was answered, with these headers when they are known. */
  leave(headers?: Readonly<Record<string, string | undefined>>): void;
  /** It was refused with 429. */
  refused(retryAfterSeconds: number | null): void;
  /** Requests per minute, when known. */
  readonly limit: number | null;
  /** Seconds that `requests` more will take at least because of the limit. */
  secondsFor(requests: number): number | null;
}

/** The service would have to be waited for longer than allowed. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
  readonly seconds: number;
  constructor(seconds: number) {
    super(`the rate limit asks for ${String(seconds)} s`);
    this.seconds = seconds;
  }
}

export function newPace({ signal, clock = realClock, onWait, maxWait }: PaceOptions): Pace {
  let limit: number | null = null;
  /** Null: nothing is known of the present window. */
  let remaining: number | null = null;
  let window = 0;
  let endsAt = 0;
  let onTheWay = 0;
  let turn = Promise.withResolvers<void>();
  let waiting = false;

  const wakeAll = () => {
    turn.resolve();
    turn = Promise.withResolvers();
  };
  signal.addEventListener('abort', wakeAll);
  const mayGo = (): boolean => (remaining === null ? onTheWay === 0 : remaining - onTheWay > 0);

  async function waitForWindow(): Promise<void> {
    const left = endsAt - clock.now();
    if (left <= 0) {
      remaining = null;
      return;
    }
    const seconds = Math.ceil(left / 1000);
    if (seconds > maxWait) throw new TooLong(seconds);
    if (waiting) return turn.promise;
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
    async enter() {
      for (;;) {
        if (signal.aborted) return false;
        if (mayGo()) break;
        if (remaining !== null && remaining <= 0 && onTheWay === 0) await waitForWindow();
        else await turn.promise;
      }
      onTheWay += 1;
      return true;
    },
    leave(headers = {}) {
      onTheWay -= 1;
      const told = Number(headers[RATE_LIMIT.remaining]);
      const reset = headers[RATE_LIMIT.reset];
      if (reset === undefined || !Number.isFinite(told)) {
        // A service that tells nothing is not held back; one that told keeps its count.
        remaining = remaining === null ? Infinity : remaining - 1;
      } else {
        limit = Number(headers[RATE_LIMIT.limit]) || limit;
        // An answer from the window before came late.
        if (Number(reset) < window) return wakeAll();
        remaining = Number(reset) === window && remaining !== null ? Math.min(remaining, told) : told;
        window = Number(reset);
        const seconds = Number(/;t=(\d+)/u.exec(headers[RATE_LIMIT.state] ?? '')?.[1] ?? RATE_WINDOW_S);
        endsAt = clock.now() + seconds * 1000;
      }
      wakeAll();
    },
    refused(retryAfterSeconds) {
      onTheWay -= 1;
      remaining = 0;
      endsAt = clock.now() + (retryAfterSeconds ?? RATE_WINDOW_S) * 1000;
      wakeAll();
    },
    secondsFor(requests) {
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
