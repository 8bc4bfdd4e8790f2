/** The search side of a partition: which slots contain a text. Exact at any time; quick as soon as the index is built. */
import type { Column } from './column.ts';
import { Letters } from './letters.ts';
import { Trigrams } from './trigrams.ts';

/** Below this many rows a look at every text is quick enough. */
const LEAST_ROWS = 256;

export interface Hits {
  /** At most this many. */
  readonly count: number;
  /** Each slot once, good until the next search. */
  all(): Uint32Array;
}

interface Index {
  readonly grams: Trigrams;
  /** By search column. */
  readonly letters: readonly Letters[];
  /** Slots whose texts are not what they were when they entered it: for those it must not be trusted. */
  readonly doubtful: Set<number>;
  /** Changes that left something in it that is good for nothing: it goes only when the index is built anew. */
  stale: number;
}

export class SearchIndex {
  readonly #columns: readonly Column[];
  #ready: Index | undefined;
  /** Under construction, and the first slot it has not seen. */
  #next: (Index & { seen: number }) | undefined;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  contains(slot: number, text: string): boolean {
    for (const column of this.#columns) if (column.includes(slot, text)) return true;
    return false;
  }

  /** A row's texts are new or other than before; `fresh` when its slot was never used. */
  changed(slot: number, fresh: boolean): void {
    if (this.#columns.length === 0) return;
    for (const index of this.#containing(slot)) {
      this.#add(index, slot);
      if (!fresh) doubt(index, slot);
    }
  }

  /** A row is gone; its slot may come back with other texts. */
  removed(slot: number): void {
    for (const index of this.#containing(slot)) doubt(index, slot);
  }

  /** Exactly the slots that contain the text, once each; undefined when only a look at every row can tell. */
  find(text: string, used: number): Hits | undefined {
    const index = this.#ready;
    if (index === undefined || text.includes('\u0000')) return undefined;
    const { count, sure, slots: candidates } = index.grams.candidates(text, used);
    return { count: Math.min(count, used), all: () => this.#checked(candidates(), text, sure, index) };
  }

  /** Whether there is something to build for a partition with so many slots in use. */
  wants(slots: number): boolean {
    if (this.#columns.length === 0 || slots < LEAST_ROWS) return false;
    return this.#ready === undefined || this.#next !== undefined || this.#ready.stale > Math.max(LEAST_ROWS, slots / 4);
  }

  /** Builds until `enough`. True when the index is complete. */
  build(slots: number, enough: () => boolean): boolean {
    const next = (this.#next ??= {
      grams: new Trigrams(),
      letters: this.#columns.map(() => new Letters()),
      doubtful: new Set(),
      stale: 0,
      seen: 0,
    });
    while (next.seen < slots) {
      const to = Math.min(slots, next.seen + 64);
      for (; next.seen < to; next.seen++) this.#add(next, next.seen);
      if (enough()) break;
    }
    if (next.seen < slots) return false;
    this.#ready = next;
    this.#next = undefined;
    return true;
  }

  /** The candidates that contain the text, once each; those that are sure need no look, unless they are doubtful. */
  #checked(slots: Uint32Array, text: string, sure: boolean, index: Index): Uint32Array {
    const { doubtful } = index;
    if (sure && doubtful.size === 0) return slots;
    const texts = this.#columns.filter((_, at) => index.letters[at]!.mayContain(text)).map((column) => column.texts());
    const again = new Set<number>();
    let count = 0;
    for (let at = 0; at < slots.length; at++) {
      const slot = slots[at]!;
      const isDoubtful = doubtful.size > 0 && doubtful.has(slot);
      if (isDoubtful) {
        if (again.has(slot)) continue;
        again.add(slot);
      }
      let isHit = sure && !isDoubtful;
      for (let each = 0; each < texts.length && !isHit; each++) {
        const value = texts[each]![slot];
        isHit = typeof value === 'string' && value.includes(text);
      }
      if (isHit) slots[count++] = slot;
    }
    return slots.subarray(0, count);
  }

  #containing(slot: number): Index[] {
    const indexes: Index[] = [];
    if (this.#ready !== undefined) indexes.push(this.#ready);
    if (this.#next !== undefined && slot < this.#next.seen) indexes.push(this.#next);
    return indexes;
  }

  #add({ grams, letters }: Index, slot: number): void {
    for (let at = 0; at < this.#columns.length; at++) {
      const text = this.#columns[at]!.get(slot);
      if (typeof text !== 'string' || text === '') continue;
      grams.add(slot, text);
      letters[at]!.add(text);
    }
  }
}

function doubt(index: Index, slot: number): void {
  index.doubtful.add(slot);
  index.stale++;
}
