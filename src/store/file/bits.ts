/** A set of slots as bits: quick to fill and to ask when there are many. */
export class Bits {
  #words: Uint32Array;

  constructor(slots: number) {
    this.#words = new Uint32Array((slots >>> 5) + 1);
  }

  has(slot: number): boolean {
    return (this.#words[slot >>> 5]! & (1 << (slot & 31))) !== 0;
  }

  /** True when the slot was not in the set before. */
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
}
