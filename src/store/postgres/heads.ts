/**
 * The head of a tenant: one row that every transaction of the tenant locks first, so that they run one after another whichever daemon
 * runs them. It has the number of its commits, the time of the last one, and of each table the revision and the number of rows. A cached
 * row or result is current while the revision of its table is. The tables of the service have a head of their own.
 *
 * Numbers of commits and revisions are given again after the server has lost commits, in a crash or a failover. So each commit also leaves a
 * random token in the head, and in the entries of the tables that it has changed: number and token together never return.
 */
import { randomBytes } from 'node:crypto';
import { type Connection, type Queryable, SHORT_TIMEOUT_MS, defineStatement } from './database.ts';
import { SCHEMA } from './table-columns.ts';

/** The tenant of the head for the tables that all tenants share. */
export const SERVICE = '';

export interface TableHead {
  /** Increases with every commit that changes the table. */
  readonly revision: number;
  /** Of the commit that changed it last. */
  readonly token: string;
  readonly rows: number;
}

export interface Head {
  readonly tenant: string;
  /** Number of commits. */
  readonly sequence: number;
  /** Of the last commit. */
  readonly token: string;
  /** The time of the last transaction, in milliseconds since the epoch. */
  readonly lastAt: number;
  /** The daemon that ran it. */
  readonly writer: string;
  readonly tables: ReadonlyMap<string, TableHead>;
}

const NO_ROWS: TableHead = { revision: 0, token: '', rows: 0 };
const TOKEN_BYTES = 12;

export const createToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

export const getTableHead = (head: Head, table: string): TableHead => head.tables.get(table) ?? NO_ROWS;

/** Whether a tenant has rows; not once it was removed. */
export const hasRows = ({ tables }: Head): boolean => tables.values().some(({ rows }) => rows > 0);

const createEmptyHead = (tenant: string): Head => ({
  tenant,
  sequence: 0,
  token: '',
  lastAt: 0,
  writer: '',
  tables: new Map(),
});

/** Whether two heads are of the same commit. */
export const isSameCommit = (one: Pick<Head, 'sequence' | 'token'>, other: Pick<Head, 'sequence' | 'token'>): boolean =>
  one.sequence === other.sequence && one.token === other.token;

/** Whether a table has the same rows as in another head. */
export const isSameRevision = (one: Pick<TableHead, 'revision' | 'token'>, other: Pick<TableHead, 'revision' | 'token'>): boolean =>
  one.revision === other.revision && one.token === other.token;

/** A text that never returns after another one. */
export const formatRevision = ({ revision, token }: TableHead): string => `${String(revision)} ${token}`;

const COLUMNS = 'tenant, sequence, last_at, writer, tables, token';
const READ = defineStatement(`SELECT ${COLUMNS} FROM ${SCHEMA}.tenant_heads WHERE tenant = ANY($1)`, SHORT_TIMEOUT_MS);
const READ_RECENT = defineStatement(
  `SELECT ${COLUMNS} FROM ${SCHEMA}.tenant_heads
   WHERE committed_at BETWEEN clock_timestamp() - make_interval(secs => $1) AND clock_timestamp() - make_interval(secs => $2)`,
);
const READ_ALL = defineStatement(`SELECT ${COLUMNS} FROM ${SCHEMA}.tenant_heads`);
const READ_AHEAD = defineStatement(`SELECT ${COLUMNS} FROM ${SCHEMA}.tenant_heads WHERE last_at > $1 ORDER BY tenant`);
const LIMIT_TIME = defineStatement(
  `UPDATE ${SCHEMA}.tenant_heads SET last_at = least(last_at, $2::bigint) WHERE tenant = $1`,
  SHORT_TIMEOUT_MS,
);
const LOCK = defineStatement(`SELECT ${COLUMNS} FROM ${SCHEMA}.tenant_heads WHERE tenant = $1 FOR UPDATE`);
const CREATE = defineStatement(`INSERT INTO ${SCHEMA}.tenant_heads (tenant) VALUES ($1) ON CONFLICT DO NOTHING`);
const UPDATE = defineStatement(
  `UPDATE ${SCHEMA}.tenant_heads
   SET sequence = $2, last_at = $3, writer = $4, tables = $5, token = $6, committed_at = clock_timestamp() WHERE tenant = $1`,
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

/** The heads whose last transaction is dated after this time. */
export async function readHeadsAhead(connection: Queryable, time: number): Promise<Head[]> {
  return (await connection.query(READ_AHEAD, [time])).map(parseHead);
}

/** Sets the time of the last transaction back, if it is later. */
export async function limitTime(connection: Queryable, tenant: string, time: number): Promise<void> {
  await connection.query(LIMIT_TIME, [tenant, time]);
}

export interface LockedHead {
  readonly head: Head;
  /** There was no head, so the lock took more than one statement. */
  readonly isNew: boolean;
}

/** Locks a head until the transaction ends. */
export async function lockHead(connection: Connection, tenant: string): Promise<LockedHead> {
  for (let isNew = false; ; isNew = true) {
    const [row] = await connection.query(LOCK, [tenant]);
    if (row !== undefined) return { head: parseHead(row), isNew };
    await connection.query(CREATE, [tenant]);
  }
}

export async function updateHead(connection: Connection, { tenant, sequence, token, lastAt, writer, tables }: Head): Promise<void> {
  const entries = [...tables].map(([name, { revision, rows, token: changedBy }]) => [name, [revision, rows, changedBy]]);
  await connection.query(UPDATE, [tenant, sequence, lastAt, writer, JSON.stringify(Object.fromEntries(entries)), token]);
}

/** Releases without tokens leave two values. */
type StoredTableHead = readonly [revision: number, rows: number, token?: string];

/** More tenants than are in use at a time; those that were removed keep their heads. */
const MAX_PARSED = 1_000;

/** Text of the tables as parsed: most heads have not changed since they were read last. */
const parsedTables = new Map<string, { readonly text: string; readonly tables: ReadonlyMap<string, TableHead> }>();

function parseHead([tenant, sequence, lastAt, writer, tables, token]: readonly unknown[]): Head {
  const name = String(tenant);
  const text = String(tables);
  let parsed = parsedTables.get(name);
  if (parsed?.text !== text) {
    const entries = Object.entries(JSON.parse(text) as Readonly<Record<string, StoredTableHead>>);
    const heads = entries.map(([table, [revision, rows, changedBy = '']]) => [table, { revision, rows, token: changedBy }] as const);
    parsed = { text, tables: new Map(heads) };
    if (parsedTables.size >= MAX_PARSED) parsedTables.clear();
    parsedTables.set(name, parsed);
  }
  return {
    tenant: name,
    sequence: Number(sequence),
    token: String(token),
    lastAt: Number(lastAt),
    writer: String(writer),
    tables: parsed.tables,
  };
}
