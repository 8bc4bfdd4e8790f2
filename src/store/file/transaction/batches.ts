/**
 * Runs transactions in batches: those requested in one turn of the event loop run one after another once its other work is done, and their
 * changes go to the journal together. Interleaved with the requests that ask for them, they would cost half as much again, because the code
 * and data of either evict those of the other from the processor's caches.
 */

/** A batch that takes longer ends with the running transaction. The rest form the next batch, so that reads get a chance in between. */
const MAX_BATCH_MS = 5;

export class TransactionBatches {
  #queue: (() => Promise<void>)[] = [];
  #isScheduled = false;
  readonly #onBatchEnd: () => void;

  /** `onBatchEnd` is called after the last transaction of each batch. */
  constructor(onBatchEnd: () => void) {
    this.#onBatchEnd = onBatchEnd;
  }

  /** Runs `work` in one of the next batches, in the order of the calls, and settles as it does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#queue.push(() => work().then(resolve, reject));
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => void this.#runBatch());
  }

  /** The next batch starts after this one, also if its transactions have to wait: otherwise they would not run in order. */
  async #runBatch(): Promise<void> {
    const queue = this.#queue;
    this.#queue = [];
    const deadline = performance.now() + MAX_BATCH_MS;
    for (let at = 0; at < queue.length; at++) {
      await queue[at]!();
      if (at + 1 < queue.length && performance.now() > deadline) {
        this.#queue = [...queue.slice(at + 1), ...this.#queue];
        break;
      }
    }
    this.#onBatchEnd();
    this.#isScheduled = false;
    if (this.#queue.length > 0) this.#schedule();
  }
}
