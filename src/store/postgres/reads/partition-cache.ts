/** Caches rows and results of queries, each partition (a table of a tenant) for one revision of the table. */
import type { CursorQuery, Row } from '../../../domain/kernel/ports.ts';
import { CacheBudget, BoundedCache } from '../../cache.ts';
import { deepFreeze } from '../../deep-freeze.ts';
import { type TableHead, isSameRevision as isSame } from '../heads.ts';

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
  /** Approximate maximum size of the results of queries. */
  readonly cachedBytes: number;
}

interface Budgets {
  readonly rows: CacheBudget;
  readonly bytes: CacheBudget;
}

/** Approximate sizes in memory: of a result, and of each of its ids. */
const RESULT_BYTES = 400;
const ID_BYTES = 64;

type Revision = Pick<TableHead, 'revision' | 'token'>;

const NEVER_CHANGED: Revision = { revision: 0, token: '' };

export class PartitionCache {
  #revision = NEVER_CHANGED;
  readonly #rows: BoundedCache<string, CachedRow>;
  readonly #results: BoundedCache<string, CachedResult>;

  constructor(budgets: Budgets) {
    this.#rows = new BoundedCache<string, CachedRow>(budgets.rows, () => 1);
    this.#results = new BoundedCache<string, CachedResult>(budgets.bytes, ({ ids }) => RESULT_BYTES + ids.length * ID_BYTES);
  }

  /** Whether what is cached is of this revision. Empties the cache for a newer one, and for one of another history with the same number. */
  isUsable(revision: Revision): boolean {
    if (isSame(revision, this.#revision)) return true;
    // Older ones are of reads that began before the last commit.
    if (revision.revision < this.#revision.revision) return false;
    this.clear(revision);
    return true;
  }

  getRow(revision: Revision, id: string): CachedRow | undefined {
    return this.isUsable(revision) ? this.#rows.get(id) : undefined;
  }

  setRow(revision: Revision, row: CachedRow): void {
    if (this.isUsable(revision)) this.#rows.set(row.id, row);
  }

  getResult(revision: Revision, key: string): CachedResult | undefined {
    return this.isUsable(revision) ? this.#results.get(key) : undefined;
  }

  setResult(revision: Revision, key: string, result: CachedResult): void {
    if (this.isUsable(revision)) this.#results.set(key, result);
  }

  /**
   * Applies the changes of a commit that led from one revision to the next. Of rows that are not cached, most are new, and will not be read
   * soon, such as audit rows: they stay out of the cache.
   */
  advance(from: Revision, to: Revision, changes: ReadonlyMap<string, { readonly cached: CachedRow | undefined }>): void {
    if (this.#revision.revision > to.revision) return;
    // A read may have seen the commit already.
    if (!isSame(this.#revision, to)) {
      if (isSame(this.#revision, from)) this.#results.clear();
      else this.clear(to);
      this.#revision = to;
    }
    for (const [id, { cached }] of changes) {
      if (cached === undefined) this.#rows.delete(id);
      else if (this.#rows.get(id) !== undefined) this.#rows.set(id, cached);
    }
  }

  /** Forgets everything. `revision`: of what is cached from now on. */
  clear(revision: Revision = NEVER_CHANGED): void {
    this.#rows.clear();
    this.#results.clear();
    this.#revision = revision;
  }
}

/** The caches of all partitions, which share the limits. */
export class StoreCache {
  readonly #budgets: Budgets;
  /** By tenant, then by table. */
  readonly #partitions = new Map<string, Map<string, PartitionCache>>();

  constructor({ cachedRows, cachedBytes }: CacheLimits) {
    this.#budgets = { rows: new CacheBudget(cachedRows), bytes: new CacheBudget(cachedBytes) };
  }

  /** Number of tenants of which something is kept. */
  get tenantCount(): number {
    return this.#partitions.size;
  }

  getPartition(tenant: string, table: string): PartitionCache {
    let partitions = this.#partitions.get(tenant);
    if (partitions === undefined) this.#partitions.set(tenant, (partitions = new Map<string, PartitionCache>()));
    let partition = partitions.get(table);
    if (partition === undefined) partitions.set(table, (partition = new PartitionCache(this.#budgets)));
    return partition;
  }

  /** Forgets what is cached of a tenant. What still uses its partitions fills them for itself alone. */
  forget(tenant: string): void {
    for (const partition of this.#partitions.get(tenant)?.values() ?? []) partition.clear();
    this.#partitions.delete(tenant);
  }

  forgetAll(): void {
    for (const tenant of this.#partitions.keys()) this.forget(tenant);
  }
}
