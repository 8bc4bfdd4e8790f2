/** One at a time: whoever runs has the whole state to itself, the others wait in line. */
export class Turns {
  #busy = false;
  #waiting: (() => void)[] = [];

  /** Undefined when the turn is yours at once; otherwise wait for it. */
  enter(first = false): Promise<void> | undefined {
    if (!this.#busy) {
      this.#busy = true;
      return undefined;
    }
    return new Promise((resolve) => {
      if (first) this.#waiting.unshift(resolve);
      else this.#waiting.push(resolve);
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy = false;
    else next();
  }

  get busy(): boolean {
    return this.#busy;
  }
}
