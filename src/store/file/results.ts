/** Remembers what the last queries matched, as long as nothing changes: paging through a long result asks again and again. */

const MOST_RESULTS = 512;
const MOST_SLOTS = 1 << 21;

export class Results {
  #version = -1;
  #slots = 0;
  readonly #known = new Map<string, Uint32Array>();

  has(key: string, version: number): boolean {
    return version === this.#version && this.#known.has(key);
  }

  get(key: string, version: number, find: () => Uint32Array): Uint32Array {
    if (version !== this.#version) {
      this.#known.clear();
      this.#slots = 0;
      this.#version = version;
    }
    const known = this.#known.get(key);
    if (known !== undefined) {
      // Asked for again: the last to go.
      this.#known.delete(key);
      this.#known.set(key, known);
      return known;
    }
    const found = find();
    this.#known.set(key, found);
    this.#slots += found.length;
    for (const [oldest, { length }] of this.#known) {
      if (this.#known.size <= MOST_RESULTS && this.#slots <= MOST_SLOTS) break;
      this.#known.delete(oldest);
      this.#slots -= length;
    }
    return found;
  }
}
