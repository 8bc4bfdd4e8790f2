/**
 * A trigram index for substring search: for every three adjacent code units of the folded search fields, the slots that contain them.
 * Posting lists are delta-encoded. Entries of removed rows stay until a rebuild, so the caller checks unverified hits. Each text is padded
 * with two zeros, so that every single character and pair starts some trigram.
 */

import { BitSet } from './bit-set.ts';
import { ScratchBuffer } from './scratch-buffer.ts';

/** ASCII trigrams have a key of their own; others share keys by hash, so their hits are always checked. */
const ASCII_KEYS = 1 << 21;
const HASH_MASK = 0x3fffffff;

class TrigramPostings {
  readonly isExact: boolean;
  count = 0;
  /** True while every slot was above the previous one: no slot has come back with another text. */
  isAscending = true;
  #bytes: Uint8Array = new Uint8Array(8);
  #used = 0;
  #last = 0;

  constructor(exact: boolean) {
    this.isExact = exact;
  }

  add(slot: number): void {
    if (slot === this.#last && this.count > 0) return;
    const difference = slot - this.#last;
    if (difference < 0) this.isAscending = false;
    this.#last = slot;
    this.count++;
    if (this.#used + 5 > this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length + Math.max(16, this.#bytes.length >> 1));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    let value = (difference << 1) ^ (difference >> 31);
    while (value > 127 || value < 0) {
      this.#bytes[this.#used++] = (value & 127) | 128;
      value >>>= 7;
    }
    this.#bytes[this.#used++] = value;
  }

  /** All slots ever added; a slot that was added again is repeated. */
  decode(buffer: ScratchBuffer): Uint32Array {
    const bytes = this.#bytes;
    const { count } = this;
    const slots = buffer.take(count);
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
   * Keeps those of some ascending slots that are in this list, which must be ascending, too, without decoding it into an array. Decodes
   * like `decode`, but in a loop of its own: a call for each of thousands of slots would cost more than the comparison.
   */
  intersect(slots: Uint32Array): Uint32Array {
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
      // Never ahead of `next`, so the slots still to be compared stay intact.
      if (wanted === slot) slots[hits++] = slot;
      else if (next === length) break;
    }
    return slots.subarray(0, hits);
  }
}

/**
 * Decoding a posting list is so much faster than checking texts that intersecting with another one pays, unless it is this many times
 * longer.
 */
const MAX_LENGTH_RATIO = 16;
const MAX_FILTERS = 3;
/** Stop intersecting when a list leaves more than this share: it belongs to the same word, and its neighbors would not filter better. */
const MAX_REMAINING_RATIO = 0.75;

/** The results of a search and its working memory. One search runs at a time. */
const [results, decoded, seen] = [new ScratchBuffer(), new ScratchBuffer(), new BitSet(0)];

/** A trigram of the search text and its offset there. */
interface QueryTrigram {
  readonly postings: TrigramPostings;
  readonly offset: number;
}

/**
 * The slots of the rarest trigram that are also in the next rarest ones. Trigrams that share no character with it come first: they filter
 * best.
 */
function intersectAll(trigrams: readonly QueryTrigram[], slotCount: number): Uint32Array {
  const [rarest, ...others] = trigrams.toSorted((a, b) => a.postings.count - b.postings.count) as [QueryTrigram, ...QueryTrigram[]];
  const isDisjoint = ({ offset }: QueryTrigram): boolean => Math.abs(offset - rarest.offset) > 2;
  let found = rarest.postings.decode(results);
  let filters = 0;
  for (const { postings } of [...others.filter(isDisjoint), ...others.filter((trigram) => !isDisjoint(trigram))]) {
    if (filters === MAX_FILTERS || found.length < MAX_LENGTH_RATIO) break;
    if (postings.count > found.length * MAX_LENGTH_RATIO) continue;
    const before = found.length;
    found = rarest.postings.isAscending && postings.isAscending ? postings.intersect(found) : intersectBoth(found, postings, slotCount);
    filters++;
    if (found.length > before * MAX_REMAINING_RATIO) break;
  }
  return found;
}

function intersectBoth(found: Uint32Array, postings: TrigramPostings, slotCount: number): Uint32Array {
  const wanted = seen.assign(postings.decode(decoded), slotCount);
  let hits = 0;
  for (let at = 0; at < found.length; at++) if (wanted.has(found[at]!)) found[hits++] = found[at]!;
  return found.subarray(0, hits);
}

/** The slots of any of the posting lists, once each. */
function uniteAll(lists: readonly TrigramPostings[], slotCount: number): Uint32Array {
  seen.clear(slotCount);
  const found = results.take(slotCount);
  let count = 0;
  for (const postings of lists) {
    const slots = postings.decode(decoded);
    for (let at = 0; at < slots.length; at++) if (seen.add(slots[at]!)) found[count++] = slots[at]!;
  }
  return found.subarray(0, count);
}

const isAscii = (a: number, b: number, c: number): boolean => (a | b | c) < 128;
const toTrigramKey = (a: number, b: number, c: number): number =>
  isAscii(a, b, c)
    ? (a << 14) | (b << 7) | c
    : ASCII_KEYS + ((Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35)) & HASH_MASK);

export class TrigramIndex {
  readonly #postings = new Map<number, TrigramPostings>();
  /** Posting lists by their first character, and by their first two. */
  readonly #postingsByPrefix = new Map<number, Set<TrigramPostings>>();

  add(slot: number, text: string): void {
    let [a, b] = [text.charCodeAt(0), text.length > 1 ? text.charCodeAt(1) : 0];
    for (let at = 2; at < text.length + 2; at++) {
      const c = at < text.length ? text.charCodeAt(at) : 0;
      this.#getPostings(a, b, c).add(slot);
      a = b;
      b = c;
    }
  }

  /**
   * Finds slots that may contain the text: all that do are among them, and a slot whose text has changed may be repeated. With `isExact`,
   * slots whose text never changed need no check. The slots are valid until the next search.
   */
  findCandidates(text: string, slotCount: number): { count: number; isExact: boolean; decodeSlots: () => Uint32Array } {
    if (text.length < 3) {
      const prefixKey = text.length === 1 ? text.charCodeAt(0) : toPrefixKey(text.charCodeAt(0), text.charCodeAt(1));
      const lists = [...(this.#postingsByPrefix.get(prefixKey) ?? [])];
      return {
        count: lists.reduce((sum, { count }) => sum + count, 0),
        isExact: lists.every((postings) => postings.isExact),
        decodeSlots: () => uniteAll(lists, slotCount),
      };
    }
    const trigrams: QueryTrigram[] = [];
    for (let at = 0; at + 3 <= text.length; at++) {
      const postings = this.#postings.get(toTrigramKey(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)));
      if (postings === undefined) return { count: 0, isExact: true, decodeSlots: () => new Uint32Array(0) };
      if (!trigrams.some((trigram) => trigram.postings === postings)) trigrams.push({ postings, offset: at });
    }
    const count = Math.min(...trigrams.map(({ postings }) => postings.count));
    return { count, isExact: text.length === 3 && trigrams[0]!.postings.isExact, decodeSlots: () => intersectAll(trigrams, slotCount) };
  }

  #getPostings(a: number, b: number, c: number): TrigramPostings {
    const key = toTrigramKey(a, b, c);
    let postings = this.#postings.get(key);
    if (postings === undefined) {
      postings = new TrigramPostings(isAscii(a, b, c));
      this.#postings.set(key, postings);
    }
    // A hashed key may stand for several trigrams with different prefixes.
    if (postings.count === 0 || !postings.isExact) {
      this.#registerPrefix(a, postings);
      if (b !== 0) this.#registerPrefix(toPrefixKey(a, b), postings);
    }
    return postings;
  }

  #registerPrefix(prefixKey: number, postings: TrigramPostings): void {
    const lists = this.#postingsByPrefix.get(prefixKey);
    if (lists === undefined) this.#postingsByPrefix.set(prefixKey, new Set([postings]));
    else lists.add(postings);
  }
}

/** Above every single code unit, so that both kinds of prefix share a map. */
const toPrefixKey = (a: number, b: number): number => (a + 1) * 65536 + b;
