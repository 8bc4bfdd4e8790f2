/** What the journal does beside the groups: zeros ahead of the records, one segment after another, and when it is long enough for a checkpoint. */
import fs from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import { State } from '../../src/store/file/state.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { change } from './rows.ts';
import { folder, manifestOf, open } from './support.ts';
import { aThing, type Thing } from './things.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** So much that the first zeros of a segment are nearly used up: more are written beside the next commits. */
const LONG = 'x'.repeat(200_000);

async function rowsIn(directory: string): Promise<Map<string, Thing>> {
  const store = await open(directory);
  const { rows } = await store.read('a', (tx) => tx.things.after({ limit: 1_000 }));
  await store.close();
  return new Map(rows.map((row) => [row.id, row]));
}

describe('zeros ahead', () => {
  test('do not take the error of a commit: Linux tells each open file once that something was not written', async () => {
    const directory = await folder();
    const { promise: areSynced, resolve: synced } = Promise.withResolvers<void>();
    const { promise: isWritten, resolve: written } = Promise.withResolvers<void>();
    let syncs = 0;
    const store = await open(directory, {
      onStep: async (step, file) => {
        if (step !== 'sync' || !file.includes('journal') || ++syncs !== 2) return;
        written();
        await areSynced;
      },
    });
    const sync = fs.fdatasync;
    const told = new Set<number>();
    // The system finds that it cannot write when the second commit is among the pages, beside the zeros.
    const fail = async (fd: number, done: fs.NoParamCallback): Promise<void> => {
      await isWritten;
      if (told.has(fd)) sync(fd, done);
      else done(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }));
      told.add(fd);
      synced();
    };
    let isFirst = true;
    vi.spyOn(fs, 'fdatasync').mockImplementation((fd, done) => {
      if (isFirst) sync(fd, done);
      else void fail(fd, done);
      isFirst = false;
    });
    await store.transact('a', (tx) => tx.things.put(aThing('1', { name: LONG })));
    await expect(store.transact('a', (tx) => tx.things.put(aThing('2')))).rejects.toMatchObject({ name: 'StoreUnavailable' });
    vi.restoreAllMocks();
    await change(store, new Map(), [aThing('3')], []);
    const copy = await folder();
    await cp(directory, copy, { recursive: true });
    await store.close();
    expect([...(await rowsIn(copy)).keys()].sort()).toEqual(['1', '3']);
  });

  test('are written before their segment is closed, for a checkpoint or because a manifest could not be written', async () => {
    for (const failing of [false, true]) {
      const directory = await folder();
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
      const { promise: isReached, resolve: reached } = Promise.withResolvers<void>();
      let isRotating = false;
      const store = await open(directory, {
        onStep: (step, file) => {
          if (!isRotating || step !== 'rename' || !file.endsWith('manifest.json')) return;
          isRotating = false;
          reached();
          if (failing) throw new Error('no space');
        },
      });
      await change(store, new Map(), [aThing('0')], []);
      const { promise: areHeld, resolve: held } = Promise.withResolvers<void>();
      const write = fs.writev as (...args: unknown[]) => void;
      const spy = vi.spyOn(fs, 'writev').mockImplementation((...args) => {
        // A commit of this length is written at once, so these are zeros.
        held();
        void isReleased.then(() => write(...args));
      });
      await change(store, new Map(), [aThing('1', { name: LONG })], []);
      await areHeld;
      spy.mockRestore();
      isRotating = true;
      let isOver = false;
      const rotated = store.checkpoint().then(
        () => (isOver = true),
        () => (isOver = true),
      );
      await isReached;
      // Each round goes to the disk and back, as what comes next does.
      for (let round = 0; round < 200; round++) await cp(`${directory}/manifest.json`, `${directory}/copy`);
      expect(isOver).toBe(false);
      release();
      await rotated;
      await store.close();
    }
  });
});

describe('a segment that is long enough', () => {
  const segmentBytes = 1_000;

  test('gets no more: the next commits go into another, and nothing else differs', async () => {
    const directory = await folder();
    const store = await open(directory, { segmentBytes });
    let rows = new Map<string, Thing>();
    for (let each = 0; each < 30; each++) rows = await change(store, rows, [aThing(`t${String(each)}`, { name: 'x'.repeat(100) })], []);
    const { segments } = await manifestOf(directory);
    expect(segments.length).toBeGreaterThan(4);
    for (const { bytes } of segments.slice(0, -1)) {
      expect(bytes).toBeGreaterThanOrEqual(segmentBytes);
      expect(bytes).toBeLessThan(segmentBytes + 400);
    }
    expect(segments.at(-1)!.bytes).toBeUndefined();
    expect(store.stats().journalBytes).toBeGreaterThan(30 * 100);
    const copy = await folder();
    await cp(directory, copy, { recursive: true });
    expect(await rowsIn(copy)).toEqual(rows);
    const path = `${await folder()}/one.snapshot`;
    await store.save(path, {});
    await store.restore(path, () => Promise.resolve());
    rows = await change(store, rows, [aThing('last')], ['t1']);
    await store.checkpoint();
    expect((await manifestOf(directory)).segments.length).toBe(1);
    expect((await readdir(directory)).length).toBe(3);
    await store.close();
    expect(await rowsIn(directory)).toEqual(rows);
  });

  test('and a crash or an error at any step until the next is there: what was answered is there, what was refused is not', async () => {
    for (let failing = 0, isLast = false; !isLast; failing++) {
      const directory = await folder();
      const copies: { copy: string; answered: readonly string[]; asked: string | undefined }[] = [];
      const answered: string[] = [];
      let asked: string | undefined;
      let step = 0;
      const store = await open(directory, {
        segmentBytes,
        onStep: async () => {
          if (step++ !== failing) return;
          const copy = await folder();
          await cp(directory, copy, { recursive: true });
          copies.push({ copy, answered: [...answered], asked });
          throw new Error('EIO');
        },
      }).catch(() => undefined);
      // The first steps are those of opening.
      if (store === undefined) continue;
      for (let each = 0; each < 9; each++) {
        asked = `t${String(each)}`;
        const row = aThing(asked, { name: 'x'.repeat(400) });
        await store
          .transact('a', (tx) => tx.things.put(row))
          .then(
            () => answered.push(row.id),
            () => {},
          );
      }
      isLast = step <= failing;
      expect(answered.length).toBe(copies.length === 0 ? 9 : 8);
      const end = await folder();
      await cp(directory, end, { recursive: true });
      await store.close();
      for (const each of [directory, end]) expect([...(await rowsIn(each)).keys()]).toEqual(answered);
      for (const { copy, ...then } of copies)
        expect([then.answered, [...then.answered, then.asked]]).toContainEqual([...(await rowsIn(copy)).keys()]);
    }
  });
});

describe('the bytes of all rows, which the journal has to reach for a checkpoint,', () => {
  const bytesOf = (rows: ReadonlyMap<string, Thing>): number =>
    rows.values().reduce((sum, row) => sum + Buffer.byteLength(JSON.stringify(row)), 0);

  test('are known without a look at every table of every tenant', async () => {
    const directory = await folder();
    const store = await open(directory, { checkpointBytes: 0 });
    const rows = await change(store, new Map(), [aThing('1', { name: LONG })], []);
    await store.checkpoint();
    const looks = vi.spyOn(State.prototype, 'partitions');
    await change(store, rows, [aThing('2')], []);
    const { journalBytes, liveBytes } = store.stats();
    expect(journalBytes).toBeGreaterThan(0);
    expect(journalBytes).toBeLessThan(liveBytes);
    // Its number of rows is what `stats` looks for.
    expect(looks).toHaveBeenCalledTimes(1);
    await store.close();
  });

  test('are those of the rows that are there, after changes of any kind, refused ones, a checkpoint, and a start', async () => {
    let isFailing = false;
    const onStep = (step: string): void => {
      if (isFailing && step === 'sync') throw new Error('EIO');
    };
    const directory = await folder();
    const store = await open(directory, { onStep });
    let rows = new Map<string, Thing>();
    const expectBytes = (): void => expect(store.stats().liveBytes).toBe(bytesOf(rows));
    for (const size of [1, 1000, 10]) {
      rows = await change(store, rows, [aThing('1', { size }), aThing(String(size)), aThing('gone', { name: 'x'.repeat(size) })], []);
      expectBytes();
      rows = await change(store, rows, [aThing('2', { name: 'put twice' }), aThing('2'), aThing('both')], ['gone', 'both']);
      expectBytes();
      const refused = store.transact('a', async (tx) => {
        await tx.things.put(aThing('1', { name: 'never' }));
        await tx.things.put(aThing('new'));
        await tx.things.remove('2');
        throw new Error('taken back');
      });
      await expect(refused).rejects.toThrow('taken back');
      expectBytes();
      isFailing = true;
      await expect(change(store, rows, [aThing('1', { name: 'lost' }), aThing('new')], ['2'])).rejects.toThrow('EIO');
      isFailing = false;
      expectBytes();
      await store.checkpoint();
      expectBytes();
    }
    rows = await change(store, rows, [aThing('1', { name: 'in the journal' })], ['2']);
    const copy = await folder();
    await cp(directory, copy, { recursive: true });
    await store.close();
    for (const each of [directory, copy]) {
      const again = await open(each);
      expect(again.stats().liveBytes).toBe(bytesOf(rows));
      await again.close();
    }
  });
});
