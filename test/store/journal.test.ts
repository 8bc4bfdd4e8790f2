/** The journal: preallocation, segments, and when it is long enough for a checkpoint. */
import fs from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import { State } from '../../src/store/file/state.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { MIN_SEGMENT_BYTES } from '../../src/store/file/journal/preallocation.ts';
import { type DiskStep, wrapDisk } from '../../src/store/file/disk/disk.ts';
import { localDisk } from '../../src/store/file/disk/local-disk.ts';
import { applyChanges } from './transactions.ts';
import { createTempDirectory, readManifest, openStore } from './file-store.ts';
import { createThing, type Thing } from './fixtures.ts';
import { observeDisk } from '../support/disk/observed-disk.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Long enough to use up most of a new segment's preallocation, so that more is preallocated during the next commits. */
const LONG_TEXT = 'x'.repeat(200_000);

/** Whether a step writes zeros beyond those of a new segment. */
const isPreallocation = (step: DiskStep): boolean =>
  step.kind === 'write' && step.position >= MIN_SEGMENT_BYTES && step.buffers.every((buffer) => buffer.every((byte) => byte === 0));

async function readRows(directory: string): Promise<Map<string, Thing>> {
  const store = await openStore(directory);
  const { rows } = await store.read('a', (tx) => tx.things.listAfter({ limit: 1_000 }));
  await store.close();
  return new Map(rows.map((row) => [row.id, row]));
}

test('a commit of several megabytes is written completely before it is synced', async () => {
  const directory = await createTempDirectory();
  const lengths: number[] = [];
  const store = await openStore(directory, {
    // Synchronous, because a write that is not awaited would continue meanwhile.
    disk: observeDisk((step, file) => void (step === 'sync' && file.includes('journal') && lengths.push(fs.statSync(file).size))),
  });
  const text = 'x'.repeat(4 * 1_024 * 1_024);
  await store.transact('a', (tx) => tx.things.put(createThing('1', { name: text })));
  await store.close();
  expect(lengths[0]).toBe(MIN_SEGMENT_BYTES);
  expect(lengths[1]).toBeGreaterThan(text.length);
});

describe('preallocation', () => {
  test('preallocation does not overwrite commits after one that ends where its zeros begin', async () => {
    const directory = await createTempDirectory();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    // The zeros are written late.
    const disk = wrapDisk(localDisk, async (step, run) => {
      if (isPreallocation(step)) await isReleased;
      return run(step);
    });
    const store = await openStore(directory, { disk });
    const putNamed = (id: string, name = '') => store.transact('a', (tx) => tx.things.put(createThing(id, { name })));
    // As many digits in its length as in that of the third.
    const text = 'x'.repeat(20_000);
    await putNamed('1', text);
    const overhead = store.getStats().journalBytes - text.length;
    await putNamed('2', LONG_TEXT);
    const free = MIN_SEGMENT_BYTES - store.getStats().journalBytes;
    const writes = putNamed('3', 'x'.repeat(free - overhead)).then(() => putNamed('4'));
    // Enough turns for both commits, if they do not wait for the zeros.
    for (let turn = 0; turn < 1_000; turn++) await new Promise(setImmediate);
    release();
    await writes;
    // Waits for the zeros.
    await putNamed('5', LONG_TEXT);
    const copy = await createTempDirectory();
    await cp(directory, copy, { recursive: true });
    await store.close();
    expect([...(await readRows(copy)).keys()].sort()).toEqual(['1', '2', '3', '4', '5']);
  });

  test('preallocation does not hide a write error of a commit, which Linux reports once per open file', async () => {
    const directory = await createTempDirectory();
    const { promise: isAcknowledged, resolve: acknowledged } = Promise.withResolvers<void>();
    const { promise: isSyncing, resolve: syncing } = Promise.withResolvers<void>();
    const { promise: areSynced, resolve: synced } = Promise.withResolvers<void>();
    const { promise: isWritten, resolve: written } = Promise.withResolvers<void>();
    let hasFailed = false;
    const disk = wrapDisk(localDisk, async (step, run) => {
      if (isPreallocation(step)) await isAcknowledged;
      if (hasFailed && step.kind === 'sync') await areSynced;
      const result = await run(step);
      if (!vi.isMockFunction(fs.fdatasync) || step.kind !== 'write' || isPreallocation(step)) return result;
      hasFailed = true;
      written();
      return result;
    });
    const store = await openStore(directory, { disk });
    await store.transact('a', (tx) => tx.things.put(createThing('1', { name: LONG_TEXT })));
    const sync = fs.fdatasync;
    const reported = new Set<number>();
    // The write error occurs when the second commit is in the page cache together with the zeros.
    const fail = async (fd: number, done: fs.NoParamCallback): Promise<void> => {
      await isWritten;
      if (reported.has(fd)) sync(fd, done);
      else done(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }));
      reported.add(fd);
      synced();
    };
    vi.spyOn(fs, 'fdatasync').mockImplementation((fd, done) => {
      syncing();
      void fail(fd, done);
    });
    acknowledged();
    await isSyncing;
    await expect(store.transact('a', (tx) => tx.things.put(createThing('2')))).rejects.toMatchObject({ name: 'StoreUnavailable' });
    vi.restoreAllMocks();
    await applyChanges(store, new Map(), [createThing('3')], []);
    const copy = await createTempDirectory();
    await cp(directory, copy, { recursive: true });
    await store.close();
    expect([...(await readRows(copy)).keys()].sort()).toEqual(['1', '3']);
  });

  test('zeros that are still being written never overwrite the record of a later commit', async () => {
    const directory = await createTempDirectory();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    const { promise: areHeld, resolve: held } = Promise.withResolvers<void>();
    const { promise: areWritten, resolve: written } = Promise.withResolvers<void>();
    const disk = wrapDisk(localDisk, async (step, run) => {
      if (!isPreallocation(step)) return run(step);
      held();
      await isReleased;
      const result = await run(step);
      written();
      return result;
    });
    const store = await openStore(directory, { disk });
    await applyChanges(store, new Map(), [createThing('0')], []);
    await applyChanges(store, new Map(), [createThing('1', { name: LONG_TEXT })], []);
    await areHeld;
    const commit = store.transact('a', (tx) => tx.things.put(createThing('2', { name: LONG_TEXT })));
    // Each round waits for the disk, as the commit would.
    for (let round = 0; round < 50; round++) await cp(`${directory}/manifest.json`, `${directory}/copy`);
    release();
    await Promise.all([commit, areWritten]);
    const copy = await createTempDirectory();
    await cp(directory, copy, { recursive: true });
    await store.close();
    expect([...(await readRows(copy)).keys()].sort()).toEqual(['0', '1', '2']);
  });

  test('preallocation ends before its segment is closed, for a checkpoint or after a failed manifest write', async () => {
    for (const failing of [false, true]) {
      const directory = await createTempDirectory();
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
      const { promise: isReached, resolve: reached } = Promise.withResolvers<void>();
      const { promise: areHeld, resolve: held } = Promise.withResolvers<void>();
      let isRotating = false;
      const disk = wrapDisk(localDisk, async (step, run) => {
        if (isPreallocation(step)) {
          held();
          await isReleased;
        }
        if (isRotating && step.kind === 'rename' && step.path.endsWith('manifest.json')) {
          isRotating = false;
          reached();
          if (failing) throw new Error('no space');
        }
        return run(step);
      });
      const store = await openStore(directory, { disk });
      await applyChanges(store, new Map(), [createThing('0')], []);
      await applyChanges(store, new Map(), [createThing('1', { name: LONG_TEXT })], []);
      await areHeld;
      isRotating = true;
      let isOver = false;
      const rotated = store.checkpoint().then(
        () => (isOver = true),
        () => (isOver = true),
      );
      await isReached;
      // Each round waits for the disk, as closing the segment would.
      for (let round = 0; round < 200; round++) await cp(`${directory}/manifest.json`, `${directory}/copy`);
      expect(isOver).toBe(false);
      release();
      await rotated;
      await store.close();
    }
  });
});

describe('segments', () => {
  const segmentBytes = 1_000;
  const CONCURRENCY = 8;

  test('a full segment is followed by another, without any other effect', async () => {
    const directory = await createTempDirectory();
    const store = await openStore(directory, { segmentBytes });
    let rows = new Map<string, Thing>();
    for (let each = 0; each < 30; each++)
      rows = await applyChanges(store, rows, [createThing(`t${String(each)}`, { name: 'x'.repeat(100) })], []);
    const { segments } = await readManifest(directory);
    expect(segments.length).toBeGreaterThan(4);
    for (const { bytes } of segments.slice(0, -1)) {
      expect(bytes).toBeGreaterThanOrEqual(segmentBytes);
      expect(bytes).toBeLessThan(segmentBytes + 400);
    }
    expect(segments.at(-1)!.bytes).toBeUndefined();
    expect(store.getStats().journalBytes).toBeGreaterThan(30 * 100);
    const copy = await createTempDirectory();
    await cp(directory, copy, { recursive: true });
    expect(await readRows(copy)).toEqual(rows);
    const path = `${await createTempDirectory()}/one.snapshot`;
    await store.saveSnapshot(path, {});
    await store.restoreSnapshot(path, () => Promise.resolve());
    rows = await applyChanges(store, rows, [createThing('last')], ['t1']);
    await store.checkpoint();
    expect((await readManifest(directory)).segments.length).toBe(1);
    expect((await readdir(directory)).length).toBe(3);
    await store.close();
    expect(await readRows(directory)).toEqual(rows);
  });

  test('a crash or an error at any step of starting a segment keeps acknowledged commits and no refused ones', async () => {
    /** Lets one step on disk fail. Resolves to true when there were fewer steps. */
    const failAt = async (failing: number): Promise<boolean> => {
      const directory = await createTempDirectory();
      const crashes: { directory: string; acknowledged: readonly string[]; requested: string }[] = [];
      const acknowledged: string[] = [];
      let requested = '';
      let step = 0;
      const store = await openStore(directory, {
        segmentBytes,
        disk: observeDisk(async () => {
          if (step++ !== failing) return;
          const copy = await createTempDirectory();
          await cp(directory, copy, { recursive: true });
          crashes.push({ directory: copy, acknowledged: [...acknowledged], requested });
          throw new Error('EIO');
        }),
      }).catch(() => undefined);
      // The first steps are those of opening.
      if (store === undefined) return false;
      for (let each = 0; each < 9; each++) {
        requested = `t${String(each)}`;
        const row = createThing(requested, { name: 'x'.repeat(400) });
        await store
          .transact('a', (tx) => tx.things.put(row))
          .then(
            () => acknowledged.push(row.id),
            () => {},
          );
      }
      const stepsTaken = step;
      expect(acknowledged.length).toBe(crashes.length === 0 ? 9 : 8);
      const end = await createTempDirectory();
      await cp(directory, end, { recursive: true });
      await store.close();
      for (const each of [directory, end]) expect([...(await readRows(each)).keys()]).toEqual(acknowledged);
      for (const crash of crashes)
        expect([crash.acknowledged, [...crash.acknowledged, crash.requested]]).toContainEqual([
          ...(await readRows(crash.directory)).keys(),
        ]);
      return stepsTaken <= failing;
    };
    // Several at a time, because they mostly wait for the disk.
    for (let first = 0, isOver = false; !isOver; first += CONCURRENCY)
      isOver = (await Promise.all(Array.from({ length: CONCURRENCY }, (_, at) => failAt(first + at)))).includes(true);
  });
});

describe('live bytes', () => {
  const countBytes = (rows: ReadonlyMap<string, Thing>): number =>
    rows.values().reduce((sum, row) => sum + Buffer.byteLength(JSON.stringify(row)), 0);

  test('live bytes are read without visiting every table of every tenant', async () => {
    const directory = await createTempDirectory();
    const store = await openStore(directory, { checkpointBytes: 0 });
    const rows = await applyChanges(store, new Map(), [createThing('1', { name: LONG_TEXT })], []);
    await store.checkpoint();
    const listPartitions = vi.spyOn(State.prototype, 'listPartitions');
    await applyChanges(store, rows, [createThing('2')], []);
    const { journalBytes, liveBytes } = store.getStats();
    expect(journalBytes).toBeGreaterThan(0);
    expect(journalBytes).toBeLessThan(liveBytes);
    // Only `getStats` counts rows.
    expect(listPartitions).toHaveBeenCalledTimes(1);
    await store.close();
  });

  test('live bytes match the rows after changes, aborted and failed transactions, checkpoints and reopens', async () => {
    let isFailing = false;
    const beforeStep = (step: string): void => {
      if (isFailing && step === 'sync') throw new Error('EIO');
    };
    const directory = await createTempDirectory();
    const store = await openStore(directory, { disk: observeDisk(beforeStep) });
    let rows = new Map<string, Thing>();
    const expectBytes = (): void => expect(store.getStats().liveBytes).toBe(countBytes(rows));
    for (const size of [1, 1000, 10]) {
      rows = await applyChanges(
        store,
        rows,
        [createThing('1', { size }), createThing(String(size)), createThing('gone', { name: 'x'.repeat(size) })],
        [],
      );
      expectBytes();
      rows = await applyChanges(
        store,
        rows,
        [createThing('2', { name: 'put twice' }), createThing('2'), createThing('both')],
        ['gone', 'both'],
      );
      expectBytes();
      const refused = store.transact('a', async (tx) => {
        await tx.things.put(createThing('1', { name: 'never' }));
        await tx.things.put(createThing('new'));
        await tx.things.remove('2');
        throw new Error('abort');
      });
      await expect(refused).rejects.toThrow('abort');
      expectBytes();
      isFailing = true;
      await expect(applyChanges(store, rows, [createThing('1', { name: 'lost' }), createThing('new')], ['2'])).rejects.toThrow('EIO');
      isFailing = false;
      expectBytes();
      await store.checkpoint();
      expectBytes();
    }
    rows = await applyChanges(store, rows, [createThing('1', { name: 'in the journal' })], ['2']);
    const copy = await createTempDirectory();
    await cp(directory, copy, { recursive: true });
    await store.close();
    for (const each of [directory, copy]) {
      const again = await openStore(each);
      expect(again.getStats().liveBytes).toBe(countBytes(rows));
      await again.close();
    }
  });
});
