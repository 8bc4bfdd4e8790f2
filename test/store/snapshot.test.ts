/** Snapshots of the file store: taken beside writes, loaded beside writes, cut off at every step, damaged, foreign. */
import { cp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type FileStore, SnapshotUnusable, isDraft, openFileStore, readSnapshotHead } from '../../src/store/file/index.ts';
import { StoreUnavailable } from '../../src/domain/ports.ts';
import { FORMATS } from '../../src/store/file/manifest.ts';
import { folder, open } from './support.ts';
import { type Things, aThing, tables } from './things.ts';

type Store = FileStore<Things>;
const quiet = () => Promise.resolve();
const put = (store: Store, ids: readonly string[]) =>
  store.transact('a', async (tx) => {
    for (const id of ids) await tx.things.put(aThing(id, { name: `name of ${id}` }));
  });
const idsOf = async (store: Store): Promise<string[]> => {
  const { rows } = await store.read('a', (tx) => tx.things.after({ limit: 100_000 }));
  return rows.map(({ id }) => id).sort();
};
const idsIn = async (directory: string): Promise<string[]> => {
  const store = await open(directory);
  const ids = await idsOf(store);
  await store.close();
  return ids;
};

/** A store with a checkpoint and a journal, and a snapshot of both; then one row more. */
async function prepare(more: Parameters<typeof open>[1] = {}) {
  const [directory, shelf] = [await folder(), await folder()];
  const store = await open(directory, more);
  await put(store, ['t1', 't2']);
  await store.checkpoint();
  await put(store, ['t3']);
  const path = join(shelf, 'one.snapshot');
  await store.save(path, { maker: 'test' });
  await put(store, ['t4']);
  return { directory, shelf, store, path, saved: ['t1', 't2', 't3'], now: ['t1', 't2', 't3', 't4'] };
}

describe('a snapshot', () => {
  test('says what it is, is for its owner only, and brings everything back, also after the next start', async () => {
    const { directory, store, path, saved } = await prepare();
    expect(await readSnapshotHead(path)).toMatchObject({ format: 1, rows: 3, about: { maker: 'test' } });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await store.restore(path, quiet);
    expect(await idsOf(store)).toEqual(saved);
    await put(store, ['t9']);
    await store.close();
    expect(await idsIn(directory)).toEqual([...saved, 't9']);
  });

  test('can be loaded into another store, again and again, and leaves no file behind', async () => {
    const { store, path, saved } = await prepare();
    await store.close();
    const other = await folder();
    const second = await open(other);
    await put(second, ['x']);
    for (let round = 0; round < 3; round += 1) {
      await second.restore(path, quiet);
      await put(second, [`r${String(round)}`]);
      expect(await idsOf(second)).toEqual([`r${String(round)}`, ...saved]);
    }
    expect((await readdir(other)).length).toBeLessThanOrEqual(4);
    await second.checkpoint();
    await second.close();
    expect(await idsIn(other)).toEqual(['r2', ...saved]);
  });

  test('can be loaded while the first segment of the journal is being made: no two files get the same number', async () => {
    const { path, saved, store } = await prepare();
    await store.close();
    const directory = await folder();
    const { promise: isUnpacked, resolve: unpacked } = Promise.withResolvers<void>();
    const { promise: isMaking, resolve: making } = Promise.withResolvers<void>();
    let files = 0;
    const second = await open(directory, {
      onStep: async (step, file) => {
        if (step === 'rename' && file.endsWith('manifest.json') && files === 1) {
          making();
          await isUnpacked;
        }
        // The segment, and then a checkpoint and a journal out of the snapshot.
        if (step === 'create' && ++files === 3) unpacked();
      },
    });
    const written = put(second, ['before']);
    await isMaking;
    await second.restore(path, quiet);
    await written;
    await put(second, ['behind']);
    const copy = await folder();
    await cp(directory, copy, { recursive: true });
    await second.close();
    expect(await idsIn(copy)).toEqual(['behind', ...saved]);
    expect(await idsIn(directory)).toEqual(['behind', ...saved]);
  });

  test('of a store that nobody wrote to leaves no segments behind', async () => {
    const { directory, shelf, store, path } = await prepare();
    await store.save(path, {});
    const before = (await readdir(directory)).length;
    for (let round = 0; round < 5; round += 1) await store.save(join(shelf, 'two.snapshot'), {});
    expect((await readdir(directory)).length).toBe(before);
    await store.close();
  });

  test('of nothing empties the store', async () => {
    const { directory, store } = await prepare();
    await store.restore(undefined, quiet);
    expect(await idsOf(store)).toEqual([]);
    await put(store, ['t5']);
    await store.close();
    expect(await idsIn(directory)).toEqual(['t5']);
  });

  test('taken among writes has every write that was answered before, and whole ones only', async () => {
    const { store, path } = await prepare({ checkpointBytes: 4_096 });
    let number = 10;
    const until = { stopped: false };
    const answered = new Set<number>();
    const write = async () => {
      while (!until.stopped) {
        const mine = (number += 1);
        await put(store, [`p${String(mine)}`, `q${String(mine)}`]);
        answered.add(mine);
      }
    };
    const writers = [1, 2, 3, 4].map(write);
    for (let round = 0; round < 8; round += 1) {
      const before = [...answered];
      await store.save(path, {});
      const other = await open(await folder());
      await other.restore(path, quiet);
      const found = new Set(await idsOf(other));
      expect(before.filter((each) => !found.has(`p${String(each)}`))).toEqual([]);
      expect([...found].filter((id) => id.startsWith('p') && !found.has(`q${id.slice(1)}`))).toEqual([]);
      await other.close();
    }
    until.stopped = true;
    await Promise.all(writers);
    await store.close();
  });

  test('loaded among writes leaves each write before it or after it, never half of one, and writes go on', async () => {
    const { directory, store, path, saved } = await prepare();
    let number = 0;
    const until = { stopped: false };
    const write = async () => {
      while (!until.stopped) {
        const mine = String((number += 1));
        await put(store, [`p${mine}`, `q${mine}`]);
      }
    };
    const writers = [1, 2, 3, 4, 5, 6].map(write);
    for (let round = 0; round < 5; round += 1) {
      const first = number;
      await store.restore(path, quiet);
      // What was answered before the load began is gone.
      const found = (await idsOf(store)).filter((id) => id.startsWith('p')).map((id) => Number(id.slice(1)));
      expect(found.filter((each) => each < first - writers.length)).toEqual([]);
    }
    until.stopped = true;
    await Promise.all(writers);
    const after = await idsOf(store);
    expect(after.filter((id) => id.startsWith('t'))).toEqual(saved);
    expect(after.filter((id) => id.startsWith('p') && !after.includes(`q${id.slice(1)}`))).toEqual([]);
    await store.close();
    expect(await idsIn(directory)).toEqual(after);
  });

  test('loaded while the disk refuses writes waits until they have been taken back', async () => {
    const switches = { fails: false };
    const onStep = (step: string, file: string) => {
      if (switches.fails && step === 'sync' && file.includes('journal')) throw new Error('the disk refuses');
    };
    const { store, path, saved } = await prepare({ onStep });
    const refused: unknown[] = [];
    const until = { stopped: false };
    const writers = [1, 2, 3].map(async (writer) => {
      for (let at = 0; !until.stopped; at += 1)
        await put(store, [`w${String(writer)}-${String(at)}`]).catch((error: unknown) => refused.push(error));
    });
    switches.fails = true;
    await store
      .restore(path, async () => {
        switches.fails = false;
      })
      .catch((error: unknown) => expect(error).toMatchObject({ message: 'the disk refuses' }));
    until.stopped = true;
    switches.fails = false;
    await Promise.all(writers);
    expect(refused.every((error) => error instanceof StoreUnavailable)).toBe(true);
    await store.restore(path, quiet);
    expect(await idsOf(store)).toEqual(saved);
    await store.close();
  });
});

/** The steps on disk that `work` takes, each as it comes. */
async function stepsOf(work: (store: Store, path: string, shelf: string) => Promise<unknown>): Promise<number> {
  const counted = { on: false, steps: 0 };
  const onStep = () => void (counted.on && (counted.steps += 1));
  const { store, path, shelf } = await prepare({ onStep });
  counted.on = true;
  await work(store, path, shelf);
  counted.on = false;
  await store.close();
  return counted.steps;
}

describe.each([
  ['save', (store: Store, _path: string, shelf: string) => store.save(join(shelf, 'two.snapshot'), {})],
  ['load', (store: Store, path: string) => store.restore(path, quiet)],
] as const)('%s', (name, work) => {
  test('that fails at any step changes nothing, and the store goes on', async () => {
    const steps = await stepsOf(work);
    expect(steps).toBeGreaterThan(5);
    for (let failing = 1; failing <= steps; failing += 1) {
      const counter = { on: false, steps: 0 };
      const onStep = () => {
        if (counter.on && (counter.steps += 1) === failing) throw new Error(`step ${String(failing)}`);
      };
      const { directory, shelf, store, path, saved, now } = await prepare({ onStep });
      counter.on = true;
      const error = await work(store, path, shelf).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      counter.on = false;
      const succeeded = error === undefined;
      const expected = succeeded && name === 'load' ? saved : now;
      expect(await idsOf(store), `${name}, step ${String(failing)}`).toEqual(expected);
      await put(store, ['t8']);
      await store.close();
      expect(await idsIn(directory), `${name}, step ${String(failing)}, opened again`).toEqual([...expected, 't8']);
      const left = await readdir(shelf);
      expect(left.filter(isDraft)).toEqual([]);
      for (const file of left) await readSnapshotHead(join(shelf, file));
    }
  });

  test('that fails at any step, as does every step behind it for a while, loses nothing that is answered then', async () => {
    const steps = await stepsOf(work);
    for (let failing = 1; failing <= steps; failing += 1) {
      const counter = { on: false, steps: 0 };
      const onStep = () => {
        if (counter.on && (counter.steps += 1) >= failing) throw new Error(`step ${String(failing)}`);
      };
      const { directory, shelf, store, path, saved, now } = await prepare({ onStep });
      counter.on = true;
      const succeeded = await work(store, path, shelf).then(
        () => true,
        () => false,
      );
      counter.on = false;
      const expected = succeeded && name === 'load' ? saved : now;
      expect(await idsOf(store), `${name}, step ${String(failing)}`).toEqual(expected);
      await put(store, ['t8']);
      // What a crash at this moment would leave.
      const copy = await folder();
      await cp(directory, copy, { recursive: true });
      expect(await idsIn(copy), `${name}, step ${String(failing)}, after a crash`).toEqual([...expected, 't8']);
      await store.close();
    }
  });

  test('that is cut off at any step leaves the one or the other, whole', async () => {
    const steps = await stepsOf(work);
    const seen = new Set<string>();
    for (let cut = 1; cut <= steps; cut += 1) {
      const copy = await folder();
      const counter = { on: false, steps: 0, directory: '' };
      const onStep = async () => {
        // What a crash at this moment would leave.
        if (counter.on && (counter.steps += 1) === cut) await cp(counter.directory, copy, { recursive: true });
      };
      const { directory, shelf, store, path, saved, now } = await prepare({ onStep });
      counter.directory = directory;
      counter.on = true;
      await work(store, path, shelf);
      counter.on = false;
      await store.close();
      const found = await idsIn(copy);
      seen.add(found.join());
      expect([saved.join(), now.join()], `${name}, step ${String(cut)}`).toContain(found.join());
      if (name === 'save') expect(found).toEqual(now);
    }
    expect(seen.size).toBe(name === 'load' ? 2 : 1);
  });
});

describe('refused, with everything as it was, is', () => {
  const refusal = async (change: (bytes: Buffer) => Buffer): Promise<string> => {
    const { directory, store, path, shelf, now } = await prepare();
    const spoilt = join(shelf, 'spoilt.snapshot');
    await writeFile(spoilt, change(await readFile(path)));
    const files = (await readdir(directory)).sort();
    const error = await store.restore(spoilt, () => Promise.reject(new Error('not to be reached'))).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SnapshotUnusable);
    expect(await idsOf(store)).toEqual(now);
    expect((await readdir(directory)).sort()).toEqual(files);
    await store.close();
    return (error as SnapshotUnusable).problem;
  };

  test('any flipped bit', async () => {
    const { store, path, shelf, now } = await prepare();
    const bytes = await readFile(path);
    const spoilt = join(shelf, 'spoilt.snapshot');
    for (let at = 0; at < bytes.length; at += 1 + Math.floor(at / 20)) {
      const copy = Buffer.from(bytes);
      copy[at]! ^= 1 << (at % 8);
      await writeFile(spoilt, copy);
      await expect(store.restore(spoilt, quiet), `byte ${String(at)}`).rejects.toThrow(SnapshotUnusable);
    }
    expect(await idsOf(store)).toEqual(now);
    await store.close();
  });

  test('one that is cut short, too long, empty or something else', async () => {
    expect(await refusal((bytes) => bytes.subarray(0, bytes.length - 1))).toMatch(/damaged: it has \d+ bytes instead of \d+/u);
    expect(await refusal((bytes) => Buffer.concat([bytes, Buffer.alloc(1)]))).toContain('damaged');
    expect(await refusal(() => Buffer.alloc(0))).toBe('it is no snapshot of stockroom');
    expect(await refusal(() => Buffer.from('PK\u0003\u0004 something quite different, and long enough'))).toBe(
      'it is no snapshot of stockroom',
    );
  });

  test('one of a newer format, and one with tables that this release does not know', async () => {
    const { store, shelf } = await prepare();
    const newer = await openFileStore({ directory: await folder(), tables, formats: { current: FORMATS.current + 1, upgrades: [] } });
    await newer.save(join(shelf, 'newer.snapshot'), {});
    await expect(store.restore(join(shelf, 'newer.snapshot'), quiet)).rejects.toThrow(
      `newer release (format 1.${FORMATS.current + 1}, this one reads up to 1.${FORMATS.current})`,
    );
    const strange = { ...tables.things, name: 'strangers' };
    const other = await openFileStore({ directory: await folder(), tables: { ...tables, strange } });
    await other.save(join(shelf, 'other.snapshot'), {});
    await expect(store.restore(join(shelf, 'other.snapshot'), quiet)).rejects.toThrow('holds strangers, which this one does not know');
    await Promise.all([store.close(), newer.close(), other.close()]);
  });

  test('one of an older format that no step leads away from; with the steps it is brought up to date', async () => {
    const { store, path, saved } = await prepare();
    await store.close();
    const stuck = await openFileStore({ directory: await folder(), tables, formats: { current: FORMATS.current + 1, upgrades: [] } });
    await expect(stuck.restore(path, quiet)).rejects.toThrow(`format ${FORMATS.current} is too old`);
    const upgrades = [{ from: FORMATS.current, apply: (_directory: string, manifest: object) => Promise.resolve(manifest) }] as never;
    const directory = await folder();
    const able = await openFileStore({ directory, tables, formats: { current: FORMATS.current + 1, upgrades } });
    await able.restore(path, quiet);
    expect(await idsOf(able)).toEqual(saved);
    await Promise.all([stuck.close(), able.close()]);
  });
});
