/** The part of the conformance suite about the time and the ids of transactions: both have the order of the commits. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../src/domain/kernel/ports.ts';
import { createThing, type Things } from './fixtures.ts';

/** Registers this part of the suite. `getStore` returns the store of the running test, which is empty at its start. */
export function testTimeConformance(getStore: () => Store<Things>): void {
  describe('time and ids', () => {
    let store: Store<Things>;
    beforeEach(() => {
      store = getStore();
    });

    /** Runs a transaction that changes a row. Returns its time and three ids. */
    const stamp = (tenant = 'a') =>
      store.transact(tenant, async (tx) => {
        const ids = [tx.newId(), tx.newId(), tx.newId()];
        await tx.things.put(createThing(ids[0]!, { at: tx.now.toISOString() }));
        return { at: tx.now.getTime(), ids };
      });
    const abort = async (tenant = 'a') => {
      let ids: string[] = [];
      const aborted = store.transact(tenant, async (tx) => {
        ids = [tx.newId(), tx.newId()];
        await tx.things.put(createThing(ids[0]!));
        throw new Error('no');
      });
      await expect(aborted).rejects.toThrow('no');
      return ids;
    };
    /** The ids that are not greater than all ids of the groups before, or that occur twice. */
    const listOutOfOrder = (groups: readonly (readonly string[])[]): string[] =>
      groups.flatMap((group, at) => {
        const before = groups.slice(0, at).flat();
        return group.filter((id, index) => before.some((other) => other >= id) || group.indexOf(id) !== index);
      });

    test('the time is the same throughout a transaction', async () => {
      const times = await store.transact('a', async (tx) => {
        const seen = new Set<number>();
        const startedAt = Date.now();
        while (Date.now() < startedAt + 5) {
          seen.add(tx.now.getTime());
          await tx.things.get('1');
        }
        await tx.things.put(createThing('1'));
        return seen.add(tx.now.getTime());
      });
      expect(times.size).toBe(1);
    });

    test('the time is about the current one', async () => {
      const before = Date.now();
      const { at } = await stamp();
      expect(Math.abs(at - before)).toBeLessThan(60_000);
    });

    test('the time never decreases from one transaction of a tenant to the next', async () => {
      const times: number[] = [];
      for (let each = 0; each < 20; each++) times.push((await stamp()).at);
      const together = await Promise.all(Array.from({ length: 20 }, () => stamp()));
      times.push(...together.map(({ at }) => at), (await stamp()).at);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    });

    test('ids are greater than those of all earlier transactions of the tenant', async () => {
      const groups: string[][] = [];
      for (let each = 0; each < 20; each++) groups.push((await stamp()).ids);
      const together = await Promise.all(Array.from({ length: 20 }, () => stamp()));
      groups.push(...together.map(({ ids }) => ids), (await stamp()).ids);
      expect(listOutOfOrder(groups)).toEqual([]);
    });

    test('ids are greater than those of earlier transactions of other tenants', async () => {
      const groups: string[][] = [];
      for (let each = 0; each < 20; each++) groups.push((await stamp(each % 2 === 0 ? 'a' : 'b')).ids);
      expect(listOutOfOrder(groups)).toEqual([]);
    });

    test('ids are not reused after an aborted transaction', async () => {
      const groups: string[][] = [];
      for (let each = 0; each < 5; each++) groups.push((await stamp()).ids, await abort(), (await stamp('b')).ids, await abort('b'));
      expect(listOutOfOrder(groups)).toEqual([]);
    });
  });
}
