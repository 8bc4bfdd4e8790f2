/** Crashes and failing writes while the store is running. */
import { isLongRun } from '../support/long-run.ts';
import { cp, readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { applyChanges, readEverything } from './transactions.ts';
import { queryContents, expectContents, createTempDirectory, openStore } from './file-store.ts';
import { createThing, type Thing } from './fixtures.ts';
import { observeDisk } from '../support/disk/observed-disk.ts';

/** Between the steps of a checkpoint that fail. */
const STEP = isLongRun ? 1 : 3;

describe('checkpoints', () => {
  test('a crash at any step of a checkpoint loses no row', async () => {
    const directory = await createTempDirectory();
    const copies: string[] = [];
    let watching = false;
    const store = await openStore(directory, {
      disk: observeDisk(async () => {
        if (!watching) return;
        const copy = await createTempDirectory();
        await cp(directory, copy, { recursive: true });
        copies.push(copy);
      }),
    });
    const rows = await applyChanges(
      store,
      new Map(),
      Array.from({ length: 30 }, (_, each) => createThing(`t${each}`)),
      [],
    );
    await store.checkpoint();
    const after = await applyChanges(store, rows, [createThing('t1', { name: 'changed' })], ['t2']);
    watching = true;
    await store.checkpoint();
    watching = false;
    expect(copies.length).toBeGreaterThan(8);
    for (const copy of copies) await expectContents(copy, after);
    await store.close();
  });

  test('transactions aborted during a checkpoint do not affect it', async () => {
    const directory = await createTempDirectory();
    const store = await openStore(directory);
    let rows = new Map<string, Thing>();
    const things = Array.from({ length: 1_500 }, (_, each) =>
      createThing(`t${String(each)}`, { name: `thing ${String(each)}`, size: each }),
    );
    rows = await applyChanges(store, rows, things, []);
    void store.checkpoint();
    for (let at = 0; store.getStats().isCheckpointRunning; at = (at + 211) % 1_500) {
      const refused = store.transact('a', async (tx) => {
        await tx.things.put(createThing(`t${String(at)}`, { name: 'never' }));
        await tx.things.put(createThing(`t${String((at + 1) % 1_500)}`, { name: 'never, too' }));
        await tx.things.remove(`t${String((at + 2) % 1_500)}`);
        await tx.things.put(createThing('none', { name: 'neither' }));
        throw new Error('abort');
      });
      await expect(refused).rejects.toThrow('abort');
      // Committed between aborted transactions: the newer journal has it.
      rows = await applyChanges(store, rows, [createThing(`t${String((at + 1) % 1_500)}`, { name: `again ${String(at)}` })], []);
    }
    const copy = await createTempDirectory();
    await cp(directory, copy, { recursive: true });
    await store.close();
    await expectContents(copy, rows);
    await expectContents(directory, rows);
  });

  test('an error at any step of a checkpoint leaves the running store and its files intact', async () => {
    for (let failing = 0; ; failing += STEP) {
      const directory = await createTempDirectory();
      let step = -1;
      const store = await openStore(directory, {
        disk: observeDisk(() => {
          if (step >= 0 && step++ === failing) throw new Error('no space');
        }),
      });
      let rows = await applyChanges(store, new Map(), [createThing('1'), createThing('2')], []);
      step = 0;
      const failed = await store.checkpoint().then(
        () => false,
        () => true,
      );
      const steps = step;
      step = -1;
      rows = await applyChanges(store, rows, [createThing('3')], ['1']);
      const copy = await createTempDirectory();
      await cp(directory, copy, { recursive: true });
      const between = await queryContents(copy, rows);
      expect(between.found).toEqual(between.expected);
      await store.checkpoint();
      await store.close();
      await expectContents(directory, rows);
      if (!failed && failing > steps) break;
    }
  });
});

describe('failing writes', () => {
  test('an error names no path of the machine', async () => {
    const directory = await createTempDirectory();
    let failing = false;
    const store = await openStore(directory, {
      disk: observeDisk((step, file) => {
        if (failing) throw new Error(`EROFS: read-only file system, ${step} '${file}'`);
      }),
    });
    await applyChanges(store, new Map(), [createThing('1')], []);
    failing = true;
    const refused = store.transact('a', (tx) => tx.things.put(createThing('2')));
    await expect(refused).rejects.toThrow(/^The store cannot save changes: EROFS: read-only file system, \w+$/u);
    failing = false;
    await store.close();
  });

  test('files that the journal started and does not need are removed while the store runs', async () => {
    const directory = await createTempDirectory();
    let failing = false;
    const store = await openStore(directory, {
      disk: observeDisk((_, file) => {
        if (failing && file.includes('manifest')) throw new Error('EIO');
      }),
    });
    const listSegments = async () => (await readdir(directory)).filter((name) => name.startsWith('journal'));
    // Without a commit between them, the segment of the first one stays empty.
    for (let each = 0; each < 3; each++) await store.checkpoint();
    expect(await listSegments()).toHaveLength(1);
    failing = true;
    await expect(store.checkpoint()).rejects.toThrow('EIO');
    for (let each = 0; each < 3; each++) await expect(applyChanges(store, new Map(), [createThing('lost')], [])).rejects.toThrow('EIO');
    failing = false;
    const rows = await applyChanges(store, new Map(), [createThing('1')], []);
    expect(await listSegments()).toHaveLength(1);
    await store.close();
    await expectContents(directory, rows);
  });

  test('a failing write rolls back everything that is not durable, and reads never return it', async () => {
    for (const failingStep of ['write', 'sync']) {
      const directory = await createTempDirectory();
      let failing = false;
      const notices: string[] = [];
      const store = await openStore(directory, {
        onNotice: (notice) => notices.push(notice.kind),
        disk: observeDisk((step) => {
          if (failing && step === failingStep) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
        }),
      });
      let rows = await applyChanges(store, new Map(), [createThing('1', { name: 'kept', sku: 'A' })], []);
      const before = await readEverything(store);
      failing = true;
      const sequences: number[] = [];
      store.onCommit((commit) => sequences.push(commit.sequence));
      const writes = Array.from({ length: 5 }, (_, each) =>
        store.transact('a', (tx) => tx.things.put(createThing('1', { name: `lost ${each}`, sku: 'B' }))),
      );
      const removal = store.transact('a', (tx) => tx.things.remove('1'));
      const seen = store.read('a', (tx) => tx.things.get('1'));
      const refused = store.transact('a', async (tx) => {
        if (await tx.things.findUnique('sku', 'A')) throw new Error('A is there');
      });
      for (const result of await Promise.allSettled([...writes, removal])) {
        expect(result).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailable', cause: { code: 'EIO' } } });
      }
      expect((await seen)?.name).toBe('kept');
      await expect(refused).rejects.toThrow('A is there');
      expect(await readEverything(store)).toEqual(before);
      expect(sequences).toEqual([]);
      expect(store.getStats().unavailableReason).toMatch(/EIO/);
      await expect(store.transact('a', (tx) => tx.things.put(createThing('2')))).rejects.toMatchObject({ name: 'StoreUnavailable' });
      failing = false;
      rows = await applyChanges(store, rows, [createThing('3')], []);
      expect(store.getStats().unavailableReason).toBeUndefined();
      expect(sequences).toEqual([2]);
      expect(notices).toEqual(['unavailable', 'recovered']);
      const copy = await createTempDirectory();
      await cp(directory, copy, { recursive: true });
      await expectContents(copy, rows);
      await store.close();
      await expect(store.read('a', (tx) => tx.things.get('1'))).rejects.toMatchObject({ name: 'StoreUnavailable' });
      await expectContents(directory, rows);
    }
  });

  test('a failing write leaves nothing that the next start reports as an incomplete write', async () => {
    const directory = await createTempDirectory();
    let failing = false;
    const store = await openStore(directory, {
      disk: observeDisk((step) => {
        if (failing && step === 'sync') throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
      }),
    });
    const rows = await applyChanges(store, new Map(), [createThing('1')], []);
    failing = true;
    const refused = store.transact('a', (tx) => tx.things.put(createThing('2')));
    await expect(refused).rejects.toMatchObject({ name: 'StoreUnavailable' });
    const copy = await createTempDirectory();
    await cp(directory, copy, { recursive: true });
    const notices: string[] = [];
    const reopened = await openStore(copy, { onNotice: ({ message }) => notices.push(message) });
    expect(notices).toEqual([]);
    await reopened.close();
    await expectContents(copy, rows);
    failing = false;
    await store.close();
  });

  test('a failing write interrupts a checkpoint that may have copied it', async () => {
    const directory = await createTempDirectory();
    let failing = false;
    const store = await openStore(directory, {
      disk: observeDisk(async (step, file) => {
        if (step === 'create' && file.includes('checkpoint')) {
          failing = true;
          await store.transact('a', (tx) => tx.things.put(createThing('lost'))).catch(() => {});
        }
        if (failing && step === 'sync' && file.includes('journal')) throw new Error('EIO');
      }),
    });
    const rows = await applyChanges(store, new Map(), [createThing('1')], []);
    await expect(store.checkpoint()).rejects.toMatchObject({ name: 'CheckpointInterrupted' });
    const copy = await createTempDirectory();
    await cp(directory, copy, { recursive: true });
    await expectContents(copy, rows);
    await store.close();
  });
});
