/** A mutex: its holder has the whole state to itself, others wait in order. */
export class Mutex {
  #isLocked = false;
  #waiters: (() => void)[] = [];

  /** Acquires the mutex: undefined when it is free, otherwise a promise to wait for. `first` puts the caller at the head of the queue. */
  acquire(first = false): Promise<void> | undefined {
    if (!this.#isLocked) {
      this.#isLocked = true;
      return undefined;
    }
    return new Promise((resolve) => {
      if (first) this.#waiters.unshift(resolve);
      else this.#waiters.push(resolve);
    });
  }

  release(): void {
    const next = this.#waiters.shift();
    if (next === undefined) this.#isLocked = false;
    else next();
  }

  get busy(): boolean {
    return this.#isLocked;
  }
}
