/** Directories that other releases have written. */
import { describe, expect, test } from 'vitest';
import { type Notice, StoreTooNew } from '../../src/store/file/index.ts';
import { FORMATS } from '../../src/store/file/manifest.ts';
import { change } from './rows.ts';
import { folder, manifestOf, open, putManifest } from './support.ts';
import { aThing } from './things.ts';

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
