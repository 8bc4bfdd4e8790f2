/** Rate windows in PostgreSQL: what all implementations do, and that several daemons share them exactly. */
import { expect, onTestFinished, test } from 'vitest';
import { createDatabaseRateWindows } from '../../../src/store/postgres/shared-state/rate-windows.ts';
import { useSharedDatabase } from './database.ts';
import { testRateWindows } from './rate-windows.ts';

const database = useSharedDatabase();
const START = Date.parse('2026-03-31T12:00:00Z');

function openWindows() {
  const windows = createDatabaseRateWindows(database.connect());
  onTestFinished(() => windows.close());
  return windows;
}

testRateWindows('rate windows in PostgreSQL', async () => {
  await database.execute('TRUNCATE stockroom.rate_windows');
  return openWindows();
});

test('of 200 concurrent requests at two daemons, exactly as many as the limit are admitted, each with a number of its own', async () => {
  const daemons = [openWindows(), openWindows()];
  const counted = await Promise.all(Array.from({ length: 200 }, async (_, index) => daemons[index % 2]!.count('shared', 120, START)));
  const admitted = counted.filter(({ isAllowed }) => isAllowed);
  expect(admitted.map(({ used }) => used).sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
  expect(counted.filter(({ isAllowed }) => !isAllowed).map(({ used }) => used)).toEqual(Array.from({ length: 80 }, () => 120));
});

test('many keys in many batches of two daemons are counted without a deadlock', async () => {
  const daemons = [openWindows(), openWindows()];
  const requests: Promise<{ isAllowed: boolean }>[] = [];
  for (let round = 0; round < 20; round += 1) {
    for (const daemon of daemons) {
      // In opposite orders.
      const keys = Array.from({ length: 10 }, (_, index) => `key ${String(daemon === daemons[0] ? index : 9 - index)}`);
      requests.push(...keys.map(async (key) => daemon.count(key, 25, START)));
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  const counted = await Promise.all(requests);
  expect(counted.filter(({ isAllowed }) => isAllowed)).toHaveLength(10 * 25);
});

test('a daemon whose time is a little behind continues the window of another daemon', async () => {
  const [one, two] = [openWindows(), openWindows()];
  await one.count('skewed', 2, START);
  expect(await two.count('skewed', 2, START - 500)).toEqual({ isAllowed: true, startedAt: START, used: 2 });
  expect(await one.count('skewed', 2, START + 1)).toMatchObject({ isAllowed: false });
});

test('requests of a daemon that has seen the end of a window are rejected without the database, until the limit is raised', async () => {
  const windows = openWindows();
  await windows.count('used up', 1, START);
  expect(windows.count('used up', 1, START + 1)).toEqual({ isAllowed: false, startedAt: START, used: 1 });
  expect(await windows.count('used up', 2, START + 2)).toEqual({ isAllowed: true, startedAt: START, used: 2 });
});

test('requests are rejected with the error of a database that does not answer', async () => {
  const windows = createDatabaseRateWindows({ query: () => Promise.reject(new Error('gone')) });
  onTestFinished(() => windows.close());
  await expect(Promise.all([windows.count('a', 1, START), windows.count('b', 1, START)])).rejects.toThrow('gone');
});
