import { expect, test } from 'vitest';
import { createThing, tables } from '../../../test/store/fixtures.ts';
import type { Partition } from './partition.ts';
import { extractKeys } from '../table-layout.ts';
import { State } from './state.ts';

function createPartition(rows: number): Partition {
  const partition = new State([tables.things], { cachedRecords: 1 }).getPartition('a', 'things')!;
  for (let number = 0; number < rows; number++) put(partition, number);
  return partition;
}

/** Names are in the opposite order of numbers and ids. */
function put(partition: Partition, number: number): void {
  const row = createThing(String(number).padStart(3, '0'), { name: String(999 - number), size: number % 3 });
  const slab = partition.memory.slabs.add(Buffer.alloc(1));
  partition.put(row.id, { slab, offset: 0, length: 1 }, extractKeys(partition.layout, row));
}

test('an ordered index exists from its first use on, and every write updates it', () => {
  const partition = createPartition(100);
  const bySize = partition.getIndex('size');
  put(partition, 100);
  partition.remove('003');
  put(partition, 7);
  expect(partition.getIndex('size')).toBe(bySize);
  expect(listAll(partition, 'size')).toEqual(listAll(partition, 'name').toSorted(bySize.compare));
  expect(bySize.size).toBe(100);
});

function listAll(partition: Partition, order: string): number[] {
  const slots: number[] = [];
  const index = partition.getIndex(order);
  index.scan(0, index.size, false, (slot) => slots.push(slot));
  return slots;
}
