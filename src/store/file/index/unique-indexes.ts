/** The unique indexes of a table: find the slot with a value by its hash. */
import { DuplicateKey, type Value } from '../../../domain/kernel/ports.ts';
import type { Column } from '../rows/column.ts';
import type { Key } from '../../compare.ts';
import { HashIndex, hashValue } from './hash-index.ts';
import { type TableLayout, getUniqueValue, toUniqueValue } from '../../table-layout.ts';

export class UniqueIndexes {
  readonly #table: string;
  readonly #keys: TableLayout['uniques'];
  readonly #columns: readonly Column[];
  readonly #hashSeed: number;
  /** In the order of the unique keys. */
  readonly #indexes: readonly HashIndex[];
  /** Hashes of the unique values of the most recent keys, 0 where nothing is compared: a row is checked first and then inserted. */
  #hashes: Uint32Array | undefined;
  #hashedKeys: readonly Key[] | undefined;

  /** `hashSeed` is the seed of the hashes. */
  constructor({ spec, uniques }: TableLayout, columns: readonly Column[], hashSeed: number) {
    this.#table = spec.name;
    this.#keys = uniques;
    this.#columns = columns;
    this.#hashSeed = hashSeed;
    this.#indexes = uniques.map(() => new HashIndex());
  }

  /** Finds the slot with a value of a unique key. */
  findSlot(unique: number, value: Value): number | undefined {
    return this.#indexes[unique]!.find(hashValue(value, this.#hashSeed), (slot) => this.getValue(unique, slot) === value);
  }

  /** A slot's value of a unique key; undefined when it is not compared. */
  getValue(unique: number, slot: number): Value | undefined {
    const { columns, folded } = this.#keys[unique]!;
    return toUniqueValue(
      columns.map((column) => this.#columns[column]!.get(slot)),
      folded,
    );
  }

  /** Throws `DuplicateKey` when a row with another id has one of these unique values. */
  assertUnique(id: string, keys: readonly Key[]): void {
    const uniques = this.#keys;
    if (uniques.length === 0) return;
    const ids = this.#columns[0]!;
    const hashes = this.#hashKeys(keys);
    for (let at = 0; at < uniques.length; at++) {
      if (hashes[at] === 0) continue;
      const value = getUniqueValue(uniques[at]!, keys);
      const other = this.#indexes[at]!.find(hashes[at]!, (slot) => this.getValue(at, slot) === value);
      if (other !== undefined && !ids.hasKey(other, id)) throw new DuplicateKey(this.#table, uniques[at]!.name, ids.get(other) as string);
    }
  }

  /** Adds a slot. `changed`: which columns have changed; all of them by default. */
  add(slot: number, keys: readonly Key[], changed?: readonly boolean[]): void {
    if (this.#keys.length === 0) return;
    const hashes = this.#hashKeys(keys);
    for (let at = 0; at < hashes.length; at++)
      if (hashes[at] !== 0 && this.#isAffected(at, changed)) this.#indexes[at]!.add(hashes[at]!, slot);
  }

  /** Removes a slot whose columns still have the old values. `changed`: which columns will change; all of them by default. */
  remove(slot: number, changed?: readonly boolean[]): void {
    for (let at = 0; at < this.#indexes.length; at++) {
      if (!this.#isAffected(at, changed)) continue;
      const value = this.getValue(at, slot);
      if (value !== undefined) this.#indexes[at]!.remove(hashValue(value, this.#hashSeed), slot);
    }
  }

  /** Prepares for so many rows. */
  reserve(rows: number): void {
    for (const index of this.#indexes) index.reserve(rows);
  }

  /** Adds the hashes of consecutive slots from `first` on, for each unique key. */
  loadHashes(first: number, hashes: readonly Uint32Array[]): void {
    hashes.forEach((each, at) => {
      const index = this.#indexes[at]!;
      index.reserve(first + each.length);
      index.addAll(each, first);
    });
  }

  #isAffected(unique: number, changed: readonly boolean[] | undefined): boolean {
    return changed === undefined || this.#keys[unique]!.columns.some((column) => changed[column]);
  }

  #hashKeys(keys: readonly Key[]): Uint32Array {
    const hashes = (this.#hashes ??= new Uint32Array(this.#keys.length));
    if (this.#hashedKeys !== keys) {
      for (let at = 0; at < hashes.length; at++) {
        const value = getUniqueValue(this.#keys[at]!, keys);
        hashes[at] = value === undefined ? 0 : hashValue(value, this.#hashSeed);
      }
      this.#hashedKeys = keys;
    }
    return hashes;
  }
}
