/** The part of the conformance suite about queries: every store must return what filtering and sorting all rows would. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CursorQuery, PageQuery, Query, Store } from '../../src/domain/kernel/ports.ts';
import { checkProperty, PROPERTY_TIMEOUT_MS } from '../support/property.ts';
import * as model from './query-model.ts';
import { applyChanges, putRows } from './transactions.ts';
import {
  createThing,
  thingIds,
  ID_FORMATS,
  type Mark,
  markArbitrary,
  queryArbitrary,
  withIdFormat,
  type Thing,
  thingArbitrary,
  type Things,
  tables,
} from './fixtures.ts';

/** Replaces all marks with these; of two with the same id, the later one stays. */
async function replaceMarks(store: Store<Things>, marks: readonly Mark[]): Promise<Mark[]> {
  await store.transact('a', async (tx) => {
    const { ids } = await tx.marks.listIdsAfter({ limit: 1_000 });
    for (const id of ids) await tx.marks.remove(id);
    await tx.marks.putMany(marks);
  });
  return [...new Map(marks.map((mark) => [mark.id, mark])).values()];
}

/** Registers this part of the suite. `getStore` returns the store of the running test, which is empty at its start. */
export function testQueryConformance(getStore: () => Store<Things>): void {
  describe('queries', () => {
    let store: Store<Things>;
    beforeEach(() => {
      store = getStore();
    });
    const put = (...rows: Thing[]): Promise<void> => putRows(store, rows);

    test.each(Object.entries(ID_FORMATS))(
      'queries with any conditions, order and search match the query model: ids are %s',
      async (_, form) => {
        let rows = new Map<string, Thing>();
        const property = fc.asyncProperty(
          fc.array(thingArbitrary, { minLength: 1, maxLength: 20 }),
          fc.array(thingIds, { maxLength: 4 }),
          fc.array(markArbitrary, { maxLength: 3 }),
          fc.array(fc.tuple(queryArbitrary, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 8 }), thingIds), {
            minLength: 12,
            maxLength: 12,
          }),
          async (puts, removes, marks, queries) => {
            rows = await applyChanges(
              store,
              rows,
              puts.map((row) => ({ ...row, id: form(row.id) })),
              removes.map(form),
            );
            const all = [...rows.values()];
            const others = { marks: await replaceMarks(store, marks) };
            await store.read('a', async (tx) => {
              for (const [drawn, number, size, cursor] of queries) {
                const each = withIdFormat(drawn, form);
                const paged: PageQuery = { ...each, page: { number, size } };
                // The second result may come from the cache, as may the next page and one far away.
                for (const page of [paged.page, paged.page, { number: number + 1, size }, { number: 400, size }]) {
                  const request = { ...paged, page };
                  expect(await tx.things.listPage(request), JSON.stringify(request)).toEqual(
                    model.listPage(tables.things, all, request, others),
                  );
                }
                expect(await tx.things.count(each)).toBe(all.filter(model.createMatcher(tables.things, each, others)).length);
                const row = rows.get(form(cursor));
                const fields = tables.things.orders[each.orderBy ?? 'name']!.map((step) => step.field);
                const from: CursorQuery = {
                  ...each,
                  limit: size,
                  ...(row && {
                    after: {
                      id: row.id,
                      values: fields.map((field) => (row as unknown as Record<string, string | null>)[field] ?? null),
                    },
                  }),
                };
                const expected = model.listAfter(tables.things, all, from, others);
                expect(await tx.things.listAfter(from), JSON.stringify(from)).toEqual(expected);
                expect(await tx.things.listIdsAfter(from)).toEqual({ ids: expected.rows.map(({ id }) => id), more: expected.more });
              }
            });
          },
        );
        await checkProperty(property, { isSlow: true });
      },
      PROPERTY_TIMEOUT_MS,
    );

    test('a cached result is not returned after a change of any field it depends on', { timeout: PROPERTY_TIMEOUT_MS }, async () => {
      // Results of few rows are not cached.
      const many = Array.from({ length: 80 }, (_, each) => createThing(`m${String(each)}`, { name: 'Bolt', kind: 'x', tags: ['red'] }));
      let rows = await applyChanges(store, new Map(), many, []);
      const one = fc.tuple(
        thingIds,
        fc.constantFrom(...(Object.keys(createThing('t0')) as (keyof Thing)[]), 'note' as const),
        thingArbitrary,
      );
      const property = fc.asyncProperty(
        fc.array(queryArbitrary, { minLength: 10, maxLength: 10 }),
        fc.array(one, { minLength: 12, maxLength: 12 }),
        fc.array(markArbitrary, { minLength: 12, maxLength: 12 }),
        async (queries, changes, marks) => {
          for (const [at, [id, field, other]] of changes.entries()) {
            // Every third change is one of the rows that subqueries find.
            const others = { marks: await replaceMarks(store, marks.slice(at - (at % 3))) };
            const before = rows.get(id);
            // Change one field of an existing row; otherwise add a row, or remove one.
            const after = before && field !== 'id' ? { ...before, [field]: other[field] } : { ...other, id };
            rows = await applyChanges(store, rows, [after], before && field === 'id' ? [id] : []);
            await store.read('a', async (tx) => {
              for (const each of queries) {
                for (const number of [1, 1, 400]) {
                  const paged = { ...each, page: { number, size: 5 } };
                  expect(await tx.things.listPage(paged), JSON.stringify([field, paged])).toEqual(
                    model.listPage(tables.things, [...rows.values()], paged, others),
                  );
                }
              }
            });
          }
        },
      );
      await checkProperty(property, { isSlow: true });
    });

    test('an equality on the first field of an order with a range on the next matches the query model', async () => {
      const names = ['Bolt', 'bolt', 'BOLT', 'Nut', 'nut', 'Zinc'];
      const rows = Array.from({ length: 120 }, (_, each) =>
        createThing(`t${String(each).padStart(3, '0')}`, {
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
              const paged = { where: [first, ...range], orderBy, descending };
              const found = await store.read('a', (tx) => tx.things.listAfter({ ...paged, limit: 200 }));
              expect(found, JSON.stringify(paged)).toEqual(model.listAfter(tables.things, rows, { ...paged, limit: 200 }));
              const page = { ...paged, page: { number: 2, size: 5 } };
              expect(await store.read('a', (tx) => tx.things.listPage(page))).toEqual(model.listPage(tables.things, rows, page));
              expect(await store.read('a', (tx) => tx.things.count(paged))).toBe(found.rows.length);
            }
          }
        }
      }
    });

    test('paging through a list returns each row once, with the total number of rows', async () => {
      await put(
        ...Array.from({ length: 45 }, (_, each) =>
          createThing(`t${each}`, { name: each % 3 === 0 ? 'same' : `n${each % 7}`, size: each % 5 === 0 ? null : each }),
        ),
      );
      for (const orderBy of Object.keys(tables.things.orders)) {
        for (const descending of [false, true]) {
          const seen: string[] = [];
          for (let number = 1; number <= 7; number++) {
            const { rows, total } = await store.read('a', (tx) => tx.things.listPage({ orderBy, descending, page: { number, size: 7 } }));
            expect(total).toBe(45);
            seen.push(...rows.map((row) => row.id));
          }
          expect(new Set(seen).size).toBe(45);
          expect(seen).toHaveLength(45);
        }
      }
    });

    test('pages after more than a thousand rows match the query model', async () => {
      const rows = Array.from({ length: 2_300 }, (_, each) =>
        createThing(`t${each}`, {
          name: `n${each % 50}`,
          kind: each % 2 ? 'x' : each % 3 ? 'y' : null,
          size: each,
          active: each % 9 > 0,
          at: each % 5 ? `2026-01-0${(each % 7) + 1}` : null,
        }),
      );
      await store.transact('a', (tx) => tx.things.putMany(rows));
      const queries: Query[] = Object.keys(tables.things.orders).flatMap((orderBy) => [
        { orderBy },
        { orderBy, descending: true },
        {
          orderBy,
          where: [{ field: 'kind', equals: 'x' }],
          search: { text: 'n', or: { field: 'id', in: { table: 'marks', field: 'text', search: 'none' } } },
        },
      ]);
      for (const query of [...queries, { where: [{ field: 'active', equals: true }] } as const]) {
        const [first, size] = query.search ? [26, 41] : [151, 7];
        // The second one may be found by the end of the first.
        for (const number of [first, first + 1]) {
          const paged: PageQuery = { ...query, page: { number, size } };
          const found = await store.read('a', (tx) => tx.things.listPage(paged));
          expect(found, JSON.stringify(paged)).toEqual(model.listPage(tables.things, rows, paged, { marks: [] }));
        }
      }
    });

    test('the highest limit and page number are allowed', async () => {
      await put(createThing('1'), createThing('2'));
      const highest = Number.MAX_SAFE_INTEGER;
      await store.read('a', async (tx) => {
        expect(await tx.things.listIdsAfter({ limit: highest })).toEqual({ ids: ['1', '2'], more: false });
        expect((await tx.things.listAfter({ limit: highest })).rows).toHaveLength(2);
        expect((await tx.things.listPage({ page: { number: 1, size: highest } })).rows).toHaveLength(2);
        expect(await tx.things.listPage({ page: { number: highest, size: 1 } })).toEqual({ rows: [], total: 2 });
      });
    });

    test('paging with a cursor misses no row that stays while others are added and removed', async () => {
      const staying = Array.from({ length: 40 }, (_, each) => createThing(`s${each}`, { name: `n${String(each).padStart(2, '0')}` }));
      await put(...staying);
      const seen: string[] = [];
      let position: CursorQuery['after'];
      for (let round = 0, more = true; more; round++) {
        const found = await store.read('a', (tx) => tx.things.listAfter({ limit: 6, ...(position && { after: position }) }));
        seen.push(...found.rows.map((row) => row.id));
        ({ more } = found);
        const last = found.rows.at(-1)!;
        position = { values: [last.name], id: last.id };
        await put(createThing(`new${round}`, { name: `n0${round}x` }));
        await store.transact('a', (tx) => tx.things.remove(`new${round - 1}`));
      }
      expect(seen.filter((each) => each.startsWith('s'))).toEqual(staying.map((row) => row.id));
    });

    test('search in many rows is exact, also after changes', async () => {
      const rows = Array.from({ length: 700 }, (_, each) =>
        createThing(`t${each}`, {
          name: `Bolt M${each} ${each % 2 ? 'Zinc' : 'Ärmel 箱'}`,
          sku: `SKU-${each}`,
          kind: each % 10 === 0 ? 'x' : 'y',
        }),
      );
      await put(...rows);
      // The color would match as well, but is not the field of the subquery.
      const marks = await replaceMarks(
        store,
        Array.from({ length: 300 }, (_, each) => ({
          id: `t${each * 2}`,
          text: `${each % 3 === 0 ? 'ÄRM' : 'Blatt'} ${each}`,
          colour: each % 2 === 0 ? 'zinc' : null,
        })),
      );
      const checkSearches = async (): Promise<void> => {
        for (const text of ['sku-12', 'zinc', 'm1', '1', 'ärm', 'arm', 'RMEL 箱', '箱', 'bolt m69', 'no such', 'k']) {
          for (const number of [1, 3]) {
            const paged: PageQuery = {
              search: { text, or: { field: 'id', in: { table: 'marks', field: 'text', search: text } } },
              orderBy: 'name',
              page: { number, size: 20 },
            };
            const found = await store.read('a', (tx) => tx.things.listPage(paged));
            expect(found, text).toEqual(model.listPage(tables.things, rows, paged, { marks }));
          }
        }
      };
      await checkSearches();
      for (let each = 0; each < 300; each += 3) rows[each] = { ...rows[each]!, name: each % 2 ? 'Nothing' : `zinc bolt ${each}` };
      await put(...rows);
      await checkSearches();
    });

    test('a subquery finds rows of the same tenant and of the service, by one field, ignoring case and accents', async () => {
      await put(createThing('1', { kind: 'x' }), createThing('2', { kind: 'y' }), createThing('3', { kind: 'z', name: 'Café' }));
      const mark = (id: string, text: string, colour: string | null) => ({ id, text, colour });
      await store.transact('a', (tx) => tx.marks.putMany([mark('x', 'Grand CAFÉ', null), mark('y', 'Bar', 'café')]));
      await store.transact('b', (tx) => tx.marks.put(mark('y', 'Cafe', null)));
      await store.transact('a', (tx) => tx.notes.put({ id: 'y', text: 'Our cafe', list: 'l', position: 1 }));
      const search = (table: string, field: string): PageQuery => ({
        search: { text: 'cafe', or: { field: 'kind', in: { table, field, search: 'cafe' } } },
        orderBy: 'kind',
        page: { number: 1, size: 10 },
      });
      const find = async (query: PageQuery) => (await store.read('a', (tx) => tx.things.listPage(query))).rows.map(({ id }) => id);
      expect(await find(search('marks', 'text'))).toEqual(['3', '1']);
      expect(await find(search('marks', 'colour'))).toEqual(['3', '2']);
      expect(await find(search('notes', 'text'))).toEqual(['3', '2']);
      await expect(find(search('marks', 'id'))).rejects.toThrow('id');
      await expect(find(search('dots', 'text'))).rejects.toThrow('dots');
    });

    test('a subquery sees the changes of its transaction', async () => {
      await put(createThing('1', { kind: 'x' }));
      const search = { text: 'cafe', or: { field: 'kind', in: { table: 'marks', field: 'text', search: 'cafe' } } };
      await store.transact('a', async (tx) => {
        expect(await tx.things.count({ search })).toBe(0);
        await tx.marks.put({ id: 'x', text: 'Café', colour: null });
        expect(await tx.things.count({ search })).toBe(1);
      });
      expect(await store.readFirstRows('things', { search })).toMatchObject([{ tenant: 'a', row: { id: '1' } }]);
    });

    test('conditions, orders and unique keys that the table does not have are refused', async () => {
      await expect(
        store.read('a', (tx) => tx.things.listPage({ where: [{ field: 'colour', equals: 1 }], page: { number: 1, size: 1 } })),
      ).rejects.toThrow('colour');
      await expect(store.read('a', (tx) => tx.things.listPage({ orderBy: 'colour', page: { number: 1, size: 1 } }))).rejects.toThrow(
        'colour',
      );
      await expect(store.read('a', (tx) => tx.things.findUnique('colour', 1))).rejects.toThrow('colour');
    });
  });
}
