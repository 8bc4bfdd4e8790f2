import { describe, expect, test } from 'vitest';
import { ApiError, Unreachable } from '../errors.ts';
import { type Wait, withRetries } from './retry.ts';

const createError = (status: number, retryAfterSeconds: number | null, code = 'X') =>
  new ApiError({ status, code, message: '', requestId: null, fields: null, details: null, retryAfterSeconds });
const cut = new Unreachable('http://x', 'cut', { afterSending: true });

/** Fails with each error in turn, then succeeds; returns the waits and the number of attempts. */
async function run(
  errors: readonly Error[],
  {
    maxWaitMs = 60_000,
    repeatable = 'always',
    random = () => 1,
  }: { maxWaitMs?: number; repeatable?: 'always' | 'refused'; random?: () => number } = {},
) {
  const waits: Wait[] = [];
  let tries = 0;
  const attempt = () => {
    const error = errors[tries];
    tries += 1;
    return error ? Promise.reject(error) : Promise.resolve('done');
  };
  const wait = (pause: Wait) => {
    waits.push(pause);
    return Promise.resolve();
  };
  const outcome = await withRetries(attempt, repeatable, { maxWaitMs, wait, random }).catch((error: unknown) => error);
  return { outcome, waits: waits.map(({ milliseconds }) => milliseconds), tries };
}

describe('a transient error response', () => {
  test('is retried after Retry-After plus up to a quarter of a second', async () => {
    expect(await run([createError(429, 7)])).toEqual({ outcome: 'done', waits: [7250], tries: 2 });
    expect(await run([createError(503, 0)], { random: () => 0 })).toEqual({ outcome: 'done', waits: [0], tries: 2 });
  });
  test('without Retry-After is retried with exponential backoff from half a second and full jitter', async () => {
    expect((await run([createError(503, null), createError(503, null)])).waits).toEqual([500, 1000]);
    expect((await run([createError(503, null)], { random: () => 0.5 })).waits).toEqual([250]);
  });
  test('is thrown after three attempts', async () => {
    const last = createError(429, 1);
    expect(await run([createError(429, 1), createError(429, 1), last])).toEqual({ outcome: last, waits: [1250, 1250], tries: 3 });
  });
  test('is thrown immediately if the wait exceeds the maximum; a full window does not', async () => {
    const long = createError(429, 61);
    expect(await run([long])).toEqual({ outcome: long, waits: [], tries: 1 });
    expect((await run([createError(429, 60)])).tries).toBe(2);
    expect((await run([createError(429, 40), createError(429, 40)])).tries).toBe(2);
  });
});

describe('retries', () => {
  test.for([cut, createError(503, null), createError(429, 0)])(
    'never happen with a maximum wait of 0, however short the wait is: %s',
    async (error) => {
      expect(await run([error], { maxWaitMs: 0, random: () => 0.0001 })).toEqual({ outcome: error, waits: [], tries: 1 });
    },
  );
  test('happen after a lost connection, unless the request could be executed twice', async () => {
    expect((await run([cut])).outcome).toBe('done');
    expect(await run([cut], { repeatable: 'refused' })).toEqual({ outcome: cut, waits: [], tries: 1 });
    expect((await run([createError(429, 1)], { repeatable: 'refused' })).outcome).toBe('done');
  });
  test('happen while a request with the same key is in progress', async () => {
    expect((await run([createError(409, 1, 'IDEMPOTENCY_IN_PROGRESS')])).outcome).toBe('done');
  });
  test.for([
    createError(400, null),
    createError(401, null),
    createError(409, null, 'CONFLICT'),
    createError(500, null),
    new Unreachable('http://x', 'connection refused'),
    new Error('bug'),
  ])('do not happen after: %s', async (error) => {
    expect(await run([error])).toEqual({ outcome: error, waits: [], tries: 1 });
  });
});
