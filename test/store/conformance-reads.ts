/** The part of the conformance suite about reads during transactions: they return committed rows only. */
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../src/domain/kernel/ports.ts';
import { createThing, type Thing, type Things } from './fixtures.ts';
import { putRows } from './transactions.ts';

/** Registers this part of the suite. `getStore` returns the store of the running test, which is empty at its start. */
export function testReadConformance(getStore: () => Store<Things>): void {
  describe('reads', () => {
    let store: Store<Things>;
    beforeEach(() => {
      store = getStore();
    });
    const put = (...rows: Thing[]): Promise<void> => putRows(store, rows);

    test('a read that begins after a transaction sees its changes, also in tables of the service', async () => {
      for (let size = 0; size < 10; size++) {
        await store.transact('a', async (tx) => {
          await tx.things.put(createThing('1', { size }));
          await tx.notes.put({ id: 'n', text: String(size), list: 'l', position: 1 });
        });
        expect(await store.read('a', async (tx) => (await tx.things.get('1'))?.size)).toBe(size);
        expect(await store.read('b', async (tx) => (await tx.notes.get('n'))?.text)).toBe(String(size));
      }
    });

    test('readLatest returns no uncommitted change', async () => {
      await put(createThing('1', { size: 1 }));
      const begun = put(createThing('1', { size: 2 }));
      const tried = Promise.withResolvers<void>();
      const refused = store.transact('a', async (tx) => {
        await tx.things.put(createThing('1', { size: 3 }));
        tried.resolve();
        throw new Error('refused');
      });
      const refusal = refused.catch((error: unknown) => error);
      await tried.promise;
      expect([1, 2]).toContain((await store.readLatest('a', (tx) => tx.things.get('1')))?.size);
      await begun;
      expect(await refusal).toMatchObject({ message: 'refused' });
    });

    test('reads that begin during a transaction never return its rows before it is committed', async () => {
      for (const isRefused of [true, false]) {
        const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const transaction = store.transact('a', async (tx) => {
          await tx.things.put(createThing('1', { size: 1 }));
          begun.resolve();
          await ended.promise;
          if (isRefused) throw new Error('refused');
          await tx.things.put(createThing('1', { size: 2 }));
        });
        await begun.promise;
        const reads = [store.read('a', (tx) => tx.things.get('1')), store.readLatest('a', (tx) => tx.things.get('1'))];
        ended.resolve();
        const [{ status }] = await Promise.allSettled([transaction]);
        expect(status).toBe(isRefused ? 'rejected' : 'fulfilled');
        // They may wait for the transaction, or return the state before it.
        for (const row of await Promise.all(reads)) expect(isRefused ? [undefined] : [undefined, 2]).toContain(row?.size);
      }
    });

    test('a read that takes several turns sees one state: that before or after a transaction that begins meanwhile', async () => {
      await put(createThing('1', { size: 1 }));
      const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const read = store.read('a', async (tx) => {
        const first = await tx.things.get('1');
        begun.resolve();
        await ended.promise;
        return [first?.size, (await tx.things.get('1'))?.size];
      });
      await begun.promise;
      const write = put(createThing('1', { size: 2 }));
      // Transactions begin in a later turn.
      for (let turn = 0; turn < 3; turn++) await setImmediate();
      ended.resolve();
      // An adapter may run the read again, in the state after it.
      expect([
        [1, 1],
        [2, 2],
      ]).toContainEqual(await read);
      await write;
    });

    test('a read sees one consistent state', async () => {
      await put(createThing('1', { size: 0 }), createThing('2', { size: 0 }));
      const writes = Array.from({ length: 30 }, (_, size) =>
        store.transact('a', async (tx) => {
          await tx.things.put(createThing('1', { size }));
          await tx.things.put(createThing('2', { size: size + 100 }));
        }),
      );
      const reads = Array.from({ length: 30 }, () =>
        store.read('a', async (tx) => [(await tx.things.get('1'))!.size!, (await tx.things.get('2'))!.size!]),
      );
      await Promise.all(writes);
      const differences = (await Promise.all(reads)).map(([one, two]) => two! - one!);
      expect(differences.filter((difference) => difference !== 0 && difference !== 100)).toEqual([]);
    });
  });
}
