/** Reads and transactions that run as a group give each the result that it would have alone. */
import pg from 'pg';
import { expect, test, vi } from 'vitest';
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

/** More rows than are sent together. */
const MANY_ROWS = 500;
const createMany = (prefix: string) =>
  Array.from({ length: MANY_ROWS }, (_, at) => createThing(`${prefix}${String(at)}`, { sku: `${prefix}${String(at)}` }));
/** Too large for an index, so the statement that stores it fails. */
const createImpossible = () =>
  createThing('impossible', { name: Array.from({ length: 9_000 }, () => Math.random().toString(36)[2]).join('') });

test('the rows of a large transaction are sent while it runs', async () => {
  const [one, two] = await openTwoStores();
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const countInserts = () => query.mock.calls.filter(([sent]) => JSON.stringify(sent).includes('INSERT INTO stockroom')).length;
  await one.transact('a', async (tx) => {
    for (const row of createMany('r')) await tx.things.put(row);
    expect(countInserts()).toBeGreaterThan(1);
  });
  expect(countInserts()).toBeLessThan(MANY_ROWS / 10);
  query.mockRestore();
  expect(await two.read('a', (tx) => tx.things.count())).toBe(MANY_ROWS);
});

test('a large transaction that fails leaves nothing, and the others of its group are stored', async () => {
  const [one, two] = await openTwoStores();
  await putRows(one, [createThing('owner', { sku: 'taken' })]);
  const putThen = (prefix: string, last: () => Promise<unknown> | undefined) =>
    two.transact('a', async (tx) => {
      expect(await tx.things.findUnique('sku', `${prefix}1`)).toBeUndefined();
      for (const row of createMany(prefix)) await tx.things.put(row);
      if (prefix === 'taken') await tx.things.put(createThing('other', { sku: 'taken' }));
      await last();
    });
  const results = await Promise.allSettled([
    putRows(two, [createThing('1', { sku: 'a' })]),
    putThen('thrown', () => Promise.reject(new Error('later'))),
    putRows(two, [createThing('2', { sku: 'thrown1' })]),
    putThen('taken', () => undefined),
    putThen('stored', () => undefined),
    putRows(two, [createThing('3', { sku: 'stored1' })]),
  ]);
  const outcomes = results.map((result) => (result.status === 'rejected' ? (result.reason as unknown) : 'stored'));
  const refused = new DuplicateKey('things', 'sku', 'owner');
  const refusedLast = new DuplicateKey('things', 'sku', 'stored1');
  expect(outcomes).toEqual(['stored', new Error('later'), 'stored', refused, 'stored', refusedLast]);
  expect(await one.read('a', (tx) => tx.things.listMissing(['1', '2', '3', 'owner', 'thrown0', 'taken0', 'stored0']))).toEqual([
    '3',
    'thrown0',
    'taken0',
  ]);
  expect(await one.read('a', (tx) => tx.things.count())).toBe(MANY_ROWS + 3);
});

test('a large transaction whose first rows the server refuses fails, and the others of its group are stored', async () => {
  const [one, two] = await openTwoStores();
  const results = await Promise.allSettled([
    putRows(one, [createThing('1')]),
    putRows(one, [createImpossible(), ...createMany('r')]),
    putRows(one, [createThing('2')]),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((await two.read('a', (tx) => tx.things.listIdsAfter({ limit: 10 }))).ids).toEqual(['1', '2']);
});

test('look-ups of a large transaction find what it has changed since they were made first', async () => {
  const [one, two] = await openTwoStores();
  await putRows(one, [createThing('old', { sku: 'old' }), createThing('kept', { sku: 'kept' })]);
  await two.transact('a', async (tx) => {
    const look = async () => [
      await tx.things.findUniqueIds('sku', [['old'], ['r7'], ['free'], ['kept']]),
      (await tx.things.findUnique('sku', 'old'))?.id,
      (await tx.things.findUnique('sku', 'r7'))?.id,
      (await tx.things.findUnique('sku', 'free'))?.id,
      (await tx.things.getMany(['old', 'r7', 'none', 'kept'])).map((row) => row?.id),
    ];
    expect(await look()).toEqual([
      ['old', undefined, undefined, 'kept'],
      'old',
      undefined,
      undefined,
      ['old', undefined, undefined, 'kept'],
    ]);
    await tx.things.remove('old');
    for (const row of createMany('r')) await tx.things.put(row);
    const changed = [[undefined, 'r7', undefined, 'kept'], undefined, 'r7', undefined, [undefined, 'r7', undefined, 'kept']];
    expect(await look()).toEqual(changed);
    await tx.things.put(createThing('new', { sku: 'old' }));
    await tx.things.remove('r7');
    for (const row of createMany('s')) await tx.things.put(row);
    expect(await look()).toEqual([
      ['new', undefined, undefined, 'kept'],
      'new',
      undefined,
      undefined,
      [undefined, undefined, undefined, 'kept'],
    ]);
  });
  expect(await one.read('a', (tx) => tx.things.listMissing(['old', 'r7', 'new', 'kept']))).toEqual(['old', 'r7']);
  expect(await one.read('a', (tx) => tx.things.count())).toBe(2 * MANY_ROWS + 1);
});

test('what a transaction has looked up after its changes were sent is forgotten when it fails', async () => {
  const [one, two] = await openTwoStores();
  await putRows(one, [createThing('old', { sku: 'taken', kind: 'a' })]);
  const find = () => two.transact('a', async (tx) => (await tx.things.findUnique('sku', 'taken'))?.id);
  // So that a slow machine does not end the group after the first of them.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const removeAndFail = two.transact('a', async (tx) => {
    await tx.things.remove('old');
    expect(await tx.things.count({ where: [{ field: 'kind', equals: 'a' }] })).toBe(0);
    expect(await tx.things.findUniqueIds('sku', [['taken']])).toEqual([undefined]);
    throw new Error('later');
  });
  const results = await Promise.allSettled([removeAndFail, find()]);
  clock.mockRestore();
  expect(results).toEqual([
    { status: 'rejected', reason: new Error('later') },
    { status: 'fulfilled', value: 'old' },
  ]);
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
