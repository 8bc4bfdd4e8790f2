/** Reads a table across tenants, without creating anything for those that have no rows in it. */
import { setImmediate } from 'node:timers/promises';
import type { Query, Row } from '../../../domain/kernel/ports.ts';
import type { State } from '../state.ts';
import { findAllMatches, getRows, queryAfter } from './run-query.ts';
import { answerSubquery } from './subqueries.ts';

/** Tenants to read in one turn of the event loop: about a millisecond. */
const TENANTS_PER_TURN = 128;

interface TenantRow<R> {
  readonly tenant: string;
  readonly row: R;
}

/** Of each tenant with rows that match, the first one. `getState` is called in every turn, because a restore replaces it. */
export async function readFirstRows<R extends Row>(
  read: <T>(work: () => Promise<T>) => Promise<T>,
  getState: () => State,
  table: string,
  query: Query,
): Promise<TenantRow<R>[]> {
  const tenants = [...getState().getPartitions(table).keys()];
  const found: TenantRow<R>[] = [];
  for (let at = 0; at < tenants.length; at += TENANTS_PER_TURN) {
    if (at > 0) await setImmediate();
    const some = tenants.slice(at, at + TENANTS_PER_TURN);
    found.push(...(await read(async () => some.flatMap((tenant) => findFirstRow<R>(getState(), table, tenant, query)))));
  }
  return found;
}

function findFirstRow<R extends Row>(state: State, table: string, tenant: string, query: Query): TenantRow<R>[] {
  const partition = state.getPartitions(table).get(tenant);
  if (partition === undefined || partition.size === 0) return [];
  const first = answerSubquery({ ...query, limit: 1 }, (name) => state.getPartition(tenant, name), findAllMatches);
  return getRows<R>(partition, queryAfter(partition, first).slots).map((row) => ({ tenant, row }));
}
