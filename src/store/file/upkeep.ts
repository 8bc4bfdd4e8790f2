/** Loads keys that a start has left in the checkpoint and builds indexes, in the background, a few milliseconds at a time. */
import type { Partition } from './partition.ts';

const SLICE_MS = 2;

export class Upkeep {
  readonly #partitions = new Set<Partition>();
  #running = false;
  #ended = false;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Takes note of a partition that may need its index built, or, just loaded, its keys. */
  look(partition: Partition, fresh = false): void {
    if (this.#ended || !(fresh || partition.search.wants(partition.slots))) return;
    this.#partitions.add(partition);
    if (this.#running) return;
    this.#running = true;
    this.#later();
  }

  /** Resolves when there is nothing to build. */
  async done(): Promise<void> {
    if (!this.#running || this.#ended) return;
    this.#timer?.ref();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  end(): void {
    this.#ended = true;
    this.#rest();
  }

  #later(): void {
    // A timer rather than setImmediate: requests get their share between two slices.
    const timer = setTimeout(() => this.#slice(), 1);
    // Nobody waiting: the process may end without it.
    if (this.#waiting.length === 0) timer.unref();
    this.#timer = timer;
  }

  #slice(): void {
    if (this.#ended) return;
    const deadline = performance.now() + SLICE_MS;
    const [partition] = this.#partitions;
    if (partition === undefined) {
      this.#rest();
      return;
    }
    const enough = (): boolean => performance.now() > deadline;
    while (!enough()) {
      if (partition.loadSome() || partition.indexSome(enough)) continue;
      if (!partition.search.wants(partition.slots) || partition.search.build(partition.slots, enough)) this.#partitions.delete(partition);
      break;
    }
    this.#later();
  }

  #rest(): void {
    this.#running = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
