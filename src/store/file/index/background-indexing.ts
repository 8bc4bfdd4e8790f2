/** Decodes lazily loaded keys and builds indexes in the background, a few milliseconds at a time. */
import type { Partition } from '../partition.ts';

const SLICE_MS = 2;

export class BackgroundIndexing {
  readonly #partitions = new Set<Partition>();
  #isRunning = false;
  #isStopped = false;
  #idleWaiters: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Schedules a partition whose search index may be due, or, with `isLoaded`, one that was just loaded from a checkpoint. */
  schedule(partition: Partition, isLoaded = false): void {
    if (this.#isStopped || !(isLoaded || partition.searchIndex.needsBuild(partition.slotCount))) return;
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
    while (!shouldStop()) {
      if (partition.loadMoreKeys() || partition.buildPostingLists(shouldStop)) continue;
      if (!partition.searchIndex.needsBuild(partition.slotCount) || partition.searchIndex.build(partition.slotCount, shouldStop))
        this.#partitions.delete(partition);
      break;
    }
    this.#scheduleSlice();
  }

  #becomeIdle(): void {
    this.#isRunning = false;
    const waiters = this.#idleWaiters;
    this.#idleWaiters = [];
    for (const resolve of waiters) resolve();
  }
}
