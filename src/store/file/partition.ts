/**
 * The rows of one table that belong together: of one tenant, or all of a service table.
 * A row is a slot: a place in a slab, its keys in the columns, and its entries in the indexes.
 */
import { DuplicateKey, type Row, type Value, type View } from '../../domain/ports.ts';
import type { Place } from './arena.ts';
import type { Bits } from './bits.ts';
import { Column } from './column.ts';
import { compareValues, type Key } from './compare.ts';
import { HashIndex, hashOf } from './hashes.ts';
import { keysOf, type Layout, rowIn, uniqueIn, uniqueValue } from './layout.ts';
import { type Allowance, Cache } from './memory.ts';
import { GroupedOrder } from './grouped-order.ts';
import { type Compare, type Order, Ordered } from './ordered.ts';
import { Postings } from './postings.ts';
import { Results } from './results.ts';
import { SearchIndex } from './search.ts';
import type { Slabs } from './slabs.ts';

export interface Memory {
  readonly slabs: Slabs;
  readonly records: Allowance;
  readonly views: Allowance;
  /** Of hashes: nobody outside can make values collide. */
  readonly seed: number;
}

export class Partition {
  readonly tenant: string;
  readonly layout: Layout;
  readonly memory: Memory;
  readonly ids = new HashIndex();
  readonly columns: readonly Column[];
  readonly orders: ReadonlyMap<string, Order>;
  readonly uniques: readonly HashIndex[];
  readonly search: SearchIndex;
  readonly results = new Results();
  /** Goes up with every change; results of queries are good for one version. */
  version = 0;
  /** What named queries answered at one version. */
  named = { version: -1, answers: new Map<string, { readonly slots: readonly number[]; readonly more: boolean }>() };
  /** Slots ever used. */
  slots = 0;
  /** While a checkpoint copies this partition: slots changed since it began. */
  changedSlots: Bits | undefined;
  /** Those of them that the running transaction was the first to change. */
  #marked: number[] = [];
  /** `orders` as a list, as `layout.orders` has them, because every write goes through it. */
  readonly #orders: readonly Order[];
  /** As `layout.filters` has them. */
  readonly #postings: readonly { readonly column: number; readonly index: Postings }[];
  /** Hashes of the unique values in the keys seen last, 0 where nothing is compared: a row is checked first and then put. */
  readonly #hashes: Uint32Array;
  #hashed: readonly Key[] | undefined;
  readonly #free: number[] = [];
  #slabOf = new Uint32Array(16);
  #offsetOf = new Uint32Array(16);
  #lengthOf = new Uint32Array(16);
  /** By id: whoever reads the same few rows again and again finds them in one step. */
  readonly #records: Cache<string, Row>;
  readonly #views = new Map<string, Cache<number, unknown>>();

  constructor(tenant: string, layout: Layout, memory: Memory) {
    this.tenant = tenant;
    this.layout = layout;
    this.memory = memory;
    this.columns = layout.columns.map((_, at) => new Column(at === 0));
    const ids = this.columns[0]!;
    this.orders = new Map(
      layout.orders.map(({ name, steps, grouped }): [string, Order] => {
        const [first, ...others] = steps.map((step): Step => ({ column: this.columns[step.column]!, sign: step.descending ? -1 : 1 }));
        if (!grouped) return [name, new Ordered(comparison([first!, ...others], ids))];
        const { column, sign } = first!;
        const compareKeys = (a: Key, b: Key): number => compareValues(a, b) * sign;
        return [name, new GroupedOrder((slot) => column.get(slot), compareKeys, comparison(others, ids))];
      }),
    );
    this.uniques = layout.uniques.map(() => new HashIndex());
    this.#orders = [...this.orders.values()];
    this.#postings = layout.filters.map((column) => ({ column, index: new Postings() }));
    this.#hashes = new Uint32Array(layout.uniques.length);
    this.search = new SearchIndex(layout.search.map((column) => this.columns[column]!));
    this.#records = new Cache(memory.records, () => 1);
  }

  get size(): number {
    return this.ids.size;
  }

  place(slot: number): Place {
    return { slab: this.#slabOf[slot]!, offset: this.#offsetOf[slot]!, length: this.#lengthOf[slot]! };
  }

  /** Moves a row's bytes, which stay the same. */
  move(slot: number, place: Place): void {
    this.memory.slabs.hold(place.slab, place.length);
    this.memory.slabs.release(this.#slabOf[slot]!, place.length);
    this.#setPlace(slot, place);
  }

  id(slot: number): string {
    return this.columns[0]!.get(slot) as string;
  }

  slotOf(id: string): number | undefined {
    return this.#slotOf(id, hashOf(id, this.memory.seed));
  }

  #slotOf(id: string, hash: number): number | undefined {
    const ids = this.columns[0]!;
    return this.ids.find(hash, (slot) => ids.isId(slot, id));
  }

  /** The slot with a value of a unique key. */
  slotWith(unique: number, value: Value): number | undefined {
    return this.uniques[unique]!.find(hashOf(value, this.memory.seed), (slot) => this.uniqueOf(unique, slot) === value);
  }

  /** A slot's value of a unique key. */
  uniqueOf(unique: number, slot: number): Value | undefined {
    const { columns, folded } = this.layout.uniques[unique]!;
    return uniqueValue(
      columns.map((column) => this.columns[column]!.get(slot)),
      folded,
    );
  }

  get(id: string): Row | undefined {
    const cached = this.#records.get(id);
    if (cached !== undefined) return cached;
    const slot = this.slotOf(id);
    return slot === undefined ? undefined : this.#parse(id, slot);
  }

  record(slot: number): Row {
    const id = this.id(slot);
    return this.#records.get(id) ?? this.#parse(id, slot);
  }

  #parse(id: string, slot: number): Row {
    const { slab, offset, length } = this.place(slot);
    const record = freeze(rowIn(this.layout, this.memory.slabs.buffer(slab), offset, length));
    this.#records.set(id, record);
    return record;
  }

  view<R extends Row, V>(view: View<R, V>, slot: number): V {
    const cache = this.#viewCache(view.name);
    const cached = cache.get(slot);
    if (cached !== undefined) return cached as V;
    const value = freeze(view.of(this.record(slot) as R));
    cache.set(slot, value);
    return value;
  }

  #viewCache(name: string): Cache<number, unknown> {
    let cache = this.#views.get(name);
    if (cache === undefined) {
      cache = new Cache(this.memory.views, weigh);
      this.#views.set(name, cache);
    }
    return cache;
  }

  /** Throws `DuplicateKey` when another row has one of these unique values. */
  checkUnique(id: string, keys: readonly Key[]): void {
    const { uniques } = this.layout;
    if (uniques.length === 0) return;
    const hashes = this.#hashesOf(keys);
    for (let at = 0; at < uniques.length; at++) {
      if (hashes[at] === 0) continue;
      const value = uniqueIn(uniques[at]!, keys);
      const other = this.uniques[at]!.find(hashes[at]!, (slot) => this.uniqueOf(at, slot) === value);
      if (other !== undefined && !this.columns[0]!.isId(other, id))
        throw new DuplicateKey(this.layout.spec.name, uniques[at]!.name, this.id(other));
    }
  }

  /** Inserts or replaces a row; says where the row lies that was there, whose slab is held until `forget`. */
  put(id: string, place: Place, keys: readonly Key[]): Place | undefined {
    const hash = hashOf(id, this.memory.seed);
    const slot = this.#slotOf(id, hash);
    this.version++;
    this.memory.slabs.hold(place.slab, place.length);
    if (slot === undefined) {
      this.#insert(hash, place, keys);
      return undefined;
    }
    const before = this.place(slot);
    this.#touch(id, slot);
    this.#replace(slot, keys);
    this.#setPlace(slot, place);
    return before;
  }

  /** Removes a row; says where it lies, until `forget`. */
  remove(id: string): Place | undefined {
    const slot = this.slotOf(id);
    if (slot === undefined) return undefined;
    this.version++;
    const before = this.place(slot);
    this.#touch(id, slot);
    for (const order of this.#orders) order.remove(slot);
    this.ids.remove(hashOf(id, this.memory.seed), slot);
    for (const { column, index } of this.#postings) index.remove(this.columns[column]!.get(slot), slot);
    this.#unsetUniques(slot);
    this.search.removed(slot);
    for (const column of this.columns) column.set(slot, null);
    this.#free.push(slot);
    return before;
  }

  /** The keys of a row that was there before, to put it back. */
  keysAt({ slab, offset, length }: Place): Key[] {
    return keysOf(this.layout, rowIn(this.layout, this.memory.slabs.buffer(slab), offset, length));
  }

  /** The row that was there before is not needed any more. */
  forget({ slab, length }: Place): void {
    this.memory.slabs.release(slab, length);
  }

  /** The running transaction has ended well: a checkpoint leaves the rows that it changed to the newer journal. */
  keepMarks(): void {
    if (this.#marked.length > 0) this.#marked = [];
  }

  /** It was taken back, and no journal has these rows: they are as they were, for a checkpoint too. */
  takeMarksBack(): void {
    for (const slot of this.#marked) this.changedSlots?.delete(slot);
    this.keepMarks();
  }

  #mark(slot: number): void {
    if (this.changedSlots?.add(slot)) this.#marked.push(slot);
  }

  /** Makes room for so many rows of a checkpoint. */
  reserve(rows: number): void {
    this.#reserve(rows);
    this.ids.reserve(rows);
    for (const unique of this.uniques) unique.reserve(rows);
    for (const column of this.columns) column.expect(rows);
  }

  /** Takes rows in from a checkpoint, behind all others. The caller sees to columns, postings and orders. */
  load(slab: number, offset: number, lengths: Uint32Array, ids: Uint32Array, uniques: readonly Uint32Array[]): void {
    const first = this.slots;
    this.#reserve(first + lengths.length);
    this.#slabOf.fill(slab, first, first + lengths.length);
    this.#lengthOf.set(lengths, first);
    const offsets = this.#offsetOf;
    let start = offset;
    for (let at = 0; at < lengths.length; at++) {
      offsets[first + at] = start;
      start += lengths[at]!;
    }
    this.memory.slabs.hold(slab, start - offset);
    this.ids.reserve(first + ids.length);
    this.ids.addAll(ids, first);
    uniques.forEach((hashes, each) => {
      const index = this.uniques[each]!;
      index.reserve(first + hashes.length);
      index.addAll(hashes, first);
    });
    this.slots += lengths.length;
  }

  /** Loads keys that a checkpoint still has, some at a time; false when none are left. */
  loadSome(): boolean {
    return this.columns.some((column) => column.loadSome());
  }

  /** The rows have come without their equality indexes. */
  indexLater(): void {
    for (const { index } of this.#postings) index.begin();
  }

  /** Builds one of those indexes until `enough`; false when there is nothing to build. */
  indexSome(enough: () => boolean): boolean {
    const next = this.#postings.find(({ index }) => !index.isComplete);
    if (next !== undefined) this.#build(next, enough);
    return next !== undefined;
  }

  /** The equality index of a column, complete; undefined when it has none. */
  postingsOf(column: number): Postings | undefined {
    const found = this.#postings.find((each) => each.column === column);
    if (found?.index.isComplete === false) this.#build(found, () => false);
    return found?.index;
  }

  #build({ column, index }: { readonly column: number; readonly index: Postings }, enough: () => boolean): void {
    const keys = this.columns[column]!;
    const free = new Set(this.#free);
    index.build(this.slots, (slot) => (free.has(slot) ? undefined : keys.get(slot)), enough);
  }

  #insert(hash: number, place: Place, keys: readonly Key[]): void {
    const reused = this.#free.pop();
    const slot = reused ?? this.slots++;
    this.#reserve(slot + 1);
    this.ids.add(hash, slot);
    this.#setPlace(slot, place);
    for (let at = 0; at < keys.length; at++) this.columns[at]!.set(slot, keys[at]!);
    for (const order of this.#orders) order.insert(slot);
    for (const { column, index } of this.#postings) index.add(this.columns[column]!.get(slot), slot);
    this.#setUniques(slot, keys);
    this.search.changed(slot, reused === undefined);
    this.#mark(slot);
  }

  #replace(slot: number, keys: readonly Key[]): void {
    const changed: boolean[] = [];
    let same = true;
    for (let at = 0; at < keys.length; at++) {
      const differs = !this.columns[at]!.holds(slot, keys[at]!);
      changed.push(differs);
      if (differs) same = false;
    }
    // A counter, say: nothing that an index knows.
    if (same) return;
    const orders = this.#orders.filter((_, at) => this.layout.orders[at]!.steps.some(({ column }) => changed[column]));
    for (const order of orders) order.remove(slot);
    for (const { column, index } of this.#postings) if (changed[column]) index.remove(this.columns[column]!.get(slot), slot);
    this.#unsetUniques(slot);
    for (let at = 0; at < keys.length; at++) if (changed[at]) this.columns[at]!.set(slot, keys[at]!);
    for (const order of orders) order.insert(slot);
    for (const { column, index } of this.#postings) if (changed[column]) index.add(this.columns[column]!.get(slot), slot);
    this.#setUniques(slot, keys);
    if (this.layout.search.some((column) => changed[column])) this.search.changed(slot, false);
  }

  #setUniques(slot: number, keys: readonly Key[]): void {
    if (this.uniques.length === 0) return;
    const hashes = this.#hashesOf(keys);
    for (let at = 0; at < hashes.length; at++) if (hashes[at] !== 0) this.uniques[at]!.add(hashes[at]!, slot);
  }

  #unsetUniques(slot: number): void {
    for (let at = 0; at < this.uniques.length; at++) {
      const value = this.uniqueOf(at, slot);
      if (value !== undefined) this.uniques[at]!.remove(hashOf(value, this.memory.seed), slot);
    }
  }

  #hashesOf(keys: readonly Key[]): Uint32Array {
    if (this.#hashed !== keys) {
      for (let at = 0; at < this.#hashes.length; at++) {
        const value = uniqueIn(this.layout.uniques[at]!, keys);
        this.#hashes[at] = value === undefined ? 0 : hashOf(value, this.memory.seed);
      }
      this.#hashed = keys;
    }
    return this.#hashes;
  }

  /** What was derived from a row's bytes is out of date. */
  #touch(id: string, slot: number): void {
    this.#mark(slot);
    this.#records.drop(id);
    for (const cache of this.#views.values()) cache.drop(slot);
  }

  #setPlace(slot: number, { slab, offset, length }: Place): void {
    this.#slabOf[slot] = slab;
    this.#offsetOf[slot] = offset;
    this.#lengthOf[slot] = length;
  }

  #reserve(slots: number): void {
    if (slots <= this.#slabOf.length) return;
    const grow = (array: Uint32Array): Uint32Array<ArrayBuffer> => {
      const grown = new Uint32Array(Math.max(slots, Math.ceil(array.length * 1.5)));
      grown.set(array);
      return grown;
    };
    this.#slabOf = grow(this.#slabOf);
    this.#offsetOf = grow(this.#offsetOf);
    this.#lengthOf = grow(this.#lengthOf);
  }
}

interface Step {
  readonly column: Column;
  /** -1 where it descends. */
  readonly sign: number;
}

function comparison(steps: readonly Step[], ids: Column): Compare {
  const first = steps[0]?.column;
  const second = steps[1]?.column;
  // Most orders have one or two ascending steps.
  if (steps.length <= 2 && steps.every(({ sign }) => sign === 1)) {
    if (first === undefined) return (a, b) => ids.compare(a, b);
    if (second === undefined) return (a, b) => first.compare(a, b) || ids.compare(a, b);
    return (a, b) => first.compare(a, b) || second.compare(a, b) || ids.compare(a, b);
  }
  return (a, b) => {
    for (let at = 0; at < steps.length; at++) {
      const compared = steps[at]!.column.compare(a, b);
      if (compared !== 0) return compared * steps[at]!.sign;
    }
    return ids.compare(a, b);
  };
}

/** Rough bytes of a view's result: what the allowance is counted in. */
function weigh(value: unknown): number {
  if (typeof value === 'string') return value.length + 64;
  return Buffer.isBuffer(value) ? value.length + 128 : 1024;
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const each of Object.values(value)) if (typeof each === 'object' && each !== null) freeze(each);
  return Object.freeze(value);
}
