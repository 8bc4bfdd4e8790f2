/**
 * The head of a tenant: one row that every transaction of the tenant locks first, so that they run one after another whichever daemon
 * runs them. It has the number of its commits, the time of the last one, and of each table the revision and the number of rows. A cached
 * row or result is current while the revision of its table is. The tables of the service have a head of their own.
 */
import { type Connection, type Queryable, SHORT_TIMEOUT_MS, defineStatement } from './database.ts';
import { SCHEMA } from './table-columns.ts';

/** The tenant of the head for the tables that all tenants share. */
export const SERVICE = '';

export interface TableHead {
  /** Increases with every commit that changes the table. */
  readonly revision: number;
  readonly rows: number;
}

export interface Head {
  readonly tenant: string;
  /** Number of commits. */
  readonly sequence: number;
  /** The time of the last transaction, in milliseconds since the epoch. */
  readonly lastAt: number;
  /** The daemon that ran it. */
  readonly writer: string;
  readonly tables: ReadonlyMap<string, TableHead>;
}

const NO_ROWS: TableHead = { revision: 0, rows: 0 };

export const getTableHead = (head: Head, table: string): TableHead => head.tables.get(table) ?? NO_ROWS;

const createEmptyHead = (tenant: string): Head => ({ tenant, sequence: 0, lastAt: 0, writer: '', tables: new Map() });

const COLUMNS = 'tenant, sequence, last_at, writer, tables';
const READ = defineStatement(`SELECT ${COLUMNS} FROM ${SCHEMA}.tenant_heads WHERE tenant = ANY($1)`, SHORT_TIMEOUT_MS);
const READ_RECENT = defineStatement(
  `SELECT ${COLUMNS} FROM ${SCHEMA}.tenant_heads
   WHERE committed_at BETWEEN clock_timestamp() - make_interval(secs => $1) AND clock_timestamp() - make_interval(secs => $2)`,
);
const READ_ALL = defineStatement(`SELECT ${COLUMNS} FROM ${SCHEMA}.tenant_heads`);
const LOCK = defineStatement(`SELECT ${COLUMNS}, pg_current_xact_id()::text FROM ${SCHEMA}.tenant_heads WHERE tenant = $1 FOR UPDATE`);
const CREATE = defineStatement(`INSERT INTO ${SCHEMA}.tenant_heads (tenant) VALUES ($1) ON CONFLICT DO NOTHING`);
const UPDATE = defineStatement(
  `UPDATE ${SCHEMA}.tenant_heads
   SET sequence = $2, last_at = $3, writer = $4, tables = $5, committed_at = clock_timestamp() WHERE tenant = $1`,
);

/** The heads of these tenants. */
export async function readHeads(connection: Queryable, tenants: readonly string[]): Promise<ReadonlyMap<string, Head>> {
  const rows = await connection.query(READ, [tenants]);
  const heads = new Map(tenants.map((tenant) => [tenant, createEmptyHead(tenant)]));
  for (const row of rows) heads.set(String(row[0]), parseHead(row));
  return heads;
}

/** The heads whose last commit is so many seconds old. */
export async function readRecentHeads(connection: Queryable, oldest: number, newest: number): Promise<Head[]> {
  return (await connection.query(READ_RECENT, [oldest, newest])).map(parseHead);
}

export const readAllHeads = async (connection: Queryable): Promise<Head[]> => (await connection.query(READ_ALL, [])).map(parseHead);

export interface LockedHead {
  readonly head: Head;
  /** The id of the transaction. */
  readonly transactionId: string;
  /** There was no head, so the lock took more than one statement. */
  readonly isNew: boolean;
}

/** Locks a head until the transaction ends. */
export async function lockHead(connection: Connection, tenant: string): Promise<LockedHead> {
  for (let isNew = false; ; isNew = true) {
    const [row] = await connection.query(LOCK, [tenant]);
    if (row !== undefined) return { head: parseHead(row), transactionId: String(row[5]), isNew };
    await connection.query(CREATE, [tenant]);
  }
}

export async function updateHead(connection: Connection, { tenant, sequence, lastAt, writer, tables }: Head): Promise<void> {
  const text = JSON.stringify(Object.fromEntries([...tables].map(([name, { revision, rows }]) => [name, [revision, rows]])));
  await connection.query(UPDATE, [tenant, sequence, lastAt, writer, text]);
}

/** Text of the tables as parsed: most heads have not changed since they were read last. */
const parsedTables = new Map<string, { readonly text: string; readonly tables: ReadonlyMap<string, TableHead> }>();

function parseHead([tenant, sequence, lastAt, writer, tables]: readonly unknown[]): Head {
  const name = String(tenant);
  const text = String(tables);
  let parsed = parsedTables.get(name);
  if (parsed?.text !== text) {
    const entries = Object.entries(JSON.parse(text) as Readonly<Record<string, readonly [revision: number, rows: number]>>);
    parsed = { text, tables: new Map(entries.map(([table, [revision, rows]]) => [table, { revision, rows }])) };
    parsedTables.set(name, parsed);
  }
  return { tenant: name, sequence: Number(sequence), lastAt: Number(lastAt), writer: String(writer), tables: parsed.tables };
}
