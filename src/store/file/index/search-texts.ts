/**
 * The texts that searches compare: the case-folded keys of the search columns, without accents. Only texts that differ from their key are
 * stored, so partitions in ASCII need no memory for them.
 */
import { foldAccents } from '../../../contract/search-text.ts';
import type { Column } from '../rows/column.ts';
import type { Key } from '../../compare.ts';

export class SearchTexts {
  readonly #columns: readonly Column[];
  /** Texts without their accents, by slot, for each column. */
  readonly #unaccented: readonly Map<number, string>[];
  /** Slots below this have been read. */
  #readUpTo = 0;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
    this.#unaccented = columns.map(() => new Map<number, string>());
  }

  /** Reads the keys of all slots up to this one that were not read before. Call it before `get`. */
  include(slot: number): void {
    for (; this.#readUpTo <= slot; this.#readUpTo++) this.#read(this.#readUpTo);
  }

  /** Reads changed keys of a slot again. */
  update(slot: number): void {
    if (slot < this.#readUpTo) this.#read(slot);
  }

  remove(slot: number): void {
    for (const texts of this.#unaccented) texts.delete(slot);
  }

  get(column: number, slot: number): Key {
    const texts = this.#unaccented[column]!;
    return (texts.size === 0 ? undefined : texts.get(slot)) ?? this.#columns[column]!.get(slot);
  }

  /** The texts of a column that differ from their keys, for tight loops. */
  getUnaccented(column: number): ReadonlyMap<number, string> {
    return this.#unaccented[column]!;
  }

  #read(slot: number): void {
    for (let at = 0; at < this.#columns.length; at++) {
      const key = this.#columns[at]!.get(slot);
      const text = typeof key === 'string' ? foldAccents(key) : key;
      if (typeof text === 'string' && text !== key) this.#unaccented[at]!.set(slot, text);
      else this.#unaccented[at]!.delete(slot);
    }
  }
}
