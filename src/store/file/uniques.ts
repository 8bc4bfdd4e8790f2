/** The unique keys of a table: which slot has a value, found by its hash. */
import { DuplicateKey, type Value } from '../../domain/ports.ts';
import type { Column } from './column.ts';
import type { Key } from './compare.ts';
import { HashIndex, hashOf } from './hashes.ts';
import { type Layout, uniqueIn, uniqueValue } from './layout.ts';

export class Uniques {
  readonly #table: string;
  readonly #keys: Layout['uniques'];
  readonly #columns: readonly Column[];
  readonly #seed: number;
  /** As the keys are. */
  readonly #indexes: readonly HashIndex[];
  /** Hashes of the unique values in the keys seen last, 0 where nothing is compared: a row is checked first and then put. */
  readonly #hashes: Uint32Array;
  #hashed: readonly Key[] | undefined;

  /** `seed` is of the hashes. */
  constructor({ spec, uniques }: Layout, columns: readonly Column[], seed: number) {
    this.#table = spec.name;
    this.#keys = uniques;
    this.#columns = columns;
    this.#seed = seed;
    this.#indexes = uniques.map(() => new HashIndex());
    this.#hashes = new Uint32Array(uniques.length);
  }

  /** The slot with a value of a unique key. */
  slotWith(unique: number, value: Value): number | undefined {
    return this.#indexes[unique]!.find(hashOf(value, this.#seed), (slot) => this.valueAt(unique, slot) === value);
  }

  /** A slot's value of a unique key. */
  valueAt(unique: number, slot: number): Value | undefined {
    const { columns, folded } = this.#keys[unique]!;
    return uniqueValue(
      columns.map((column) => this.#columns[column]!.get(slot)),
      folded,
    );
  }

  /** Throws `DuplicateKey` when another row has one of these unique values. */
  check(id: string, keys: readonly Key[]): void {
    const uniques = this.#keys;
    if (uniques.length === 0) return;
    const ids = this.#columns[0]!;
    const hashes = this.#hashesOf(keys);
    for (let at = 0; at < uniques.length; at++) {
      if (hashes[at] === 0) continue;
      const value = uniqueIn(uniques[at]!, keys);
      const other = this.#indexes[at]!.find(hashes[at]!, (slot) => this.valueAt(at, slot) === value);
      if (other !== undefined && !ids.isId(other, id)) throw new DuplicateKey(this.#table, uniques[at]!.name, ids.get(other) as string);
    }
  }

  /** `changed` tells which columns have other values than before; without it, all of them. */
  add(slot: number, keys: readonly Key[], changed?: readonly boolean[]): void {
    if (this.#keys.length === 0) return;
    const hashes = this.#hashesOf(keys);
    for (let at = 0; at < hashes.length; at++) if (hashes[at] !== 0 && this.#is(at, changed)) this.#indexes[at]!.add(hashes[at]!, slot);
  }

  /** The slot's columns must still have its values; `changed` tells which will have others, without it all of them. */
  remove(slot: number, changed?: readonly boolean[]): void {
    for (let at = 0; at < this.#indexes.length; at++) {
      if (!this.#is(at, changed)) continue;
      const value = this.valueAt(at, slot);
      if (value !== undefined) this.#indexes[at]!.remove(hashOf(value, this.#seed), slot);
    }
  }

  /** Makes room for so many rows. */
  reserve(rows: number): void {
    for (const index of this.#indexes) index.reserve(rows);
  }

  /** Takes in the hashes of slots from `first` on, for each key. */
  load(first: number, hashes: readonly Uint32Array[]): void {
    hashes.forEach((each, at) => {
      const index = this.#indexes[at]!;
      index.reserve(first + each.length);
      index.addAll(each, first);
    });
  }

  #is(unique: number, changed: readonly boolean[] | undefined): boolean {
    return changed === undefined || this.#keys[unique]!.columns.some((column) => changed[column]);
  }

  #hashesOf(keys: readonly Key[]): Uint32Array {
    if (this.#hashed !== keys) {
      for (let at = 0; at < this.#hashes.length; at++) {
        const value = uniqueIn(this.#keys[at]!, keys);
        this.#hashes[at] = value === undefined ? 0 : hashOf(value, this.#seed);
      }
      this.#hashed = keys;
    }
    return this.#hashes;
  }
}
