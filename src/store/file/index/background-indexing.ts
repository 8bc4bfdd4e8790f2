/** Builds search indexes in the background, a few milliseconds at a time. */
import { setTimeout } from 'node:timers/promises';
import type { Partition } from '../partition.ts';
import { MIN_INDEXED_SLOTS } from './search-index.ts';

const SLICE_MS = 2;
/** A timer rather than setImmediate, so that requests run between two slices. */
const PAUSE_MS = 1;

export class BackgroundIndexing {
  readonly #partitions = new Set<Partition>();
  #running: Promise<void> | undefined;
  #isStopped = false;

  /** Schedules a partition if its search index is due. */
  schedule(partition: Partition): void {
    // First, because small partitions have no search index.
    if (this.#isStopped || partition.slotCount < MIN_INDEXED_SLOTS || !partition.searchIndex.needsBuild(partition.slotCount)) return;
    this.#partitions.add(partition);
    this.#running ??= this.#run();
  }

  /** Resolves when nothing is left to build. */
  async whenIdle(): Promise<void> {
    await this.#running;
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #run(): Promise<void> {
    for (const partition of this.#partitions) {
      await setTimeout(PAUSE_MS);
      while (!this.#isStopped && partition.searchIndex.needsBuild(partition.slotCount)) {
        const deadline = performance.now() + SLICE_MS;
        partition.searchIndex.build(partition.slotCount, () => performance.now() > deadline);
        await setTimeout(PAUSE_MS);
      }
      this.#partitions.delete(partition);
    }
    this.#running = undefined;
  }
}
