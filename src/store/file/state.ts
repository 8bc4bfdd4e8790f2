/** Everything the store holds in memory: the data that lowdb manages. */
import { randomInt } from 'node:crypto';
import type { TableSpec } from '../../domain/kernel/ports.ts';
import { type TableLayout, createTableLayout } from '../table-layout.ts';
import { CacheBudget } from '../cache.ts';
import { type StoreMemory, Partition } from './partition.ts';
import { Slabs } from './rows/slabs.ts';
import type { PendingCommit } from './transaction/transaction.ts';

export interface CacheLimits {
  /** Maximum number of parsed records. */
  readonly cachedRecords: number;
}

/** Approximate maximum size of the cached matches of queries. */
const MATCH_CACHE_BYTES = 32 * 1024 * 1024;

/** Owner of the tables that all tenants share. */
const SHARED_TENANT = '';

export class State {
  readonly memory: StoreMemory;
  readonly layouts: ReadonlyMap<string, TableLayout>;
  /** By table, then by tenant. */
  readonly #partitions = new Map<string, Map<string, Partition>>();
  /** Sequence number of the last commit applied. */
  sequence = 0;
  /** Commits to hand to the journal with the next write. */
  pendingCommits: PendingCommit[] = [];

  constructor(specs: readonly TableSpec[], limits: CacheLimits) {
    this.layouts = new Map(specs.map((spec) => [spec.name, createTableLayout(spec)]));
    if (this.layouts.size !== specs.length) throw new Error('two tables have the same name');
    this.memory = {
      slabs: new Slabs(),
      recordBudget: new CacheBudget(limits.cachedRecords),
      matchBudget: new CacheBudget(MATCH_CACHE_BYTES),
      hashSeed: randomInt(2 ** 32),
    };
    for (const name of this.layouts.keys()) this.#partitions.set(name, new Map());
  }

  /** A tenant's rows of a table, created on first access; undefined when there is no such table. */
  getPartition(tenant: string, table: string): Partition | undefined {
    const layout = this.layouts.get(table);
    if (layout === undefined) return undefined;
    const owner = layout.spec.scope === 'service' ? SHARED_TENANT : tenant;
    const existing = this.#partitions.get(table)!.get(owner);
    if (existing !== undefined) return existing;
    const partition = new Partition(owner, layout, this.memory);
    this.#partitions.get(table)!.set(owner, partition);
    return partition;
  }

  /** The tenants that have used a table, and their rows of it. */
  getPartitions(table: string): ReadonlyMap<string, Partition> {
    return this.#partitions.get(table)!;
  }

  /** Drops the partitions of a tenant that has no rows. Returns whether it had none. Nothing may refer to them any more. */
  dropEmptyTenant(tenant: string): boolean {
    const partitions = [...this.#partitions.values()].flatMap((tenants) => tenants.get(tenant) ?? []);
    // The tables of all tenants refer to the shared ones.
    if (tenant === SHARED_TENANT || partitions.some(({ size }) => size > 0)) return false;
    for (const partition of partitions) partition.clearCaches();
    for (const tenants of this.#partitions.values()) tenants.delete(tenant);
    return true;
  }

  /** Number of partitions, empty ones included. */
  get partitionCount(): number {
    return [...this.#partitions.values()].reduce((sum, tenants) => sum + tenants.size, 0);
  }

  *listPartitions(): Generator<Partition> {
    for (const tenants of this.#partitions.values()) yield* tenants.values();
  }

  get rowCount(): number {
    let rows = 0;
    for (const partition of this.listPartitions()) rows += partition.size;
    return rows;
  }
}
