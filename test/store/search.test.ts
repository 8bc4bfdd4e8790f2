/** The search index after it was built: after any changes, searches find what checking every row would. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PageQuery } from '../../src/domain/kernel/ports.ts';
import { applyChanges } from './transactions.ts';
import { checkProperty, PROPERTY_TIMEOUT_MS } from '../support/property.ts';
import * as model from './query-model.ts';
import { createTempDirectory, openStore } from './file-store.ts';
import { createThing, type Thing, tables } from './fixtures.ts';

const ROWS = 400;

const terms = [
  'valve',
  'Brass',
  'zinc',
  'nut',
  'Ärmel',
  'ärm',
  'Straße',
  '箱',
  'M6',
  'aaaa',
  'aa',
  'x',
  '2026-01-05T00:00:00.000Z',
  'VALVE-7',
  '#',
];
const text = fc.array(fc.constantFrom(...terms), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));
const optionalText = fc.option(text, { nil: null });
const row = fc.nat(ROWS + 40).map((each) => `t${String(each)}`);
const step = fc.record({
  puts: fc.array(
    fc
      .record({ id: row, name: text, sku: optionalText, note: optionalText })
      .map(({ id, name, sku, note }) => createThing(id, { name, sku: sku && `${sku} ${id}`, ...(note === null ? {} : { note }) })),
    { maxLength: 30 },
  ),
  removes: fc.array(row, { maxLength: 20 }),
});
const searchText = fc.oneof(
  text,
  text.map((all) => all.slice(1, 7)),
  text.map((all) => all.slice(-4)),
  fc.constantFrom('arm', 'stras', 'rmel s', 'brass valve', 'valve nut zinc', 'a', 'aa', '箱', '-0', 'q', 'ß', '\u0000'),
);

const FILLED: Readonly<Record<string, (each: number) => Partial<Thing>>> = {
  terms: (each) => ({ name: `${terms[each % 9]!} ${terms[(each * 7) % 13]!} ${String(each)}`, sku: `S-${String(each)}` }),
  timestamps: (each) => ({ name: new Date(Date.UTC(2026, 0, 1 + (each % 28))).toISOString() }),
  'one repeated character': (each) => ({ name: 'a'.repeat(1 + (each % 5)), note: 'b'.repeat(each % 3) }),
};

test.each(Object.entries(FILLED))(
  'search is exact after any changes since its index was built: names of %s',
  { timeout: PROPERTY_TIMEOUT_MS },
  async (_, make) => {
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 4 }),
      fc.array(searchText, { minLength: 6, maxLength: 6 }),
      async (steps, texts) => {
        const store = await openStore(await createTempDirectory());
        const first = Array.from({ length: ROWS }, (__, each) => createThing(`t${String(each)}`, make(each)));
        let rows = await applyChanges(store, new Map(), first, []);
        await store.whenIndexed();
        for (const { puts, removes } of [{ puts: [], removes: [] }, ...steps]) {
          rows = await applyChanges(store, rows, puts, removes);
          for (const [at, each] of texts.entries()) {
            const query: PageQuery = {
              search: { text: each },
              orderBy: ['name', 'at', 'size', 'active'][at % 4]!,
              descending: at % 3 === 0,
              page: { number: 1 + (at % 2), size: 30 },
            };
            const found = await store.read('a', (tx) => tx.things.listPage(query));
            expect(found, each).toEqual(model.listPage(tables.things, [...rows.values()], query));
          }
        }
        await store.close();
      },
    );
    await checkProperty(property, { isSlow: true });
  },
);
