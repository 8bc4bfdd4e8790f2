/** A store that is opened again has everything, whatever wrote its files and whatever indexes its tables have now. */
import fc from 'fast-check';
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { CheckpointIndex } from '../../src/store/file/checkpoint.ts';
import { entriesOf, HEADER_BYTES, recordAt, seal } from '../../src/store/file/records.ts';
import { change } from './rows.ts';
import * as model from './model.ts';
import { contents, expectSame, folder, manifestOf, open, putManifest, segmentOf } from './support.ts';
import { aThing, anId, ID_FORMS, query, queryOf, type Note, type Thing, thing, tables } from './things.ts';

const SEED = 20_261_121;

/** Writes the index of a directory's checkpoint anew. */
async function changeIndex(directory: string, changed: (index: CheckpointIndex) => object): Promise<void> {
  const { checkpoint, ...manifest } = await manifestOf(directory);
  const file = join(directory, checkpoint!.file);
  const bytes = await readFile(file);
  const at = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  const index = Buffer.from(JSON.stringify(changed(JSON.parse(bytes.toString('utf8', at, bytes.length - 8)) as CheckpointIndex)));
  const end = Buffer.alloc(8);
  end.writeUInt32LE(index.length, 0);
  end.writeUInt32LE(crc32(index), 4);
  const whole = Buffer.concat([bytes.subarray(0, at), index, end]);
  await writeFile(file, whole);
  await putManifest(directory, { ...manifest, checkpoint: { ...checkpoint!, bytes: whole.length } });
}

describe('a store that is opened again', () => {
  test.each(Object.entries(ID_FORMS))(
    'is as it was left, however it was changed, checkpointed, closed or not closed: ids are %s',
    async (_, form) => {
      const step = fc.oneof(
        { weight: 4, arbitrary: fc.record({ puts: fc.array(thing, { maxLength: 12 }), removes: fc.array(anId, { maxLength: 3 }) }) },
        { weight: 1, arbitrary: fc.constantFrom('checkpoint', 'reopen', 'checkpoint beside', 'crash') },
      );
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 3, maxLength: 12 }),
          fc.array(query, { minLength: 5, maxLength: 5 }),
          async (steps, queries) => {
            let directory = await folder();
            let store = await open(directory);
            let rows = new Map<string, Thing>();
            for (const each of steps) {
              if (each === 'checkpoint') await store.checkpoint();
              else if (each === 'reopen') {
                await store.close();
                store = await open(directory);
              } else if (each === 'crash') {
                const copy = await folder();
                await cp(directory, copy, { recursive: true });
                await store.close();
                directory = copy;
                store = await open(directory);
              } else if (each === 'checkpoint beside') {
                const written = store.checkpoint();
                for (let round = 0; round < 5; round++)
                  rows = await change(
                    store,
                    rows,
                    [aThing(form(`t${round}`), { name: `round ${round}` })],
                    [form(`t${round + 5}`)].filter((key) => rows.has(key)),
                  );
                await written;
              } else {
                const puts = each.puts.map((row) => ({ ...row, id: form(row.id) }));
                rows = await change(store, rows, puts, each.removes.map(form));
              }
              const all = [...rows.values()];
              for (const asked of queries) {
                const paged = { ...queryOf(asked, form), page: { number: 1, size: 50 } };
                expect(await store.read('a', (tx) => tx.things.page(paged))).toEqual(model.page(tables.things, all, paged));
              }
            }
            await store.close();
            await expectSame(directory, rows);
          },
        ),
        { seed: SEED, numRuns: 20, endOnFailure: true },
      );
    },
  );

  test('reads ids that a checkpoint holds as text, as earlier releases wrote them', async () => {
    const directory = await folder();
    const form = ID_FORMS.UUIDs;
    const checkpoint = async (): Promise<string> => readFile(join(directory, (await manifestOf(directory)).checkpoint!.file), 'latin1');
    const store = await open(directory);
    // One text among them, and all are kept as text, in the checkpoint too.
    let rows = await change(store, new Map(), [aThing('text'), ...Array.from({ length: 9 }, (_, each) => aThing(form(`t${each}`)))], []);
    rows = await change(store, rows, [], ['text']);
    await store.close();
    expect(await checkpoint()).not.toContain('"kind":"ids"');
    const again = await open(directory);
    rows = await change(again, rows, [aThing(form('t11'))], [form('t5')]);
    await again.close();
    expect(await checkpoint()).toContain('"kind":"ids"');
    await expectSame(directory, rows);
  });

  test('reads a journal as earlier releases wrote it, with table and id of every change', async () => {
    const directory = await folder();
    const store = await open(directory);
    let rows = await change(store, new Map(), [aThing('1'), aThing('2'), aThing('3')], []);
    rows = await change(store, rows, [aThing('2', { name: 'changed' }), aThing('4')], ['1', '3']);
    const copy = await folder();
    await cp(directory, copy, { recursive: true });
    await store.close();
    const file = await segmentOf(copy);
    const now = await readFile(file);
    const then: Buffer[] = [];
    for (let at = 0, record = recordAt(now, at, now.length); record !== undefined; record = recordAt(now, at, now.length)) {
      let row = record.rows;
      const c = [...entriesOf(record.directory)].map((entry) => {
        if ('removed' in entry) return [entry.table, entry.removed];
        const { id } = JSON.parse(now.toString('utf8', row, (row += entry.length))) as Thing;
        return [entry.table, id, entry.length];
      });
      const text = Buffer.from(JSON.stringify({ t: record.directory.t, c }));
      const pieces = [Buffer.alloc(HEADER_BYTES), now.subarray(record.rows, row), text];
      seal(pieces, text.length, record.sequence, record.position);
      then.push(...pieces);
      at = record.end;
    }
    await writeFile(file, Buffer.concat(then));
    expect(then.length).toBeGreaterThan(3);
    await expectSame(copy, rows);
  });

  test('may lose a row first of all, right away or later, and opens again after a crash', async () => {
    const sizes = [3, 1, 2, 5, 4, 7, 6];
    const all = sizes.map((size) => aThing(`t${String(size)}`, { size, name: `n${String(9 - size)}` }));
    for (const isLoaded of [false, true]) {
      for (const gone of sizes) {
        const directory = await folder();
        const first = await open(directory);
        const rows = await change(first, new Map(), all, []);
        await first.close();
        const again = await open(directory);
        if (isLoaded) await again.indexed();
        const left = await change(again, rows, [], [`t${String(gone)}`]);
        const copy = await folder();
        await cp(directory, copy, { recursive: true });
        await again.close();
        for (const each of [copy, directory]) {
          const { found, expected } = await contents(each, left);
          expect(found).toEqual(expected);
        }
      }
    }
  });

  test('has everything of very many tenants', async () => {
    const directory = await folder();
    const store = await open(directory);
    const tenants = Array.from({ length: 400 }, (_, each) => `tenant ${String(each)}`);
    await Promise.all(tenants.map((tenant) => store.transact(tenant, (tx) => tx.things.put(aThing(tenant, { name: tenant })))));
    await store.close();
    const again = await open(directory);
    for (const tenant of tenants) expect((await again.read(tenant, (tx) => tx.things.get(tenant)))?.name).toBe(tenant);
    await again.close();
  });

  test('goes on counting commits', async () => {
    const directory = await folder();
    let store = await open(directory);
    await change(store, new Map(), [aThing('1')], []);
    await change(store, new Map(), [aThing('2')], []);
    for (const expected of [3, 4]) {
      await store.close();
      store = await open(directory);
      const sequences: number[] = [];
      store.onCommit((commit) => sequences.push(commit.sequence));
      await change(store, new Map(), [aThing('3')], []);
      expect(sequences).toEqual([expected]);
    }
    await store.close();
  });

  test('reads its rows anew when the table has other indexes than before', async () => {
    const directory = await folder();
    const first = await open(directory);
    await change(first, new Map(), [aThing('1', { note: 'b', size: 2 }), aThing('2', { note: 'a', size: 1 })], []);
    await first.close();
    const things = { ...tables.things, orders: { note: [{ field: 'note' }], ...tables.things.orders } };
    const second = await open(directory, { tables: { ...tables, things } });
    const { rows } = await second.read('a', (tx) => tx.things.after({ orderBy: 'note', limit: 10 }));
    expect(rows.map((row) => row.id)).toEqual(['2', '1']);
    await second.close();
  });

  const otherKeys: Readonly<Record<string, (typeof tables.things)['unique']>> = {
    'one more': { ...tables.things.unique, named: { fields: ['name'], fold: true } },
    'its fields the other way round': { ...tables.things.unique, spot: { fields: ['size', 'kind'] } },
  };

  test.each(Object.entries(otherKeys))('reads its rows anew when the table has other unique keys than before: %s', async (_, unique) => {
    const other = { ...tables, things: { ...tables.things, unique } };
    for (const [before, now] of [
      [tables, other],
      [other, tables],
    ] as const) {
      const directory = await folder();
      const first = await open(directory, { tables: before });
      const rows = await change(first, new Map(), [aThing('1', { kind: 'x', size: 2 }), aThing('2', { kind: 'y', size: 1 })], []);
      await first.close();
      const second = await open(directory, { tables: now });
      for (const [id, row] of rows) {
        for (const [key, { fields }] of Object.entries(now.things.unique)) {
          const values = fields.map((field) => row[field as 'kind' | 'size' | 'name']);
          if (key !== 'sku') expect((await second.read('a', (tx) => tx.things.find(key, ...values)))?.id).toBe(id);
        }
        const taken = second.transact('a', (tx) => tx.things.put({ ...row, id: 'other' }));
        await expect(taken).rejects.toMatchObject({ name: 'DuplicateKey' });
      }
      await second.close();
    }
  });

  test('parses no row when the table is as before, be the checkpoint of this release or of one that did not write unique keys down', async () => {
    const directory = await folder();
    const first = await open(directory);
    await first.transact('a', (tx) => tx.notes.put({ id: '1', text: 'one', list: 'l', position: 1 }));
    await first.close();
    let parsed = 0;
    const read = (text: string): Note => {
      parsed++;
      return tables.notes.form!.read(text);
    };
    const watched = { ...tables, notes: { ...tables.notes, form: { ...tables.notes.form!, read } } };
    const parsedByOpening = async (): Promise<number> => {
      parsed = 0;
      const store = await open(directory, { tables: watched });
      const byOpening = parsed;
      expect(await store.read('a', (tx) => tx.notes.find('place', 'l', 1))).toMatchObject({ text: 'one' });
      await store.close();
      return byOpening;
    };
    expect(await parsedByOpening()).toBe(0);
    await changeIndex(directory, (index) => ({ ...index, uniques: undefined }));
    expect(await parsedByOpening()).toBe(0);
    await changeIndex(directory, (index) => ({ ...index, uniques: { ...index.uniques, notes: [] } }));
    expect(await parsedByOpening()).toBe(1);
  });

  test('gives rows back that its table writes in a form of their own, from a checkpoint, a journal, and for new indexes', async () => {
    const directory = await folder();
    const store = await open(directory);
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
    const copy = await folder();
    await cp(directory, copy, { recursive: true });
    await store.close();
    const other = { ...tables, notes: { ...tables.notes, orders: { ...tables.notes.orders, text: [{ field: 'text' }] } } };
    for (const [where, spec] of [
      [directory, tables],
      [copy, tables],
      [directory, other],
    ] as const) {
      const again = await open(where, { tables: spec });
      expect((await again.read('b', (tx) => tx.notes.after({ orderBy: 'list', limit: 9 }))).rows).toEqual(expected);
      expect(await again.read('b', (tx) => tx.notes.find('place', 'l', 4))).toEqual(expected[2]);
      await again.close();
    }
  });

  test('keeps its files to its owner', async () => {
    const directory = join(await folder(), 'data');
    const store = await open(directory);
    await change(store, new Map(), [aThing('1')], []);
    await store.checkpoint();
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(directory)) expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600);
    await store.close();
  });

  test('has dropped the journal that its checkpoint holds', async () => {
    const directory = await folder();
    const store = await open(directory);
    for (let each = 0; each < 50; each++) await change(store, new Map(), [aThing('1', { size: each })], []);
    expect(store.stats().journalBytes).toBeGreaterThan(5000);
    await store.checkpoint();
    expect(store.stats()).toMatchObject({ journalBytes: 0, rows: 1 });
    expect((await readdir(directory)).sort()).toEqual(['checkpoint-3.data', 'journal-2.log', 'manifest.json']);
    expect(store.stats().slabBytes).toBeLessThan(2 ** 22);
    await store.close();
  });
});
