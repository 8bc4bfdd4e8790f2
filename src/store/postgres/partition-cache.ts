/** Caches rows and results of queries, each partition (a table of a tenant) for one revision of the table. */
import type { Row } from '../../domain/kernel/ports.ts';
import { CacheBudget, GenerationalCache } from '../cache.ts';

/** A row and what views computed from it. */
export class CachedRow {
  readonly id: string;
  #source: { readonly row: Row } | { readonly text: string };
  #views: Map<string, unknown> | undefined;

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

  getView<R extends Row, V>({ name, compute }: { readonly name: string; compute(row: R): V }): V {
    this.#views ??= new Map();
    if (!this.#views.has(name)) this.#views.set(name, compute(this.row as R));
    return this.#views.get(name) as V;
  }
}

/** What a query found: the ids of its rows, and their total number. */
export interface CachedResult {
  readonly ids: readonly string[];
  readonly total: number;
}

/** As many ids take about as much memory as a row. */
const IDS_PER_ROW = 16;

export class PartitionCache {
  #revision = 0;
  readonly #rows: GenerationalCache<string, CachedRow>;
  readonly #results: GenerationalCache<string, CachedResult>;

  constructor(budget: CacheBudget) {
    this.#rows = new GenerationalCache<string, CachedRow>(budget, () => 1);
    this.#results = new GenerationalCache<string, CachedResult>(budget, ({ ids }) => 1 + ids.length / IDS_PER_ROW);
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

  getResult(revision: number, key: string): CachedResult | undefined {
    return this.isUsable(revision) ? this.#results.get(key) : undefined;
  }

  setResult(revision: number, key: string, result: CachedResult): void {
    if (this.isUsable(revision)) this.#results.set(key, result);
  }

  /** Applies the changes of a commit that led from one revision to the next. */
  advance(from: number, to: number, changes: ReadonlyMap<string, { readonly cached: CachedRow | undefined }>): void {
    if (this.#revision > to) return;
    // A read may have seen the commit already.
    if (this.#revision !== to) {
      if (this.#revision === from) this.#results.clear();
      else this.#clear(to);
      this.#revision = to;
    }
    for (const [id, { cached }] of changes) {
      if (cached === undefined) this.#rows.delete(id);
      else this.#rows.set(id, cached);
    }
  }

  #clear(revision: number): void {
    this.#rows.clear();
    this.#results.clear();
    this.#revision = revision;
  }
}

/** The caches of all partitions, which share one budget. */
export class StoreCache {
  readonly #budget: CacheBudget;
  readonly #partitions = new Map<string, PartitionCache>();

  /** `maxRows`: how many rows to cache. */
  constructor(maxRows: number) {
    this.#budget = new CacheBudget(maxRows);
  }

  getPartition(tenant: string, table: string): PartitionCache {
    const key = `${table} ${tenant}`;
    let partition = this.#partitions.get(key);
    if (partition === undefined) this.#partitions.set(key, (partition = new PartitionCache(this.#budget)));
    return partition;
  }
}

export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const each of Object.values(value)) deepFreeze(each);
  return Object.freeze(value);
}
