/** Builds search indexes in the background, a few milliseconds at a time. */
import type { Partition } from '../partition.ts';
import { MIN_ROWS } from './search-index.ts';

const SLICE_MS = 2;

export class BackgroundIndexing {
  readonly #partitions = new Set<Partition>();
  #isRunning = false;
  #isStopped = false;
  #idleWaiters: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Schedules a partition if its search index is due. */
  schedule(partition: Partition): void {
    // First, because small partitions have no search index.
    if (this.#isStopped || partition.slotCount < MIN_ROWS || !partition.searchIndex.needsBuild(partition.slotCount)) return;
    this.#partitions.add(partition);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#scheduleSlice();
  }

  /** Resolves when nothing is left to build. */
  async whenIdle(): Promise<void> {
    if (!this.#isRunning || this.#isStopped) return;
    this.#timer?.ref();
    await new Promise<void>((resolve) => this.#idleWaiters.push(resolve));
  }

  stop(): void {
    this.#isStopped = true;
    this.#becomeIdle();
  }

  #scheduleSlice(): void {
    // A timer rather than setImmediate, so that requests run between two slices.
    const timer = setTimeout(() => this.#runSlice(), 1);
    // Unless a caller waits, the process may exit before it is done.
    if (this.#idleWaiters.length === 0) timer.unref();
    this.#timer = timer;
  }

  #runSlice(): void {
    if (this.#isStopped) return;
    const deadline = performance.now() + SLICE_MS;
    const [partition] = this.#partitions;
    if (partition === undefined) {
      this.#becomeIdle();
      return;
    }
    const shouldStop = (): boolean => performance.now() > deadline;
    const { searchIndex, slotCount } = partition;
    if (!searchIndex.needsBuild(slotCount) || searchIndex.build(slotCount, shouldStop)) this.#partitions.delete(partition);
    this.#scheduleSlice();
  }

  #becomeIdle(): void {
    this.#isRunning = false;
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const resolve of waiters) resolve();
  }
}
