/** Remembers what the last queries matched, as long as nothing changes: paging through a long result asks again and again. */

const MOST_RESULTS = 16;
const MOST_SLOTS = 1 << 21;

export class Results {
  #version = -1;
  #slots = 0;
  readonly #known = new Map<string, Uint32Array>();

  get(key: string, version: number, find: () => Uint32Array): Uint32Array {
    if (version !== this.#version) {
      this.#known.clear();
      this.#slots = 0;
      this.#version = version;
    }
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = find();
    if (this.#known.size >= MOST_RESULTS || this.#slots + found.length > MOST_SLOTS) {
      this.#known.clear();
      this.#slots = 0;
    }
    this.#known.set(key, found);
    this.#slots += found.length;
    return found;
  }
}
