/** A set of slots as bits: fast to fill and to query when there are many. */
export class BitSet {
  #words: Uint32Array;

  constructor(slots: number) {
    this.#words = new Uint32Array((slots >>> 5) + 1);
  }

  /** Replaces the contents with some slots, all below `limit`. */
  assign(slots: Uint32Array, limit: number): this {
    this.clear(limit);
    const words = this.#words;
    for (let at = 0; at < slots.length; at++) words[slots[at]! >>> 5]! |= 1 << (slots[at]! & 31);
    return this;
  }

  /** Empties the set, making room for slots below `limit`. */
  clear(limit: number): this {
    const words = (limit >>> 5) + 1;
    if (words > this.#words.length) this.#words = new Uint32Array(words);
    else this.#words.fill(0);
    return this;
  }

  /** The words of the set, for tight loops: a slot is bit `slot & 31` of word `slot >>> 5`. */
  get words(): Uint32Array {
    return this.#words;
  }

  has(slot: number): boolean {
    return (this.#words[slot >>> 5]! & (1 << (slot & 31))) !== 0;
  }

  /** Adds a slot. True when it was not in the set. */
  add(slot: number): boolean {
    const at = slot >>> 5;
    if (at >= this.#words.length) {
      const grown = new Uint32Array(Math.max(at + 1, this.#words.length * 2));
      grown.set(this.#words);
      this.#words = grown;
    }
    const [word, bit] = [this.#words[at]!, 1 << (slot & 31)];
    this.#words[at] = word | bit;
    return (word & bit) === 0;
  }

  delete(slot: number): void {
    const at = slot >>> 5;
    if (at < this.#words.length) this.#words[at]! &= ~(1 << (slot & 31));
  }
}
