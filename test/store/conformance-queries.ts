/** What queries must answer, in every store: what a plain filter and sort over the same rows would. */
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AfterQuery, PageQuery, Store } from '../../src/domain/ports.ts';
import * as model from './model.ts';
import { change, putAll } from './rows.ts';
import { aThing, anId, ID_FORMS, query, queryOf, type Thing, thing, type Things, tables } from './things.ts';

const SEED = 20_261_121;
const RUNS = 40;

/** Registers this part of the suite. `current` is the store of the test that runs, empty when it begins. */
export function queryConformance(current: () => Store<Things>): void {
  describe('queries', () => {
    let store: Store<Things>;
    beforeEach(() => {
      store = current();
    });
    const put = (...rows: Thing[]): Promise<void> => putAll(store, rows);

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

    test('an answer given before is not given again when one field of one row has changed that it looks at', async () => {
      // Few rows are looked for anew each time, whatever has changed.
      const many = Array.from({ length: 80 }, (_, each) => aThing(`m${String(each)}`, { name: 'Bolt', kind: 'x', tags: ['red'] }));
      let rows = await change(store, new Map(), many, []);
      const one = fc.tuple(anId, fc.constantFrom(...(Object.keys(aThing('t0')) as (keyof Thing)[]), 'note' as const), thing);
      const property = fc.asyncProperty(
        fc.array(query, { minLength: 10, maxLength: 10 }),
        fc.array(one, { minLength: 12, maxLength: 12 }),
        async (queries, changes) => {
          for (const [id, field, other] of changes) {
            const before = rows.get(id);
            // Of a row that is there one field; other rows come, and some go.
            const after = before && field !== 'id' ? { ...before, [field]: other[field] } : { ...other, id };
            rows = await change(store, rows, [after], before && field === 'id' ? [id] : []);
            await store.read('a', async (tx) => {
              for (const each of queries) {
                for (const number of [1, 1, 400]) {
                  const asked = { ...each, page: { number, size: 5 } };
                  expect(await tx.things.page(asked), JSON.stringify([field, asked])).toEqual(
                    model.page(tables.things, [...rows.values()], asked),
                  );
                }
              }
            });
          }
        },
      );
      await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
    });

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
      await expect(store.read('a', (tx) => tx.things.page({ orderBy: 'colour', page: { number: 1, size: 1 } }))).rejects.toThrow('colour');
      await expect(store.read('a', (tx) => tx.things.find('colour', 1))).rejects.toThrow('colour');
    });
  });
}
