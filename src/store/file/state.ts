/** Everything the store holds: what lowdb keeps as its data. */
import { randomInt } from 'node:crypto';
import type { TableSpec } from '../../domain/ports.ts';
import { type Layout, layoutOf } from './layout.ts';
import { Allowance } from './memory.ts';
import { type Memory, Partition } from './partition.ts';
import { Slabs } from './slabs.ts';
import type { Pending } from './transaction.ts';

export interface Limits {
  /** Parsed records kept. */
  readonly cachedRecords: number;
  /** Bytes of view results kept, roughly. */
  readonly viewCacheBytes: number;
}

/** The tenant of tables that all tenants share. */
const EVERYBODY = '';

export class State {
  readonly memory: Memory;
  readonly layouts: ReadonlyMap<string, Layout>;
  /** By table and tenant. */
  readonly #partitions = new Map<string, Map<string, Partition>>();
  /** Of the last commit applied. */
  sequence = 0;
  /** Commits on their way to the journal. */
  outgoing: Pending[] = [];

  constructor(specs: readonly TableSpec[], limits: Limits, seed = randomInt(2 ** 32)) {
    this.layouts = new Map(specs.map((spec) => [spec.name, layoutOf(spec)]));
    if (this.layouts.size !== specs.length) throw new Error('two tables have the same name');
    this.memory = { slabs: new Slabs(), records: new Allowance(limits.cachedRecords), views: new Allowance(limits.viewCacheBytes), seed };
    for (const name of this.layouts.keys()) this.#partitions.set(name, new Map());
  }

  /** A table's rows for a tenant; undefined when there is no such table. */
  partition(tenant: string, table: string): Partition | undefined {
    const layout = this.layouts.get(table);
    if (layout === undefined) return undefined;
    const owner = layout.spec.scope === 'service' ? EVERYBODY : tenant;
    const known = this.#partitions.get(table)!.get(owner);
    if (known !== undefined) return known;
    const partition = new Partition(owner, layout, this.memory);
    this.add(partition);
    return partition;
  }

  add(partition: Partition): void {
    this.#partitions.get(partition.layout.spec.name)!.set(partition.tenant, partition);
  }

  *partitions(): Generator<Partition> {
    for (const tenants of this.#partitions.values()) yield* tenants.values();
  }

  get rows(): number {
    let rows = 0;
    for (const partition of this.partitions()) rows += partition.size;
    return rows;
  }

  /** Asked at every group of commits: not a sum over partitions. What a row was before counts until the change is durable. */
  get liveBytes(): number {
    return this.memory.slabs.live;
  }
}
