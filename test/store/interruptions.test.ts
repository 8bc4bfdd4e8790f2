/** Crashes and failing writes while the store is at work. */
import { cp } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { change, everything } from './rows.ts';
import { contents, expectSame, folder, open } from './support.ts';
import { aThing, type Thing } from './things.ts';

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
