import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TransactionBatches } from './batches.ts';

const block = (milliseconds: number): void => {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
};

test('transactions requested in one turn run in one batch, in order', async () => {
  const seen: string[] = [];
  const batches = new TransactionBatches(() => seen.push('end'));
  await Promise.all(['a', 'b', 'c'].map((name) => batches.run(async () => void seen.push(name))));
  expect(seen).toEqual(['a', 'b', 'c', 'end']);
});

test('long transactions are split into batches with other work in between, in order', async () => {
  const seen: string[] = [];
  const batches = new TransactionBatches(() => seen.push('end'));
  const transactions = ['a', 'b', 'c'].map((name) =>
    batches.run(async () => {
      block(20);
      seen.push(name);
    }),
  );
  // Requested during a batch: runs after those that were left over.
  const late = transactions[0]!.then(() => batches.run(async () => void seen.push('late')));
  await transactions[0];
  await nextTurn();
  seen.push('other');
  await Promise.all([...transactions, late]);
  await nextTurn();
  expect(seen.filter((each) => each !== 'other')).toEqual(['a', 'end', 'b', 'end', 'c', 'end', 'late', 'end']);
  expect(seen.indexOf('other')).toBeLessThan(seen.indexOf('c'));
});

test('a failing transaction does not affect the others', async () => {
  const batches = new TransactionBatches(() => {});
  const failing = batches.run(() => Promise.reject(new Error('no')));
  const next = batches.run(async () => 1);
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe(1);
});

test('transactions run in the order of their requests, also when one of them has to wait for several turns', async () => {
  const batches = new TransactionBatches(() => undefined);
  const ran: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const requested = [
    batches.run(async () => {
      await promise;
      ran.push('first');
    }),
    batches.run(async () => void ran.push('second')),
  ];
  await nextTurn();
  requested.push(batches.run(async () => void ran.push('third')));
  await nextTurn();
  await nextTurn();
  resolve();
  await Promise.all(requested);
  expect(ran).toEqual(['first', 'second', 'third']);
});
