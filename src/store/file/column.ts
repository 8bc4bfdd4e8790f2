/** One indexed field of all rows of a partition, by slot. */
import type { Value } from '../../domain/ports.ts';
import { compareValues, type Key, type Span } from './compare.ts';
import { packInstant, unpackInstant } from './instants.ts';

/** Pools of texts that hardly ever repeat are given up after this many. */
const POOL_TRIAL = 1024;

/**
 * Starts as packed instants (all null) and turns into plain values with the first key that is not one.
 * Repeated texts share one string.
 */
export class Column {
  #instants: Float64Array | undefined;
  #values: Key[] = [];
  #pool: Map<string, string> | undefined = new Map();
  #hits = 0;

  constructor() {
    this.#instants = new Float64Array(16).fill(Number.NaN);
  }

  get(slot: number): Key {
    const instants = this.#instants;
    if (instants === undefined) return this.#values[slot] ?? null;
    const packed = instants[slot] ?? Number.NaN;
    return Number.isNaN(packed) ? null : unpackInstant(packed);
  }

  set(slot: number, key: Key): void {
    if (this.#instants !== undefined) {
      const packed = typeof key === 'string' ? packInstant(key) : Number.NaN;
      if (key === null || !Number.isNaN(packed)) {
        this.#instant(slot, packed);
        return;
      }
      this.#becomePlain();
    }
    // No holes: an array with holes is slower to read.
    while (this.#values.length < slot) this.#values.push(null);
    this.#values[slot] = typeof key === 'string' ? this.#shared(key) : key;
  }

  /** Sets consecutive slots from packed instants, as a checkpoint holds them. */
  setInstants(slot: number, packed: Float64Array): void {
    if (this.#instants === undefined) {
      packed.forEach((each, at) => this.set(slot + at, Number.isNaN(each) ? null : unpackInstant(each)));
      return;
    }
    this.#reserve(slot + packed.length);
    this.#instants.set(packed, slot);
  }

  /** Sets consecutive slots to keys that are known to be plain values, already shared where they repeat. */
  setKeys(slot: number, keys: readonly Key[]): void {
    if (this.#instants !== undefined) this.#becomePlain();
    while (this.#values.length < slot) this.#values.push(null);
    for (const key of keys) this.#values[slot++] = key;
  }

  /** One string for equal texts, as long as this field's texts repeat at all. */
  shared(text: string): string {
    return this.#shared(text);
  }

  /** The packed instants of slots, when the column holds nothing else. */
  instants(): Float64Array | undefined {
    return this.#instants;
  }

  compare(a: number, b: number): number {
    const instants = this.#instants;
    if (instants === undefined) {
      const v = this.#values[a] ?? null;
      const w = this.#values[b] ?? null;
      if (typeof v === 'string' && typeof w === 'string') return v < w ? -1 : v === w ? 0 : 1;
      return compareValues(v, w);
    }
    const x = instants[a]!;
    const y = instants[b]!;
    if (x < y) return -1;
    if (x > y) return 1;
    if (x === y) return 0;
    return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
  }

  /** A test of slots against wanted values; an array key passes when it contains one. */
  tester(wanted: readonly Value[]): (slot: number) => boolean {
    const instants = this.#instants;
    if (instants !== undefined) {
      const packed = new Set(wanted.map((value) => (typeof value === 'string' ? packInstant(value) : Number.NaN)));
      if (!wanted.includes(null)) packed.delete(Number.NaN);
      return (slot) => packed.has(instants[slot] ?? Number.NaN);
    }
    const values = this.#values;
    if (wanted.length === 1) {
      const only = wanted[0]!;
      return (slot) => {
        const key = values[slot] ?? null;
        return key === only || (typeof key === 'object' && key !== null && key.includes(only));
      };
    }
    const set = new Set<Key>(wanted);
    return (slot) => {
      const key = values[slot] ?? null;
      return set.has(key) || (typeof key === 'object' && key !== null && key.some((each) => set.has(each)));
    };
  }

  /** Where slots lie relative to a range or prefix. */
  spans(span: Span): (slot: number) => -1 | 0 | 1 {
    return (slot) => span(this.get(slot));
  }

  /** Whether the text of a slot contains another. */
  includes(slot: number, text: string): boolean {
    const key = this.#instants === undefined ? this.#values[slot] : this.get(slot);
    return typeof key === 'string' && key.includes(text);
  }

  #instant(slot: number, packed: number): void {
    this.#reserve(slot + 1);
    this.#instants![slot] = packed;
  }

  #reserve(length: number): void {
    const instants = this.#instants!;
    if (length <= instants.length) return;
    const grown = new Float64Array(Math.max(length, Math.ceil(instants.length * 1.5))).fill(Number.NaN, instants.length);
    grown.set(instants);
    this.#instants = grown;
  }

  #becomePlain(): void {
    const instants = this.#instants!;
    let used = instants.length;
    while (used > 0 && Number.isNaN(instants[used - 1])) used--;
    for (let slot = 0; slot < used; slot++) this.#values.push(this.get(slot));
    this.#instants = undefined;
  }

  #shared(text: string): string {
    const pool = this.#pool;
    if (pool === undefined) return text;
    const known = pool.get(text);
    if (known !== undefined) {
      this.#hits++;
      return known;
    }
    if (pool.size >= POOL_TRIAL && this.#hits < pool.size) this.#pool = undefined;
    else pool.set(text, text);
    return text;
  }
}
