/**
 * Substring index: for every three neighbouring code units of the folded search fields, the slots that have them.
 * Slots are kept as differences in a few bits; removed rows stay until a rebuild, so every doubtful hit is checked by the caller.
 * Each text is padded by two zeros: any single letter or pair then starts some trigram.
 */

/** Trigrams of ASCII have a key of their own; others share keys by hash and are never trusted unchecked. */
const ASCII_KEYS = 1 << 21;
const HASH_MASK = 0x3fffffff;

class Gram {
  readonly exact: boolean;
  count = 0;
  #bytes: Uint8Array = new Uint8Array(8);
  #used = 0;
  #last = 0;

  constructor(exact: boolean) {
    this.exact = exact;
  }

  add(slot: number): void {
    if (slot === this.#last && this.count > 0) return;
    const difference = slot - this.#last;
    this.#last = slot;
    this.count++;
    if (this.#used + 5 > this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length + Math.max(16, this.#bytes.length >> 1));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    let rest = (difference << 1) ^ (difference >> 31);
    while (rest > 127 || rest < 0) {
      this.#bytes[this.#used++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.#used++] = rest;
  }

  each(visit: (slot: number) => void): void {
    const [bytes, used] = [this.#bytes, this.#used];
    let slot = 0;
    for (let at = 0; at < used; ) {
      let byte = bytes[at++]!;
      let zigzag = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++]!;
        zigzag |= (byte & 127) << shift;
      }
      slot += (zigzag >>> 1) ^ -(zigzag & 1);
      visit(slot);
    }
  }
}

const isAscii = (a: number, b: number, c: number): boolean => (a | b | c) < 128;
const keyOf = (a: number, b: number, c: number): number =>
  isAscii(a, b, c) ? (a << 14) | (b << 7) | c : ASCII_KEYS + ((Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35)) & HASH_MASK);

export class Trigrams {
  readonly #grams = new Map<number, Gram>();
  /** Grams by their first letter, and by their first two. */
  readonly #starts = new Map<number, Set<Gram>>();

  add(slot: number, text: string): void {
    let [a, b] = [text.charCodeAt(0), text.length > 1 ? text.charCodeAt(1) : 0];
    for (let at = 2; at < text.length + 2; at++) {
      const c = at < text.length ? text.charCodeAt(at) : 0;
      this.#gram(a, b, c).add(slot);
      a = b;
      b = c;
    }
  }

  /**
   * Slots that may contain the text: all that do are among them, some more than once.
   * `sure` says that a slot whose text never changed is a hit without a look.
   */
  candidates(text: string): { count: number; sure: boolean; each: (visit: (slot: number) => void) => void } {
    if (text.length < 3) {
      const start = text.length === 1 ? text.charCodeAt(0) : pair(text.charCodeAt(0), text.charCodeAt(1));
      const grams = [...(this.#starts.get(start) ?? [])];
      return {
        count: grams.reduce((sum, gram) => sum + gram.count, 0),
        sure: grams.every((gram) => gram.exact),
        each: (visit) => grams.forEach((gram) => gram.each(visit)),
      };
    }
    let rarest: Gram | undefined;
    for (let at = 0; at + 3 <= text.length; at++) {
      const gram = this.#grams.get(keyOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)));
      if (gram === undefined) return { count: 0, sure: true, each: () => {} };
      if (rarest === undefined || gram.count < rarest.count) rarest = gram;
    }
    return { count: rarest!.count, sure: text.length === 3 && rarest!.exact, each: (visit) => rarest!.each(visit) };
  }

  #gram(a: number, b: number, c: number): Gram {
    const key = keyOf(a, b, c);
    let gram = this.#grams.get(key);
    if (gram === undefined) {
      gram = new Gram(isAscii(a, b, c));
      this.#grams.set(key, gram);
    }
    // A hashed key may stand for several trigrams, each with its own start.
    if (gram.count === 0 || !gram.exact) {
      this.#register(a, gram);
      if (b !== 0) this.#register(pair(a, b), gram);
    }
    return gram;
  }

  #register(start: number, gram: Gram): void {
    const grams = this.#starts.get(start);
    if (grams === undefined) this.#starts.set(start, new Set([gram]));
    else grams.add(gram);
  }
}

/** Above every single code unit, so that both kinds of start share a map. */
const pair = (a: number, b: number): number => (a + 1) * 65536 + b;
