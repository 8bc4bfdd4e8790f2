import { expect, onTestFinished, test, vi } from 'vitest';
import { tables } from '../../../../test/store/fixtures.ts';
import type { Partition } from '../partition.ts';
import { State } from '../state.ts';
import { BackgroundIndexing } from './background-indexing.ts';

/** A partition whose posting lists have to be built. */
function createPartition(): Partition {
  const state = new State([tables.things], { cachedRecords: 1, viewCacheBytes: 1 });
  const partition = state.getPartition('a', 'things')!;
  partition.deferPostingLists();
  return partition;
}

const isComplete = (partition: Partition): boolean => !partition.buildPostingLists(() => false);

test('nothing is left to build when waiting has ended', async () => {
  const partition = createPartition();
  const indexing = new BackgroundIndexing();
  indexing.schedule(partition, true);
  await indexing.whenIdle();
  expect(isComplete(partition)).toBe(true);
});

test('nothing is built after a stop, and waiting ends', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const [scheduled, late] = [createPartition(), createPartition()];
  const indexing = new BackgroundIndexing();
  indexing.schedule(scheduled, true);
  const waiting = indexing.whenIdle();
  indexing.stop();
  indexing.schedule(late, true);
  await waiting;
  vi.runAllTimers();
  expect([scheduled, late].map(isComplete)).toEqual([false, false]);
  await indexing.whenIdle();
});
