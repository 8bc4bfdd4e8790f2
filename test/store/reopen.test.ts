/** Reopening a store: it has all its data, whatever release wrote its files and whatever indexes its tables have now. */
import fc from 'fast-check';
import { cp, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { applyChanges, putRows } from './transactions.ts';
import { observeDisk } from '../support/disk/observed-disk.ts';
import { checkProperty, PROPERTY_TIMEOUT_MS } from '../support/property.ts';
import * as model from './query-model.ts';
import { queryContents, expectContents, createTempDirectory, openStore } from './file-store.ts';
import {
  createThing,
  thingIds,
  ID_FORMATS,
  queryArbitrary,
  withIdFormat,
  type Note,
  type Thing,
  thingArbitrary,
  tables,
} from './fixtures.ts';

describe('reopening a store', () => {
  test.each(Object.entries(ID_FORMATS))(
    'a reopened store has all its rows after any changes, checkpoints, closes and crashes: ids are %s',
    async (_, form) => {
      const step = fc.oneof(
        {
          weight: 4,
          arbitrary: fc.record({ puts: fc.array(thingArbitrary, { maxLength: 12 }), removes: fc.array(thingIds, { maxLength: 3 }) }),
        },
        { weight: 1, arbitrary: fc.constantFrom('checkpoint', 'reopen', 'concurrent checkpoint', 'crash') },
      );
      await checkProperty(
        fc.asyncProperty(
          fc.array(step, { minLength: 3, maxLength: 12 }),
          fc.array(queryArbitrary, { minLength: 5, maxLength: 5 }),
          async (steps, queries) => {
            let directory = await createTempDirectory();
            let store = await openStore(directory);
            let rows = new Map<string, Thing>();
            for (const each of steps) {
              if (each === 'checkpoint') await store.checkpoint();
              else if (each === 'reopen') {
                await store.close();
                store = await openStore(directory);
              } else if (each === 'crash') {
                const copy = await createTempDirectory();
                await cp(directory, copy, { recursive: true });
                await store.close();
                directory = copy;
                store = await openStore(directory);
              } else if (each === 'concurrent checkpoint') {
                const written = store.checkpoint();
                for (let round = 0; round < 5; round++)
                  rows = await applyChanges(
                    store,
                    rows,
                    [createThing(form(`t${round}`), { name: `round ${round}` })],
                    [form(`t${round + 5}`)].filter((key) => rows.has(key)),
                  );
                await written;
              } else {
                const puts = each.puts.map((row) => ({ ...row, id: form(row.id) }));
                rows = await applyChanges(store, rows, puts, each.removes.map(form));
              }
              const all = [...rows.values()];
              for (const asked of queries) {
                const paged = { ...withIdFormat(asked, form), page: { number: 1, size: 50 } };
                expect(await store.read('a', (tx) => tx.things.listPage(paged))).toEqual(model.listPage(tables.things, all, paged));
              }
            }
            await store.close();
            await expectContents(directory, rows);
          },
        ),
        { isSlow: true },
      );
    },
    PROPERTY_TIMEOUT_MS,
  );

  test('a reopened store can start with a removal, before or after its indexes are built', async () => {
    const sizes = [3, 1, 2, 5, 4, 7, 6];
    const all = sizes.map((size) => createThing(`t${String(size)}`, { size, name: `n${String(9 - size)}` }));
    for (const isLoaded of [false, true]) {
      for (const gone of sizes) {
        const directory = await createTempDirectory();
        const first = await openStore(directory);
        const rows = await applyChanges(first, new Map(), all, []);
        await first.close();
        const again = await openStore(directory);
        if (isLoaded) await again.whenIndexed();
        const left = await applyChanges(again, rows, [], [`t${String(gone)}`]);
        const copy = await createTempDirectory();
        await cp(directory, copy, { recursive: true });
        await again.close();
        for (const each of [copy, directory]) {
          const { found, expected } = await queryContents(each, left);
          expect(found).toEqual(expected);
        }
      }
    }
  });

  test('a reopened store has the rows of hundreds of tenants', async () => {
    const directory = await createTempDirectory();
    const store = await openStore(directory);
    const tenants = Array.from({ length: 400 }, (_, each) => `tenant ${String(each)}`);
    await Promise.all(tenants.map((tenant) => store.transact(tenant, (tx) => tx.things.put(createThing(tenant, { name: tenant })))));
    await store.close();
    const again = await openStore(directory);
    for (const tenant of tenants) expect((await again.read(tenant, (tx) => tx.things.get(tenant)))?.name).toBe(tenant);
    await again.close();
  });

  test('a checkpoint that is longer than what a start reads at once is loaded completely', async () => {
    const directory = await createTempDirectory();
    const store = await openStore(directory);
    const megabyte = 'x'.repeat(1_000_000);
    // Records that end before and after four megabytes, and one of eight.
    const rows = Array.from({ length: 9 }, (_, at) =>
      createThing(String(at), { name: megabyte, note: at === 4 ? megabyte.repeat(7) : '' }),
    );
    for (const row of rows) await putRows(store, [row], `tenant ${row.id}`);
    await store.close();
    const again = await openStore(directory);
    for (const row of rows) expect(await again.read(`tenant ${row.id}`, (tx) => tx.things.get(row.id))).toEqual(row);
    await again.close();
  });

  test('commit sequence numbers continue after a reopen', async () => {
    const directory = await createTempDirectory();
    let store = await openStore(directory);
    await applyChanges(store, new Map(), [createThing('1')], []);
    await applyChanges(store, new Map(), [createThing('2')], []);
    for (const expected of [3, 4]) {
      await store.close();
      store = await openStore(directory);
      const sequences: number[] = [];
      store.onCommit((commit) => sequences.push(commit.sequence));
      await applyChanges(store, new Map(), [createThing('3')], []);
      expect(sequences).toEqual([expected]);
    }
    await store.close();
  });

  test('rows are indexed again when the indexes of their table have changed', async () => {
    const directory = await createTempDirectory();
    const first = await openStore(directory);
    await applyChanges(first, new Map(), [createThing('1', { note: 'b', size: 2 }), createThing('2', { note: 'a', size: 1 })], []);
    await first.close();
    const things = { ...tables.things, orders: { note: [{ field: 'note' }], ...tables.things.orders } };
    const second = await openStore(directory, { tables: { ...tables, things } });
    const { rows } = await second.read('a', (tx) => tx.things.listAfter({ orderBy: 'note', limit: 10 }));
    expect(rows.map((row) => row.id)).toEqual(['2', '1']);
    await second.close();
  });

  const otherKeys: Readonly<Record<string, (typeof tables.things)['unique']>> = {
    'one more': { ...tables.things.unique, named: { fields: ['name'], fold: true } },
    'fields in reverse order': { ...tables.things.unique, spot: { fields: ['size', 'kind'] } },
  };

  test.each(Object.entries(otherKeys))('rows are indexed again when the unique keys of their table have changed: %s', async (_, unique) => {
    const other = { ...tables, things: { ...tables.things, unique } };
    for (const [before, now] of [
      [tables, other],
      [other, tables],
    ] as const) {
      const directory = await createTempDirectory();
      const first = await openStore(directory, { tables: before });
      const rows = await applyChanges(
        first,
        new Map(),
        [createThing('1', { kind: 'x', size: 2 }), createThing('2', { kind: 'y', size: 1 })],
        [],
      );
      await first.close();
      const second = await openStore(directory, { tables: now });
      for (const [id, row] of rows) {
        for (const [key, { fields }] of Object.entries(now.things.unique)) {
          const values = fields.map((field) => row[field as 'kind' | 'size' | 'name']);
          if (key !== 'sku') expect((await second.read('a', (tx) => tx.things.findUnique(key, ...values)))?.id).toBe(id);
        }
        const taken = second.transact('a', (tx) => tx.things.put({ ...row, id: 'other' }));
        await expect(taken).rejects.toMatchObject({ name: 'DuplicateKey' });
      }
      await second.close();
    }
  });

  test('rows with a custom serialization are read from a checkpoint, from the journal, and for new indexes', async () => {
    const directory = await createTempDirectory();
    const store = await openStore(directory);
    const put = (...notes: Note[]) =>
      store.transact('a', async (tx) => {
        for (const note of notes) await tx.notes.put(note);
      });
    const note = (id: string, text: string, position: number): Note => ({ id, text, list: 'l', position });
    await put(note('1', 'one', 3), note('2', 'as it is', 2), note('3', 'gone', 1));
    await store.checkpoint();
    await put(note('1', 'as it is', 3), note('2', 'two', 2));
    await store.transact('a', (tx) => tx.notes.remove('3'));
    await put(note('4', 'four', 4));
    const expected = [note('2', 'two', 2), note('1', 'as it is', 3), note('4', 'four', 4)];
    const copy = await createTempDirectory();
    await cp(directory, copy, { recursive: true });
    await store.close();
    const other = { ...tables, notes: { ...tables.notes, orders: { ...tables.notes.orders, text: [{ field: 'text' }] } } };
    for (const [where, spec] of [
      [directory, tables],
      [copy, tables],
      [directory, other],
    ] as const) {
      const again = await openStore(where, { tables: spec });
      expect((await again.read('b', (tx) => tx.notes.listAfter({ orderBy: 'list', limit: 9 }))).rows).toEqual(expected);
      expect(await again.read('b', (tx) => tx.notes.findUnique('place', 'l', 4))).toEqual(expected[2]);
      await again.close();
    }
  });

  test('files and directory are accessible only to their owner', async () => {
    const directory = join(await createTempDirectory(), 'data');
    const store = await openStore(directory);
    await applyChanges(store, new Map(), [createThing('1')], []);
    await store.checkpoint();
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(directory)) expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600);
    await store.close();
  });

  test('a checkpoint removes those whose manifest could not be written', async () => {
    const directory = await createTempDirectory();
    let left = Infinity;
    const disk = observeDisk((kind, path) => {
      if (kind === 'rename' && path.includes('manifest') && (left -= 1) < 0) throw new Error('ENOSPC');
    });
    const store = await openStore(directory, { disk });
    for (const size of [1, 2, 3]) {
      await applyChanges(store, new Map(), [createThing('1', { size })], []);
      await store.checkpoint();
      await applyChanges(store, new Map(), [createThing('1', { size: -size })], []);
      // The first manifest names the next segment of the journal.
      left = 1;
      await expect(store.checkpoint()).rejects.toThrow('ENOSPC');
      left = Infinity;
    }
    await store.checkpoint();
    expect((await readdir(directory)).filter((name) => name.startsWith('checkpoint-'))).toHaveLength(1);
    await store.close();
  });

  test('a checkpoint removes the journal that it contains', async () => {
    const directory = await createTempDirectory();
    const store = await openStore(directory);
    for (let each = 0; each < 50; each++) await applyChanges(store, new Map(), [createThing('1', { size: each })], []);
    expect(store.getStats().journalBytes).toBeGreaterThan(5000);
    await store.checkpoint();
    expect(store.getStats()).toMatchObject({ journalBytes: 0, rows: 1 });
    expect((await readdir(directory)).sort()).toEqual(['checkpoint-3.data', 'journal-2.log', 'manifest.json']);
    expect(store.getStats().slabBytes).toBeLessThan(2 ** 22);
    await store.close();
  });
});
