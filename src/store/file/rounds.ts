/**
 * Transactions in rounds: those that were asked for in one turn of the event loop run one right after another when its other work is done,
 * and what they changed goes to the journal together. Run between the requests that ask for them, they cost half as much again, because
 * the code and the data of either push those of the other out of the processor's caches.
 */

/** A round that takes longer ends with the work that is running: the rest is the next one, and whoever only reads comes in between. */
const ROUND_MS = 5;

export class Rounds {
  #jobs: (() => Promise<void>)[] = [];
  #isDue = false;
  readonly #end: () => void;

  /** `end` is called after the last job of each round. */
  constructor(end: () => void) {
    this.#end = end;
  }

  /** Runs `work` in the next round that has room for it, and settles as it does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#jobs.push(() => work().then(resolve, reject));
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => void this.#round());
  }

  async #round(): Promise<void> {
    this.#isDue = false;
    const jobs = this.#jobs;
    this.#jobs = [];
    const end = performance.now() + ROUND_MS;
    for (let at = 0; at < jobs.length; at++) {
      await jobs[at]!();
      if (at + 1 < jobs.length && performance.now() > end) {
        this.#jobs = [...jobs.slice(at + 1), ...this.#jobs];
        this.#schedule();
        break;
      }
    }
    this.#end();
  }
}
