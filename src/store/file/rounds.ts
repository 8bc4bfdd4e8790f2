/**
 * Transactions in rounds: those that were asked for in one turn of the event loop run one right after another when its other work is done,
 * and what they changed goes to the journal together. Run between the requests that ask for them, they cost half as much again, because
 * the code and the data of either push those of the other out of the processor's caches.
 */
export class Rounds {
  #jobs: (() => Promise<void>)[] = [];
  readonly #end: () => void;

  /** `end` is called after the last job of each round. */
  constructor(end: () => void) {
    this.#end = end;
  }

  /** Runs `work` in the next round, and settles as it does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#jobs.push(() => work().then(resolve, reject));
      if (this.#jobs.length === 1) setImmediate(() => void this.#round());
    });
  }

  async #round(): Promise<void> {
    const jobs = this.#jobs;
    this.#jobs = [];
    for (const job of jobs) await job();
    this.#end();
  }
}
