/** The parts of a store: the rows of one table and one tenant, or of one table of the service. */
import { iterateTenants } from '../../api/admin/data-checks/check-data.ts';
import { readLastRow, readPage, type TableName } from '../../domain/integrity/table-walk.ts';
import type { Row } from '../../domain/kernel/ports.ts';
import { type ReadTx, type StockroomStore, tables } from '../../domain/tables.ts';

/** The tenant of the tables of the service. */
export const SERVICE = '';

export interface Partition {
  readonly table: TableName;
  /** Its id. */
  readonly tenant: string;
  /** Null for the service, and for rows of a tenant that does not exist. */
  readonly slug: string | null;
  /** As the store counts them. */
  readonly rows: number;
}

const NAMES = Object.keys(tables) as TableName[];
const PAGE_ROWS = 500;

/** All partitions with rows. Service tables come first, then each tenant. */
export async function listPartitions(store: StockroomStore): Promise<Partition[]> {
  const slugs = new Map<string, string | null>();
  for await (const { id, slug } of iterateTenants(store)) slugs.set(id, slug);
  for (const name of NAMES.filter((each) => tables[each].scope === 'tenant'))
    for (const { tenant } of await store.readFirstRows(name)) if (!slugs.has(tenant)) slugs.set(tenant, null);
  const count = async (tx: ReadTx, scope: 'service' | 'tenant', tenant: string, slug: string | null): Promise<Partition[]> => {
    const names = NAMES.filter((each) => tables[each].scope === scope);
    const counted = await Promise.all(names.map(async (table) => ({ table, tenant, slug, rows: await tx[table].count() })));
    return counted.filter(({ rows }) => rows > 0);
  };
  const partitions = await store.read(SERVICE, (tx) => count(tx, 'service', SERVICE, null));
  for (const [tenant, slug] of slugs) partitions.push(...(await store.read(tenant, (tx) => count(tx, 'tenant', tenant, slug))));
  return partitions;
}

export const sumRows = (partitions: readonly Partition[]): number => partitions.reduce((sum, { rows }) => sum + rows, 0);

export const toKey = ({ tenant, table }: Pick<Partition, 'tenant' | 'table'>): string => `${table} ${tenant}`;

/** The rows in the order of the table, page by page. `last`: the row after which to begin. */
export async function* readRows(
  store: StockroomStore,
  { table, tenant }: Pick<Partition, 'table' | 'tenant'>,
  after?: Row,
): AsyncGenerator<readonly Row[]> {
  let last = after;
  for (;;) {
    const { rows, more } = await store.read(tenant, (tx) => readPage(tx, table, { limit: PAGE_ROWS, last }));
    if (rows.length > 0) yield rows;
    if (!more) return;
    last = rows.at(-1);
  }
}

export const findLastRow = (store: StockroomStore, { table, tenant }: Partition): Promise<Row | undefined> =>
  store.read(tenant, (tx) => readLastRow(tx, table));
