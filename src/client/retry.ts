/** When a request is tried again, and how long to wait. decisions-api §4, client rule. */
import { ApiError, Unreachable } from './errors.ts';

const TRIES = 3;
const JITTER_MS = 250;
const BACKOFF_FIRST_MS = 500;
const BACKOFF_LAST_MS = 8_000;

export interface Wait {
  readonly milliseconds: number;
  readonly reason: 'rate limit' | 'service busy' | 'connection lost';
  /** The try that follows, from 2. */
  readonly nextTry: number;
}

export interface RetryPolicy {
  /** The longest that all waits for one request may take together. */
  readonly maxWaitMs: number;
  /** Waits; a terminal counts down meanwhile. */
  readonly wait: (wait: Wait, signal?: AbortSignal) => Promise<void>;
  readonly random?: () => number;
}

/** Runs `attempt` until it succeeds, fails for good, or waiting longer is not allowed. `repeatable`: also after a broken connection (it cannot act twice), or only when refused. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  repeatable: 'always' | 'refused',
  { maxWaitMs, wait, random = Math.random }: RetryPolicy,
  signal?: AbortSignal,
): Promise<T> {
  let waited = 0;
  for (let tried = 1; ; tried += 1) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      const pause = pauseAfter(error, tried, repeatable, random);
      // The jitter does not count: a full window of 60 s fits a limit of 60 s.
      if (!pause || tried === TRIES || waited + pause.base > maxWaitMs) throw error;
      waited += pause.base;
      await wait({ milliseconds: pause.base + pause.jitter, reason: pause.reason, nextTry: tried + 1 }, signal);
    }
  }
}

function pauseAfter(
  error: unknown,
  tried: number,
  repeatable: 'always' | 'refused',
  random: () => number,
): { base: number; jitter: number; reason: Wait['reason'] } | null {
  const backoff = () => ({ base: Math.round(Math.min(BACKOFF_LAST_MS, BACKOFF_FIRST_MS * 2 ** (tried - 1)) * random()), jitter: 0 });
  if (error instanceof ApiError) {
    // 409 in progress: our own first try, cut off from its answer, is still being executed.
    const passing = error.status === 429 || error.status === 503 || error.code === 'IDEMPOTENCY_IN_PROGRESS';
    if (!passing) return null;
    const reason = error.status === 429 ? 'rate limit' : 'service busy';
    if (error.retryAfterSeconds === null) return { ...backoff(), reason };
    return { base: error.retryAfterSeconds * 1000, jitter: Math.round(random() * JITTER_MS), reason };
  }
  // Nobody listening is an answer; a connection that broke in the middle is not.
  if (error instanceof Unreachable && error.afterSending && repeatable === 'always') return { ...backoff(), reason: 'connection lost' };
  return null;
}
