/** What several stores on one database promise each other. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Commit, StoreUnavailable } from '../../../src/domain/kernel/ports.ts';
import { createThing } from '../fixtures.ts';
import { putRows } from '../transactions.ts';
import { type ThingStore, openTwoStores } from './stores.ts';

/** Of these tenants, or of all. What others change in tables of the service is also reported as a commit of the service. */
const collectCommits = (store: ThingStore, ...tenants: string[]): Commit[] => {
  const commits: Commit[] = [];
  store.onCommit((commit) => {
    if (tenants.length === 0 || tenants.includes(commit.tenant)) commits.push(commit);
  });
  return commits;
};

const listTables = (commits: readonly Commit[]): string[] => commits.flatMap(({ changes }) => changes.map(({ table }) => table));

test('a store returns what another one has committed, although it has cached the previous version', async () => {
  const [one, two] = await openTwoStores();
  const read = (store: ThingStore) =>
    store.read('a', async (tx) => [
      (await tx.things.get('1'))?.name,
      (await tx.things.findUnique('sku', 'x'))?.name,
      (await tx.things.listPage({ page: { number: 1, size: 5 } })).rows.map(({ name }) => name),
      (await tx.notes.get('n'))?.text,
    ]);
  for (const name of ['first', 'second', 'third']) {
    await putRows(one, [createThing('1', { name, sku: 'X' })]);
    await two.transact('b', (tx) => tx.notes.put({ id: 'n', text: name, list: 'l', position: 1 }));
    expect(await read(two)).toEqual([name, name, [name], name]);
    expect(await read(one)).toEqual([name, name, [name], name]);
  }
});

test('concurrent transactions of several stores have the same result as serial ones', async () => {
  const stores = await openTwoStores();
  await putRows(stores[0], [createThing('counter', { size: 0 })]);
  const increment = (store: ThingStore): Promise<number> =>
    store.transact('a', async (tx) => {
      const row = (await tx.things.get('counter'))!;
      await tx.things.put({ ...row, size: row.size! + 1 });
      return row.size!;
    });
  const seen = await Promise.all(Array.from({ length: 60 }, (_, at) => increment(stores[at % 2]!)));
  expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, at) => at));
});

test('a change of a table of the service is known to other stores, although a later transaction of its group fails', async () => {
  const [one, two] = await openTwoStores();
  const put = (text: string) => one.transact('a', (tx) => tx.notes.put({ id: 'n', text, list: 'l', position: 1 }));
  const fail = () =>
    one.transact('a', async (tx) => {
      await tx.things.put(createThing('1', { tags: ['red'] }));
      await tx.things.count({ where: [{ field: 'tags', equals: 'red' }] });
      throw new Error('refused');
    });
  const read = (store: ThingStore) => store.read('b', async (tx) => [(await tx.notes.get('n'))?.text, await tx.notes.count()]);
  await put('old');
  expect(await read(two)).toEqual(['old', 1]);
  expect((await Promise.allSettled([put('new'), fail()])).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(await Promise.all([one, two].map(read))).toEqual([
    ['new', 1],
    ['new', 1],
  ]);
});

test('a listener that throws fails no transaction, and the others hear of the commit', async () => {
  const notices: unknown[] = [];
  const [store] = await openTwoStores({ onNotice: (notice) => notices.push(notice) });
  store.onCommit(() => {
    throw new Error('listener');
  });
  const commits = collectCommits(store);
  await Promise.all([putRows(store, [createThing('1')]), putRows(store, [createThing('2')])]);
  expect(commits.map(({ changes }) => changes.map(({ id }) => id))).toEqual([['1'], ['2']]);
  expect(notices).toMatchObject([{ kind: 'listener-failed' }, { kind: 'listener-failed' }]);
});

test('a row that several stores want to add with one unique value is added once', async () => {
  const stores = await openTwoStores();
  const adding = Array.from({ length: 20 }, (_, at) => putRows(stores[at % 2]!, [createThing(`t${String(at)}`, { sku: 'same' })]));
  const results = await Promise.allSettled(adding);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await stores[1].read('a', (tx) => tx.things.count())).toBe(1);
});

test('timestamps and ids have the order of commits, whichever store makes them and however its clock differs', async () => {
  const skewed = { now: () => new Date(Date.now() - 500) };
  const stores = await openTwoStores({}, { clock: skewed });
  const sequence: string[] = [];
  const add = (store: ThingStore): Promise<void> =>
    store.transact('a', async (tx) => {
      const id = tx.newId();
      const before = await tx.things.count();
      await tx.things.put(createThing(id, { at: tx.now.toISOString() }));
      sequence[before] = id;
    });
  for (let round = 0; round < 10; round += 1) await Promise.all([0, 1, 0, 1, 1].map((at) => add(stores[at]!)));
  const { rows } = await stores[0].read('a', (tx) => tx.things.listAfter({ orderBy: 'at', limit: 100 }));
  expect(rows.map(({ id }) => id)).toEqual(sequence);
});

test('a transaction starts again when another store has changed a row of the service that it has read', async () => {
  const [one, two] = await openTwoStores();
  const put = (store: ThingStore, tenant: string, position: number) =>
    store.transact(tenant, (tx) => tx.notes.put({ id: 'n', text: 't', list: 'l', position }));
  await put(one, 'a', 1);
  let runs = 0;
  await one.transact('a', async (tx) => {
    runs += 1;
    const { position } = (await tx.notes.get('n'))!;
    if (runs === 1) await put(two, 'b', 5);
    await tx.notes.put({ id: 'n', text: 't', list: 'l', position: position * 10 });
  });
  expect(runs).toBe(2);
  expect((await two.read('a', (tx) => tx.notes.get('n')))?.position).toBe(50);
});

test('an error discards the changes of its transaction only, also those that a query has sent', async () => {
  const [store, other] = await openTwoStores();
  const add = (id: string, isRefused: boolean): Promise<void> =>
    store.transact('a', async (tx) => {
      await tx.things.put(createThing(id, { tags: ['red'] }));
      // Sends the changes of this transaction and of those before.
      await tx.things.count({ where: [{ field: 'tags', equals: 'red' }] });
      if (isRefused) throw new Error('refused');
    });
  const results = await Promise.allSettled(['1', '2', '3', '4', '5'].map((id, at) => add(id, at % 2 === 1)));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
  for (const each of [store, other]) {
    const found = await each.read('a', async (tx) => [(await tx.things.listIdsAfter({ limit: 10 })).ids, await tx.things.count()]);
    expect(found).toEqual([['1', '3', '5'], 3]);
  }
});

test('listeners get the commits of other stores, with the ids of their rows', async () => {
  const [one, two] = await openTwoStores();
  const commits = collectCommits(two, 'a');
  await putRows(one, [createThing('1')]);
  await putRows(one, [createThing('1', { name: 'other' })], 'a');
  await one.transact('a', async (tx) => {
    await tx.things.remove('1');
    await tx.notes.put({ id: 'n', text: 't', list: 'l', position: 1 });
  });
  await vi.waitFor(() => expect(commits).toHaveLength(3));
  expect(commits).toMatchObject([
    { tenant: 'a', sequence: 1, changes: [{ table: 'things', id: '1', added: true, removed: false }] },
    { tenant: 'a', sequence: 2, changes: [{ table: 'things', id: '1', added: false, removed: false }] },
    {
      tenant: 'a',
      sequence: 3,
      changes: [
        { table: 'things', id: '1', removed: true },
        { table: 'notes', id: 'n', added: true },
      ],
    },
  ]);
});

test('listeners get the commits of others with their ids when notifications cannot arrive', async () => {
  // Nothing listens at this port.
  const [one, two] = await openTwoStores({}, { listenUrl: 'postgres://nobody@127.0.0.1:1/none', pollMs: 20 });
  const commits = collectCommits(two, 'a');
  await putRows(one, [createThing('1')]);
  await one.transact('a', (tx) => tx.notes.put({ id: 'n', text: 't', list: 'l', position: 1 }));
  await vi.waitFor(() =>
    expect(commits.flatMap(({ changes }) => changes.map(({ table, id }) => [table, id]))).toEqual([
      ['things', '1'],
      ['notes', 'n'],
    ]),
  );
});

test('listeners get a commit with very many changes without their ids', async () => {
  const [three, four] = await openTwoStores();
  const others = collectCommits(four);
  await three.transact('a', (tx) =>
    tx.marks.putMany(Array.from({ length: 500 }, (_, at) => ({ id: `mark-${String(at).padStart(40, '0')}`, text: 't', colour: null }))),
  );
  await vi.waitFor(() => expect(others).toMatchObject([{ tenant: 'a', changes: [{ table: 'marks', id: undefined }] }]));
});

test('listeners get a change of a table of the service although its commit had too many changes to list', async () => {
  const [one, two] = await openTwoStores({}, { pollMs: 20 });
  const commits = collectCommits(two);
  await one.transact('a', async (tx) => {
    await tx.notes.put({ id: 'n', text: 't', list: 'l', position: 1 });
    await tx.marks.putMany(
      Array.from({ length: 500 }, (_, at) => ({ id: `mark-${String(at).padStart(40, '0')}`, text: 't', colour: null })),
    );
  });
  await expect.poll(() => listTables(commits)).toEqual(expect.arrayContaining(['marks', 'notes']));
});

test.each([20, 60_000])(
  'listeners get a change of a table of the service although their store commits next, polling every %d ms',
  async (pollMs) => {
    const [one, two] = await openTwoStores({ listenUrl: 'postgres://nobody@127.0.0.1:1/none', pollMs });
    const commits = collectCommits(one);
    await putRows(one, [createThing('1')]);
    await two.transact('a', (tx) => tx.notes.put({ id: 'n', text: 't', list: 'l', position: 1 }));
    await putRows(one, [createThing('2')]);
    await expect.poll(() => listTables(commits)).toContain('notes');
  },
);

test('a store reports missed commits once it can read the database again', async () => {
  const [one, two] = await openTwoStores({}, { listenUrl: 'postgres://nobody@127.0.0.1:1/none', pollMs: 20 });
  const commits = collectCommits(two);
  const query = vi.spyOn(two.database, 'query').mockRejectedValue(new StoreUnavailable('cut off'));
  await putRows(one, [createThing('1')]);
  const now = performance.now();
  await one.database.query(
    { name: 'age', text: `UPDATE stockroom.tenant_heads SET committed_at = now() - interval '1 hour'`, timeoutMs: 5_000 },
    [],
  );
  vi.spyOn(performance, 'now').mockReturnValue(now + 3_600_000);
  onTestFinished(() => void vi.restoreAllMocks());
  query.mockRestore();
  await vi.waitFor(() => expect(commits).toMatchObject([{ tenant: 'a', changes: [{ table: 'things', id: '1' }] }]));
});

test('commits of others between those of a store are reported', async () => {
  const [one, two] = await openTwoStores({ listenUrl: 'postgres://nobody@127.0.0.1:1/none', pollMs: 60_000 });
  const commits = collectCommits(one);
  await putRows(one, [createThing('1')]);
  await two.transact('a', (tx) => tx.marks.put({ id: 'm', text: 't', colour: null }));
  await putRows(one, [createThing('2')]);
  expect(commits.map(({ changes }) => changes.map(({ table, id }) => [table, id]))).toEqual([
    [['things', '1']],
    [['marks', undefined]],
    [['things', '2']],
  ]);
});

test('no store caches anything for tenants whose rows were removed, or that never had any', async () => {
  const [one, two] = await openTwoStores();
  const count = (store: typeof one, tenant: string) =>
    store.read(tenant, (tx) => tx.things.count({ where: [{ field: 'kind', equals: 'x' }] }));
  await putRows(one, [createThing('1')], 'kept');
  expect([await count(one, 'kept'), await count(two, 'kept')]).toEqual([0, 0]);
  const before = [one.cachedTenants, two.cachedTenants];
  for (let at = 0; at < 20; at += 1) {
    const tenant = `copy ${String(at)}`;
    await putRows(one, [createThing('1', { kind: 'x' })], tenant);
    expect([await count(one, tenant), await count(two, tenant)]).toEqual([1, 1]);
    await one.transact(tenant, (tx) => tx.things.remove('1'));
    expect([await count(one, tenant), await count(two, tenant)]).toEqual([0, 0]);
    await two.transact(tenant, async (tx) => void (await tx.things.get('1')));
  }
  expect([one.cachedTenants, two.cachedTenants]).toEqual(before);
});
