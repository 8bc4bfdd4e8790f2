import { expect, test } from 'vitest';
import { createThing, tables } from '../../../test/store/fixtures.ts';
import type { Partition } from './partition.ts';
import { extractKeys } from '../table-layout.ts';
import { State } from './state.ts';

function createPartition(rows: number): Partition {
  const partition = new State([tables.things], { cachedRecords: 1, viewCacheBytes: 1 }).getPartition('a', 'things')!;
  for (let number = 0; number < rows; number++) put(partition, number);
  return partition;
}

/** Names are in the opposite order of numbers and ids. */
function put(partition: Partition, number: number): void {
  const row = createThing(String(number).padStart(3, '0'), { name: String(999 - number), size: number % 3 });
  const slab = partition.memory.slabs.add(Buffer.alloc(1));
  partition.put(row.id, { slab, offset: 0, length: 1 }, extractKeys(partition.layout, row));
}

const listKeptNames = (partition: Partition): string[] => partition.listKeptOrders().map(({ name }) => name);

test('a large partition keeps the index of its default order, and others from the first query on', () => {
  const partition = createPartition(100);
  expect(listKeptNames(partition)).toEqual(['name']);
  const bySize = partition.getIndex('size');
  expect(listKeptNames(partition)).toEqual(['name', 'size']);
  put(partition, 100);
  partition.remove('003');
  expect(partition.getIndex('size')).toBe(bySize);
  expect(bySize.toArray()).toEqual(createFreshIndex(partition, 'size'));
});

test('a small partition keeps no index, and sorts its rows again after a change', () => {
  const partition = createPartition(5);
  const bySize = partition.getIndex('size');
  expect(partition.getIndex('size')).toBe(bySize);
  put(partition, 5);
  expect(partition.getIndex('size')).not.toBe(bySize);
  expect(partition.getIndex('size').size).toBe(6);
  expect(listKeptNames(partition)).toEqual(['name']);
});

/** The slots as an index has them that is created now. */
function createFreshIndex(partition: Partition, name: string): Uint32Array {
  const { compare } = partition.getIndex(name);
  return partition.getIndex('name').toArray().sort(compare);
}
