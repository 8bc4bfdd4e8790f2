/** Caches rows, views and results of queries, each partition (a table of a tenant) for one revision of the table. */
import type { CursorQuery, Row, View } from '../../domain/kernel/ports.ts';
import { CacheBudget, BoundedCache } from '../cache.ts';

export class CachedRow {
  readonly id: string;
  #source: { readonly row: Row } | { readonly text: string };

  /** `source`: the row, or its JSON, which is parsed when the row is needed. */
  constructor(id: string, source: { readonly row: Row } | { readonly text: string }) {
    this.id = id;
    this.#source = source;
  }

  /** Frozen. */
  get row(): Row {
    if ('text' in this.#source) this.#source = { row: deepFreeze(JSON.parse(this.#source.text) as Row) };
    return this.#source.row;
  }
}

/** What a query found: the ids of its rows, and their total number. */
export interface CachedResult {
  readonly ids: readonly string[];
  readonly total: number;
  /** The position of the last row, after which the next page begins; undefined where that is found by counting. */
  readonly end?: NonNullable<CursorQuery['after']>;
}

export interface CacheLimits {
  readonly cachedRows: number;
  /** Approximate maximum size of views and results of queries. */
  readonly cachedBytes: number;
}

interface Budgets {
  readonly rows: CacheBudget;
  readonly bytes: CacheBudget;
}

/** Approximate sizes in memory: of a result, and of each of its ids. */
const RESULT_BYTES = 400;
const ID_BYTES = 64;

export class PartitionCache {
  #revision = 0;
  readonly #budgets: Budgets;
  readonly #rows: BoundedCache<string, CachedRow>;
  readonly #results: BoundedCache<string, CachedResult>;
  /** By the name of the view, then by the id of the row. */
  readonly #views = new Map<string, BoundedCache<string, unknown>>();

  constructor(budgets: Budgets) {
    this.#budgets = budgets;
    this.#rows = new BoundedCache<string, CachedRow>(budgets.rows, () => 1);
    this.#results = new BoundedCache<string, CachedResult>(budgets.bytes, ({ ids }) => RESULT_BYTES + ids.length * ID_BYTES);
  }

  /** Whether what is cached is of this revision. Empties the cache for a newer one. */
  isUsable(revision: number): boolean {
    if (revision > this.#revision) this.#clear(revision);
    return revision === this.#revision;
  }

  getRow(revision: number, id: string): CachedRow | undefined {
    return this.isUsable(revision) ? this.#rows.get(id) : undefined;
  }

  setRow(revision: number, row: CachedRow): void {
    if (this.isUsable(revision)) this.#rows.set(row.id, row);
  }

  getView<V>(revision: number, { name }: View<never, V>, id: string): V | undefined {
    return this.isUsable(revision) ? (this.#views.get(name)?.get(id) as V | undefined) : undefined;
  }

  setView<V>(revision: number, { name, measure }: View<never, V>, id: string, value: V): void {
    if (!this.isUsable(revision)) return;
    let views = this.#views.get(name);
    if (views === undefined) {
      views = new BoundedCache<string, unknown>(this.#budgets.bytes, (each) => measure(each as V));
      this.#views.set(name, views);
    }
    views.set(id, value);
  }

  getResult(revision: number, key: string): CachedResult | undefined {
    return this.isUsable(revision) ? this.#results.get(key) : undefined;
  }

  setResult(revision: number, key: string, result: CachedResult): void {
    if (this.isUsable(revision)) this.#results.set(key, result);
  }

  /**
   * Applies the changes of a commit that led from one revision to the next. Of rows that are not cached, most are new, and will not be read
   * soon, such as audit rows: they stay out of the cache.
   */
  advance(from: number, to: number, changes: ReadonlyMap<string, { readonly cached: CachedRow | undefined }>): void {
    if (this.#revision > to) return;
    // A read may have seen the commit already.
    if (this.#revision !== to) {
      if (this.#revision === from) this.#results.clear();
      else this.#clear(to);
      this.#revision = to;
    }
    for (const [id, { cached }] of changes) {
      for (const views of this.#views.values()) views.delete(id);
      if (cached === undefined) this.#rows.delete(id);
      else if (this.#rows.get(id) !== undefined) this.#rows.set(id, cached);
    }
  }

  #clear(revision: number): void {
    this.#rows.clear();
    this.#results.clear();
    for (const views of this.#views.values()) views.clear();
    this.#revision = revision;
  }
}

/** The caches of all partitions, which share the limits. */
export class StoreCache {
  readonly #budgets: Budgets;
  readonly #partitions = new Map<string, PartitionCache>();

  constructor({ cachedRows, cachedBytes }: CacheLimits) {
    this.#budgets = { rows: new CacheBudget(cachedRows), bytes: new CacheBudget(cachedBytes) };
  }

  getPartition(tenant: string, table: string): PartitionCache {
    const key = `${table} ${tenant}`;
    let partition = this.#partitions.get(key);
    if (partition === undefined) this.#partitions.set(key, (partition = new PartitionCache(this.#budgets)));
    return partition;
  }
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const each of Object.values(value)) deepFreeze(each);
  return Object.freeze(value);
}
