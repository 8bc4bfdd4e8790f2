/** Rows of the test tables, put and removed. */
import { expect } from 'vitest';
import { DuplicateKey, type Store } from '../../src/domain/ports.ts';
import type { Thing, Things } from './things.ts';

/** Puts rows in one transaction. */
export function putAll(store: Store<Things>, rows: readonly Thing[]): Promise<void> {
  return store.transact('a', async (tx) => {
    for (const row of rows) await tx.things.put(row);
  });
}

/** Puts and removes rows, in a store and in a map; what a unique key refuses is refused in both. */
export async function change(
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

/** All rows of all tables. */
export async function everything(store: Store<Things>): Promise<unknown> {
  return store.read('a', async (tx) => [await tx.things.after({ limit: 100_000 }), await tx.notes.after({ limit: 100_000 })]);
}
