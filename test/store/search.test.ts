/** The search index as it is after it was built: whatever changes then, every search finds what a look at every row would. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PageQuery } from '../../src/domain/ports.ts';
import { change } from './rows.ts';
import * as model from './model.ts';
import { folder, open } from './support.ts';
import { aThing, type Thing, tables } from './things.ts';

const SEED = 20_261_121;
const ROWS = 400;

const words = ['valve', 'Brass', 'zinc', 'nut', 'Ärmel', 'ärm', '箱', 'M6', 'aaaa', 'aa', 'x', '2026-01-05T00:00:00.000Z', 'VALVE-7', '#'];
const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));
const perhaps = fc.option(text, { nil: null });
const row = fc.nat(ROWS + 40).map((each) => `t${String(each)}`);
const step = fc.record({
  puts: fc.array(
    fc
      .record({ id: row, name: text, sku: perhaps, note: perhaps })
      .map(({ id, name, sku, note }) => aThing(id, { name, sku: sku && `${sku} ${id}`, ...(note === null ? {} : { note }) })),
    { maxLength: 30 },
  ),
  removes: fc.array(row, { maxLength: 20 }),
});
const looked = fc.oneof(
  text,
  text.map((all) => all.slice(1, 7)),
  text.map((all) => all.slice(-4)),
  fc.constantFrom('brass valve', 'valve nut zinc', 'a', 'aa', '箱', '-0', 'q', 'ß', '\u0000'),
);

const FILLED: Readonly<Record<string, (each: number) => Partial<Thing>>> = {
  words: (each) => ({ name: `${words[each % 9]!} ${words[(each * 7) % 13]!} ${String(each)}`, sku: `S-${String(each)}` }),
  timestamps: (each) => ({ name: new Date(Date.UTC(2026, 0, 1 + (each % 28))).toISOString() }),
  'a letter again and again': (each) => ({ name: 'a'.repeat(1 + (each % 5)), note: 'b'.repeat(each % 3) }),
};

test.each(Object.entries(FILLED))('a search is exact, whatever has changed since its index was built: names of %s', async (_, make) => {
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 4 }),
    fc.array(looked, { minLength: 6, maxLength: 6 }),
    async (steps, texts) => {
      const store = await open(await folder());
      const first = Array.from({ length: ROWS }, (__, each) => aThing(`t${String(each)}`, make(each)));
      let rows = await change(store, new Map(), first, []);
      await store.indexed();
      for (const { puts, removes } of [{ puts: [], removes: [] }, ...steps]) {
        rows = await change(store, rows, puts, removes);
        for (const [at, each] of texts.entries()) {
          const query: PageQuery = {
            search: { text: each },
            orderBy: ['name', 'at', 'size', 'active'][at % 4]!,
            descending: at % 3 === 0,
            page: { number: 1 + (at % 2), size: 30 },
          };
          const found = await store.read('a', (tx) => tx.things.page(query));
          expect(found, each).toEqual(model.page(tables.things, [...rows.values()], query));
        }
      }
      await store.close();
    },
  );
  await fc.assert(property, { seed: SEED, numRuns: 12, endOnFailure: true });
});
