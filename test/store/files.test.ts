import fc from 'fast-check';
import { cp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { CheckpointIndex } from '../../src/store/file/checkpoint.ts';
import { type Notice, StoreDamaged, StoreTooNew } from '../../src/store/file/index.ts';
import { FORMATS } from '../../src/store/file/manifest.ts';
import { entriesOf, HEADER_BYTES, recordAt, seal } from '../../src/store/file/records.ts';
import { change, everything } from './conformance.ts';
import * as model from './model.ts';
import { folder, type ManifestFile, manifestOf, open, segmentOf } from './support.ts';
import { aThing, anId, ID_FORMS, query, queryOf, type Note, type Thing, thing, tables } from './things.ts';

const SEED = 20_261_121;

/** Rows of a store, in each of its orders and for values of each of its filters, and what they should be. */
async function contents(directory: string, rows: ReadonlyMap<string, Thing>): Promise<{ found: unknown[]; expected: unknown[] }> {
  const store = await open(directory);
  const page = { number: 1, size: 1000 };
  const queries = [
    ...Object.keys(tables.things.orders).map((orderBy) => ({ orderBy, page })),
    ...tables.things.filters.flatMap((field) =>
      ['x', 'red', true, null, 'Bolt'].map((equals) => ({ orderBy: 'at', where: [{ field, equals }], page })),
    ),
  ];
  const found = await store.read('a', (tx) => Promise.all(queries.map((each) => tx.things.page(each))));
  await store.close();
  return { found, expected: queries.map((each) => model.page(tables.things, [...rows.values()], each)) };
}

async function expectSame(directory: string, rows: ReadonlyMap<string, Thing>): Promise<void> {
  const { found, expected } = await contents(directory, rows);
  expect(found).toEqual(expected);
}

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

/** Makes a manifest the valid one, as the store does. */
async function putManifest(directory: string, manifest: ManifestFile['manifest']): Promise<void> {
  await writeFile(
    join(directory, 'manifest.json'),
    JSON.stringify({ checksum: crc32(JSON.stringify(manifest)), manifest } satisfies ManifestFile),
  );
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
    const unpack = (stored: unknown): Note => {
      parsed++;
      return tables.notes.form!.unpack(stored);
    };
    const watched = { ...tables, notes: { ...tables.notes, form: { ...tables.notes.form!, unpack } } };
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

/** A store left without being closed, and the offsets of its journal's records. */
async function crashed(commits: number): Promise<{ directory: string; segment: string; offsets: number[]; bytes: Buffer }> {
  const directory = await folder();
  const store = await open(directory);
  for (let each = 0; each < commits; each++) await change(store, new Map(), [aThing(`t${each}`, { name: 'Ärmel'.repeat(3) })], []);
  const copy = await folder();
  await cp(directory, copy, { recursive: true });
  await store.close();
  const segment = await segmentOf(copy);
  const bytes = await readFile(segment);
  const offsets: number[] = [0];
  for (let each = 0; each < commits; each++) offsets.push(offsets[each]! + HEADER_BYTES + bytes.readUInt32LE(offsets[each]! + 4));
  return { directory: copy, segment, offsets, bytes };
}

async function idsIn(directory: string, notices: Notice[] = []): Promise<string[]> {
  const store = await open(directory, { onNotice: (notice) => notices.push(notice) });
  const ids = await store.read('a', async (tx) => (await tx.things.after({ limit: 100 })).rows.map((row) => row.id));
  await store.close();
  return ids.sort();
}

describe('a journal whose last write was not finished', () => {
  test('is cut at the last whole record, wherever in the next it ends', async () => {
    const { directory, segment, offsets, bytes } = await crashed(3);
    const manifest = await readFile(join(directory, 'manifest.json'));
    const start = async (content: Buffer): Promise<{ ids: string[]; notices: Notice[] }> => {
      for (const file of await readdir(directory)) await rm(join(directory, file));
      await writeFile(join(directory, 'manifest.json'), manifest);
      await writeFile(segment, content);
      const notices: Notice[] = [];
      return { ids: await idsIn(directory, notices), notices };
    };
    for (let end = offsets[2]!; end < offsets[3]!; end++) {
      const { ids, notices } = await start(bytes.subarray(0, end));
      expect(ids).toEqual(['t0', 't1']);
      // Some bytes are zeros anyway: those are not counted as torn.
      const torn = bytes.subarray(offsets[2], end).findLastIndex((byte) => byte !== 0) + 1;
      expect(notices.map((notice) => [notice.kind, notice.bytes])).toEqual(torn === 0 ? [] : [['torn-tail', torn]]);
      // Written into zeros that were there before.
      const preallocated = Buffer.alloc(bytes.length);
      bytes.copy(preallocated, 0, 0, end);
      expect((await start(preallocated)).ids).toEqual(end < lastByte(bytes, offsets[3]!) ? ['t0', 't1'] : ['t0', 't1', 't2']);
    }
  });

  test('loses any bit of its last record without complaint about the others', async () => {
    const { directory, segment, offsets, bytes } = await crashed(2);
    const flipped = Buffer.from(bytes);
    flipped[offsets[1]! + HEADER_BYTES + 5]! ^= 4;
    await writeFile(segment, flipped);
    const notices: Notice[] = [];
    expect(await idsIn(directory, notices)).toEqual(['t0']);
    expect(notices[0]).toMatchObject({ kind: 'torn-tail', file: segment, bytes: lastByte(bytes, offsets[2]!) - offsets[1]! });
  });

  test('may have lost the middle of the last group: the group was never acknowledged', async () => {
    const directory = await folder();
    const store = await open(directory);
    await change(store, new Map(), [aThing('before')], []);
    await Promise.all(['t0', 't1', 't2'].map((each) => store.transact('a', (tx) => tx.things.put(aThing(each)))));
    const copy = await folder();
    await cp(directory, copy, { recursive: true });
    await store.close();
    const segment = await segmentOf(copy);
    const bytes = await readFile(segment);
    const second = HEADER_BYTES + bytes.readUInt32LE(4);
    const third = second + HEADER_BYTES + bytes.readUInt32LE(second + 4);
    bytes.fill(0, third, third + 40);
    await writeFile(segment, bytes);
    expect(await idsIn(copy)).toEqual(['before', 't0']);
  });
});

/** Where the bytes before `end` that are not zero end. */
const lastByte = (bytes: Buffer, end: number): number => bytes.subarray(0, end).findLastIndex((byte) => byte !== 0) + 1;

describe('a damaged store refuses to open and says where', () => {
  test('a flipped bit before the last record', async () => {
    const { directory, segment, offsets, bytes } = await crashed(4);
    for (const [record, at] of [
      [0, 0],
      [0, 6],
      [1, 2],
      [1, 9],
      [1, 17],
      [2, HEADER_BYTES],
      [2, HEADER_BYTES + 30],
      [2, 24],
    ] as const) {
      const flipped = Buffer.from(bytes);
      flipped[offsets[record]! + at]! ^= 16;
      await writeFile(segment, flipped);
      const error = await open(directory).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(StoreDamaged);
      expect(error).toMatchObject({ file: segment, offset: offsets[record] });
      expect((error as Error).message).toMatch(/Restore the data directory from a snapshot.*truncate -s/);
      expect(await readFile(segment)).toEqual(flipped);
    }
  });

  test('a record that is missing', async () => {
    const { directory, segment, offsets, bytes } = await crashed(3);
    await writeFile(segment, Buffer.concat([bytes.subarray(0, offsets[1]), bytes.subarray(offsets[2], offsets[3])]));
    await expect(open(directory)).rejects.toMatchObject({ name: 'StoreDamaged', offset: offsets[1] });
  });

  test('an older segment that is too short, or not there', async () => {
    const { directory, segment, offsets } = await crashed(3);
    const store = await open(directory);
    await change(store, new Map(), [aThing('later')], []);
    const copy = await folder();
    await cp(directory, copy, { recursive: true });
    await store.close();
    const older = segment.replace(directory, copy);
    await truncate(older, offsets[2]);
    await expect(open(copy)).rejects.toMatchObject({ name: 'StoreDamaged', file: older, offset: offsets[2] });
    await rm(older);
    await expect(open(copy)).rejects.toMatchObject({ name: 'StoreDamaged', file: older });
  });

  test('a checkpoint with any byte changed', async () => {
    const directory = await folder();
    const store = await open(directory);
    await change(store, new Map(), [aThing('1'), aThing('2')], []);
    await store.close();
    const file = join(directory, (await manifestOf(directory)).checkpoint!.file);
    const bytes = await readFile(file);
    for (let at = 24; at < bytes.length; at += 7) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1;
      await writeFile(file, flipped);
      await expect(open(directory)).rejects.toMatchObject({ name: 'StoreDamaged', file });
    }
    await writeFile(file, bytes.subarray(0, -3));
    await expect(open(directory)).rejects.toMatchObject({ name: 'StoreDamaged', file });
  });

  test('a manifest that is damaged or gone', async () => {
    const { directory } = await crashed(1);
    const path = join(directory, 'manifest.json');
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replace('"next":2', '"next":3'));
    await expect(open(directory)).rejects.toMatchObject({ name: 'StoreDamaged', file: path });
    await rm(path);
    await expect(open(directory)).rejects.toThrow(/manifest.json.*missing/);
  });
});

describe('formats', () => {
  const withFormat = async (format: number): Promise<string> => {
    const directory = await folder();
    const store = await open(directory);
    await change(store, new Map(), [aThing('1', { name: 'old' })], []);
    await store.close();
    await putManifest(directory, { ...(await manifestOf(directory)), format });
    return directory;
  };

  test('a newer one is refused with advice', async () => {
    const directory = await withFormat(FORMATS.current + 1);
    const error = await open(directory).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreTooNew);
    expect((error as Error).message).toMatch(/Upgrade stockroom/);
  });

  test('an older one goes through every step once', async () => {
    const directory = await withFormat(FORMATS.current);
    const steps: number[] = [];
    const upgrade = (from: number) => ({
      from,
      async apply<M>(_directory: string, manifest: M): Promise<M> {
        steps.push(from);
        return manifest;
      },
    });
    const formats = { current: FORMATS.current + 2, upgrades: [upgrade(FORMATS.current + 1), upgrade(FORMATS.current)] };
    const notices: Notice[] = [];
    for (let round = 0; round < 2; round++) {
      const store = await open(directory, { formats, onNotice: (notice) => notices.push(notice) });
      expect(await store.read('a', (tx) => tx.things.get('1'))).toMatchObject({ name: 'old' });
      await store.close();
    }
    expect(steps).toEqual([FORMATS.current, FORMATS.current + 1]);
    expect(notices.map((notice) => notice.kind)).toEqual(['upgraded', 'upgraded']);
    expect((await manifestOf(directory)).format).toBe(FORMATS.current + 2);
  });

  test('one without a way to the present is refused', async () => {
    await expect(
      withFormat(FORMATS.current).then((directory) => open(directory, { formats: { current: 9, upgrades: [] } })),
    ).rejects.toThrow(/cannot upgrade/);
  });
});

describe('a crash while a checkpoint is written', () => {
  test('leaves a store that opens with everything, at every step', async () => {
    const directory = await folder();
    const copies: string[] = [];
    let watching = false;
    const store = await open(directory, {
      onStep: async () => {
        if (!watching) return;
        const copy = await folder();
        await cp(directory, copy, { recursive: true });
        copies.push(copy);
      },
    });
    const rows = await change(
      store,
      new Map(),
      Array.from({ length: 30 }, (_, each) => aThing(`t${each}`)),
      [],
    );
    await store.checkpoint();
    const after = await change(store, rows, [aThing('t1', { name: 'changed' })], ['t2']);
    watching = true;
    await store.checkpoint();
    watching = false;
    expect(copies.length).toBeGreaterThan(8);
    for (const copy of copies) await expectSame(copy, after);
    await store.close();
  });

  test('and after transactions that were taken back while it was written', async () => {
    const directory = await folder();
    const store = await open(directory);
    let rows = new Map<string, Thing>();
    const made = Array.from({ length: 1_500 }, (_, each) => aThing(`t${String(each)}`, { name: `thing ${String(each)}`, size: each }));
    rows = await change(store, rows, made, []);
    void store.checkpoint();
    for (let at = 0; store.stats().checkpointRunning; at = (at + 211) % 1_500) {
      const refused = store.transact('a', async (tx) => {
        await tx.things.put(aThing(`t${String(at)}`, { name: 'never' }));
        await tx.things.put(aThing(`t${String((at + 1) % 1_500)}`, { name: 'never, too' }));
        await tx.things.remove(`t${String((at + 2) % 1_500)}`);
        await tx.things.put(aThing('none', { name: 'neither' }));
        throw new Error('taken back');
      });
      await expect(refused).rejects.toThrow('taken back');
      // Changed for good, before or after something was taken back: the newer journal has it.
      rows = await change(store, rows, [aThing(`t${String((at + 1) % 1_500)}`, { name: `again ${String(at)}` })], []);
    }
    const copy = await folder();
    await cp(directory, copy, { recursive: true });
    await store.close();
    await expectSame(copy, rows);
    await expectSame(directory, rows);
  });

  test('or an error at any step leaves the running store and its files whole', async () => {
    for (let failing = 0; ; failing++) {
      const directory = await folder();
      let step = -1;
      const store = await open(directory, {
        onStep: () => {
          if (step >= 0 && step++ === failing) throw new Error('no space');
        },
      });
      let rows = await change(store, new Map(), [aThing('1'), aThing('2')], []);
      step = 0;
      const failed = await store.checkpoint().then(
        () => false,
        () => true,
      );
      const steps = step;
      step = -1;
      rows = await change(store, rows, [aThing('3')], ['1']);
      const copy = await folder();
      await cp(directory, copy, { recursive: true });
      const between = await contents(copy, rows);
      expect(between.found).toEqual(between.expected);
      await store.checkpoint();
      await store.close();
      await expectSame(directory, rows);
      if (!failed && failing > steps) break;
    }
  });
});

describe('a write that fails', () => {
  test('leaves nothing of what was not durable; reads go on and never show it', async () => {
    for (const failingStep of ['write', 'sync']) {
      const directory = await folder();
      let failing = false;
      const notices: string[] = [];
      const store = await open(directory, {
        onNotice: (notice) => notices.push(notice.kind),
        onStep: (step) => {
          if (failing && step === failingStep) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
        },
      });
      let rows = await change(store, new Map(), [aThing('1', { name: 'kept', sku: 'A' })], []);
      const before = await everything(store);
      failing = true;
      const heard: number[] = [];
      store.onCommit((commit) => heard.push(commit.sequence));
      const writes = Array.from({ length: 5 }, (_, each) =>
        store.transact('a', (tx) => tx.things.put(aThing('1', { name: `lost ${each}`, sku: 'B' }))),
      );
      const removal = store.transact('a', (tx) => tx.things.remove('1'));
      const seen = store.read('a', (tx) => tx.things.get('1'));
      const refused = store.transact('a', async (tx) => {
        if (await tx.things.find('sku', 'A')) throw new Error('A is there');
      });
      for (const result of await Promise.allSettled([...writes, removal])) {
        expect(result).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailable', cause: { code: 'EIO' } } });
      }
      expect((await seen)?.name).toBe('kept');
      await expect(refused).rejects.toThrow('A is there');
      expect(await everything(store)).toEqual(before);
      expect(heard).toEqual([]);
      expect(store.stats().unavailable).toMatch(/EIO/);
      await expect(store.transact('a', (tx) => tx.things.put(aThing('2')))).rejects.toMatchObject({ name: 'StoreUnavailable' });
      failing = false;
      rows = await change(store, rows, [aThing('3')], []);
      expect(store.stats().unavailable).toBeUndefined();
      expect(heard).toEqual([2]);
      expect(notices).toEqual(['unavailable', 'recovered']);
      const copy = await folder();
      await cp(directory, copy, { recursive: true });
      await expectSame(copy, rows);
      await store.close();
      await expectSame(directory, rows);
    }
  });

  test('interrupts a checkpoint that may have copied it', async () => {
    const directory = await folder();
    let failing = false;
    const store = await open(directory, {
      onStep: async (step, file) => {
        if (step === 'create' && file.includes('checkpoint')) {
          failing = true;
          await store.transact('a', (tx) => tx.things.put(aThing('lost'))).catch(() => {});
        }
        if (failing && step === 'sync' && file.includes('journal')) throw new Error('EIO');
      },
    });
    const rows = await change(store, new Map(), [aThing('1')], []);
    await expect(store.checkpoint()).rejects.toMatchObject({ name: 'Interrupted' });
    const copy = await folder();
    await cp(directory, copy, { recursive: true });
    await expectSame(copy, rows);
    await store.close();
  });
});
