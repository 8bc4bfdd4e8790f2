/**
 * Ordered indexes: slots in one of the orders of a table, or by the value of a filter. They are kept in sorted chunks, so that an insert
 * moves little and a rank is found by adding up lengths.
 *
 * The index folder in short. All indexes map keys to slots and live in memory; a partition (partition.ts) owns one of each:
 *   hash-index       id or unique value -> slot (unique-indexes.ts checks the unique keys)
 *   ordered-index    the slots in each order and by each filter
 *   posting-lists    element of an array field -> its slots
 *   search-index     substring search, on trigram-index.ts
 * Nothing of them is stored: hash indexes and posting lists are built while rows are loaded, an ordered index by the first query that needs
 * it, and search indexes in the background.
 */
import type { OrderLayout } from '../../table-layout.ts';
import type { Column } from '../rows/column.ts';

const MAX_CHUNK_LENGTH = 1024;
/** Length of a chunk of a new index, because full chunks would all be split by the first inserts. */
const INITIAL_CHUNK_LENGTH = 768;

export type Compare = (a: number, b: number) => number;

/** Creates an index of slots in an order. Rows that are equal in all steps are ordered by id. */
export function createOrderedIndex({ steps }: OrderLayout, columns: readonly Column[], slots: number[]): OrderedIndex {
  const ids = columns[0]!;
  const compared = steps.map(({ column, descending }) => ({ column: columns[column]!, sign: descending ? -1 : 1 }));
  const [first] = compared;
  const compareAll: Compare = (a, b) => {
    for (let at = 0; at < compared.length; at++) {
      const { column, sign } = compared[at]!;
      const result = column.compare(a, b);
      if (result !== 0) return result * sign;
    }
    return ids.compare(a, b);
  };
  // Most orders have one ascending step, and every write compares.
  const hasOneStep = compared.length === 1 && first!.sign === 1;
  const compare: Compare = hasOneStep ? (a, b) => first!.column.compare(a, b) || ids.compare(a, b) : compareAll;
  return new OrderedIndex(compare, slots.sort(compare));
}

/** Slots in an order. While a slot is in the index, the keys of its row must stay as they were when it was inserted. */
export class OrderedIndex {
  readonly compare: Compare;
  /** None of them is empty. */
  readonly #chunks: number[][] = [];
  #size = 0;

  constructor(compare: Compare, sorted: readonly number[] = []) {
    this.compare = compare;
    this.#size = sorted.length;
    for (let at = 0; at < sorted.length; at += INITIAL_CHUNK_LENGTH) this.#chunks.push(sorted.slice(at, at + INITIAL_CHUNK_LENGTH));
  }

  get size(): number {
    return this.#size;
  }

  insert(slot: number): void {
    const last = this.#chunks.at(-1);
    this.#size++;
    // In orders by time, new rows usually sort last.
    if (last === undefined || this.compare(last.at(-1)!, slot) < 0) {
      if (last !== undefined && last.length < MAX_CHUNK_LENGTH) last.push(slot);
      else this.#chunks.push([slot]);
      return;
    }
    const [at, position] = this.#find((each) => this.compare(each, slot) < 0);
    const chunk = this.#chunks[at]!;
    chunk.splice(position, 0, slot);
    if (chunk.length > MAX_CHUNK_LENGTH) this.#chunks.splice(at + 1, 0, chunk.splice(MAX_CHUNK_LENGTH / 2));
  }

  remove(slot: number): void {
    const [at, position] = this.#find((each) => this.compare(each, slot) < 0);
    const chunk = this.#chunks[at];
    if (chunk?.[position] !== slot) throw new Error(`slot ${slot} is missing from an ordered index: this is a bug`);
    this.#size--;
    if (chunk.length > 1) chunk.splice(position, 1);
    else this.#chunks.splice(at, 1);
  }

  /** Number of slots before the first for which `isBefore` is false. Along the order, `isBefore` must be true first and then false. */
  rank(isBefore: (slot: number) => boolean): number {
    const [at, position] = this.#find(isBefore);
    let rank = position;
    for (let each = 0; each < at; each++) rank += this.#chunks[each]!.length;
    return rank;
  }

  /** Visits the slots from rank `from` up to, but not including, rank `to`, until `visit` returns false. `descending`: the last one first. */
  scan(from: number, to: number, descending: boolean, visit: (slot: number) => unknown): void {
    let rest = to - from;
    // Number of slots to skip before the next chunk.
    let skip = descending ? this.#size - to : from;
    for (let each = 0; each < this.#chunks.length && rest > 0; each++) {
      const chunk = this.#chunks[descending ? this.#chunks.length - 1 - each : each]!;
      if (skip >= chunk.length) {
        skip -= chunk.length;
        continue;
      }
      const end = Math.min(chunk.length, skip + rest);
      for (let at = skip; at < end; at++) if (visit(chunk[descending ? chunk.length - 1 - at : at]!) === false) return;
      rest -= end - skip;
      skip = 0;
    }
  }

  /** Chunk and position of the first slot for which `isBefore` is false; the end of the last chunk when there is none. */
  #find(isBefore: (slot: number) => boolean): [chunk: number, position: number] {
    let [low, high] = [0, Math.max(0, this.#chunks.length - 1)];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(this.#chunks[middle]!.at(-1)!)) low = middle + 1;
      else high = middle;
    }
    const at = low;
    const chunk = this.#chunks[at];
    [low, high] = [0, chunk?.length ?? 0];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(chunk![middle]!)) low = middle + 1;
      else high = middle;
    }
    return [at, low];
  }
}
