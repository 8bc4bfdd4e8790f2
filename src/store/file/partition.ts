/**
 * The rows of one table that belong together: those of one tenant, or all rows of a service table.
 *
 * Each row occupies a slot: a small number that stays the same while the row exists and is reused afterwards. A slot has
 *   - the location of the row's bytes in a slab (rows/row-locations.ts, rows/slabs.ts); rows are parsed on first read and cached,
 *   - one key per indexed field (rows/column.ts), and
 *   - entries in the indexes (index/). An ordered index exists from the first query on that needs it.
 * `put` and `remove` update all of them in place, without a check of unique keys (transaction/table.ts), and return the location of the
 * previous version, which stays readable for a rollback until `releaseVersion`. Everything lives in memory; a start puts the rows of the
 * checkpoint and of the journal.
 *
 * Thousands of tenants have a few rows in each of many tables, so whatever only queries or large partitions need is created on first use.
 */
import type { Row } from '../../domain/kernel/ports.ts';
import { Column } from './rows/column.ts';
import type { Key } from '../compare.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { HashIndex, hashValue } from './index/hash-index.ts';
import { extractKeys, type TableLayout } from '../table-layout.ts';
import { readRow } from './rows/row-text.ts';
import { type CacheBudget, BoundedCache } from '../cache.ts';
import { createOrderedIndex, type OrderedIndex } from './index/ordered-index.ts';
import { RowLocations } from './rows/row-locations.ts';
import { PostingLists } from './index/posting-lists.ts';
import type { RankRange } from './query/rank-range.ts';
import { SearchIndex } from './index/search-index.ts';
import type { RowLocation, Slabs } from './rows/slabs.ts';
import { UniqueIndexes } from './index/unique-indexes.ts';

export interface StoreMemory {
  readonly slabs: Slabs;
  readonly recordBudget: CacheBudget;
  readonly matchBudget: CacheBudget;
  /** Random seed of the hash indexes, so that clients cannot craft collisions. */
  readonly hashSeed: number;
}

/** All matches of a query, as of a version of the partition. */
interface CachedMatches {
  readonly range: RankRange;
  readonly version: number;
  /** An upper bound of the size of the range. */
  readonly bytes: number;
}

/** The size of what a query has found and of its key, which is large when it names many values. */
const estimateMatchesBytes = ({ bytes }: CachedMatches, key: string): number => bytes + 2 * key.length;

/** One counter for all partitions: a caller that compares versions also notices that a restore has replaced the partition. */
let versions = 0;
const newVersion = (): number => ++versions;

export class Partition {
  readonly tenant: string;
  readonly layout: TableLayout;
  readonly memory: StoreMemory;
  readonly idIndex = new HashIndex();
  readonly locations = new RowLocations();
  /** Column 0 has the ids. */
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
  /** The ordered indexes that exist, with the columns of their steps. */
  readonly #orderedIndexes: { readonly name: string; readonly index: OrderedIndex; readonly columns: readonly number[] }[] = [];
  /** In the order of `layout.arrayColumns`. */
  readonly #postingLists: readonly { readonly column: number; readonly index: PostingLists }[];
  #freeSlots: number[] = [];
  #records: BoundedCache<number, Row> | undefined;
  #matches: BoundedCache<string, CachedMatches> | undefined;
  #searchIndex: SearchIndex | undefined;

  constructor(tenant: string, layout: TableLayout, memory: StoreMemory) {
    this.tenant = tenant;
    this.layout = layout;
    this.memory = memory;
    this.columns = layout.columns.map(() => new Column());
    this.uniqueIndexes = new UniqueIndexes(layout, this.columns, memory.hashSeed);
    this.#postingLists = layout.arrayColumns.map((column) => ({ column, index: new PostingLists() }));
  }

  get size(): number {
    return this.idIndex.size;
  }

  /** The matches of recent queries, by what identifies such a query. */
  get matches(): BoundedCache<string, CachedMatches> {
    return (this.#matches ??= new BoundedCache(this.memory.matchBudget, estimateMatchesBytes));
  }

  get searchIndex(): SearchIndex {
    return (this.#searchIndex ??= new SearchIndex(this.layout.searchColumns.map((column) => this.columns[column]!)));
  }

  /** The ordered index of an order or a filter, created on first use. */
  getIndex(name: string): OrderedIndex {
    const existing = this.#orderedIndexes.find((each) => each.name === name);
    if (existing !== undefined) return existing.index;
    const layout = this.layout.indexes.find((each) => each.name === name)!;
    const index = createOrderedIndex(layout, this.columns, this.listSlots());
    this.#orderedIndexes.push({ name, index, columns: layout.steps.map(({ column }) => column) });
    return index;
  }

  /** Whether a slot has a row. */
  isUsed(slot: number): boolean {
    return this.locations.getLength(slot) > 0;
  }

  /** The version of the last change that a query of these columns could notice. */
  getLastChange(columns: readonly number[]): number {
    let since = this.#lastRowChange;
    for (const column of columns) since = Math.max(since, this.#lastValueChanges?.[column] ?? 0);
    return since;
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
    const slot = this.findSlot(id);
    return slot === undefined ? undefined : this.getRecord(slot);
  }

  getRecord(slot: number): Row {
    const cached = this.#records?.get(slot);
    if (cached !== undefined) return cached;
    const { slab, offset, length } = this.locations.get(slot);
    const record = deepFreeze(readRow(this.layout, this.memory.slabs.getBuffer(slab), offset, length));
    this.#records ??= new BoundedCache(this.memory.recordBudget, () => 1);
    this.#records.set(slot, record);
    return record;
  }

  /** Inserts or replaces a row. Returns the location of the previous version, whose slab is kept until `releaseVersion`. */
  put(id: string, location: RowLocation, keys: readonly Key[]): RowLocation | undefined {
    const hash = hashValue(id, this.memory.hashSeed);
    const slot = this.#findSlot(id, hash);
    this.version = newVersion();
    this.memory.slabs.retain(location);
    if (slot === undefined) {
      this.#insert(hash, location, keys);
      return undefined;
    }
    const before = this.locations.get(slot);
    this.#invalidate(slot);
    this.#replace(slot, keys);
    this.locations.set(slot, location);
    return before;
  }

  /**
   * Takes all rows of another tenant, in the same slots; this partition must never have had one. Both keep rows, keys and entries of indexes
   * once, until one of them changes.
   */
  copyRows(source: Partition): void {
    this.version = this.#lastRowChange = newVersion();
    this.slotCount = source.slotCount;
    this.#freeSlots = [...source.#freeSlots];
    this.idIndex.share(source.idIndex);
    this.locations.share(source.locations);
    for (const [at, column] of this.columns.entries()) column.share(source.columns[at]!);
    for (const [at, { index }] of this.#postingLists.entries()) index.share(source.#postingLists[at]!.index);
    this.uniqueIndexes.share(source.uniqueIndexes);
    for (const slot of this.listSlots()) this.memory.slabs.retain(this.locations.get(slot));
  }

  /** Whether it never had a row, and no query has needed an index. */
  get isUnused(): boolean {
    return this.slotCount === 0 && this.#orderedIndexes.length === 0 && this.#searchIndex === undefined;
  }

  /** The slots that have a row. */
  listSlots(): number[] {
    const slots: number[] = [];
    for (let slot = 0; slot < this.slotCount; slot++) if (this.isUsed(slot)) slots.push(slot);
    return slots;
  }

  /** Removes a row. Returns the location of its bytes, whose slab is kept until `releaseVersion`. */
  remove(id: string): RowLocation | undefined {
    const slot = this.findSlot(id);
    if (slot === undefined) return undefined;
    this.version = this.#lastRowChange = newVersion();
    const before = this.locations.get(slot);
    this.#invalidate(slot);
    // Before the keys change: the indexes find the slot by them.
    for (const { index } of this.#orderedIndexes) index.remove(slot);
    this.idIndex.remove(hashValue(id, this.memory.hashSeed), slot);
    for (const { column, index } of this.#postingLists) index.remove(this.columns[column]!.get(slot), slot);
    this.uniqueIndexes.remove(slot);
    for (const column of this.columns) column.set(slot, null);
    this.#searchIndex?.update(slot);
    this.locations.free(slot);
    this.#freeSlots.push(slot);
    return before;
  }

  /** Reads the keys of a previous version, to restore it. */
  readKeys({ slab, offset, length }: RowLocation): Key[] {
    return extractKeys(this.layout, readRow(this.layout, this.memory.slabs.getBuffer(slab), offset, length));
  }

  /** Releases a previous version that no rollback needs any more. */
  releaseVersion(location: RowLocation): void {
    this.memory.slabs.release(location);
  }

  /** The posting lists of a column; undefined when it holds no arrays. */
  getPostingLists(column: number): PostingLists | undefined {
    return this.#postingLists.find((each) => each.column === column)?.index;
  }

  #insert(hash: number, location: RowLocation, keys: readonly Key[]): void {
    this.#lastRowChange = this.version;
    const slot = this.#freeSlots.pop() ?? this.slotCount++;
    this.idIndex.add(hash, slot);
    this.locations.set(slot, location);
    for (let at = 0; at < keys.length; at++) this.columns[at]!.set(slot, keys[at]!);
    for (const { index } of this.#orderedIndexes) index.insert(slot);
    for (const { column, index } of this.#postingLists) index.add(keys[column]!, slot);
    this.uniqueIndexes.add(slot, keys);
    this.#searchIndex?.update(slot);
  }

  #replace(slot: number, keys: readonly Key[]): void {
    const { columns } = this;
    const changed = keys.map((key, at) => !columns[at]!.hasKey(slot, key));
    // Only fields outside all indexes changed, for example a counter.
    if (!changed.includes(true)) return;
    const lastChanges = (this.#lastValueChanges ??= columns.map(() => 0));
    // Removed by the old keys and added by the new ones.
    const indexes = this.#orderedIndexes.filter((each) => each.columns.some((column) => changed[column]));
    for (const { index } of indexes) index.remove(slot);
    for (const { column, index } of this.#postingLists) if (changed[column]) index.remove(columns[column]!.get(slot), slot);
    this.uniqueIndexes.remove(slot, changed);
    for (let at = 0; at < keys.length; at++) {
      if (!changed[at]) continue;
      columns[at]!.set(slot, keys[at]!);
      lastChanges[at] = this.version;
    }
    for (const { index } of indexes) index.insert(slot);
    for (const { column, index } of this.#postingLists) if (changed[column]) index.add(columns[column]!.get(slot), slot);
    this.uniqueIndexes.add(slot, keys, changed);
    if (this.layout.searchColumns.some((column) => changed[column])) this.#searchIndex?.update(slot);
  }

  /** Drops what counts against the budgets that all partitions share. */
  clearCaches(): void {
    this.#records?.clear();
    this.#matches?.clear();
  }

  /** Drops what was derived from the row's previous bytes. Cached matches stay: `version` shows whether they still hold. */
  #invalidate(slot: number): void {
    this.#records?.delete(slot);
  }
}
