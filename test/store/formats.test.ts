/** Data directories written by other releases. */
import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { type Notice, StoreTooNew } from '../../src/store/file/index.ts';
import { FORMATS } from '../../src/store/file/formats.ts';
import { applyChanges } from './transactions.ts';
import { createTempDirectory, readManifest, openStore, writeManifest } from './file-store.ts';
import { createThing } from './fixtures.ts';

describe('formats', () => {
  const createStoreWithFormat = async (format: number): Promise<string> => {
    const directory = await createTempDirectory();
    const store = await openStore(directory);
    await applyChanges(store, new Map(), [createThing('1', { name: 'old' })], []);
    await store.close();
    await writeManifest(directory, { ...(await readManifest(directory)), format });
    return directory;
  };

  test('a newer format is refused with advice to upgrade', async () => {
    const directory = await createStoreWithFormat(FORMATS.current + 1);
    const error = await openStore(directory).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreTooNew);
    expect((error as Error).message).toMatch(/Upgrade stockroom/);
  });

  test('an older format runs each upgrade once', async () => {
    const directory = await createStoreWithFormat(FORMATS.current);
    const steps: number[] = [];
    const upgrade = (from: number) => ({
      from,
      async apply<M>(_disk: unknown, _directory: string, manifest: M): Promise<M> {
        steps.push(from);
        return manifest;
      },
    });
    const formats = { current: FORMATS.current + 2, upgrades: [upgrade(FORMATS.current + 1), upgrade(FORMATS.current)] };
    const notices: Notice[] = [];
    for (let round = 0; round < 2; round++) {
      const store = await openStore(directory, { formats, onNotice: (notice) => notices.push(notice) });
      expect(await store.read('a', (tx) => tx.things.get('1'))).toMatchObject({ name: 'old' });
      await store.close();
    }
    expect(steps).toEqual([FORMATS.current, FORMATS.current + 1]);
    expect(notices.map((notice) => notice.kind)).toEqual(['upgraded', 'upgraded']);
    expect((await readManifest(directory)).format).toBe(FORMATS.current + 2);
  });

  test('an older format without an upgrade is refused', async () => {
    await expect(
      createStoreWithFormat(FORMATS.current).then((directory) => openStore(directory, { formats: { current: 9, upgrades: [] } })),
    ).rejects.toThrow(/cannot upgrade/);
  });

  test('a format that no release has written is refused, and its files stay', async () => {
    const directory = await createStoreWithFormat(3);
    const files = (await readdir(directory)).toSorted();
    await expect(openStore(directory)).rejects.toThrow('has format 3, which this release cannot upgrade');
    expect((await readdir(directory)).toSorted()).toEqual(files);
  });
});
