/** A set of slots as bits: quick to fill and to ask when there are many. */
export class Bits {
  #words: Uint32Array;

  constructor(slots: number) {
    this.#words = new Uint32Array((slots >>> 5) + 1);
  }

  /** Becomes the set of some slots, all below a number. */
  become(slots: Uint32Array, below: number): this {
    this.empty(below);
    const words = this.#words;
    for (let at = 0; at < slots.length; at++) words[slots[at]! >>> 5]! |= 1 << (slots[at]! & 31);
    return this;
  }

  /** Becomes empty, with room for slots below a number. */
  empty(below: number): this {
    const words = (below >>> 5) + 1;
    if (words > this.#words.length) this.#words = new Uint32Array(words);
    else this.#words.fill(0);
    return this;
  }

  /** Bit `slot & 31` of number `slot >>> 5`: for loops that ask for very many. */
  get words(): Uint32Array {
    return this.#words;
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

  delete(slot: number): void {
    const at = slot >>> 5;
    if (at < this.#words.length) this.#words[at]! &= ~(1 << (slot & 31));
  }
}
