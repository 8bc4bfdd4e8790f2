import { expect, test } from 'vitest';
import { tables } from '../../../../test/store/fixtures.ts';
import { State } from '../state.ts';
import { BackgroundIndexing } from './background-indexing.ts';

test('nothing is left to build when waiting has ended', async () => {
  const state = new State([tables.things], { cachedRecords: 1, viewCacheBytes: 1 });
  const partition = state.getPartition('a', 'things')!;
  partition.deferPostingLists();
  const indexing = new BackgroundIndexing();
  indexing.schedule(partition, true);
  await indexing.whenIdle();
  expect(partition.buildPostingLists(() => false)).toBe(false);
});
