/**
 * The rows of one table that belong together: of one tenant, or all of a service table.
 * A row is a slot: a place in a slab, its keys in the columns, and its entries in the indexes.
 */
import type { Row, View } from '../../domain/ports.ts';
import type { Place } from './arena.ts';
import type { Bits } from './bits.ts';
import { Column } from './column.ts';
import type { Key } from './compare.ts';
import { HashIndex, hashOf } from './hashes.ts';
import { keysOf, type Layout, rowIn } from './layout.ts';
import { type Allowance, Cache } from './memory.ts';
import type { Order } from './ordered.ts';
import { orderOf } from './orders.ts';
import { Places } from './places.ts';
import { Postings } from './postings.ts';
import { Results } from './results.ts';
import { SearchIndex } from './search.ts';
import type { Slabs } from './slabs.ts';
import { Uniques } from './uniques.ts';

export interface Memory {
  readonly slabs: Slabs;
  readonly records: Allowance;
  readonly views: Allowance;
  /** Of hashes: nobody outside can make values collide. */
  readonly seed: number;
}

let versions = 0;
const newVersion = (): number => ++versions;

export class Partition {
  readonly tenant: string;
  readonly layout: Layout;
  readonly memory: Memory;
  readonly ids = new HashIndex();
  readonly places = new Places();
  readonly columns: readonly Column[];
  readonly orders: ReadonlyMap<string, Order>;
  readonly uniques: Uniques;
  readonly search: SearchIndex;
  readonly results = new Results();
  /** Another one after every change, higher than before, and never one that another partition had. */
  version = newVersion();
  /** The version at which a row last came or went, and for each column that at which a row last got another value. */
  #rowsChanged = this.version;
  readonly #valuesChanged: number[];
  /** What named queries answered at one version. */
  named = { version: 0, answers: new Map<string, { readonly rows: readonly Row[]; readonly more: boolean }>() };
  /** Slots ever used. */
  slots = 0;
  /** While a checkpoint copies this partition: slots changed since it began. */
  changedSlots: Bits | undefined;
  /** Those of them that the running transaction was the first to change. */
  #marked: number[] = [];
  /** `orders` as a list, with the columns of their steps, because every write goes through it. */
  readonly #orders: readonly { readonly order: Order; readonly columns: readonly number[] }[];
  /** As `layout.filters` has them. */
  readonly #postings: readonly { readonly column: number; readonly index: Postings }[];
  readonly #free: number[] = [];
  /** By id: whoever reads the same few rows again and again finds them in one step. */
  readonly #records: Cache<string, Row>;
  readonly #views = new Map<string, Cache<number, unknown>>();

  constructor(tenant: string, layout: Layout, memory: Memory) {
    this.tenant = tenant;
    this.layout = layout;
    this.memory = memory;
    this.columns = layout.columns.map((_, at) => new Column(at === 0));
    this.#valuesChanged = layout.columns.map(() => this.version);
    this.orders = new Map(layout.orders.map((order) => [order.name, orderOf(order, this.columns)]));
    this.uniques = new Uniques(layout, this.columns, memory.seed);
    this.#orders = layout.orders.map(({ name, steps }) => ({ order: this.orders.get(name)!, columns: steps.map(({ column }) => column) }));
    this.#postings = layout.filters.map((column) => ({ column, index: new Postings() }));
    this.search = new SearchIndex(layout.search.map((column) => this.columns[column]!));
    this.#records = new Cache(memory.records, () => 1);
  }

  get size(): number {
    return this.ids.size;
  }

  /** The version since which nothing has changed that a query of these columns could tell. */
  unchangedSince(columns: readonly number[]): number {
    let since = this.#rowsChanged;
    for (const column of columns) since = Math.max(since, this.#valuesChanged[column]!);
    return since;
  }

  /** The version at which a row last got another value in this column. */
  valuesUnchangedSince(column: number): number {
    return this.#valuesChanged[column]!;
  }

  /** Moves a row's bytes, which stay the same. */
  move(slot: number, place: Place): void {
    this.memory.slabs.hold(place.slab, place.length);
    this.memory.slabs.release(this.places.at(slot).slab, place.length);
    this.places.set(slot, place);
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
    const { slab, offset, length } = this.places.at(slot);
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
      cache = new Cache(this.memory.views, (value, slot) => weigh(value, this.places.lengthOf(slot)));
      this.#views.set(name, cache);
    }
    return cache;
  }

  /** Inserts or replaces a row; says where the row lies that was there, whose slab is held until `forget`. */
  put(id: string, place: Place, keys: readonly Key[]): Place | undefined {
    const hash = hashOf(id, this.memory.seed);
    const slot = this.#slotOf(id, hash);
    this.version = newVersion();
    this.memory.slabs.hold(place.slab, place.length);
    if (slot === undefined) {
      this.#insert(hash, place, keys);
      return undefined;
    }
    const before = this.places.at(slot);
    this.#touch(id, slot);
    this.#replace(slot, keys);
    this.places.set(slot, place);
    return before;
  }

  /** Removes a row; says where it lies, until `forget`. */
  remove(id: string): Place | undefined {
    const slot = this.slotOf(id);
    if (slot === undefined) return undefined;
    this.version = this.#rowsChanged = newVersion();
    const before = this.places.at(slot);
    this.#touch(id, slot);
    for (const { order } of this.#orders) order.remove(slot);
    this.ids.remove(hashOf(id, this.memory.seed), slot);
    for (const { column, index } of this.#postings) index.remove(this.columns[column]!.get(slot), slot);
    this.uniques.remove(slot);
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
    this.places.reserve(rows);
    this.ids.reserve(rows);
    this.uniques.reserve(rows);
    for (const column of this.columns) column.expect(rows);
  }

  /** Takes rows in from a checkpoint, behind all others. The caller sees to columns, postings and orders. */
  load(slab: number, offset: number, lengths: Uint32Array, ids: Uint32Array, uniques: readonly Uint32Array[]): void {
    const first = this.slots;
    this.places.reserve(first + lengths.length);
    const end = this.places.setAll(first, slab, offset, lengths);
    this.memory.slabs.hold(slab, end - offset);
    this.ids.reserve(first + ids.length);
    this.ids.addAll(ids, first);
    this.uniques.load(first, uniques);
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
    this.#rowsChanged = this.version;
    const reused = this.#free.pop();
    const slot = reused ?? this.slots++;
    this.places.reserve(slot + 1);
    this.ids.add(hash, slot);
    this.places.set(slot, place);
    for (let at = 0; at < keys.length; at++) this.columns[at]!.set(slot, keys[at]!);
    for (const { order } of this.#orders) order.insert(slot);
    for (const { column, index } of this.#postings) index.add(keys[column]!, slot);
    this.uniques.add(slot, keys);
    this.search.changed(slot, reused === undefined);
    this.#mark(slot);
  }

  #replace(slot: number, keys: readonly Key[]): void {
    const { columns } = this;
    const changed: boolean[] = [];
    let same = true;
    for (let at = 0; at < keys.length; at++) {
      const differs = !columns[at]!.holds(slot, keys[at]!);
      changed.push(differs);
      if (differs) {
        same = false;
        this.#valuesChanged[at] = this.version;
      }
    }
    // A counter, say: nothing that an index knows.
    if (same) return;
    for (const { order, columns: steps } of this.#orders) if (isAny(changed, steps)) order.remove(slot);
    for (const { column, index } of this.#postings) if (changed[column]) index.remove(columns[column]!.get(slot), slot);
    this.uniques.remove(slot, changed);
    for (let at = 0; at < keys.length; at++) if (changed[at]) columns[at]!.set(slot, keys[at]!);
    for (const { order, columns: steps } of this.#orders) if (isAny(changed, steps)) order.insert(slot);
    for (const { column, index } of this.#postings) if (changed[column]) index.add(columns[column]!.get(slot), slot);
    this.uniques.add(slot, keys, changed);
    if (isAny(changed, this.layout.search)) this.search.changed(slot, false);
  }

  /** What was derived from a row's bytes is out of date. */
  #touch(id: string, slot: number): void {
    this.#mark(slot);
    this.#records.drop(id);
    for (const cache of this.#views.values()) cache.drop(slot);
  }
}

/** Rough bytes of what a view made of a row of so many: what the allowance is counted in. */
function weigh(value: unknown, rowBytes: number): number {
  if (typeof value === 'string') return value.length + 64;
  return Buffer.isBuffer(value) ? value.length + 128 : 512 + 2 * rowBytes;
}

function isAny(changed: readonly boolean[], columns: readonly number[]): boolean {
  for (const column of columns) if (changed[column]) return true;
  return false;
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const each of Object.values(value)) if (typeof each === 'object' && each !== null) freeze(each);
  return Object.freeze(value);
}
