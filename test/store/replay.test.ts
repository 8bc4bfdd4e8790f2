/** What a replay of the journal leaves: the rows and indexes of a store that was never restarted, and a short journal. */
import fc from 'fast-check';
import { cp } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { getJournalLimit } from '../../src/store/file/checkpoint/scheduler.ts';
import type { FileStore } from '../../src/store/file/index.ts';
import { checkProperty, PROPERTY_TIMEOUT_MS } from '../support/property.ts';
import { createTempDirectory, openStore, readManifest } from './file-store.ts';
import { createThing, tables, type Thing, type Things } from './fixtures.ts';
import { applyChanges } from './transactions.ts';

/** Opens a copy of the store's directory as kill -9 leaves it. */
async function recover(directory: string): Promise<FileStore<Things>> {
  const copy = await createTempDirectory();
  await cp(directory, copy, { recursive: true });
  return openStore(copy);
}

/** What the indexes answer: every order both ways, every filter, array element, search and unique value. */
function readIndexes(store: FileStore<Things>): Promise<unknown> {
  return store.read('a', async ({ things, notes }) => {
    const answers: unknown[] = [await notes.listAfter({ limit: 1_000 })];
    for (const orderBy of Object.keys(tables.things.orders))
      for (const descending of [false, true])
        answers.push(await things.listPage({ orderBy, descending, page: { number: 1, size: 1_000 } }));
    for (const kind of [null, 'x', 'y', 'z'])
      answers.push(await things.listAfter({ where: [{ field: 'kind', equals: kind }], limit: 1_000 }));
    for (const tag of ['red', 'blue']) answers.push(await things.listAfter({ where: [{ field: 'tags', equals: tag }], limit: 1_000 }));
    for (let sku = 0; sku < 9; sku++) answers.push(await things.findUnique('sku', `S${String(sku)}`));
    return answers;
  });
}

const change = fc.record({
  id: fc.integer({ min: 0, max: 60 }).map((number) => (number % 9 === 0 ? `"q\\uo ${String(number)}é` : `t${String(number)}`)),
  isRemoval: fc.boolean(),
  name: fc.constantFrom('Bolt', 'bolt', 'nut', 'Ärmel', 'x'),
  sku: fc.option(
    fc.integer({ min: 0, max: 8 }).map((number) => `S${String(number)}`),
    { nil: null },
  ),
  kind: fc.option(fc.constantFrom('x', 'y', 'z'), { nil: null }),
  at: fc.option(
    fc.integer({ min: 1, max: 9 }).map((day) => `2026-01-0${String(day)}T00:00:00.000Z`),
    { nil: null },
  ),
  tags: fc.array(fc.constantFrom('red', 'blue'), { maxLength: 2 }),
});

test(
  'a replay leaves every index as in a store that made the same changes without a restart',
  async () => {
    await checkProperty(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.boolean(),
        fc.boolean(),
        fc.array(change, { minLength: 20, maxLength: 120 }),
        async (loaded, isQueried, isCheckpointed, changes) => {
          const directory = await createTempDirectory();
          const store = await openStore(directory);
          const first = Array.from({ length: loaded }, (_, each) => createThing(`t${String(each)}`, { name: `n${String(each % 7)}` }));
          let rows: Map<string, Thing> = await applyChanges(store, new Map(), first, []);
          // A checkpoint stores the indexes that queries have created.
          if (isQueried) await readIndexes(store);
          if (isCheckpointed) await store.checkpoint();
          for (const { isRemoval, id, ...values } of changes) {
            if (isRemoval && rows.has(id)) rows = await applyChanges(store, rows, [], [id]);
            else rows = await applyChanges(store, rows, [createThing(id, values)], []);
            await store
              .transact('a', (tx) =>
                tx.notes.put({ id, text: values.name, list: 'l', position: [...rows.keys()].length + rows.size * id.length }),
              )
              .catch((error: unknown) => expect(error).toMatchObject({ name: 'DuplicateKey' }));
          }
          const recovered = await recover(directory);
          expect(await readIndexes(recovered)).toEqual(await readIndexes(store));
          // The indexes take further changes.
          const more = [createThing('t1', { name: 'last', at: null }), createThing('new', { name: 'a' })];
          await applyChanges(store, rows, more, []);
          await applyChanges(recovered, rows, more, []);
          expect(await readIndexes(recovered)).toEqual(await readIndexes(store));
          await Promise.all([store.close(), recovered.close()]);
        },
      ),
      { isSlow: true },
    );
  },
  PROPERTY_TIMEOUT_MS,
);

test('a start that replays a long journal writes a checkpoint in the background', async () => {
  const directory = await createTempDirectory();
  const store = await openStore(directory);
  await applyChanges(store, new Map(), [createThing('1', { name: 'x'.repeat(10_000) })], []);
  const copy = await createTempDirectory();
  await cp(directory, copy, { recursive: true });
  await store.close();
  const recovered = await openStore(copy, { checkpointBytes: 1_000 });
  // Joins the one that is running; the numbers of files show that there was only one.
  expect(recovered.getStats().isCheckpointRunning).toBe(true);
  await recovered.checkpoint();
  expect((await readManifest(copy)).checkpoint?.file).toBe('checkpoint-3.data');
  expect(recovered.getStats().journalBytes).toBe(0);
  await recovered.close();
});

test('a journal may grow to a fixed length, or to a share of the size of the rows', () => {
  const megabyte = 1_000_000;
  expect(getJournalLimit(400 * megabyte)).toBe(160 * megabyte);
  expect(getJournalLimit(2_000 * megabyte)).toBeCloseTo(540 * megabyte);
});
