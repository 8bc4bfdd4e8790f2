/**
 * Substring index: for every three neighbouring code units of the folded search fields, the slots that have them.
 * Slots are kept as differences in a few bits; removed rows stay until a rebuild, so every doubtful hit is checked by the caller.
 * Each text is padded by two zeros: any single letter or pair then starts some trigram.
 */

import { Bits } from './bits.ts';
import { Scratch } from './scratch.ts';

/** Trigrams of ASCII have a key of their own; others share keys by hash and are never trusted unchecked. */
const ASCII_KEYS = 1 << 21;
const HASH_MASK = 0x3fffffff;

class Gram {
  readonly exact: boolean;
  count = 0;
  /** Every slot was above the one before, as long as none came back with another text. */
  ascends = true;
  #bytes: Uint8Array = new Uint8Array(8);
  #used = 0;
  #last = 0;

  constructor(exact: boolean) {
    this.exact = exact;
  }

  add(slot: number): void {
    if (slot === this.#last && this.count > 0) return;
    const difference = slot - this.#last;
    if (difference < 0) this.ascends = false;
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

  /** All slots ever added; one that was added again later is there again. */
  slots(room: Scratch): Uint32Array {
    const bytes = this.#bytes;
    const { count } = this;
    const slots = room.take(count);
    let [slot, at] = [0, 0];
    for (let next = 0; next < count; next++) {
      let zigzag = bytes[at++]!;
      if (zigzag > 127) {
        zigzag &= 127;
        for (let shift = 7, more = true; more; shift += 7) {
          const byte = bytes[at++]!;
          zigzag |= (byte & 127) << shift;
          more = byte > 127;
        }
      }
      slot = (slot + ((zigzag >>> 1) ^ -(zigzag & 1))) | 0;
      slots[next] = slot;
    }
    return slots;
  }

  /**
   * Leaves of some ascending slots those that it has, without setting out its own; it must ascend itself. Decodes as `slots` does, in a
   * loop of its own: a call for each of thousands of slots would cost more than the comparison.
   */
  among(slots: Uint32Array): Uint32Array {
    const bytes = this.#bytes;
    const { count } = this;
    const { length } = slots;
    let [slot, at, next, hits] = [0, 0, 0, 0];
    let wanted = length > 0 ? slots[0]! : 0;
    for (let left = length > 0 ? count : 0; left > 0; left--) {
      let zigzag = bytes[at++]!;
      if (zigzag > 127) {
        zigzag &= 127;
        for (let shift = 7, more = true; more; shift += 7) {
          const byte = bytes[at++]!;
          zigzag |= (byte & 127) << shift;
          more = byte > 127;
        }
      }
      slot = (slot + ((zigzag >>> 1) ^ -(zigzag & 1))) | 0;
      if (slot < wanted) continue;
      while (wanted < slot && ++next < length) wanted = slots[next]!;
      // Never ahead of `next`, so what is still wanted stays.
      if (wanted === slot) slots[hits++] = slot;
      else if (next === length) break;
    }
    return slots.subarray(0, hits);
  }
}

/** Reading a trigram's slots is so much quicker than looking at the text of each that another one pays, if it is not too long. */
const WORTH = 16;
const MOST_FILTERS = 3;
/** One that leaves more than this share of the slots: it belongs to the same word, and its neighbours would not do better. */
const IDLE = 0.75;

/** What a search finds, and what it looks at for that. One search runs at a time. */
const [results, walked, seen] = [new Scratch(), new Scratch(), new Bits(0)];

/** A trigram of what is looked for, and where it begins there. */
interface Part {
  readonly gram: Gram;
  readonly at: number;
}

/** The slots of the rarest trigram that are also in the next few: first in those that share no letter with it, which tell most. */
function inAll(parts: readonly Part[], most: number): Uint32Array {
  const [rarest, ...others] = parts.toSorted((a, b) => a.gram.count - b.gram.count) as [Part, ...Part[]];
  const isApart = ({ at }: Part): boolean => Math.abs(at - rarest.at) > 2;
  let found = rarest.gram.slots(results);
  let filters = 0;
  for (const { gram } of [...others.filter(isApart), ...others.filter((part) => !isApart(part))]) {
    if (filters === MOST_FILTERS || found.length < WORTH) break;
    if (gram.count > found.length * WORTH) continue;
    const before = found.length;
    found = rarest.gram.ascends && gram.ascends ? gram.among(found) : inBoth(found, gram, most);
    filters++;
    if (found.length > before * IDLE) break;
  }
  return found;
}

function inBoth(found: Uint32Array, gram: Gram, most: number): Uint32Array {
  const wanted = seen.become(gram.slots(walked), most);
  let hits = 0;
  for (let at = 0; at < found.length; at++) if (wanted.has(found[at]!)) found[hits++] = found[at]!;
  return found.subarray(0, hits);
}

/** The slots of any of the trigrams, once each. */
function union(grams: readonly Gram[], most: number): Uint32Array {
  seen.empty(most);
  const found = results.take(most);
  let count = 0;
  for (const gram of grams) {
    const slots = gram.slots(walked);
    for (let at = 0; at < slots.length; at++) if (seen.add(slots[at]!)) found[count++] = slots[at]!;
  }
  return found.subarray(0, count);
}

const isAscii = (a: number, b: number, c: number): boolean => (a | b | c) < 128;
const keyOf = (a: number, b: number, c: number): number =>
  isAscii(a, b, c)
    ? (a << 14) | (b << 7) | c
    : ASCII_KEYS + ((Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35)) & HASH_MASK);

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
   * Slots that may contain the text: all that do are among them, those that came back with another text more than once.
   * `sure` says that a slot whose text never changed is a hit without a look. The slots are good until the next search.
   */
  candidates(text: string, slots: number): { count: number; sure: boolean; slots: () => Uint32Array } {
    if (text.length < 3) {
      const start = text.length === 1 ? text.charCodeAt(0) : pair(text.charCodeAt(0), text.charCodeAt(1));
      const grams = [...(this.#starts.get(start) ?? [])];
      return {
        count: grams.reduce((sum, gram) => sum + gram.count, 0),
        sure: grams.every((gram) => gram.exact),
        slots: () => union(grams, slots),
      };
    }
    const parts: Part[] = [];
    for (let at = 0; at + 3 <= text.length; at++) {
      const gram = this.#grams.get(keyOf(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)));
      if (gram === undefined) return { count: 0, sure: true, slots: () => new Uint32Array(0) };
      if (!parts.some((part) => part.gram === gram)) parts.push({ gram, at });
    }
    const count = Math.min(...parts.map(({ gram }) => gram.count));
    return { count, sure: text.length === 3 && parts[0]!.gram.exact, slots: () => inAll(parts, slots) };
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
