/**
 * The search index of a partition: which slots contain a text in one of their search fields. It is built in the background
 * (background-indexing.ts). Searches are exact at any time, and faster once it is complete.
 *
 * A trigram index names candidates, whose texts are checked. It takes slots in ascending order only, so those whose texts change later are
 * kept in a set and checked in every search. Too many of them make a new index due.
 */
import { foldAccents } from '../../../contract/search-text.ts';
import type { Column } from '../rows/column.ts';
import { TrigramIndex } from './trigram-index.ts';

/** With fewer rows, checking every text is fast enough. */
export const MIN_INDEXED_SLOTS = 256;
/** A new index is due when the texts of this share of the slots have changed. */
const MAX_CHANGED_RATIO = 0.1;
const SLOTS_PER_CHECK = 64;
/** Between the fields of a row, so that no search finds the end of one and the start of the next. */
const SEPARATOR = '\u0000';

export interface SearchHits {
  /** An upper bound of the number of hits. */
  readonly maxCount: number;
  /** Each slot that contains the text, once. */
  find(): number[];
}

export class SearchIndex {
  readonly #columns: readonly Column[];
  /** By slot: the texts of all search fields together; undefined until they are needed. */
  readonly #texts: (string | undefined)[] = [];
  #trigrams = new TrigramIndex();
  /** Slots below this are in the trigram index, unless they have changed since. */
  #indexedSlots = 0;
  readonly #changed = new Set<number>();

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  /** Creates a test for slots: whether a search field contains the text. */
  createMatcher(text: string): (slot: number) => boolean {
    if (text.includes(SEPARATOR)) return (slot) => this.#columns.some((_, at) => this.columnContains(at, slot, text));
    return (slot) => (this.#texts[slot] ?? this.#readText(slot)).includes(text);
  }

  /** Whether the search column with this number contains the text. */
  columnContains(column: number, slot: number, text: string): boolean {
    const key = this.#columns[column]!.get(slot);
    return typeof key === 'string' && foldAccents(key).includes(text);
  }

  /** To be called when the keys of a slot have been set, changed or removed. */
  update(slot: number): void {
    if (slot < this.#texts.length) this.#texts[slot] = undefined;
    if (slot < this.#indexedSlots) this.#changed.add(slot);
    else if (slot === this.#indexedSlots && this.#indexedSlots > 0) this.#indexNext();
  }

  /** The hits of a text; undefined when every slot has to be checked. */
  find(text: string, slotCount: number): SearchHits | undefined {
    if (this.#indexedSlots < Math.max(slotCount, MIN_INDEXED_SLOTS) || text.length < 3 || text.includes(SEPARATOR)) return undefined;
    const { maxCount, decode } = this.#trigrams.find(text);
    return {
      maxCount: maxCount + this.#changed.size,
      find: () => {
        const matches = this.createMatcher(text);
        const hits = decode().filter((slot) => matches(slot) && !this.#changed.has(slot));
        for (const slot of this.#changed) if (matches(slot)) hits.push(slot);
        return hits;
      },
    };
  }

  /** Whether an index should be built for a partition with so many slots. */
  needsBuild(slotCount: number): boolean {
    if (this.#columns.length === 0 || slotCount < MIN_INDEXED_SLOTS) return false;
    return this.#indexedSlots < slotCount || this.#changed.size > Math.max(MIN_INDEXED_SLOTS, slotCount * MAX_CHANGED_RATIO);
  }

  /** Continues building until `shouldStop` is true. */
  build(slotCount: number, shouldStop: () => boolean): void {
    if (this.#indexedSlots >= slotCount) {
      this.#trigrams = new TrigramIndex();
      this.#indexedSlots = 0;
      this.#changed.clear();
    }
    while (this.#indexedSlots < slotCount && (this.#indexedSlots % SLOTS_PER_CHECK !== 0 || !shouldStop())) this.#indexNext();
  }

  #indexNext(): void {
    this.#trigrams.add(this.#indexedSlots, this.#readText(this.#indexedSlots));
    this.#indexedSlots++;
  }

  #readText(slot: number): string {
    const texts: string[] = [];
    for (const column of this.#columns) {
      const key = column.get(slot);
      if (typeof key === 'string') texts.push(foldAccents(key));
    }
    // No holes: they would make reading the list slower.
    while (this.#texts.length <= slot) this.#texts.push(undefined);
    return (this.#texts[slot] = texts.join(SEPARATOR));
  }
}
