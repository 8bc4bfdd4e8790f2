/** What every store must do. An adapter passes it or is none. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Commit, DuplicateKey, type Store, StoreUnavailable, type View } from '../../src/domain/ports.ts';
import { queryConformance } from './conformance-queries.ts';
import { everything, putAll } from './rows.ts';
import { compareText } from '../../src/store/file/index.ts';
import { aThing, type Mark, type Thing, type Things } from './things.ts';

/** Registers the suite. `open` makes an empty store; the suite closes it. */
export function storeConformance(name: string, open: () => Promise<Store<Things>>): void {
  // oxlint-disable-next-line vitest/valid-title -- the adapter's name
  describe(name, () => {
    let store: Store<Things>;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(async () => {
      await store.close();
    });
    const put = (...rows: Thing[]): Promise<void> => putAll(store, rows);
    const get = (each: string): Promise<Thing | undefined> => store.read('a', (tx) => tx.things.get(each));

    describe('rows', () => {
      test('a row that was put is read back, replaced and removed', async () => {
        await put(aThing('1', { tags: ['red'] }));
        expect(await get('1')).toEqual(aThing('1', { tags: ['red'] }));
        await put(aThing('1', { name: 'Other' }));
        expect((await get('1'))?.name).toBe('Other');
        expect(await store.transact('a', (tx) => tx.things.remove('1'))).toBe(true);
        expect(await get('1')).toBeUndefined();
        expect(await store.transact('a', (tx) => tx.things.remove('1'))).toBe(false);
      });

      test('many are fetched in the order asked for', async () => {
        await put(aThing('1'), aThing('2'));
        const rows = await store.read('a', (tx) => tx.things.getMany(['2', 'none', '1']));
        expect(rows.map((row) => row?.id)).toEqual(['2', undefined, '1']);
      });

      test('many that are put at once are as if each had been put, whatever their letters and lengths', async () => {
        const text = fc.oneof(
          fc.string({ unit: 'grapheme', maxLength: 20 }),
          fc.nat(20_000).map((length) => 'x'.repeat(length)),
        );
        const mark = fc.record({ id: fc.nat(30).map(String), text, colour: fc.constantFrom('red', 'blue', null) });
        const step = fc.record({ marks: fc.array(mark, { maxLength: 15 }), fails: fc.boolean() });
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
            await store.transact('a', async (tx) => {
              const { ids } = await tx.marks.idsAfter({ limit: 100 });
              for (const each of ids) await tx.marks.remove(each);
            });
            const expected = new Map<string, Mark>();
            for (const { marks, fails } of steps) {
              const done = store.transact('a', async (tx) => {
                await tx.marks.putMany(marks);
                if (fails) throw new Error('taken back');
              });
              if (fails) await expect(done).rejects.toThrow('taken back');
              else {
                await done;
                for (const each of marks) expected.set(each.id, each);
              }
            }
            const where = [{ field: 'colour', equals: 'red' }];
            const found = await store.read('a', async (tx) => ({
              all: (await tx.marks.after({ orderBy: 'text', limit: 100 })).rows,
              red: await tx.marks.count({ where }),
            }));
            const sorted = [...expected.values()].toSorted((a, b) => compareText(a.text, b.text) || compareText(a.id, b.id));
            expect(found).toEqual({ all: sorted, red: sorted.filter(({ colour }) => colour === 'red').length });
          }),
          { numRuns: 30 },
        );
      });

      test('of many that are put at once those before one that is refused stay, and the transaction can go on', async () => {
        await store.transact('a', async (tx) => {
          const many = [aThing('1', { sku: 'A' }), aThing('2', { sku: 'a' }), aThing('3', { sku: 'C' })];
          await expect(tx.things.putMany(many)).rejects.toThrow(DuplicateKey);
          await tx.things.put(aThing('4', { sku: 'D' }));
        });
        expect((await store.read('a', (tx) => tx.things.after({ limit: 10 }))).rows.map((row) => row.id)).toEqual(['1', '4']);
      });

      test('records are frozen, inside as well, and apart from what was put', async () => {
        const tags = ['red'];
        await put(aThing('1', { tags }));
        tags.push('blue');
        const row = (await get('1'))!;
        expect(row.tags).toEqual(['red']);
        expect(() => Object.assign(row, { name: 'x' })).toThrow(TypeError);
        expect(() => (row.tags as string[]).push('x')).toThrow(TypeError);
        expect(await store.read('a', (tx) => tx.things.count({ where: [{ field: 'tags', equals: 'blue' }] }))).toBe(0);
      });

      test('a tenant sees its own rows; service tables are shared', async () => {
        await put(aThing('1', { sku: 'X' }));
        await store.transact('b', async (tx) => {
          expect(await tx.things.get('1')).toBeUndefined();
          expect(await tx.things.find('sku', 'X')).toBeUndefined();
          expect((await tx.things.page({ page: { number: 1, size: 10 } })).total).toBe(0);
          await tx.things.put(aThing('1', { sku: 'X', name: 'of b' }));
          await tx.notes.put({ id: 'n', text: 'shared', list: 'l', position: 1 });
        });
        expect((await get('1'))?.name).toBe('Thing 1');
        expect((await store.read('a', (tx) => tx.notes.get('n')))?.text).toBe('shared');
      });
    });

    describe('transactions', () => {
      test('a transaction sees its own writes', async () => {
        await store.transact('a', async (tx) => {
          await tx.things.put(aThing('1', { name: 'first', sku: 'S' }));
          expect((await tx.things.find('sku', 's'))?.name).toBe('first');
          await tx.things.put(aThing('1', { name: 'second', sku: 'S' }));
          expect((await tx.things.page({ search: { text: 'second' }, page: { number: 1, size: 5 } })).total).toBe(1);
          expect(await tx.things.count({ search: { text: 'first' } })).toBe(0);
        });
      });

      test('nothing remains of one that throws', async () => {
        await put(aThing('1', { sku: 'A', tags: ['red'], at: '2026-01-05T00:00:00.000Z' }), aThing('2', { sku: 'B' }));
        await store.transact('a', async (tx) => {
          await tx.notes.put({ id: 'kept', text: 'kept', list: 'l', position: 8 });
          await tx.notes.put({ id: 'gone', text: 'as it is', list: 'l', position: 9 });
        });
        const before = await everything(store);
        await expect(
          store.transact('a', async (tx) => {
            await tx.notes.put({ id: 'kept', text: 'changed', list: 'm', position: 7 });
            await tx.notes.remove('gone');
            await tx.things.remove('1');
            await tx.things.put(aThing('2', { sku: 'A', name: 'changed' }));
            await tx.things.put(aThing('3', { sku: 'B' }));
            await tx.things.put(aThing('3', { sku: 'C' }));
            await tx.notes.put({ id: 'n', text: 't', list: 'l', position: 1 });
            throw new Error('no');
          }),
        ).rejects.toThrow('no');
        expect(await everything(store)).toEqual(before);
        expect((await store.read('a', (tx) => tx.things.find('sku', 'a')))?.id).toBe('1');
        expect(await store.read('a', (tx) => tx.things.find('sku', 'c'))).toBeUndefined();
        await put(aThing('4', { sku: 'C' }));
        await store.read('a', async (tx) => {
          expect((await tx.notes.find('place', 'l', 8))?.text).toBe('kept');
          expect((await tx.notes.find('place', 'l', 9))?.text).toBe('as it is');
          expect(await tx.notes.find('place', 'm', 7)).toBeUndefined();
          expect((await tx.things.after({ orderBy: 'at', limit: 1 })).rows[0]?.id).toBe('1');
          expect(await tx.things.count({ where: [{ field: 'tags', equals: 'red' }] })).toBe(1);
        });
      });

      test('a named query is answered anew when its table has changed, and after a change that was taken back', async () => {
        const reds = { name: 'red things', where: [{ field: 'tags', equals: 'red' }], limit: 10 };
        const found = () => store.read('a', async (tx) => (await tx.things.after(reds)).rows.map(({ id }) => id));
        await put(aThing('1', { tags: ['red'] }));
        expect([await found(), await found()]).toEqual([['1'], ['1']]);
        const refused = store.transact('a', async (tx) => {
          await tx.things.put(aThing('2', { tags: ['red'] }));
          expect((await tx.things.after(reds)).rows).toHaveLength(2);
          throw new Error('no');
        });
        await expect(refused).rejects.toThrow('no');
        expect(await found()).toEqual(['1']);
        await put(aThing('1'), aThing('3', { tags: ['red'] }));
        expect(await found()).toEqual(['3']);
        expect(await store.read('b', async (tx) => (await tx.things.after(reds)).rows)).toEqual([]);
      });

      test('concurrent transactions leave what one after the other would', async () => {
        await put(aThing('counter', { size: 0 }), aThing('stock', { size: 5 }));
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

      test('closing waits for what has been begun and refuses what comes later', async () => {
        const begun = Array.from({ length: 10 }, (_, each) => put(aThing(`t${each}`)));
        const seen = store.read('a', (tx) => tx.things.count());
        await store.close();
        await Promise.all(begun);
        expect(await seen).toBeLessThanOrEqual(10);
        await expect(put(aThing('late'))).rejects.toBeInstanceOf(StoreUnavailable);
      });

      test('a glance sees what has been changed, and only that', async () => {
        await put(aThing('1', { size: 1 }));
        const begun = put(aThing('1', { size: 2 }));
        const tried = Promise.withResolvers<void>();
        const refused = store.transact('a', async (tx) => {
          await tx.things.put(aThing('1', { size: 3 }));
          tried.resolve();
          throw new Error('refused');
        });
        const refusal = refused.catch((error: unknown) => error);
        await tried.promise;
        expect((await store.glance('a', (tx) => tx.things.get('1')))?.size).toBe(2);
        await begun;
        expect(await refusal).toMatchObject({ message: 'refused' });
      });

      test('a transaction that has begun to wait is performed before the store closes, however many wait', async () => {
        const added = Array.from({ length: 300 }, (_, each) => store.transact('a', (tx) => tx.things.put(aThing(`t${each}`))));
        const closed = store.close();
        expect((await Promise.allSettled(added)).filter(({ status }) => status === 'rejected')).toEqual([]);
        await closed;
      });

      test('a read sees one state from start to end', async () => {
        await put(aThing('1', { size: 0 }), aThing('2', { size: 0 }));
        const writes = Array.from({ length: 30 }, (_, size) =>
          store.transact('a', async (tx) => {
            await tx.things.put(aThing('1', { size }));
            await tx.things.put(aThing('2', { size: size + 100 }));
          }),
        );
        const reads = Array.from({ length: 30 }, () =>
          store.read('a', async (tx) => [(await tx.things.get('1'))!.size!, (await tx.things.get('2'))!.size!]),
        );
        await Promise.all(writes);
        const differences = (await Promise.all(reads)).map(([one, two]) => two! - one!);
        expect(differences.filter((difference) => difference !== 0 && difference !== 100)).toEqual([]);
      });
    });

    describe('unique keys', () => {
      test('a second row with the same value is refused, whatever its case and blanks', async () => {
        await put(aThing('1', { sku: 'Ab-1' }));
        await expect(put(aThing('2', { sku: ' aB-1 ' }))).rejects.toMatchObject({
          name: 'DuplicateKey',
          table: 'things',
          key: 'sku',
          existingId: '1',
        });
        await expect(put(aThing('2', { sku: 'AB-1' }))).rejects.toBeInstanceOf(DuplicateKey);
        await put(aThing('1', { sku: 'AB-1' }));
        expect((await store.read('a', (tx) => tx.things.find('sku', ' ab-1')))?.sku).toBe('AB-1');
      });

      test('null and blank values are not compared', async () => {
        await put(aThing('1', { sku: null }), aThing('2', { sku: null }), aThing('3', { sku: '  ' }), aThing('4', { sku: '' }));
        expect(await store.read('a', (tx) => tx.things.find('sku', ' '))).toBeUndefined();
      });

      test('a value is free again after its row has changed or gone', async () => {
        await put(aThing('1', { sku: 'A' }), aThing('2', { sku: 'B' }));
        await put(aThing('1', { sku: 'C' }), aThing('3', { sku: 'a' }));
        await store.transact('a', (tx) => tx.things.remove('2'));
        await put(aThing('4', { sku: 'b' }));
        expect((await store.read('a', (tx) => tx.things.find('sku', 'A')))?.id).toBe('3');
      });

      test('two rows swap values when one lets go first', async () => {
        await put(aThing('1', { sku: 'A' }), aThing('2', { sku: 'B' }));
        await store.transact('a', async (tx) => {
          await tx.things.remove('1');
          await tx.things.put(aThing('2', { sku: 'A' }));
          await tx.things.put(aThing('1', { sku: 'B' }));
        });
        expect((await get('1'))?.sku).toBe('B');
        expect((await store.read('a', (tx) => tx.things.find('sku', 'a')))?.id).toBe('2');
      });

      test('a key of two fields compares both, with their types', async () => {
        await put(
          aThing('1', { kind: 'x', size: 1 }),
          aThing('2', { kind: 'x', size: 2 }),
          aThing('3', { kind: 'x' }),
          aThing('4', { kind: 'x' }),
        );
        await expect(put(aThing('5', { kind: 'x', size: 1 }))).rejects.toMatchObject({ key: 'spot', existingId: '1' });
        expect((await store.read('a', (tx) => tx.things.find('spot', 'x', 2)))?.id).toBe('2');
        expect(await store.read('a', (tx) => tx.things.find('spot', 'x', '2'))).toBeUndefined();
      });
    });

    queryConformance(() => store);

    describe('views', () => {
      const label: View<Thing, string> = { name: 'label', of: (row) => `<${row.name}>` };

      test('a view is what it makes of the record now', async () => {
        await put(aThing('1', { name: 'a' }), aThing('2', { name: 'b' }));
        const look = (): Promise<unknown> =>
          store.read('a', async (tx) => [
            await tx.things.getView(label, '1'),
            (await tx.things.pageView(label, { page: { number: 1, size: 5 } })).rows,
          ]);
        expect(await look()).toEqual(['<a>', ['<a>', '<b>']]);
        await put(aThing('1', { name: 'c' }));
        expect(await look()).toEqual(['<c>', ['<b>', '<c>']]);
        await store.transact('a', (tx) => tx.things.remove('1'));
        expect(await look()).toEqual([undefined, ['<b>']]);
        await put(aThing('3', { name: 'd' }));
        expect(await look()).toEqual([undefined, ['<b>', '<d>']]);
      });

      test('a view taken inside a transaction that fails is forgotten', async () => {
        await put(aThing('1', { name: 'a' }));
        await store
          .transact('a', async (tx) => {
            await tx.things.put(aThing('1', { name: 'b' }));
            expect(await tx.things.getView(label, '1')).toBe('<b>');
            throw new Error('no');
          })
          .catch(() => {});
        expect(await store.read('a', (tx) => tx.things.getView(label, '1'))).toBe('<a>');
      });
    });

    describe('revisions', () => {
      const revision = (tenant = 'a') => store.read(tenant, (tx) => tx.things.revision());
      /** Whether what was derived before `work` may still be used after it: no adapter has to say so, but none may say it wrongly. */
      const isSameAfter = async (work: () => Promise<unknown>) => {
        const before = await revision();
        await work();
        return Object.is(await revision(), before);
      };

      test.each<[string, () => Promise<unknown>]>([
        ['an insert', () => put(aThing('2'))],
        ['a change', () => put(aThing('1', { name: 'other' }))],
        ['a removal', () => store.transact('a', (tx) => tx.things.remove('1'))],
      ])('%s changes the revision', async (_, work) => {
        await put(aThing('1'));
        expect(await isSameAfter(work)).toBe(false);
      });

      test('what a transaction sees of its own has a revision that nobody sees after it has failed', async () => {
        await put(aThing('1'));
        let inside: unknown;
        await store
          .transact('a', async (tx) => {
            await tx.things.put(aThing('1', { name: 'other' }));
            inside = await tx.things.revision();
            throw new Error('no');
          })
          .catch(() => {});
        expect(Object.is(await revision(), inside)).toBe(false);
        expect(await revision('b')).not.toBe(inside);
      });
    });

    describe('commits', () => {
      test('listeners hear of each commit once, in order, with what changed', async () => {
        const heard: Commit[] = [];
        const end = store.onCommit((commit) => heard.push(commit));
        await put(aThing('1'));
        await store.read('a', (tx) => tx.things.get('1'));
        await store.transact('a', async (tx) => tx.things.get('1'));
        await put(aThing('1', { sku: 'A' }));
        await expect(put(aThing('2', { sku: 'A' }))).rejects.toThrow('is taken');
        await store.transact('b', async (tx) => {
          await tx.notes.put({ id: 'n', text: 't', list: 'l', position: 1 });
          await tx.notes.remove('n');
        });
        await Promise.all(Array.from({ length: 20 }, (_, each) => put(aThing(`t${each}`))));
        end();
        await put(aThing('late'));
        expect(heard.map((commit) => commit.sequence - heard[0]!.sequence)).toEqual(Array.from({ length: 23 }, (_, each) => each));
        expect(heard[0]).toMatchObject({ tenant: 'a', changes: [{ table: 'things', id: '1', added: true, removed: false }] });
        expect(heard[1]).toMatchObject({ tenant: 'a', changes: [{ table: 'things', id: '1', added: false, removed: false }] });
        expect(heard[2]).toMatchObject({
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
