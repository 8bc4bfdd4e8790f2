/** A mutex: its holder has the whole state to itself, others wait in order. */
export class Mutex {
  #isLocked = false;
  #waiters: (() => void)[] = [];

  /** Acquires the mutex: undefined when it is free, otherwise a promise to wait for. */
  acquire(): Promise<void> | undefined {
    return this.#acquire((waiter) => this.#waiters.push(waiter));
  }

  /** Acquires the mutex before all others that wait. */
  acquireNext(): Promise<void> | undefined {
    return this.#acquire((waiter) => this.#waiters.unshift(waiter));
  }

  #acquire(enqueue: (waiter: () => void) => void): Promise<void> | undefined {
    if (this.#isLocked) return new Promise(enqueue);
    this.#isLocked = true;
    return undefined;
  }

  release(): void {
    const next = this.#waiters.shift();
    if (next === undefined) this.#isLocked = false;
    else next();
  }
}
