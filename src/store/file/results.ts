/** Remembers what the last queries matched, as long as nothing changes: paging through a long result asks again and again. */

const MOST_RESULTS = 512;
const MOST_SLOTS = 1 << 21;
/** Room for slots is made in pieces of this many, so that little searches do not take eight megabytes. */
const PIECE = 1 << 16;
/** What is kept of it for the next results. */
const KEPT = 1 << 18;

export class Results {
  #version = -1;
  #slots = 0;
  readonly #known = new Map<string, Uint32Array>();
  /** Where results lie one behind another, and how far it is full. */
  #room = new Uint32Array(0);
  #used = 0;

  has(key: string, version: number): boolean {
    return version === this.#version && this.#known.has(key);
  }

  /** What `find` answers, copied: it is good until this is asked for another version. */
  get(key: string, version: number, find: () => Uint32Array): Uint32Array {
    if (version !== this.#version) {
      this.#known.clear();
      this.#slots = 0;
      this.#used = 0;
      if (this.#room.length > KEPT) this.#room = new Uint32Array(0);
      this.#version = version;
    }
    const known = this.#known.get(key);
    if (known !== undefined) {
      // Asked for again: the last to go.
      this.#known.delete(key);
      this.#known.set(key, known);
      return known;
    }
    const found = this.#keep(find());
    this.#known.set(key, found);
    this.#slots += found.length;
    for (const [oldest, { length }] of this.#known) {
      if (this.#known.size <= MOST_RESULTS && this.#slots <= MOST_SLOTS) break;
      this.#known.delete(oldest);
      this.#slots -= length;
    }
    return found;
  }

  #keep(found: Uint32Array): Uint32Array {
    // Results that lie in earlier pieces hold them as long as they are known.
    if (this.#used + found.length > this.#room.length) {
      this.#room = new Uint32Array(Math.max(PIECE, found.length));
      this.#used = 0;
    }
    const kept = this.#room.subarray(this.#used, (this.#used += found.length));
    kept.set(found);
    return kept;
  }
}
