/**
 * Lets groups wait for a lock that somebody holds for long, each with a connection, on a part of the connections only: the tenants of a
 * daemon that hangs must not keep the others from working.
 */
import { LockTimeout } from '../errors.ts';

/** Of the connections of the pool. */
const MAX_WAITING = 4;
/** How long a group waits outside of the lane: longer than another daemon usually needs for a group. */
export const QUICK_LOCK_TIMEOUT_MS = 200;
/** How long it waits in all. */
const LOCK_TIMEOUT_MS = 5_000;

export class LockLane {
  #running = 0;
  readonly #waiting = new Set<() => void>();

  /** Runs `work` when one of the places is free. `lockTimeoutMs`: how long it may wait for locks. Throws `LockTimeout` when none gets free. */
  async run<T>(work: (lockTimeoutMs: number) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    if (this.#running >= MAX_WAITING) await this.#waitForPlace();
    else this.#running += 1;
    try {
      const waitedMs = performance.now() - startedAt;
      return await work(Math.ceil(Math.max(QUICK_LOCK_TIMEOUT_MS, LOCK_TIMEOUT_MS - waitedMs)));
    } finally {
      this.#leave();
    }
  }

  /** The one that leaves hands its place over. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#running -= 1;
    else next();
  }

  #waitForPlace(): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(enter);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(enter);
        reject(new LockTimeout('The store is unavailable: another daemon holds the lock of this tenant'));
      }, LOCK_TIMEOUT_MS);
      this.#waiting.add(enter);
    });
  }
}
