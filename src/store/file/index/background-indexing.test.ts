import { expect, test } from 'vitest';
import { createThing, tables } from '../../../../test/store/fixtures.ts';
import type { Partition } from '../partition.ts';
import { extractKeys } from '../../table-layout.ts';
import { State } from '../state.ts';
import { BackgroundIndexing } from './background-indexing.ts';

/** A partition whose search index has to be built. */
function createPartition(): Partition {
  const state = new State([tables.things], { cachedRecords: 1 });
  const partition = state.getPartition('a', 'things')!;
  for (let at = 0; at < 300; at++) {
    const row = createThing(String(at));
    const slab = state.memory.slabs.add(Buffer.alloc(1));
    partition.put(row.id, { slab, offset: 0, length: 1 }, extractKeys(partition.layout, row));
  }
  return partition;
}

const isComplete = (partition: Partition): boolean => !partition.searchIndex.needsBuild(partition.slotCount);

test('nothing is left to build when waiting has ended', async () => {
  const partition = createPartition();
  const indexing = new BackgroundIndexing();
  indexing.schedule(partition);
  await indexing.whenIdle();
  expect(isComplete(partition)).toBe(true);
});

test('nothing is built after a stop, and waiting ends', async () => {
  const [scheduled, late] = [createPartition(), createPartition()];
  const indexing = new BackgroundIndexing();
  indexing.schedule(scheduled);
  const waiting = indexing.whenIdle();
  indexing.stop();
  indexing.schedule(late);
  await waiting;
  expect([scheduled, late].map(isComplete)).toEqual([false, false]);
  await indexing.whenIdle();
});
