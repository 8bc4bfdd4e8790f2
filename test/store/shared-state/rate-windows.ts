/** What every implementation of the rate windows does. */
import { expect, test } from 'vitest';
import { RATE_WINDOW_S } from '../../../src/contract/limits.ts';
import type { RateWindows } from '../../../src/domain/kernel/shared-state.ts';

const START = Date.parse('2026-03-31T12:00:00Z');
const WINDOW_MS = RATE_WINDOW_S * 1_000;

/** `open` returns windows in which no request was counted. */
export function testRateWindows(implementation: string, open: () => RateWindows | Promise<RateWindows>): void {
  test(`${implementation}: a window admits its limit of requests, and counts no rejected one`, async () => {
    const windows = await open();
    expect(windows.peek('a', START)).toBeUndefined();
    expect(await windows.count('a', 2, START)).toEqual({ isAllowed: true, startedAt: START, used: 1 });
    expect(await windows.count('a', 2, START + 1)).toEqual({ isAllowed: true, startedAt: START, used: 2 });
    expect(await windows.count('a', 2, START + 2)).toEqual({ isAllowed: false, startedAt: START, used: 2 });
    expect(await windows.count('b', 2, START + 2)).toMatchObject({ isAllowed: true, used: 1 });
    expect(windows.peek('a', START + 3)).toMatchObject({ startedAt: START, used: 2 });
  });

  test(`${implementation}: a window ends 60 seconds after the request that started it, and the next request starts another`, async () => {
    const windows = await open();
    await windows.count('a', 1, START);
    expect(await windows.count('a', 1, START + WINDOW_MS - 1)).toMatchObject({ isAllowed: false, startedAt: START });
    expect(windows.peek('a', START + WINDOW_MS)).toBeUndefined();
    expect(await windows.count('a', 1, START + WINDOW_MS + 5)).toEqual({ isAllowed: true, startedAt: START + WINDOW_MS + 5, used: 1 });
  });

  test(`${implementation}: an open window continues with a limit that was raised or lowered`, async () => {
    const windows = await open();
    await windows.count('a', 1, START);
    expect(await windows.count('a', 1, START)).toMatchObject({ isAllowed: false });
    expect(await windows.count('a', 2, START)).toMatchObject({ isAllowed: true, used: 2 });
    expect(await windows.count('a', 1, START)).toMatchObject({ isAllowed: false, used: 2 });
  });

  test(`${implementation}: after a test clock was set back, a request starts a new window`, async () => {
    const windows = await open();
    await windows.count('a', 1, START);
    expect(await windows.count('a', 1, START - WINDOW_MS - 1)).toMatchObject({ isAllowed: true, startedAt: START - WINDOW_MS - 1 });
  });

  test(`${implementation}: requests that arrive together are counted in their order`, async () => {
    const windows = await open();
    const counted = await Promise.all(Array.from({ length: 10 }, async () => windows.count('a', 4, START)));
    expect(counted.map(({ used }) => used)).toEqual([1, 2, 3, 4, 4, 4, 4, 4, 4, 4]);
    expect(counted.map(({ isAllowed }) => isAllowed)).toEqual(counted.map((_, index) => index < 4));
  });
}
