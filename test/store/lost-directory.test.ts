/** A data directory that is deleted or replaced, in whole or in part, while the store is open. */
import { hash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FileStore, type FileIdentity, type Notice } from '../../src/store/file/index.ts';
import { applyChanges } from './transactions.ts';
import { createTempDirectory, expectContents, getLastSegment, openStore } from './file-store.ts';
import { createThing, type Thing, type Things } from './fixtures.ts';

interface OpenedStore {
  readonly directory: string;
  readonly lock: string;
  readonly store: FileStore<Things>;
  readonly rows: Map<string, Thing>;
  readonly notices: Notice[];
}

function readIdentity(path: string): FileIdentity {
  const { dev, ino } = statSync(path, { bigint: true });
  return { path, device: dev, inode: ino };
}

async function openLockedStore(): Promise<OpenedStore> {
  const directory = join(await createTempDirectory(), 'data');
  const lock = join(directory, 'daemon.lock');
  await mkdir(directory);
  await writeFile(lock, '');
  const notices: Notice[] = [];
  const store = await openStore(directory, { onNotice: (notice) => notices.push(notice), requiredFiles: [readIdentity(lock)] });
  const rows = await applyChanges(store, new Map(), [createThing('kept')], []);
  return { directory, lock, store, rows, notices };
}

/** Makes the next write check the files. */
const passCheckInterval = (): void => void vi.advanceTimersByTime(1_000);

const LOSSES: Readonly<Record<string, (opened: OpenedStore) => Promise<void>>> = {
  'the directory is deleted': ({ directory }) => rm(directory, { recursive: true }),
  'the directory is moved away': ({ directory }) => rename(directory, `${directory}-moved`),
  'the directory is replaced': async ({ directory, lock }) => {
    await rename(directory, `${directory}-moved`);
    await mkdir(directory);
    await writeFile(lock, '');
  },
  'the directory is deleted and created again': async ({ directory, lock }) => {
    await rm(directory, { recursive: true });
    await mkdir(directory);
    await writeFile(lock, '');
  },
  'a required file is deleted': ({ lock }) => rm(lock),
  'a required file is replaced': async ({ lock }) => {
    await writeFile(`${lock}-new`, '');
    await rename(`${lock}-new`, lock);
  },
  'the open journal segment is deleted': async ({ directory }) => rm(await getLastSegment(directory)),
  'the open journal segment is replaced by a copy': async ({ directory }) => {
    const segment = await getLastSegment(directory);
    await writeFile(`${segment}-new`, await readFile(segment));
    await rename(`${segment}-new`, segment);
  },
};

/** Names and contents of all files in a directory; undefined when there is none. */
async function readFiles(directory: string): Promise<unknown> {
  if (!existsSync(directory)) return undefined;
  const names = await readdir(directory);
  return Promise.all(names.toSorted().map(async (name) => [name, hash('sha256', await readFile(join(directory, name)))]));
}

describe('a store whose files are lost', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  test.for(Object.keys(LOSSES))('rejects writes for good, reads on and touches no file after %s', async (loss) => {
    const opened = await openLockedStore();
    const { directory, store, notices } = opened;
    await LOSSES[loss]!(opened);
    const before = await readFiles(directory);
    passCheckInterval();
    const write = (id: string): Promise<unknown> => store.transact('a', (tx) => tx.things.put(createThing(id)));
    for (const id of ['1', '2']) await expect(write(id)).rejects.toMatchObject({ name: 'StoreUnavailable' });
    expect(store.getStats().unavailableReason).toContain(directory);
    expect(notices.map(({ kind }) => kind)).toEqual(['directory-lost']);
    expect(await store.read('a', (tx) => tx.things.get('kept'))).toMatchObject({ id: 'kept' });
    await expect(store.checkpoint()).rejects.toThrow(directory);
    await expect(store.restoreSnapshot(undefined, async () => {})).rejects.toThrow(directory);
    // Final: the files may be half of one store and half of another.
    if (existsSync(`${directory}-moved`)) {
      await rm(directory, { recursive: true, force: true });
      await rename(`${directory}-moved`, directory);
      await expect(write('3')).rejects.toMatchObject({ name: 'StoreUnavailable' });
      await rename(directory, `${directory}-moved`);
      if (before !== undefined) {
        await mkdir(directory);
        await writeFile(opened.lock, '');
      }
    }
    await expect(store.close()).rejects.toThrow(directory);
    expect(await readFiles(directory)).toEqual(before);
  });

  test.for(Object.keys(LOSSES))('a close without any write since reports that %s, and touches no file', async (loss) => {
    const opened = await openLockedStore();
    const { directory, store } = opened;
    await LOSSES[loss]!(opened);
    const before = await readFiles(directory);
    expect(await store.verifyFiles()).toContain(directory);
    await expect(store.close()).rejects.toThrow(directory);
    expect(await readFiles(directory)).toEqual(before);
  });

  test('a second store in the place of the first keeps its data when the first is written and closed', async () => {
    const opened = await openLockedStore();
    const { directory, store } = opened;
    await LOSSES['the directory is replaced']!(opened);
    const second = await openStore(directory);
    let rows = new Map<string, Thing>();
    for (let each = 0; each < 20; each++) rows = await applyChanges(second, rows, [createThing(`second${String(each)}`)], []);
    passCheckInterval();
    await expect(applyChanges(store, new Map(), [createThing('first')], [])).rejects.toMatchObject({ name: 'StoreUnavailable' });
    await expect(store.close()).rejects.toThrow(directory);
    rows = await applyChanges(second, rows, [createThing('last')], []);
    await second.close();
    await expectContents(directory, rows);
    await expectContents(`${directory}-moved`, opened.rows);
  });

  test('no space is reserved in a copy that has replaced the journal segment, before the next check', async () => {
    const opened = await openLockedStore();
    const { directory, store } = opened;
    await LOSSES['the open journal segment is replaced by a copy']!(opened);
    const before = await readFiles(directory);
    for (const id of ['1', '2', '3']) await store.transact('a', (tx) => tx.things.put(createThing(id, { note: 'x'.repeat(100_000) })));
    await expect(store.close()).rejects.toThrow(directory);
    expect(await readFiles(directory)).toEqual(before);
  });

  test('a store whose files are in place passes every check', async () => {
    const { directory, store, rows, notices } = await openLockedStore();
    let after = rows;
    for (let each = 0; each < 5; each++) {
      passCheckInterval();
      after = await applyChanges(store, after, [createThing(`t${String(each)}`)], []);
      if (each % 2 === 0) await store.checkpoint();
      expect(await store.verifyFiles()).toBeUndefined();
    }
    await store.close();
    expect(notices).toEqual([]);
    await expectContents(directory, after);
  });
});
