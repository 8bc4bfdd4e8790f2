/** Helpers that change and read the test tables. */
import { expect } from 'vitest';
import { DuplicateKey, type Store } from '../../src/domain/kernel/ports.ts';
import type { Thing, Things } from './fixtures.ts';

/** Puts rows in one transaction. */
export function putRows(store: Store<Things>, rows: readonly Thing[], tenant = 'a'): Promise<void> {
  return store.transact(tenant, async (tx) => {
    for (const row of rows) await tx.things.put(row);
  });
}

/** Puts and removes rows in a store and in a copy of a map, which it returns. Rows with duplicate keys are refused in both. */
export async function applyChanges(
  store: Store<Things>,
  rows: ReadonlyMap<string, Thing>,
  puts: readonly Thing[],
  removes: readonly string[],
): Promise<Map<string, Thing>> {
  const after = new Map(rows);
  await store.transact('a', async (tx) => {
    after.clear();
    for (const [key, row] of rows) after.set(key, row);
    for (const row of puts) {
      try {
        await tx.things.put(row);
        after.set(row.id, row);
      } catch (error) {
        expect(error).toBeInstanceOf(DuplicateKey);
      }
    }
    for (const each of removes) expect(await tx.things.remove(each)).toBe(after.delete(each));
  });
  return after;
}

/** All things and notes. */
export async function readEverything(store: Store<Things>): Promise<unknown> {
  return store.read('a', async (tx) => [await tx.things.listAfter({ limit: 100_000 }), await tx.notes.listAfter({ limit: 100_000 })]);
}
