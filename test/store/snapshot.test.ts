/** Snapshots of the file store: saved and restored during writes, interrupted at every step, damaged, and from other releases. */
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type FileStore, SnapshotUnusable, isUnfinishedSnapshot, openFileStore, readSnapshotHeader } from '../../src/store/file/index.ts';
import { StoreUnavailable } from '../../src/domain/kernel/ports.ts';
import { FORMATS } from '../../src/store/file/formats.ts';
import { createTempDirectory, openStore } from './file-store.ts';
import { type Things, createThing, tables } from './fixtures.ts';
import { isLongRun } from '../support/long-run.ts';
import { observeDisk } from '../support/disk/observed-disk.ts';

/** Faults are injected at every such step on disk. */
const STEP = isLongRun ? 1 : 7;
/** Crashes happen at every such step on disk. */
const CRASH_STEP = isLongRun ? 1 : 3;

type Store = FileStore<Things>;
const quiesce = () => Promise.resolve();
const putThings = (store: Store, ids: readonly string[]) =>
  store.transact('a', async (tx) => {
    for (const id of ids) await tx.things.put(createThing(id, { name: `name of ${id}` }));
  });
const readIds = async (store: Store): Promise<string[]> => {
  const { rows } = await store.read('a', (tx) => tx.things.listAfter({ limit: 100_000 }));
  return rows.map(({ id }) => id).sort();
};
const readIdsFrom = async (directory: string): Promise<string[]> => {
  const store = await openStore(directory);
  const ids = await readIds(store);
  await store.close();
  return ids;
};

/** A store with a checkpoint, a journal and a snapshot of both, and one row added after it. */
async function createStoreWithSnapshot(more: Parameters<typeof openStore>[1] = {}) {
  const [directory, snapshotDirectory] = [await createTempDirectory(), await createTempDirectory()];
  const store = await openStore(directory, more);
  await putThings(store, ['t1', 't2']);
  await store.checkpoint();
  await putThings(store, ['t3']);
  const path = join(snapshotDirectory, 'one.snapshot');
  await store.saveSnapshot(path, { savedBy: 'test' });
  await putThings(store, ['t4']);
  return { directory, snapshotDirectory, store, path, saved: ['t1', 't2', 't3'], now: ['t1', 't2', 't3', 't4'] };
}

describe('a snapshot', () => {
  test('a snapshot describes itself, is accessible only to its owner, and restores all data durably', async () => {
    const { directory, store, path, saved } = await createStoreWithSnapshot();
    expect(await readSnapshotHeader(path)).toMatchObject({ format: 1, rows: 3, about: { savedBy: 'test' } });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await store.restoreSnapshot(path, quiesce);
    expect(await readIds(store)).toEqual(saved);
    await putThings(store, ['t9']);
    await store.close();
    expect(await readIdsFrom(directory)).toEqual([...saved, 't9']);
  });

  test('a snapshot can be restored repeatedly into another store and leaves no extra files', async () => {
    const { store, path, saved } = await createStoreWithSnapshot();
    await store.close();
    const other = await createTempDirectory();
    const second = await openStore(other);
    await putThings(second, ['x']);
    for (let round = 0; round < 3; round += 1) {
      await second.restoreSnapshot(path, quiesce);
      await putThings(second, [`r${String(round)}`]);
      expect(await readIds(second)).toEqual([`r${String(round)}`, ...saved]);
    }
    expect((await readdir(other)).length).toBeLessThanOrEqual(4);
    await second.checkpoint();
    await second.close();
    expect(await readIdsFrom(other)).toEqual(['r2', ...saved]);
  });

  test('a restore during the creation of the first journal segment uses other file numbers', async () => {
    const { path, saved, store } = await createStoreWithSnapshot();
    await store.close();
    const directory = await createTempDirectory();
    const { promise: isUnpacked, resolve: unpacked } = Promise.withResolvers<void>();
    const { promise: isMaking, resolve: making } = Promise.withResolvers<void>();
    let files = 0;
    const second = await openStore(directory, {
      disk: observeDisk(async (step, file) => {
        if (step === 'rename' && file.endsWith('manifest.json') && files === 1) {
          making();
          await isUnpacked;
        }
        // The segment, and then the checkpoint and the journal of the snapshot.
        if (step === 'create' && !file.includes('manifest') && ++files === 3) unpacked();
      }),
    });
    const written = putThings(second, ['before']);
    await isMaking;
    await second.restoreSnapshot(path, quiesce);
    await written;
    await putThings(second, ['after']);
    const copy = await createTempDirectory();
    await cp(directory, copy, { recursive: true });
    await second.close();
    expect(await readIdsFrom(copy)).toEqual(['after', ...saved]);
    expect(await readIdsFrom(directory)).toEqual(['after', ...saved]);
  });

  test('repeated snapshots of an unchanged store leave no journal segments', async () => {
    const { directory, snapshotDirectory, store, path } = await createStoreWithSnapshot();
    await store.saveSnapshot(path, {});
    const before = (await readdir(directory)).length;
    for (let round = 0; round < 5; round += 1) await store.saveSnapshot(join(snapshotDirectory, 'two.snapshot'), {});
    expect((await readdir(directory)).length).toBe(before);
    await store.close();
  });

  test('a restore of nothing empties the store', async () => {
    const { directory, store } = await createStoreWithSnapshot();
    await store.restoreSnapshot(undefined, quiesce);
    expect(await readIds(store)).toEqual([]);
    await putThings(store, ['t5']);
    await store.close();
    expect(await readIdsFrom(directory)).toEqual(['t5']);
  });

  test('a snapshot saved during writes has every acknowledged transaction, and only complete ones', async () => {
    const { store, path } = await createStoreWithSnapshot({ checkpointBytes: 4_096 });
    let number = 10;
    const state = { stopped: false };
    const acknowledged = new Set<number>();
    const write = async () => {
      while (!state.stopped) {
        const mine = (number += 1);
        await putThings(store, [`p${String(mine)}`, `q${String(mine)}`]);
        acknowledged.add(mine);
      }
    };
    const writers = [1, 2, 3, 4].map(write);
    for (let round = 0; round < 8; round += 1) {
      const before = [...acknowledged];
      await store.saveSnapshot(path, {});
      const other = await openStore(await createTempDirectory());
      await other.restoreSnapshot(path, quiesce);
      const found = new Set(await readIds(other));
      expect(before.filter((each) => !found.has(`p${String(each)}`))).toEqual([]);
      expect([...found].filter((id) => id.startsWith('p') && !found.has(`q${id.slice(1)}`))).toEqual([]);
      await other.close();
    }
    state.stopped = true;
    await Promise.all(writers);
    await store.close();
  });

  test('a restore during writes keeps each transaction either before it or after it, never in part, and writes continue', async () => {
    const { directory, store, path, saved } = await createStoreWithSnapshot();
    let number = 0;
    const state = { stopped: false };
    const write = async () => {
      while (!state.stopped) {
        const mine = String((number += 1));
        await putThings(store, [`p${mine}`, `q${mine}`]);
      }
    };
    const writers = [1, 2, 3, 4, 5, 6].map(write);
    for (let round = 0; round < 5; round += 1) {
      const first = number;
      await store.restoreSnapshot(path, quiesce);
      // What was acknowledged before the restore started is gone.
      const found = (await readIds(store)).filter((id) => id.startsWith('p')).map((id) => Number(id.slice(1)));
      expect(found.filter((each) => each < first - writers.length)).toEqual([]);
    }
    state.stopped = true;
    await Promise.all(writers);
    const after = await readIds(store);
    expect(after.filter((id) => id.startsWith('t'))).toEqual(saved);
    expect(after.filter((id) => id.startsWith('p') && !after.includes(`q${id.slice(1)}`))).toEqual([]);
    await store.close();
    expect(await readIdsFrom(directory)).toEqual(after);
  });

  test('a restore while the disk refuses writes waits until they are rolled back', async () => {
    const disk = { fails: false };
    const beforeStep = (step: string, file: string) => {
      if (disk.fails && step === 'sync' && file.includes('journal')) throw new Error('the disk refuses');
    };
    const { store, path, saved } = await createStoreWithSnapshot({ disk: observeDisk(beforeStep) });
    const refused: unknown[] = [];
    const state = { stopped: false };
    const writers = [1, 2, 3].map(async (writer) => {
      for (let at = 0; !state.stopped; at += 1)
        await putThings(store, [`w${String(writer)}-${String(at)}`]).catch((error: unknown) => refused.push(error));
    });
    disk.fails = true;
    await store
      .restoreSnapshot(path, async () => {
        disk.fails = false;
      })
      .catch((error: unknown) => expect(error).toMatchObject({ message: 'the disk refuses' }));
    state.stopped = true;
    disk.fails = false;
    await Promise.all(writers);
    expect(refused.every((error) => error instanceof StoreUnavailable)).toBe(true);
    await store.restoreSnapshot(path, quiesce);
    expect(await readIds(store)).toEqual(saved);
    await store.close();
  });
});

/** Counts the steps on disk that `work` takes. */
async function countSteps(work: (store: Store, path: string, snapshotDirectory: string) => Promise<unknown>): Promise<number> {
  const counted = { on: false, steps: 0 };
  const beforeStep = () => void (counted.on && (counted.steps += 1));
  const { store, path, snapshotDirectory } = await createStoreWithSnapshot({ disk: observeDisk(beforeStep) });
  counted.on = true;
  await work(store, path, snapshotDirectory);
  counted.on = false;
  await store.close();
  return counted.steps;
}

describe.each([
  [
    'saveSnapshot',
    (store: Store, _path: string, snapshotDirectory: string) => store.saveSnapshot(join(snapshotDirectory, 'two.snapshot'), {}),
  ],
  ['restoreSnapshot', (store: Store, path: string) => store.restoreSnapshot(path, quiesce)],
] as const)('%s', (name, work) => {
  test('an error at any single step changes nothing, and the store keeps working', async () => {
    const steps = await countSteps(work);
    expect(steps).toBeGreaterThan(5);
    for (let failing = 1; failing <= steps; failing += STEP) {
      const counter = { on: false, steps: 0 };
      const beforeStep = () => {
        if (counter.on && (counter.steps += 1) === failing) throw new Error(`step ${String(failing)}`);
      };
      const { directory, snapshotDirectory, store, path, saved, now } = await createStoreWithSnapshot({ disk: observeDisk(beforeStep) });
      counter.on = true;
      const error = await work(store, path, snapshotDirectory).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      counter.on = false;
      const succeeded = error === undefined;
      const expected = succeeded && name === 'restoreSnapshot' ? saved : now;
      expect(await readIds(store), `${name}, step ${String(failing)}`).toEqual(expected);
      await putThings(store, ['t8']);
      await store.close();
      expect(await readIdsFrom(directory), `${name}, step ${String(failing)}, opened again`).toEqual([...expected, 't8']);
      const left = await readdir(snapshotDirectory);
      expect(left.filter(isUnfinishedSnapshot)).toEqual([]);
      for (const file of left) await readSnapshotHeader(join(snapshotDirectory, file));
    }
  });

  test('errors from any step on lose no transaction that is acknowledged afterwards', async () => {
    const steps = await countSteps(work);
    for (let failing = 1; failing <= steps; failing += STEP) {
      const counter = { on: false, steps: 0 };
      const beforeStep = () => {
        if (counter.on && (counter.steps += 1) >= failing) throw new Error(`step ${String(failing)}`);
      };
      const { directory, snapshotDirectory, store, path, saved, now } = await createStoreWithSnapshot({ disk: observeDisk(beforeStep) });
      counter.on = true;
      const succeeded = await work(store, path, snapshotDirectory).then(
        () => true,
        () => false,
      );
      counter.on = false;
      const expected = succeeded && name === 'restoreSnapshot' ? saved : now;
      expect(await readIds(store), `${name}, step ${String(failing)}`).toEqual(expected);
      await putThings(store, ['t8']);
      // What a crash at this moment would leave.
      const copy = await createTempDirectory();
      await cp(directory, copy, { recursive: true });
      expect(await readIdsFrom(copy), `${name}, step ${String(failing)}, after a crash`).toEqual([...expected, 't8']);
      await store.close();
    }
  });

  test('a crash at any step leaves either the old data or the new', async () => {
    const steps = await countSteps(work);
    const seen = new Set<string>();
    for (let cut = 1; cut <= steps; cut += CRASH_STEP) {
      const copy = await createTempDirectory();
      const counter = { on: false, steps: 0, directory: '' };
      const beforeStep = async () => {
        // What a crash at this moment would leave.
        if (counter.on && (counter.steps += 1) === cut) await cp(counter.directory, copy, { recursive: true });
      };
      const { directory, snapshotDirectory, store, path, saved, now } = await createStoreWithSnapshot({ disk: observeDisk(beforeStep) });
      counter.directory = directory;
      counter.on = true;
      await work(store, path, snapshotDirectory);
      counter.on = false;
      await store.close();
      const found = await readIdsFrom(copy);
      seen.add(found.join());
      expect([saved.join(), now.join()], `${name}, step ${String(cut)}`).toContain(found.join());
      if (name === 'saveSnapshot') expect(found).toEqual(now);
    }
    expect(seen.size).toBe(name === 'restoreSnapshot' ? 2 : 1);
  });
});

describe('refused snapshots', () => {
  const refusal = async (change: (bytes: Buffer) => Buffer): Promise<string> => {
    const { directory, store, path, snapshotDirectory, now } = await createStoreWithSnapshot();
    const damaged = join(snapshotDirectory, 'damaged.snapshot');
    await writeFile(damaged, change(await readFile(path)));
    const files = (await readdir(directory)).sort();
    const error = await store
      .restoreSnapshot(damaged, () => Promise.reject(new Error('not to be reached')))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SnapshotUnusable);
    expect(await readIds(store)).toEqual(now);
    expect((await readdir(directory)).sort()).toEqual(files);
    await store.close();
    return (error as SnapshotUnusable).problem;
  };

  test('a snapshot with any flipped bit is refused and changes nothing', async () => {
    const { store, path, snapshotDirectory, now } = await createStoreWithSnapshot();
    const bytes = await readFile(path);
    const damaged = join(snapshotDirectory, 'damaged.snapshot');
    for (let at = 0; at < bytes.length; at += 1 + Math.floor(at / 20)) {
      const copy = Buffer.from(bytes);
      copy[at]! ^= 1 << (at % 8);
      await writeFile(damaged, copy);
      await expect(store.restoreSnapshot(damaged, quiesce), `byte ${String(at)}`).rejects.toThrow(SnapshotUnusable);
    }
    expect(await readIds(store)).toEqual(now);
    await store.close();
  });

  test('a snapshot that is truncated, too long or empty is refused, as are other files', async () => {
    expect(await refusal((bytes) => bytes.subarray(0, bytes.length - 1))).toMatch(/damaged: it has \d+ bytes instead of \d+/u);
    expect(await refusal((bytes) => Buffer.concat([bytes, Buffer.alloc(1)]))).toContain('damaged');
    expect(await refusal(() => Buffer.alloc(0))).toBe('it is not a stockroom snapshot');
    expect(await refusal(() => Buffer.from('PK\u0003\u0004 something quite different, and long enough'))).toBe(
      'it is not a stockroom snapshot',
    );
  });

  test('a snapshot with valid checksums and a header that no release writes is refused by name', async () => {
    const { store, path } = await createStoreWithSnapshot();
    const bytes = await readFile(path);
    const length = bytes.readUInt32LE(24);
    const header = JSON.parse(bytes.subarray(32, 32 + length).toString()) as Record<string, unknown>;
    const manifest = header['manifest'] as Record<string, unknown>;
    const crafted = [
      null,
      [],
      'text',
      { ...header, format: 'x' },
      { ...header, format: -1 },
      { ...header, manifest: undefined },
      { ...header, manifest: { ...manifest, format: -1 } },
      { ...header, manifest: { ...manifest, format: 'x' } },
      { ...header, manifest: { ...manifest, segments: {} } },
      { ...header, manifest: { ...manifest, segments: [{ file: 1, bytes: 1 }] } },
      { ...header, manifest: { ...manifest, segments: [{ file: 'journal-1.log', bytes: -1 }] } },
      { ...header, manifest: { ...manifest, checkpoint: null } },
      { ...header, tables: 'things' },
      { ...header, rows: '1' },
      { ...header, about: null },
    ];
    for (const each of crafted) {
      const text = Buffer.from(JSON.stringify(each));
      const prefix = Buffer.from(bytes.subarray(0, 32));
      prefix.writeUInt32LE(text.length, 24);
      prefix.writeUInt32LE(crc32(text), 28);
      await writeFile(path, Buffer.concat([prefix, text, bytes.subarray(32 + length)]));
      await expect(readSnapshotHeader(path), JSON.stringify(each)).rejects.toBeInstanceOf(SnapshotUnusable);
      await expect(store.restoreSnapshot(path, quiesce), JSON.stringify(each)).rejects.toBeInstanceOf(SnapshotUnusable);
    }
    expect(await readIds(store)).toEqual(['t1', 't2', 't3', 't4']);
    await store.close();
  });

  test('a snapshot of a newer format or with unknown tables is refused', async () => {
    const { store, snapshotDirectory } = await createStoreWithSnapshot();
    const newer = await openFileStore({
      directory: await createTempDirectory(),
      tables,
      formats: { current: FORMATS.current + 1, upgrades: [] },
    });
    await newer.saveSnapshot(join(snapshotDirectory, 'newer.snapshot'), {});
    await expect(store.restoreSnapshot(join(snapshotDirectory, 'newer.snapshot'), quiesce)).rejects.toThrow(
      `newer release (format 1.${FORMATS.current + 1}; this release reads up to 1.${FORMATS.current})`,
    );
    const unknown = { ...tables.things, name: 'unknown' };
    const other = await openFileStore({ directory: await createTempDirectory(), tables: { ...tables, unknown } });
    await other.saveSnapshot(join(snapshotDirectory, 'other.snapshot'), {});
    await expect(store.restoreSnapshot(join(snapshotDirectory, 'other.snapshot'), quiesce)).rejects.toThrow(
      'it was created by another release and has tables that this release does not have: unknown',
    );
    await Promise.all([store.close(), newer.close(), other.close()]);
  });

  test('a snapshot of an older format is refused unless there are upgrades for it', async () => {
    const { store, path, saved } = await createStoreWithSnapshot();
    await store.close();
    const stuck = await openFileStore({
      directory: await createTempDirectory(),
      tables,
      formats: { current: FORMATS.current + 1, upgrades: [] },
    });
    await expect(stuck.restoreSnapshot(path, quiesce)).rejects.toThrow(`format ${FORMATS.current} is too old`);
    const upgrades = [
      { from: FORMATS.current, apply: (_disk: unknown, _directory: string, manifest: object) => Promise.resolve(manifest) },
    ] as never;
    const directory = await createTempDirectory();
    const able = await openFileStore({ directory, tables, formats: { current: FORMATS.current + 1, upgrades } });
    await able.restoreSnapshot(path, quiesce);
    expect(await readIds(able)).toEqual(saved);
    await Promise.all([stuck.close(), able.close()]);
  });
});
