/** Reads a table across tenants, without creating anything for those that have no rows in it. */
import { setImmediate } from 'node:timers/promises';
import type { Query, Row } from '../../../domain/kernel/ports.ts';
import type { Partition } from '../partition.ts';
import { getRows, queryAfter } from './run-query.ts';

/** Tenants to read in one turn of the event loop: about a millisecond. */
const TENANTS_PER_TURN = 128;

interface TenantRow<R> {
  readonly tenant: string;
  readonly row: R;
}

/** Of each tenant with rows that match, the first one. `getPartitions` is called in every turn, because a restore replaces them. */
export async function readFirstRows<R extends Row>(
  read: <T>(work: () => Promise<T>) => Promise<T>,
  getPartitions: () => ReadonlyMap<string, Partition>,
  query: Query,
): Promise<TenantRow<R>[]> {
  const tenants = [...getPartitions().keys()];
  const found: TenantRow<R>[] = [];
  for (let at = 0; at < tenants.length; at += TENANTS_PER_TURN) {
    if (at > 0) await setImmediate();
    const some = tenants.slice(at, at + TENANTS_PER_TURN);
    found.push(...(await read(async () => some.flatMap((tenant) => findFirstRow<R>(tenant, getPartitions().get(tenant), query)))));
  }
  return found;
}

function findFirstRow<R extends Row>(tenant: string, partition: Partition | undefined, query: Query): TenantRow<R>[] {
  if (partition === undefined || partition.size === 0) return [];
  return getRows<R>(partition, queryAfter(partition, { ...query, limit: 1 }).slots).map((row) => ({ tenant, row }));
}
