/** Reads and transactions that run as a group give each the result that it would have alone. */
import { expect, test } from 'vitest';
import { DuplicateKey } from '../../../src/domain/kernel/ports.ts';
import { createThing } from '../fixtures.ts';
import { putRows } from '../transactions.ts';
import { type ThingStore, openTwoStores } from './stores.ts';

test('a transaction that stores a unique value of a stored row is refused, and those of its group are not', async () => {
  const [one, two] = await openTwoStores();
  await putRows(one, [createThing('owner', { sku: 'taken' })]);
  const add = (id: string, sku: string) => putRows(two, [createThing(id, { sku })]);
  const results = await Promise.allSettled([add('1', 'a'), add('2', 'taken'), add('3', 'b'), add('4', 'Taken'), add('5', 'c')]);
  const outcomes = results.map((result) => (result.status === 'rejected' ? (result.reason as unknown) : 'stored'));
  const refused = new DuplicateKey('things', 'sku', 'owner');
  expect(outcomes).toEqual(['stored', refused, 'stored', refused, 'stored']);
  expect((await one.read('a', (tx) => tx.things.listIdsAfter({ limit: 10 }))).ids).toEqual(['1', '3', '5', 'owner']);
});

test('a transaction that stores a unique value of another row is refused for that, also if it would fail later', async () => {
  const [one, two] = await openTwoStores();
  await putRows(one, [createThing('owner', { sku: 'taken' })]);
  const addAndFail = (sku: string) =>
    two.transact('a', async (tx) => {
      await tx.things.put(createThing('1', { sku }));
      throw new Error('later');
    });
  await expect(addAndFail('taken')).rejects.toThrow(DuplicateKey);
  await expect(addAndFail('free')).rejects.toThrow('later');
});

test('many rows of which one has a unique value of a stored row are refused together', async () => {
  const [one, two] = await openTwoStores();
  await putRows(one, [createThing('owner', { sku: 'taken' })]);
  const add = (skus: readonly string[]) =>
    two.transact('a', (tx) => tx.things.putMany(skus.map((sku, at) => createThing(`${String(at)}-${sku}`, { sku }))));
  await expect(add(['a', 'taken', 'b'])).rejects.toEqual(new DuplicateKey('things', 'sku', 'owner'));
  await add(['a', 'b']);
  expect(await one.read('a', (tx) => tx.things.count())).toBe(3);
});

test('a read whose statement fails does not fail the reads of its group', async () => {
  const [one, two] = await openTwoStores();
  await putRows(one, [createThing('1', { name: 'first' }), createThing('2', { name: 'second' })]);
  const list = (limit: number) => two.read('a', (tx) => tx.things.listAfter({ limit }));
  // More than any number of rows that PostgreSQL can count.
  const results = await Promise.allSettled([list(10), list(1e30), list(11), list(12), two.read('a', (tx) => tx.things.get('2'))]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
});

/** Reads a cached row, then, after `interrupt`, one that is not. Returns their names, and how often the read ran. */
async function readAround(store: ThingStore, interrupt: () => Promise<unknown>): Promise<[...names: unknown[], runs: number]> {
  await store.read('a', (tx) => tx.things.get('cached'));
  let runs = 0;
  const names = await store.read('a', async (tx) => {
    runs += 1;
    const first = await tx.things.get('cached');
    if (runs === 1) await interrupt();
    return [first?.name, (await tx.things.get('other'))?.name];
  });
  return [...names, runs];
}
const putBoth = (store: ThingStore, name: string, tenant?: string) =>
  putRows(store, [createThing('cached', { name }), createThing('other', { name, sku: 'other' })], tenant);

test('a read sees one state, although its tenant commits between a row from the cache and one from the database', async () => {
  const [one, two] = await openTwoStores();
  await putBoth(one, 'old');
  expect(await readAround(two, () => putBoth(one, 'new'))).toEqual(['new', 'new', 2]);
});

test('a read does not run again when only another tenant commits meanwhile', async () => {
  const [one, two] = await openTwoStores();
  await putBoth(one, 'old');
  expect(await readAround(two, () => putBoth(one, 'new', 'b'))).toEqual(['old', 'old', 1]);
});
