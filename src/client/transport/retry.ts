/** When a request is retried, and how long to wait. A-4, client rule. */
import { ApiError, Unreachable } from '../errors.ts';

const ATTEMPTS_MAX = 3;
const JITTER_MS = 250;
const BACKOFF_FIRST_MS = 500;
const BACKOFF_LAST_MS = 8_000;

export interface Wait {
  readonly milliseconds: number;
  readonly reason: 'rate limit' | 'service busy' | 'connection lost';
  /** Of the response; null if the connection was lost. */
  readonly status: number | null;
  /** Number of the next attempt, from 2. */
  readonly nextTry: number;
}

export interface RetryPolicy {
  /** Maximum total wait for one request. With 0, nothing is retried. */
  readonly maxWaitMs: number;
  /** Waits; at a terminal with a countdown. */
  readonly wait: (wait: Wait, signal?: AbortSignal) => Promise<void>;
  readonly random?: () => number;
}

export const NO_RETRY: RetryPolicy = { maxWaitMs: 0, wait: () => Promise.resolve() };

/**
 * Runs `attempt` until it succeeds, fails permanently, or the next wait would be too long. `repeatable`: `always` also retries after a lost
 * connection, `refused` only after an error response.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  repeatable: 'always' | 'refused',
  { maxWaitMs, wait, random = Math.random }: RetryPolicy,
  signal?: AbortSignal,
): Promise<T> {
  let waited = 0;
  for (let attemptNumber = 1; ; attemptNumber += 1) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      const pause = getPause(error, attemptNumber, repeatable, random);
      // The jitter does not count: a full window of 60 s fits a limit of 60 s.
      if (!pause || maxWaitMs === 0 || attemptNumber === ATTEMPTS_MAX || waited + pause.baseMs > maxWaitMs) throw error;
      waited += pause.baseMs;
      await wait(
        { milliseconds: pause.baseMs + pause.jitterMs, reason: pause.reason, status: pause.status, nextTry: attemptNumber + 1 },
        signal,
      );
    }
  }
}

function getPause(
  error: unknown,
  attemptNumber: number,
  repeatable: 'always' | 'refused',
  random: () => number,
): ({ baseMs: number; jitterMs: number } & Pick<Wait, 'reason' | 'status'>) | null {
  const backoff = () => ({
    baseMs: Math.round(Math.min(BACKOFF_LAST_MS, BACKOFF_FIRST_MS * 2 ** (attemptNumber - 1)) * random()),
    jitterMs: 0,
  });
  if (error instanceof ApiError) {
    // 409 in progress: the first attempt, whose connection was lost, is still being executed.
    const isTransient = error.status === 429 || error.status === 503 || error.code === 'IDEMPOTENCY_IN_PROGRESS';
    if (!isTransient) return null;
    const { status } = error;
    const reason = status === 429 ? 'rate limit' : 'service busy';
    if (error.retryAfterSeconds === null) return { ...backoff(), reason, status };
    return { baseMs: error.retryAfterSeconds * 1000, jitterMs: Math.round(random() * JITTER_MS), reason, status };
  }
  // A refused connection is permanent, a lost one is not.
  if (error instanceof Unreachable && error.afterSending && repeatable === 'always')
    return { ...backoff(), reason: 'connection lost', status: null };
  return null;
}
