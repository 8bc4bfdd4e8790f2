import { describe, expect, test } from 'vitest';
import { ApiError, Unreachable } from './errors.ts';
import { type Wait, withRetries } from './retry.ts';

const refused = (status: number, retryAfterSeconds: number | null, code = 'X') =>
  new ApiError({ status, code, message: '', requestId: null, fields: null, details: null, retryAfterSeconds });
const cut = new Unreachable('http://x', 'cut', { afterSending: true });

/** Fails with each error in turn, then succeeds; reports the waits and how often it was tried. */
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

describe('a refusal for now', () => {
  test('waits exactly Retry-After and up to a quarter of a second', async () => {
    expect(await run([refused(429, 7)])).toEqual({ outcome: 'done', waits: [7250], tries: 2 });
    expect(await run([refused(503, 0)], { random: () => 0 })).toEqual({ outcome: 'done', waits: [0], tries: 2 });
  });
  test('without Retry-After backs off from half a second, fully jittered', async () => {
    expect((await run([refused(503, null), refused(503, null)])).waits).toEqual([500, 1000]);
    expect((await run([refused(503, null)], { random: () => 0.5 })).waits).toEqual([250]);
  });
  test('is given up after three tries', async () => {
    const last = refused(429, 1);
    expect(await run([refused(429, 1), refused(429, 1), last])).toEqual({ outcome: last, waits: [1250, 1250], tries: 3 });
  });
  test('is given up at once when the wait is longer than allowed; a whole window fits the allowance', async () => {
    const long = refused(429, 61);
    expect(await run([long])).toEqual({ outcome: long, waits: [], tries: 1 });
    expect((await run([refused(429, 60)])).tries).toBe(2);
    expect((await run([refused(429, 40), refused(429, 40)])).tries).toBe(2);
  });
});

describe('what is tried again', () => {
  test('a connection that broke, unless the request could act twice', async () => {
    expect((await run([cut])).outcome).toBe('done');
    expect(await run([cut], { repeatable: 'refused' })).toEqual({ outcome: cut, waits: [], tries: 1 });
    expect((await run([refused(429, 1)], { repeatable: 'refused' })).outcome).toBe('done');
  });
  test('a request that is still running under the same key', async () => {
    expect((await run([refused(409, 1, 'IDEMPOTENCY_IN_PROGRESS')])).outcome).toBe('done');
  });
  test.for([
    refused(400, null),
    refused(401, null),
    refused(409, null, 'CONFLICT'),
    refused(500, null),
    new Unreachable('http://x', 'nobody'),
    new Error('bug'),
  ])('not: %s', async (error) => {
    expect(await run([error])).toEqual({ outcome: error, waits: [], tries: 1 });
  });
});
