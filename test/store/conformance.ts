/** The conformance suite of the Store port: every adapter must pass it. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Commit,
  type CursorQuery,
  DuplicateKey,
  type ReadTables,
  type Store,
  StoreUnavailable,
} from '../../src/domain/kernel/ports.ts';
import { testQueryConformance } from './conformance-queries.ts';
import { testReadConformance } from './conformance-reads.ts';
import { testTimeConformance } from './conformance-time.ts';
import { readEverything, putRows } from './transactions.ts';
import { checkProperty, PROPERTY_TIMEOUT_MS } from '../support/property.ts';
import { compareText } from '../../src/store/file/index.ts';
import { createThing, type Mark, type Thing, type Things } from './fixtures.ts';

/**
 * Registers the suite, or only its reads, queries and views, whose results a cache may change. `openStore` opens an empty store, which the suite
 * closes.
 */
export function testStoreConformance(
  name: string,
  openStore: () => Promise<Store<Things>>,
  { onlyReads = false }: { readonly onlyReads?: boolean } = {},
): void {
  // oxlint-disable-next-line vitest/valid-title -- the adapter's name
  describe(name, () => {
    let store: Store<Things>;
    beforeEach(async () => {
      store = await openStore();
    });
    afterEach(async () => {
      await store.close();
    });
    const put = (...rows: Thing[]): Promise<void> => putRows(store, rows);
    const get = (each: string): Promise<Thing | undefined> => store.read('a', (tx) => tx.things.get(each));

    testReadConformance(() => store);
    testQueryConformance(() => store);

    if (onlyReads) return;

    describe('rows', () => {
      test('a row can be put, read, replaced and removed', async () => {
        await put(createThing('1', { tags: ['red'] }));
        expect(await get('1')).toEqual(createThing('1', { tags: ['red'] }));
        await put(createThing('1', { name: 'Other' }));
        expect((await get('1'))?.name).toBe('Other');
        expect(await store.transact('a', (tx) => tx.things.remove('1'))).toBe(true);
        expect(await get('1')).toBeUndefined();
        expect(await store.transact('a', (tx) => tx.things.remove('1'))).toBe(false);
      });

      test('getMany returns rows in the order of the ids, undefined for missing ones', async () => {
        await put(createThing('1'), createThing('2'));
        const rows = await store.read('a', (tx) => tx.things.getMany(['2', 'none', '1']));
        expect(rows.map((row) => row?.id)).toEqual(['2', undefined, '1']);
      });

      test('putMany stores rows as repeated puts would, for any characters and lengths', { timeout: PROPERTY_TIMEOUT_MS }, async () => {
        const text = fc.oneof(
          fc.string({ unit: 'grapheme', maxLength: 20 }),
          fc.nat(20_000).map((length) => 'x'.repeat(length)),
        );
        const mark = fc.record({ id: fc.nat(30).map(String), text, colour: fc.constantFrom('red', 'blue', null) });
        const step = fc.record({ marks: fc.array(mark, { maxLength: 15 }), fails: fc.boolean() });
        await checkProperty(
          fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
            await store.transact('a', async (tx) => {
              const { ids } = await tx.marks.listIdsAfter({ limit: 100 });
              for (const each of ids) await tx.marks.remove(each);
            });
            const expected = new Map<string, Mark>();
            for (const { marks, fails } of steps) {
              const done = store.transact('a', async (tx) => {
                await tx.marks.putMany(marks);
                if (fails) throw new Error('abort');
              });
              if (fails) await expect(done).rejects.toThrow('abort');
              else {
                await done;
                for (const each of marks) expected.set(each.id, each);
              }
            }
            const where = [{ field: 'colour', equals: 'red' }];
            const found = await store.read('a', async (tx) => ({
              all: (await tx.marks.listAfter({ orderBy: 'text', limit: 100 })).rows,
              red: await tx.marks.count({ where }),
            }));
            const sorted = [...expected.values()].toSorted((a, b) => compareText(a.text, b.text) || compareText(a.id, b.id));
            expect(found).toEqual({ all: sorted, red: sorted.filter(({ colour }) => colour === 'red').length });
          }),
        );
      });

      test('putMany keeps the rows before a duplicate key, and the transaction can continue', async () => {
        await store.transact('a', async (tx) => {
          const many = [createThing('1', { sku: 'A' }), createThing('2', { sku: 'a' }), createThing('3', { sku: 'C' })];
          await expect(tx.things.putMany(many)).rejects.toThrow(DuplicateKey);
          await tx.things.put(createThing('4', { sku: 'D' }));
        });
        expect((await store.read('a', (tx) => tx.things.listAfter({ limit: 10 }))).rows.map((row) => row.id)).toEqual(['1', '4']);
      });

      test('records are deeply frozen copies of the rows that were put', async () => {
        const tags = ['red'];
        await put(createThing('1', { tags }));
        tags.push('blue');
        const row = (await get('1'))!;
        expect(row.tags).toEqual(['red']);
        expect(() => Object.assign(row, { name: 'x' })).toThrow(TypeError);
        expect(() => (row.tags as string[]).push('x')).toThrow(TypeError);
        expect(await store.read('a', (tx) => tx.things.count({ where: [{ field: 'tags', equals: 'blue' }] }))).toBe(0);
      });

      test('a tenant sees only its own rows, and service tables are shared', async () => {
        await put(createThing('1', { sku: 'X' }));
        await store.transact('b', async (tx) => {
          expect(await tx.things.get('1')).toBeUndefined();
          expect(await tx.things.findUnique('sku', 'X')).toBeUndefined();
          expect((await tx.things.listPage({ page: { number: 1, size: 10 } })).total).toBe(0);
          await tx.things.put(createThing('1', { sku: 'X', name: 'of b' }));
          await tx.notes.put({ id: 'n', text: 'shared', list: 'l', position: 1 });
        });
        expect((await get('1'))?.name).toBe('Thing 1');
        expect((await store.read('a', (tx) => tx.notes.get('n')))?.text).toBe('shared');
      });
    });

    describe('rows across tenants', () => {
      const sizes = async (...query: Parameters<typeof store.readFirstRows<'things'>>) =>
        new Map((await store.readFirstRows(...query)).map(({ tenant, row }) => [tenant, row.size]));

      test('readFirstRows returns the first matching row of each tenant in the order of the query', async () => {
        for (const [tenant, ...all] of [
          ['a', 1, 2, 3],
          ['b', 4],
          ['c', 5, 2],
        ] as const)
          await putRows(
            store,
            all.map((size) => createThing(`${tenant}${String(size)}`, { size, at: `2026-01-0${String(size)}T00:00:00.000Z` })),
            tenant,
          );
        expect(await sizes('things', { orderBy: 'at' })).toEqual(
          new Map([
            ['a', 1],
            ['b', 4],
            ['c', 2],
          ]),
        );
        expect(await sizes('things', { orderBy: 'at', descending: true })).toEqual(
          new Map([
            ['a', 3],
            ['b', 4],
            ['c', 5],
          ]),
        );
        const late = { where: [{ field: 'at', after: '2026-01-02T00:00:00.000Z' }] };
        expect(await sizes('things', { ...late, orderBy: 'at' })).toEqual(
          new Map([
            ['a', 3],
            ['b', 4],
            ['c', 5],
          ]),
        );
        expect(await sizes('things', { where: [{ field: 'name', equals: 'Thing b4' }] })).toEqual(new Map([['b', 4]]));
      });

      test('readFirstRows returns all of many tenants, and none without matching rows', async () => {
        const tenants = Array.from({ length: 600 }, (_, at) => `tenant-${String(at)}`);
        await Promise.all(tenants.map((tenant, at) => putRows(store, [createThing('1', { size: at % 2 })], tenant)));
        await store.transact('tenant-0', (tx) => tx.things.remove('1'));
        const odd = await store.readFirstRows('things', { where: [{ field: 'size', from: 1 }] });
        expect(odd.map(({ tenant }) => tenant).toSorted()).toEqual(tenants.filter((_, at) => at % 2 === 1).toSorted());
        expect(await store.readFirstRows('things')).toHaveLength(599);
      });

      test('readFirstRows returns committed rows only', async () => {
        await put(createThing('1', { size: 1 }));
        const refused = store.transact('a', async (tx) => {
          await tx.things.put(createThing('1', { size: 2 }));
          throw new Error('refused');
        });
        const found = sizes('things');
        await expect(refused).rejects.toThrow('refused');
        expect(await found).toEqual(new Map([['a', 1]]));
      });

      test('readFirstRows rejects tables that belong to no tenant', async () => {
        await expect(store.readFirstRows('notes')).rejects.toThrow('notes');
      });
    });

    describe('transactions', () => {
      test('a transaction sees its own writes', async () => {
        await store.transact('a', async (tx) => {
          await tx.things.put(createThing('1', { name: 'first', sku: 'S' }));
          expect((await tx.things.findUnique('sku', 's'))?.name).toBe('first');
          await tx.things.put(createThing('1', { name: 'second', sku: 'S' }));
          expect((await tx.things.listPage({ search: { text: 'second' }, page: { number: 1, size: 5 } })).total).toBe(1);
          expect(await tx.things.count({ search: { text: 'first' } })).toBe(0);
        });
      });

      test('look-ups of many ids and unique values find what those of one do, also in a transaction', async () => {
        await put(createThing('1', { sku: 'A' }), createThing('2', { sku: 'b' }), createThing('\u{10ffff}', { sku: 'C' }));
        const values = [['a'], ['gone'], [' B '], [''], ['c'], ['new'], ['A']];
        const find = (tx: Pick<ReadTables<Things>, 'things'>) => tx.things.findUniqueIds('sku', values);
        expect(await store.read('a', find)).toEqual(['1', undefined, '2', undefined, '\u{10ffff}', undefined, '1']);
        expect(await store.read('a', (tx) => tx.things.countEach('name', ['Thing 2', 'thing 2', 'none', 'Thing 1']))).toEqual([1, 0, 0, 1]);
        expect(await store.read('a', (tx) => tx.things.countEach('kind', [null, '\u{10ffff}']))).toEqual([3, 0]);
        const wanted = ['none', '1', 'new', '2', '\u{10ffff}', 'none'];
        expect(await store.read('a', (tx) => tx.things.listMissing(wanted))).toEqual(['none', 'new', 'none']);
        await store.transact('a', async (tx) => {
          await tx.things.remove('1');
          await tx.things.put(createThing('2', { sku: 'gone' }));
          await tx.things.put(createThing('new', { sku: 'NEW' }));
          expect(await find(tx)).toEqual([undefined, '2', undefined, undefined, '\u{10ffff}', 'new', undefined]);
          expect(await tx.things.listMissing(wanted)).toEqual(['none', '1', 'none']);
          expect(await tx.things.countEach('active', [true, false])).toEqual([3, 0]);
        });
      });

      test('a query for an id that the transaction has made finds its rows in every order', async () => {
        await put(createThing('1', { tags: ['x'], at: '2026-01-01T00:00:00.000Z' }));
        await store.transact('a', async (tx) => {
          const made = tx.newId();
          const where = [{ field: 'tags', equals: made }];
          expect(await tx.things.count({ where })).toBe(0);
          const names = ['b', 'C', 'a', 'd'];
          for (const [at, each] of names.entries())
            await tx.things.put(
              createThing(`${made} ${each}`, { name: each, tags: [made], at: `2026-01-0${String(9 - at)}T00:00:00.000Z` }),
            );
          await tx.things.put(createThing(`${made} d`, { name: 'd' }));
          await tx.things.put(createThing('1', { name: 'e', tags: [made] }));
          const list = async (query: Partial<CursorQuery>) =>
            (await tx.things.listAfter({ where, limit: 9, ...query })).rows.map((row) => row.name);
          expect(await list({ orderBy: 'name' })).toEqual(['a', 'b', 'C', 'e']);
          expect(await list({ orderBy: 'name', descending: true, limit: 2 })).toEqual(['e', 'C']);
          expect(await list({ orderBy: 'name', after: { values: ['b'], id: `${made} b` } })).toEqual(['C', 'e']);
          expect(await list({ where: [...where, { field: 'name', from: 'B' }], orderBy: 'name' })).toEqual(['b', 'C', 'e']);
          const { rows, total } = await tx.things.listPage({ where, orderBy: 'name', page: { number: 2, size: 3 } });
          expect([rows.map((row) => row.name), total]).toEqual([['e'], 4]);
          expect((await tx.things.listAfter({ where, limit: 3 })).more).toBe(true);
          expect(await tx.things.count({ where })).toBe(4);
          const ofKind = { where: [{ field: 'kind', equals: made }] };
          await tx.things.put(createThing('1', { kind: made }));
          await tx.things.put(createThing('2', { kind: made }));
          expect(await tx.things.count(ofKind)).toBe(2);
          await tx.things.put(createThing('1', { kind: 'other' }));
          await tx.things.put(createThing('3', { kind: made }));
          expect((await tx.things.listIdsAfter({ ...ofKind, limit: 9 })).ids).toEqual(['2', '3']);
        });
      });

      test('a transaction that throws leaves no changes', async () => {
        await put(createThing('1', { sku: 'A', tags: ['red'], at: '2026-01-05T00:00:00.000Z' }), createThing('2', { sku: 'B' }));
        await store.transact('a', async (tx) => {
          await tx.notes.put({ id: 'kept', text: 'kept', list: 'l', position: 8 });
          await tx.notes.put({ id: 'gone', text: 'as it is', list: 'l', position: 9 });
        });
        const before = await readEverything(store);
        await expect(
          store.transact('a', async (tx) => {
            await tx.notes.put({ id: 'kept', text: 'changed', list: 'm', position: 7 });
            await tx.notes.remove('gone');
            await tx.things.remove('1');
            await tx.things.put(createThing('2', { sku: 'A', name: 'changed' }));
            await tx.things.put(createThing('3', { sku: 'B' }));
            await tx.things.put(createThing('3', { sku: 'C' }));
            await tx.notes.put({ id: 'n', text: 't', list: 'l', position: 1 });
            throw new Error('no');
          }),
        ).rejects.toThrow('no');
        expect(await readEverything(store)).toEqual(before);
        expect((await store.read('a', (tx) => tx.things.findUnique('sku', 'a')))?.id).toBe('1');
        expect(await store.read('a', (tx) => tx.things.findUnique('sku', 'c'))).toBeUndefined();
        await put(createThing('4', { sku: 'C' }));
        await store.read('a', async (tx) => {
          expect((await tx.notes.findUnique('place', 'l', 8))?.text).toBe('kept');
          expect((await tx.notes.findUnique('place', 'l', 9))?.text).toBe('as it is');
          expect(await tx.notes.findUnique('place', 'm', 7)).toBeUndefined();
          expect((await tx.things.listAfter({ orderBy: 'at', limit: 1 })).rows[0]?.id).toBe('1');
          expect(await tx.things.count({ where: [{ field: 'tags', equals: 'red' }] })).toBe(1);
        });
      });

      test('a query returns current rows after a change and after an aborted transaction', async () => {
        const reds = { where: [{ field: 'tags', equals: 'red' }], limit: 10 };
        const found = () => store.read('a', async (tx) => (await tx.things.listAfter(reds)).rows.map(({ id }) => id));
        await put(createThing('1', { tags: ['red'] }));
        expect([await found(), await found()]).toEqual([['1'], ['1']]);
        const refused = store.transact('a', async (tx) => {
          await tx.things.put(createThing('2', { tags: ['red'] }));
          expect((await tx.things.listAfter(reds)).rows).toHaveLength(2);
          throw new Error('no');
        });
        await expect(refused).rejects.toThrow('no');
        expect(await found()).toEqual(['1']);
        await put(createThing('1'), createThing('3', { tags: ['red'] }));
        expect(await found()).toEqual(['3']);
        expect(await store.read('b', async (tx) => (await tx.things.listAfter(reds)).rows)).toEqual([]);
      });

      test('concurrent transactions have the same result as serial ones', async () => {
        await put(createThing('counter', { size: 0 }), createThing('stock', { size: 5 }));
        const increment = (): Promise<number> =>
          store.transact('a', async (tx) => {
            const row = (await tx.things.get('counter'))!;
            await tx.things.put({ ...row, size: row.size! + 1 });
            return row.size!;
          });
        const take = (): Promise<boolean> =>
          store.transact('a', async (tx) => {
            const row = (await tx.things.get('stock'))!;
            if (row.size === 0) return false;
            await tx.things.put({ ...row, size: row.size! - 1 });
            return true;
          });
        const [seen, taken] = await Promise.all([
          Promise.all(Array.from({ length: 100 }, increment)),
          Promise.all(Array.from({ length: 20 }, take)),
        ]);
        expect(new Set(seen).size).toBe(100);
        expect((await get('counter'))?.size).toBe(100);
        expect(taken.filter(Boolean)).toHaveLength(5);
        expect((await get('stock'))?.size).toBe(0);
      });

      test('close waits for started transactions and refuses later ones', async () => {
        const begun = Array.from({ length: 10 }, (_, each) => put(createThing(`t${each}`)));
        const seen = store.read('a', (tx) => tx.things.count());
        await store.close();
        await Promise.all(begun);
        expect(await seen).toBeLessThanOrEqual(10);
        await expect(put(createThing('late'))).rejects.toBeInstanceOf(StoreUnavailable);
      });

      test('close first runs all waiting transactions, however many there are', async () => {
        const added = Array.from({ length: 300 }, (_, each) => store.transact('a', (tx) => tx.things.put(createThing(`t${each}`))));
        const closed = store.close();
        expect((await Promise.allSettled(added)).filter(({ status }) => status === 'rejected')).toEqual([]);
        await closed;
      });
    });

    describe('unique keys', () => {
      test('put refuses a second row with the same unique value, ignoring case and surrounding blanks', async () => {
        await put(createThing('1', { sku: 'Ab-1' }));
        await expect(put(createThing('2', { sku: ' aB-1 ' }))).rejects.toMatchObject({
          name: 'DuplicateKey',
          table: 'things',
          key: 'sku',
          existingId: '1',
        });
        await expect(put(createThing('2', { sku: 'AB-1' }))).rejects.toBeInstanceOf(DuplicateKey);
        await put(createThing('1', { sku: 'AB-1' }));
        expect((await store.read('a', (tx) => tx.things.findUnique('sku', ' ab-1')))?.sku).toBe('AB-1');
      });

      test('null and blank unique values are not compared', async () => {
        await put(
          createThing('1', { sku: null }),
          createThing('2', { sku: null }),
          createThing('3', { sku: '  ' }),
          createThing('4', { sku: '' }),
        );
        expect(await store.read('a', (tx) => tx.things.findUnique('sku', ' '))).toBeUndefined();
      });

      test('a unique value can be used again after its row was changed or removed', async () => {
        await put(createThing('1', { sku: 'A' }), createThing('2', { sku: 'B' }));
        await put(createThing('1', { sku: 'C' }), createThing('3', { sku: 'a' }));
        await store.transact('a', (tx) => tx.things.remove('2'));
        await put(createThing('4', { sku: 'b' }));
        expect((await store.read('a', (tx) => tx.things.findUnique('sku', 'A')))?.id).toBe('3');
      });

      test('two rows can swap unique values in a transaction that removes one first', async () => {
        await put(createThing('1', { sku: 'A' }), createThing('2', { sku: 'B' }));
        await store.transact('a', async (tx) => {
          await tx.things.remove('1');
          await tx.things.put(createThing('2', { sku: 'A' }));
          await tx.things.put(createThing('1', { sku: 'B' }));
        });
        expect((await get('1'))?.sku).toBe('B');
        expect((await store.read('a', (tx) => tx.things.findUnique('sku', 'a')))?.id).toBe('2');
      });

      test('a unique key of two fields compares both values with their types', async () => {
        await put(
          createThing('1', { kind: 'x', size: 1 }),
          createThing('2', { kind: 'x', size: 2 }),
          createThing('3', { kind: 'x' }),
          createThing('4', { kind: 'x' }),
        );
        await expect(put(createThing('5', { kind: 'x', size: 1 }))).rejects.toMatchObject({ key: 'spot', existingId: '1' });
        expect((await store.read('a', (tx) => tx.things.findUnique('spot', 'x', 2)))?.id).toBe('2');
        expect(await store.read('a', (tx) => tx.things.findUnique('spot', 'x', '2'))).toBeUndefined();
      });
    });

    testTimeConformance(() => store);

    describe('revisions', () => {
      const revision = (tenant = 'a') => store.read(tenant, (tx) => tx.things.getRevision());
      /** Whether the revision is the same after `work`. An adapter may always return a new one, but must not return an old one wrongly. */
      const isSameAfter = async (work: () => Promise<unknown>) => {
        const before = await revision();
        await work();
        return Object.is(await revision(), before);
      };

      test.each<[string, () => Promise<unknown>]>([
        ['an insert', () => put(createThing('2'))],
        ['a change', () => put(createThing('1', { name: 'other' }))],
        ['a removal', () => store.transact('a', (tx) => tx.things.remove('1'))],
      ])('%s changes the revision', async (_, work) => {
        await put(createThing('1'));
        expect(await isSameAfter(work)).toBe(false);
      });

      test('the revision inside an aborted transaction is never returned again', async () => {
        await put(createThing('1'));
        let inside: unknown;
        await store
          .transact('a', async (tx) => {
            await tx.things.put(createThing('1', { name: 'other' }));
            inside = await tx.things.getRevision();
            throw new Error('no');
          })
          .catch(() => {});
        expect(Object.is(await revision(), inside)).toBe(false);
        expect(await revision('b')).not.toBe(inside);
      });
    });

    describe('commits', () => {
      test('listeners are called once per commit, in order, with its changes and an increasing sequence', async () => {
        const commits: Commit[] = [];
        const unsubscribe = store.onCommit((commit) => commits.push(commit));
        await put(createThing('1'));
        await store.read('a', (tx) => tx.things.get('1'));
        await store.transact('a', async (tx) => tx.things.get('1'));
        await put(createThing('1', { sku: 'A' }));
        await expect(put(createThing('2', { sku: 'A' }))).rejects.toThrow('is taken');
        await store.transact('b', async (tx) => {
          await tx.notes.put({ id: 'n', text: 't', list: 'l', position: 1 });
          await tx.notes.remove('n');
        });
        await Promise.all(Array.from({ length: 20 }, (_, each) => put(createThing(`t${each}`))));
        unsubscribe();
        await put(createThing('late'));
        const sequences = commits.filter(({ tenant }) => tenant === 'a').map(({ sequence }) => sequence);
        expect(sequences).toHaveLength(22);
        expect(sequences).toEqual([...new Set(sequences)].toSorted((one, two) => one - two));
        expect(commits[0]).toMatchObject({ tenant: 'a', changes: [{ table: 'things', id: '1', added: true, removed: false }] });
        expect(commits[1]).toMatchObject({ tenant: 'a', changes: [{ table: 'things', id: '1', added: false, removed: false }] });
        expect(commits[2]).toMatchObject({
          tenant: 'b',
          changes: [
            { table: 'notes', id: 'n', added: true, removed: false },
            { table: 'notes', id: 'n', added: false, removed: true },
          ],
        });
      });
    });
  });
}
