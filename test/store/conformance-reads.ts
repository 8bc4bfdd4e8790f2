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

    test('readLatest sees commits that are not durable yet, and no uncommitted change', async () => {
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
      expect((await store.readLatest('a', (tx) => tx.things.get('1')))?.size).toBe(2);
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
        const sizes = (await Promise.all(reads)).map((row) => row?.size);
        expect(sizes).toEqual(isRefused ? [undefined, undefined] : [2, 2]);
      }
    });

    test('a read that takes several turns never returns rows of a transaction that begins meanwhile', async () => {
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
      expect(await read).toEqual([1, 1]);
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
