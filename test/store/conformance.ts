/** What every store must do. An adapter passes it or is none. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AfterQuery,
  type Commit,
  DuplicateKey,
  type PageQuery,
  type Store,
  StoreUnavailable,
  type View,
} from '../../src/domain/ports.ts';
import * as model from './model.ts';
import { aThing, anId, ID_FORMS, query, queryOf, type Thing, thing, type Things, tables } from './things.ts';

const SEED = 20_261_121;
const RUNS = 40;

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
    const put = (...rows: Thing[]): Promise<void> =>
      store.transact('a', async (tx) => {
        for (const row of rows) await tx.things.put(row);
      });
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

    describe('queries', () => {
      test.each(Object.entries(ID_FORMS))(
        'every kind of condition, order and search answers as a plain filter and sort would: ids are %s',
        async (_, form) => {
          let rows = new Map<string, Thing>();
          const property = fc.asyncProperty(
            fc.array(thing, { minLength: 1, maxLength: 20 }),
            fc.array(anId, { maxLength: 4 }),
            fc.array(fc.tuple(query, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 8 }), anId), {
              minLength: 12,
              maxLength: 12,
            }),
            async (puts, removes, queries) => {
              rows = await change(
                store,
                rows,
                puts.map((row) => ({ ...row, id: form(row.id) })),
                removes.map(form),
              );
              const all = [...rows.values()];
              await store.read('a', async (tx) => {
                for (const [drawn, number, size, cursor] of queries) {
                  const each = queryOf(drawn, form);
                  const paged: PageQuery = { ...each, page: { number, size } };
                  // The second answer may come from what the first remembered, the others from there too: the next page, and one far away.
                  for (const page of [paged.page, paged.page, { number: number + 1, size }, { number: 400, size }]) {
                    const asked = { ...paged, page };
                    expect(await tx.things.page(asked), JSON.stringify(asked)).toEqual(model.page(tables.things, all, asked));
                  }
                  expect(await tx.things.count(each)).toBe(all.filter((row) => model.matches(tables.things, row, each)).length);
                  const row = rows.get(form(cursor));
                  const fields = tables.things.orders[each.orderBy ?? 'name']!.map((step) => step.field);
                  const from: AfterQuery = {
                    ...each,
                    limit: size,
                    ...(row && {
                      after: {
                        id: row.id,
                        values: fields.map((field) => (row as unknown as Record<string, string | null>)[field] ?? null),
                      },
                    }),
                  };
                  const expected = model.after(tables.things, all, from);
                  expect(await tx.things.after(from), JSON.stringify(from)).toEqual(expected);
                  expect(await tx.things.idsAfter(from)).toEqual({ ids: expected.rows.map(({ id }) => id), more: expected.more });
                }
              });
            },
          );
          await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
        },
      );

      test('a value of the first field of an order and a range of the next find what a plain filter would', async () => {
        const names = ['Bolt', 'bolt', 'BOLT', 'Nut', 'nut', 'Zinc'];
        const rows = Array.from({ length: 120 }, (_, each) =>
          aThing(`t${String(each).padStart(3, '0')}`, {
            name: names[each % names.length]!,
            size: each % 5 === 0 ? null : each % 5,
            active: each % 2 === 0,
            at: each % 7 === 0 ? null : new Date(Date.UTC(2026, 0, (each % 11) + 1)).toISOString(),
          }),
        );
        await put(...rows);
        const [third, ninth] = ['2026-01-03T00:00:00.000Z', '2026-01-09T00:00:00.000Z'];
        const ranges = [
          [{ field: 'at', from: third, before: ninth }],
          [{ field: 'at', after: third, to: ninth }],
          [{ field: 'at', from: '2026-01-04' }],
          [{ field: 'at', equals: third }],
          [{ field: 'at', equals: null }],
          [{ field: 'name', from: 'BOLT', to: 'nut' }],
          [{ field: 'name', prefix: 'b' }],
          [],
        ];
        for (const first of [{ field: 'active', equals: true } as const, { field: 'size', equals: 3 }, { field: 'size', equals: null }]) {
          for (const range of ranges) {
            for (const orderBy of ['active', 'size', 'at']) {
              for (const descending of [false, true]) {
                const asked = { where: [first, ...range], orderBy, descending };
                const found = await store.read('a', (tx) => tx.things.after({ ...asked, limit: 200 }));
                expect(found, JSON.stringify(asked)).toEqual(model.after(tables.things, rows, { ...asked, limit: 200 }));
                const page = { ...asked, page: { number: 2, size: 5 } };
                expect(await store.read('a', (tx) => tx.things.page(page))).toEqual(model.page(tables.things, rows, page));
                expect(await store.read('a', (tx) => tx.things.count(asked))).toBe(found.rows.length);
              }
            }
          }
        }
      });

      test('walking the pages gives each row once, and the total is their number', async () => {
        await put(
          ...Array.from({ length: 45 }, (_, each) =>
            aThing(`t${each}`, { name: each % 3 === 0 ? 'same' : `n${each % 7}`, size: each % 5 === 0 ? null : each }),
          ),
        );
        for (const orderBy of Object.keys(tables.things.orders)) {
          for (const descending of [false, true]) {
            const seen: string[] = [];
            for (let number = 1; number <= 7; number++) {
              const { rows, total } = await store.read('a', (tx) => tx.things.page({ orderBy, descending, page: { number, size: 7 } }));
              expect(total).toBe(45);
              seen.push(...rows.map((row) => row.id));
            }
            expect(new Set(seen).size).toBe(45);
            expect(seen).toHaveLength(45);
          }
        }
      });

      test('walking behind the last row seen misses nothing that stays, while others come and go', async () => {
        const staying = Array.from({ length: 40 }, (_, each) => aThing(`s${each}`, { name: `n${String(each).padStart(2, '0')}` }));
        await put(...staying);
        const seen: string[] = [];
        let position: AfterQuery['after'];
        for (let round = 0, more = true; more; round++) {
          const found = await store.read('a', (tx) => tx.things.after({ limit: 6, ...(position && { after: position }) }));
          seen.push(...found.rows.map((row) => row.id));
          ({ more } = found);
          const last = found.rows.at(-1)!;
          position = { values: [last.name], id: last.id };
          await put(aThing(`new${round}`, { name: `n0${round}x` }));
          await store.transact('a', (tx) => tx.things.remove(`new${round - 1}`));
        }
        expect(seen.filter((each) => each.startsWith('s'))).toEqual(staying.map((row) => row.id));
      });

      test('many rows are searched as exactly as few', async () => {
        const rows = Array.from({ length: 700 }, (_, each) =>
          aThing(`t${each}`, {
            name: `Bolt M${each} ${each % 2 ? 'Zinc' : 'Ärmel 箱'}`,
            sku: `SKU-${each}`,
            kind: each % 10 === 0 ? 'x' : 'y',
          }),
        );
        await put(...rows);
        const look = async (): Promise<void> => {
          for (const text of ['sku-12', 'zinc', 'm1', '1', 'ärm', 'RMEL 箱', '箱', 'bolt m69', 'no such', 'k']) {
            for (const number of [1, 3]) {
              const paged: PageQuery = {
                search: { text, or: { field: 'id', in: ['t5', 't6'] } },
                orderBy: 'name',
                page: { number, size: 20 },
              };
              expect(await store.read('a', (tx) => tx.things.page(paged)), text).toEqual(model.page(tables.things, rows, paged));
            }
          }
        };
        await look();
        for (let each = 0; each < 300; each += 3) rows[each] = { ...rows[each]!, name: each % 2 ? 'Nothing' : `zinc bolt ${each}` };
        await put(...rows);
        await look();
      });

      test('what the table does not know is a mistake', async () => {
        await expect(
          store.read('a', (tx) => tx.things.page({ where: [{ field: 'colour', equals: 1 }], page: { number: 1, size: 1 } })),
        ).rejects.toThrow('colour');
        await expect(store.read('a', (tx) => tx.things.page({ orderBy: 'colour', page: { number: 1, size: 1 } }))).rejects.toThrow(
          'colour',
        );
        await expect(store.read('a', (tx) => tx.things.find('colour', 1))).rejects.toThrow('colour');
      });
    });

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

/** Puts and removes rows, in a store and in a map; what a unique key refuses is refused in both. */
export async function change(
  store: Store<Things>,
  rows: ReadonlyMap<string, Thing>,
  puts: readonly Thing[],
  removes: readonly string[],
): Promise<Map<string, Thing>> {
  const after = new Map(rows);
  await store.transact('a', async (tx) => {
    after.clear();
    for (const [key, row] of rows) after.set(key, row);
    for (const row of puts) {
      try {
        await tx.things.put(row);
        after.set(row.id, row);
      } catch (error) {
        expect(error).toBeInstanceOf(DuplicateKey);
      }
    }
    for (const each of removes) expect(await tx.things.remove(each)).toBe(after.delete(each));
  });
  return after;
}

/** All rows of all tables. */
export async function everything(store: Store<Things>): Promise<unknown> {
  return store.read('a', async (tx) => [await tx.things.after({ limit: 100_000 }), await tx.notes.after({ limit: 100_000 })]);
}
