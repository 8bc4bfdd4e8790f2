/**
 * The search index of a partition: which slots contain a text. Results are exact at any time, and fast once the index is built.
 *
 * A trigram index names candidates, whose texts are checked. Entries of changed and removed rows stay until the index is rebuilt, which is
 * due when too many of them have gathered.
 */
import type { Column } from '../rows/column.ts';
import { CharacterFilter } from './character-filter.ts';
import { SearchTexts } from './search-texts.ts';
import { TrigramIndex } from './trigram-index.ts';

/** With fewer rows, checking every text is fast enough. */
export const MIN_ROWS = 256;

export interface SearchHits {
  /** An upper bound of the number of hits. */
  readonly count: number;
  /** Each slot once, valid until the next search. */
  toArray(): Uint32Array;
}

interface IndexBuild {
  readonly trigrams: TrigramIndex;
  /** One per search column. */
  readonly characterFilters: readonly CharacterFilter[];
  /** Slots whose texts have changed since they were indexed: their hits must be checked. */
  readonly unverified: Set<number>;
  /** Number of changes that left useless entries, which stay until a rebuild. */
  staleEntries: number;
}

export class SearchIndex {
  readonly #columns: readonly Column[];
  readonly #texts: SearchTexts;
  #index: IndexBuild | undefined;
  /** The index being built; slots below `indexedUpTo` are in it. */
  #building: (IndexBuild & { indexedUpTo: number }) | undefined;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
    this.#texts = new SearchTexts(columns);
  }

  /** Whether a search column, or the one with this number, contains the text. */
  contains(slot: number, text: string, column?: number): boolean {
    this.#texts.include(slot);
    if (column !== undefined) return this.#columnContains(column, slot, text);
    for (let at = 0; at < this.#columns.length; at++) if (this.#columnContains(at, slot, text)) return true;
    return false;
  }

  #columnContains(column: number, slot: number, text: string): boolean {
    const value = this.#texts.get(column, slot);
    return typeof value === 'string' && value.includes(text);
  }

  /** Updates a row whose texts are new or changed; `isNew` when its slot was never used. */
  updateRow(slot: number, isNew: boolean): void {
    if (this.#columns.length === 0) return;
    this.#texts.update(slot);
    for (const index of this.#getIndexesOf(slot)) {
      this.#addTexts(index, slot);
      if (!isNew) markUnverified(index, slot);
    }
  }

  /** Removes a row; another row may use its slot later. */
  removeRow(slot: number): void {
    this.#texts.remove(slot);
    for (const index of this.#getIndexesOf(slot)) markUnverified(index, slot);
  }

  /** Exactly the slots that contain the text, once each; undefined when every row has to be checked. */
  find(text: string, slotCount: number): SearchHits | undefined {
    const index = this.#index;
    if (index === undefined || text.includes('\u0000')) return undefined;
    const { count, isExact, decodeSlots } = index.trigrams.findCandidates(text, slotCount);
    return { count: Math.min(count, slotCount), toArray: () => this.#verify(decodeSlots(), text, isExact, index) };
  }

  /** Whether an index should be built for a partition with so many slots. */
  needsBuild(slots: number): boolean {
    if (this.#columns.length === 0 || slots < MIN_ROWS) return false;
    return this.#index === undefined || this.#building !== undefined || this.#index.staleEntries > Math.max(MIN_ROWS, slots / 4);
  }

  /** Builds until `shouldStop` is true. Returns true when the index is complete. */
  build(slots: number, shouldStop: () => boolean): boolean {
    const next = (this.#building ??= {
      trigrams: new TrigramIndex(),
      characterFilters: this.#columns.map(() => new CharacterFilter()),
      unverified: new Set(),
      staleEntries: 0,
      indexedUpTo: 0,
    });
    while (next.indexedUpTo < slots) {
      const to = Math.min(slots, next.indexedUpTo + 64);
      for (; next.indexedUpTo < to; next.indexedUpTo++) this.#addTexts(next, next.indexedUpTo);
      if (shouldStop()) break;
    }
    if (next.indexedUpTo < slots) return false;
    this.#index = next;
    this.#building = undefined;
    return true;
  }

  /** The candidates that contain the text, once each. Exact candidates need no check, unless they are unverified. */
  #verify(slots: Uint32Array, text: string, isExact: boolean, index: IndexBuild): Uint32Array {
    const { unverified } = index;
    if (isExact && unverified.size === 0) return slots;
    const texts = this.#columns
      .map((column, at) => ({ keys: column.getAllKeys(), unaccented: this.#texts.getUnaccented(at) }))
      .filter((_, at) => index.characterFilters[at]!.mayContain(text));
    const checked = new Set<number>();
    let count = 0;
    for (let at = 0; at < slots.length; at++) {
      const slot = slots[at]!;
      const isUnverified = unverified.size > 0 && unverified.has(slot);
      if (isUnverified) {
        if (checked.has(slot)) continue;
        checked.add(slot);
      }
      let isHit = isExact && !isUnverified;
      for (let each = 0; each < texts.length && !isHit; each++) {
        const { keys, unaccented } = texts[each]!;
        const value = (unaccented.size === 0 ? undefined : unaccented.get(slot)) ?? keys[slot];
        isHit = typeof value === 'string' && value.includes(text);
      }
      if (isHit) slots[count++] = slot;
    }
    return slots.subarray(0, count);
  }

  #getIndexesOf(slot: number): IndexBuild[] {
    const indexes: IndexBuild[] = [];
    if (this.#index !== undefined) indexes.push(this.#index);
    if (this.#building !== undefined && slot < this.#building.indexedUpTo) indexes.push(this.#building);
    return indexes;
  }

  #addTexts({ trigrams, characterFilters }: IndexBuild, slot: number): void {
    this.#texts.include(slot);
    for (let at = 0; at < this.#columns.length; at++) {
      const text = this.#texts.get(at, slot);
      if (typeof text !== 'string' || text === '') continue;
      trigrams.add(slot, text);
      characterFilters[at]!.add(text);
    }
  }
}

function markUnverified(index: IndexBuild, slot: number): void {
  index.unverified.add(slot);
  index.staleEntries++;
}
