/**
 * The rows of one table that belong together: those of one tenant, or all rows of a service table.
 *
 * Each row occupies a slot: a small number that stays the same while the row exists and is reused afterwards. A slot has
 *   - the location of the row's bytes in a slab (rows/row-locations.ts, rows/slabs.ts); rows are parsed on first read and cached,
 *   - one key per indexed field (rows/column.ts), and
 *   - entries in the indexes (index/). An ordered index exists once a query has needed it; only that of the default order of a
 *     large partition always does. A large partition keeps its ordered indexes, a small one sorts its rows again after changes.
 * `put` and `remove` update all of them in place and return the location of the previous version, which stays readable for a rollback until
 * `releaseVersion`. Everything lives in memory; journal and checkpoint restore it at the next start.
 *
 * Thousands of tenants have a few rows in each of many tables, so whatever only queries or large partitions need is created on first use.
 */
import type { Row, View } from '../../domain/kernel/ports.ts';
import type { RowLocation } from './rows/allocator.ts';
import type { BitSet } from './index/bit-set.ts';
import { Column } from './rows/column.ts';
import type { Key } from '../compare.ts';
import { HashIndex, hashValue } from './index/hash-index.ts';
import { extractKeys, type OrderLayout, type TableLayout } from '../table-layout.ts';
import { readRow } from './rows/row-text.ts';
import { BulkChanges, sortByOrder } from './index/bulk-changes.ts';
import { type CacheBudget, GenerationalCache } from '../cache.ts';
import type { OrderedIndex } from './index/ordered-index.ts';
import { createOrderedIndex } from './index/create-ordered-index.ts';
import { RowLocations } from './rows/row-locations.ts';
import { PostingLists } from './index/posting-lists.ts';
import { ResultCache } from './query/result-cache.ts';
import { SearchIndex } from './index/search-index.ts';
import type { Slabs } from './rows/slabs.ts';
import { UniqueIndexes } from './index/unique-indexes.ts';

export interface StoreMemory {
  readonly slabs: Slabs;
  readonly recordBudget: CacheBudget;
  readonly viewBudget: CacheBudget;
  /** Random seed of the hash indexes, so that clients cannot craft collisions. */
  readonly hashSeed: number;
}

/** A partition keeps ordered indexes from this number of slots on, also when rows are removed later. Below it, sorting the rows for a query takes a few microseconds. */
const MIN_INDEXED_SLOTS = 32;

let versions = 0;
const newVersion = (): number => ++versions;

export class Partition {
  readonly tenant: string;
  readonly layout: TableLayout;
  readonly memory: StoreMemory;
  readonly idIndex = new HashIndex();
  readonly locations = new RowLocations();
  readonly columns: readonly Column[];
  readonly uniqueIndexes: UniqueIndexes;
  /** Changes with every write; increases, and never repeats a version of another partition. */
  version = newVersion();
  /** The version at which a row was last added or removed. */
  #lastRowChange = this.version;
  /** By column: the version at which a key last changed in an existing row; undefined before the first such change. */
  #lastValueChanges: number[] | undefined;
  /** Number of slots ever used. */
  slotCount = 0;
  /** While a checkpoint copies this partition: slots changed since it started, which it leaves to the newer journal. */
  changedSlots: BitSet | undefined;
  /** Those that the running transaction added to `changedSlots`. A rollback takes them out again. */
  #newlyChangedSlots: number[] = [];
  /** The ordered indexes by name, complete as of a version. Those of a large partition are updated by every write. */
  #indexes: { version: number; readonly byName: Map<string, OrderedIndex> } | undefined;
  /** The same as a list with the columns of their steps, for writes; undefined for a small partition. */
  #updatedIndexes: { readonly index: OrderedIndex; readonly columns: readonly number[] }[] | undefined;
  /** While many changes are made: those that the ordered indexes lack. */
  #bulkChanges: BulkChanges | undefined;
  /** In the order of `layout.arrayColumns`. */
  readonly #postingLists: readonly { readonly column: number; readonly index: PostingLists }[];
  /** Reused from the end, so that a rollback in reverse order gives removed rows their slots back, which a checkpoint may have sorted. */
  readonly #freeSlots: number[] = [];
  /** By id, so that repeated reads of the same rows take one step. */
  #records: GenerationalCache<string, Row> | undefined;
  #views: Map<string, GenerationalCache<number, unknown>> | undefined;
  #resultCache: ResultCache | undefined;
  #searchIndex: SearchIndex | undefined;

  constructor(tenant: string, layout: TableLayout, memory: StoreMemory) {
    this.tenant = tenant;
    this.layout = layout;
    this.memory = memory;
    this.columns = layout.columns.map(({ folded }) => new Column(!folded));
    this.uniqueIndexes = new UniqueIndexes(layout, this.columns, memory.hashSeed);
    this.#postingLists = layout.arrayColumns.map((column) => ({ column, index: new PostingLists() }));
  }

  get size(): number {
    return this.idIndex.size;
  }

  get resultCache(): ResultCache {
    return (this.#resultCache ??= new ResultCache());
  }

  get searchIndex(): SearchIndex {
    return (this.#searchIndex ??= new SearchIndex(this.layout.searchColumns.map((column) => this.columns[column]!)));
  }

  /** The ordered index of an order or a filter. */
  getIndex(name: string): OrderedIndex {
    const indexes = (this.#indexes ??= { version: this.version, byName: new Map<string, OrderedIndex>() });
    if (indexes.version !== this.version) {
      indexes.version = this.version;
      if (this.#updatedIndexes === undefined) indexes.byName.clear();
    }
    let index = indexes.byName.get(name);
    if (index === undefined) {
      const layout = this.#getOrder(name);
      index = this.#createIndex(layout);
      indexes.byName.set(name, index);
      this.#updatedIndexes?.push(toUpdatedIndex(index, layout));
    }
    return index;
  }

  /**
   * The slots in use, by the name of each ordered index that is kept, first those in the default order. A checkpoint stores them. A small
   * partition keeps no index.
   */
  listKeptOrders(): { readonly name: string; readonly slots: Uint32Array }[] {
    const [byDefault] = this.layout.orders;
    if (this.#updatedIndexes === undefined) return [{ name: byDefault!.name, slots: this.#createIndex(byDefault!).toArray() }];
    return [...this.#indexes!.byName].map(([name, index]) => ({ name, slots: index.toArray() }));
  }

  #getOrder(name: string): OrderLayout {
    return this.layout.indexes.find((each) => each.name === name)!;
  }

  #createIndex(layout: OrderLayout): OrderedIndex {
    const index = createOrderedIndex(layout, this.columns);
    index.replaceAll(sortByOrder(this.#listSlots(), layout, this.columns));
    return index;
  }

  /** The slots in use. */
  #listSlots(): Uint32Array {
    const free = new Set(this.#freeSlots);
    const slots = new Uint32Array(this.slotCount - free.size);
    for (let slot = 0, at = 0; slot < this.slotCount; slot++) if (!free.has(slot)) slots[at++] = slot;
    return slots;
  }

  /** From now on, every write updates these ordered indexes. `stored` has the slots of each in order, first those in the default order. */
  #keepIndexes(stored: ReadonlyMap<string, Uint32Array>): void {
    const byName = new Map<string, OrderedIndex>();
    this.#updatedIndexes = [];
    for (const [name, slots] of stored) {
      const layout = this.#getOrder(name);
      const index = createOrderedIndex(layout, this.columns);
      index.replaceAll(slots);
      byName.set(name, index);
      this.#updatedIndexes.push(toUpdatedIndex(index, layout));
    }
    this.#indexes = { version: this.version, byName };
  }

  #keepDefaultOrder(): void {
    const [byDefault] = this.layout.orders;
    this.#keepIndexes(new Map([[byDefault!.name, sortByOrder(this.#listSlots(), byDefault!, this.columns)]]));
  }

  /** From now on, puts and removes leave the ordered indexes stale until `finishBulkChanges`. */
  startBulkChanges(): void {
    this.#bulkChanges = new BulkChanges(this.columns);
  }

  finishBulkChanges(): void {
    const changes = this.#bulkChanges!;
    this.#bulkChanges = undefined;
    if (this.slotCount < MIN_INDEXED_SLOTS) return;
    if (this.#updatedIndexes === undefined) return this.#keepDefaultOrder();
    const slots = this.#listSlots();
    for (const [name, index] of this.#indexes!.byName) changes.complete(index, this.#getOrder(name), slots);
  }

  /** The version of the last change that a query of these columns could notice. */
  getLastChange(columns: readonly number[]): number {
    let since = this.#lastRowChange;
    for (const column of columns) since = Math.max(since, this.getLastValueChange(column));
    return since;
  }

  /** The version at which a key of this column last changed in an existing row. */
  getLastValueChange(column: number): number {
    return this.#lastValueChanges?.[column] ?? 0;
  }

  /** Records that the bytes of a row have been copied to another location. */
  moveRow(slot: number, location: RowLocation): void {
    this.memory.slabs.retain(location.slab, location.length);
    this.memory.slabs.release(this.locations.get(slot).slab, location.length);
    this.locations.set(slot, location);
  }

  getId(slot: number): string {
    return this.columns[0]!.get(slot) as string;
  }

  findSlot(id: string): number | undefined {
    return this.#findSlot(id, hashValue(id, this.memory.hashSeed));
  }

  #findSlot(id: string, hash: number): number | undefined {
    const ids = this.columns[0]!;
    return this.idIndex.find(hash, (slot) => ids.hasKey(slot, id));
  }

  get(id: string): Row | undefined {
    const cached = this.#records?.get(id);
    if (cached !== undefined) return cached;
    const slot = this.findSlot(id);
    return slot === undefined ? undefined : this.#readRecord(id, slot);
  }

  getRecord(slot: number): Row {
    const id = this.getId(slot);
    return this.#records?.get(id) ?? this.#readRecord(id, slot);
  }

  #readRecord(id: string, slot: number): Row {
    const { slab, offset, length } = this.locations.get(slot);
    const record = deepFreeze(readRow(this.layout, this.memory.slabs.getBuffer(slab), offset, length));
    this.#records ??= new GenerationalCache(this.memory.recordBudget, () => 1);
    this.#records.set(id, record);
    return record;
  }

  getView<R extends Row, V>(view: View<R, V>, slot: number): V {
    const cache = this.#getViewCache(view.name);
    const cached = cache.get(slot);
    if (cached !== undefined) return cached as V;
    const value = deepFreeze(view.compute(this.getRecord(slot) as R));
    cache.set(slot, value);
    return value;
  }

  #getViewCache(name: string): GenerationalCache<number, unknown> {
    const views = (this.#views ??= new Map<string, GenerationalCache<number, unknown>>());
    let cache = views.get(name);
    if (cache === undefined) {
      cache = new GenerationalCache(this.memory.viewBudget, (value, slot) => estimateViewBytes(value, this.locations.getLength(slot)));
      views.set(name, cache);
    }
    return cache;
  }

  /** Inserts or replaces a row. Returns the location of the previous version, whose slab is kept until `releaseVersion`. */
  put(id: string, location: RowLocation, keys: readonly Key[]): RowLocation | undefined {
    const hash = hashValue(id, this.memory.hashSeed);
    const slot = this.#findSlot(id, hash);
    this.version = newVersion();
    this.memory.slabs.retain(location.slab, location.length);
    if (slot === undefined) {
      this.#insert(hash, location, keys);
      return undefined;
    }
    const before = this.locations.get(slot);
    this.#invalidate(id, slot);
    this.#replace(slot, keys);
    this.locations.set(slot, location);
    return before;
  }

  /** Removes a row. Returns the location of its bytes, whose slab is kept until `releaseVersion`. */
  remove(id: string): RowLocation | undefined {
    const slot = this.findSlot(id);
    if (slot === undefined) return undefined;
    this.version = this.#lastRowChange = newVersion();
    const before = this.locations.get(slot);
    this.#invalidate(id, slot);
    if (this.#bulkChanges !== undefined) this.#bulkChanges.addRow(slot);
    else if (this.#updatedIndexes !== undefined) for (const { index } of this.#updatedIndexes) index.remove(slot);
    this.idIndex.remove(hashValue(id, this.memory.hashSeed), slot);
    for (const { column, index } of this.#postingLists) index.remove(this.columns[column]!.get(slot), slot);
    this.uniqueIndexes.remove(slot);
    this.#searchIndex?.removeRow(slot);
    for (const column of this.columns) column.set(slot, null);
    this.#freeSlots.push(slot);
    return before;
  }

  /** Reads the keys of a previous version, to restore it. */
  readKeys({ slab, offset, length }: RowLocation): Key[] {
    return extractKeys(this.layout, readRow(this.layout, this.memory.slabs.getBuffer(slab), offset, length));
  }

  /** Releases a previous version that no rollback needs any more. */
  releaseVersion({ slab, length }: RowLocation): void {
    this.memory.slabs.release(slab, length);
  }

  /** Called when the running transaction commits: the checkpoint leaves its rows to the newer journal. */
  keepChangedSlots(): void {
    if (this.#newlyChangedSlots.length > 0) this.#newlyChangedSlots = [];
  }

  /** Called when the running transaction aborts: no journal has its rows, so the checkpoint must copy them. */
  rollBackChangedSlots(): void {
    for (const slot of this.#newlyChangedSlots) this.changedSlots?.delete(slot);
    this.keepChangedSlots();
  }

  #markChanged(slot: number): void {
    if (this.changedSlots?.add(slot)) this.#newlyChangedSlots.push(slot);
  }

  /** Prepares for so many rows of a checkpoint. */
  reserve(rows: number): void {
    this.locations.reserve(rows);
    this.idIndex.reserve(rows);
    this.uniqueIndexes.reserve(rows);
    for (const column of this.columns) column.expectSlots(rows);
  }

  /** Adds rows of a checkpoint in new slots. The caller adds columns, posting lists and ordered indexes. */
  loadRows(slab: number, offset: number, lengths: Uint32Array, idHashes: Uint32Array, uniqueHashes: readonly Uint32Array[]): void {
    const first = this.slotCount;
    this.locations.reserve(first + lengths.length);
    const end = this.locations.setConsecutive(first, slab, offset, lengths);
    this.memory.slabs.retain(slab, end - offset);
    this.idIndex.reserve(first + idHashes.length);
    this.idIndex.addAll(idHashes, first);
    this.uniqueIndexes.loadHashes(first, uniqueHashes);
    this.slotCount += lengths.length;
  }

  /** Indexes the rows that were loaded; `stored` has the slots of the ordered indexes of the checkpoint, first those in the default order. */
  finishLoading(stored: ReadonlyMap<string, Uint32Array>): void {
    for (const { column, index } of this.#postingLists)
      for (let slot = 0; slot < this.slotCount; slot++) index.add(this.columns[column]!.get(slot), slot);
    if (this.slotCount >= MIN_INDEXED_SLOTS) this.#keepIndexes(stored);
  }

  /** The posting lists of a column; undefined when it holds no arrays. */
  getPostingLists(column: number): PostingLists | undefined {
    return this.#postingLists.find((each) => each.column === column)?.index;
  }

  #insert(hash: number, location: RowLocation, keys: readonly Key[]): void {
    this.#lastRowChange = this.version;
    const reused = this.#freeSlots.pop();
    const slot = reused ?? this.slotCount++;
    this.locations.reserve(slot + 1);
    this.idIndex.add(hash, slot);
    this.locations.set(slot, location);
    for (let at = 0; at < keys.length; at++) this.columns[at]!.set(slot, keys[at]!);
    if (this.#bulkChanges !== undefined) this.#bulkChanges.addRow(slot);
    else if (this.#updatedIndexes !== undefined) for (const { index } of this.#updatedIndexes) index.insert(slot);
    else if (this.slotCount >= MIN_INDEXED_SLOTS) this.#keepDefaultOrder();
    for (const { column, index } of this.#postingLists) index.add(keys[column]!, slot);
    this.uniqueIndexes.add(slot, keys);
    this.#searchIndex?.updateRow(slot, reused === undefined);
    this.#markChanged(slot);
  }

  #replace(slot: number, keys: readonly Key[]): void {
    const { columns } = this;
    const changed: boolean[] = [];
    let same = true;
    for (let at = 0; at < keys.length; at++) {
      const differs = !columns[at]!.hasKey(slot, keys[at]!);
      changed.push(differs);
      if (differs) {
        same = false;
        this.#lastValueChanges ??= columns.map(() => 0);
        this.#lastValueChanges[at] = this.version;
      }
    }
    // Only fields outside all indexes changed, for example a counter.
    if (same) return;
    this.#bulkChanges?.addValues(slot, changed);
    const indexes = this.#bulkChanges === undefined ? (this.#updatedIndexes ?? []) : [];
    for (const { index, columns: steps } of indexes) if (isAnyChanged(changed, steps)) index.remove(slot);
    for (const { column, index } of this.#postingLists) if (changed[column]) index.remove(columns[column]!.get(slot), slot);
    this.uniqueIndexes.remove(slot, changed);
    for (let at = 0; at < keys.length; at++) if (changed[at]) columns[at]!.set(slot, keys[at]!);
    for (const { index, columns: steps } of indexes) if (isAnyChanged(changed, steps)) index.insert(slot);
    for (const { column, index } of this.#postingLists) if (changed[column]) index.add(columns[column]!.get(slot), slot);
    this.uniqueIndexes.add(slot, keys, changed);
    if (isAnyChanged(changed, this.layout.searchColumns)) this.#searchIndex?.updateRow(slot, false);
  }

  /** Drops what was derived from the row's previous bytes. */
  #invalidate(id: string, slot: number): void {
    this.#markChanged(slot);
    this.#records?.delete(id);
    if (this.#views !== undefined) for (const cache of this.#views.values()) cache.delete(slot);
  }
}

/** Approximate size in bytes of a view result of a row of `rowBytes` bytes: the unit of the cache budget. */
function estimateViewBytes(value: unknown, rowBytes: number): number {
  if (typeof value === 'string') return value.length + 64;
  return Buffer.isBuffer(value) ? value.length + 128 : 512 + 2 * rowBytes;
}

const toUpdatedIndex = (index: OrderedIndex, { steps }: OrderLayout): { index: OrderedIndex; columns: number[] } => ({
  index,
  columns: steps.map(({ column }) => column),
});

function isAnyChanged(changed: readonly boolean[], columns: readonly number[]): boolean {
  for (const column of columns) if (changed[column]) return true;
  return false;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const each of Object.values(value)) if (typeof each === 'object' && each !== null) deepFreeze(each);
  return Object.freeze(value);
}
