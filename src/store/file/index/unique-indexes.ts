/** The unique indexes of a table: find the slot with a value by its hash. */
import { DuplicateKey, type Value } from '../../../domain/kernel/ports.ts';
import type { Column } from '../rows/column.ts';
import type { Key } from '../../compare.ts';
import { HashIndex, hashValue } from './hash-index.ts';
import { getUniqueValue, type TableLayout, toUniqueValue } from '../../table-layout.ts';

export class UniqueIndexes {
  readonly #table: string;
  readonly #columns: readonly Column[];
  readonly #hashSeed: number;
  readonly #indexes: readonly { readonly key: TableLayout['uniques'][number]; readonly slots: HashIndex }[];

  constructor({ spec, uniques }: TableLayout, columns: readonly Column[], hashSeed: number) {
    this.#table = spec.name;
    this.#columns = columns;
    this.#hashSeed = hashSeed;
    this.#indexes = uniques.map((key) => ({ key, slots: new HashIndex() }));
  }

  /** Takes the entries of the indexes of another partition. */
  share(source: UniqueIndexes): void {
    for (const [at, { slots }] of this.#indexes.entries()) slots.share(source.#indexes[at]!.slots);
  }

  /** Finds the slot with a value of a unique key. */
  findSlot(unique: number, value: Value): number | undefined {
    return this.#indexes[unique]!.slots.find(hashValue(value, this.#hashSeed), (slot) => this.#getValue(unique, slot) === value);
  }

  /** Throws `DuplicateKey` when a row with another id has one of the unique values of these keys. */
  assertUnique(id: string, keys: readonly Key[]): void {
    const ids = this.#columns[0]!;
    for (let unique = 0; unique < this.#indexes.length; unique++) {
      const { key } = this.#indexes[unique]!;
      const value = getUniqueValue(key, keys);
      const other = value === undefined ? undefined : this.findSlot(unique, value);
      if (other !== undefined && !ids.hasKey(other, id)) throw new DuplicateKey(this.#table, key.name, ids.get(other) as string);
    }
  }

  /** Adds a slot with these keys. `changed`: which columns have changed; all of them by default. */
  add(slot: number, keys: readonly Key[], changed?: readonly boolean[]): void {
    for (const { key, slots } of this.#indexes) {
      if (!isAffected(key, changed)) continue;
      const value = getUniqueValue(key, keys);
      if (value !== undefined) slots.add(hashValue(value, this.#hashSeed), slot);
    }
  }

  /** Removes a slot whose columns still have the old values. `changed`: which columns will change; all of them by default. */
  remove(slot: number, changed?: readonly boolean[]): void {
    for (let unique = 0; unique < this.#indexes.length; unique++) {
      const { key, slots } = this.#indexes[unique]!;
      if (!isAffected(key, changed)) continue;
      const value = this.#getValue(unique, slot);
      if (value !== undefined) slots.remove(hashValue(value, this.#hashSeed), slot);
    }
  }

  #getValue(unique: number, slot: number): Value | undefined {
    const { columns, folded } = this.#indexes[unique]!.key;
    return toUniqueValue(
      columns.map((column) => this.#columns[column]!.get(slot)),
      folded,
    );
  }
}

const isAffected = ({ columns }: TableLayout['uniques'][number], changed: readonly boolean[] | undefined): boolean =>
  changed === undefined || columns.some((column) => changed[column]);
