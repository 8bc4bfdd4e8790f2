/**
 * The schema `stockroom`: derived from the specifications of the tables, created and migrated under a lock, and checked at every start.
 *
 *   tenant_heads   one row per tenant, and one with the name '' for the tables of the service: see heads.ts
 *   NAME_rows      the rows of a table: the row as JSON text, and its keys in columns with indexes
 *   NAME           a view of those for people, with the indexed fields by name
 *   schema_info    the version of the schema, and the oldest version whose releases may still run on it
 *
 * Migrations only go forward. A release runs on a newer schema as long as that states so; otherwise it refuses to start.
 */
import type { TableSpec } from '../../domain/kernel/ports.ts';
import { COMMIT_LOG_DDL } from './commit-log.ts';
import { type Connection, type Database, defineStatement } from './database.ts';
import { DatabaseUnusable } from './errors.ts';
import { SECRETS_DDL } from './notifications/hints.ts';
import { LEASES_DDL } from './shared-state/leases.ts';
import { MEMBERS_DDL } from './shared-state/members.ts';
import { RATE_WINDOWS_DDL } from './shared-state/rate-windows.ts';
import { tryRepeatedly } from './try-lock.ts';
import { getNullValue } from './sort-keys.ts';
import { SCHEMA, type TableColumns, toSnakeCase, toSqlName } from './table-columns.ts';

/** The version of the schema that this release creates, and the oldest one whose releases may run on it. */
export const SCHEMA_VERSION = { current: 4, oldestCompatible: 1 } as const;

/** Tables of what several daemons share besides the data. */
const SHARED_STATE_TABLES = [...RATE_WINDOWS_DDL, ...LEASES_DDL, ...MEMBERS_DDL];

/** By version: the statements that lead to it from the version before. A new version adds its entry. */
const MIGRATIONS: Readonly<Record<number, (tables: readonly TableColumns[], extensions: Extensions, isNew: boolean) => readonly string[]>> =
  {
    1: (tables, extensions) => [...SERVICE_TABLES, ...SHARED_STATE_TABLES, ...tables.flatMap((table) => createTable(table, extensions))],
    // Releases of version 1 leave an old token and no entry in the log, so their commits are noticed by the numbers, as before.
    2: () => [
      `ALTER TABLE ${SCHEMA}.tenant_heads ADD COLUMN token text COLLATE "C" NOT NULL DEFAULT ''`,
      ...COMMIT_LOG_DDL,
      ...SECRETS_DDL,
      USER_SEARCH_PATH,
    ],
    // Version 1 creates them for new databases. Earlier releases write rows without the field.
    3: (tables, extensions, isNew) =>
      isNew
        ? []
        : tables.flatMap((table) =>
            table.spec.name === 'webhookReplays' ? createTable(table, extensions) : addUniqueField(table, 'externalId'),
          ),
    4: (tables, _, isNew) => (isNew ? [] : tables.flatMap(replaceFilterIndexes)),
  };

const MIN_SERVER_VERSION = 150_000;
/** How long one attempt waits for daemons that migrate at the same time, and for those that use the tables. */
const LOCK_TIMEOUT = '2s';
/** Indexes of large tables take long to create. */
const MIGRATION_TIMEOUT_MS = 30 * 60_000;

/**
 * Locks a table that only users of the schema can lock. Before the first migration it does not exist: the transaction that creates it has the lock, and
 * the others get an error when that transaction ends.
 */
const LOCK_SCHEMA = `BEGIN; SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'; SET LOCAL idle_in_transaction_session_timeout = '30s';
  CREATE SCHEMA IF NOT EXISTS ${SCHEMA};
  CREATE TABLE IF NOT EXISTS ${SCHEMA}.schema_info (version integer NOT NULL, oldest_compatible integer NOT NULL);
  LOCK TABLE ${SCHEMA}.schema_info IN SHARE ROW EXCLUSIVE MODE`;

const SERVICE_TABLES: readonly string[] = [
  `CREATE TABLE ${SCHEMA}.tenant_heads (
    tenant text COLLATE "C" PRIMARY KEY,
    sequence bigint NOT NULL DEFAULT 0,
    last_at bigint NOT NULL DEFAULT 0,
    writer text NOT NULL DEFAULT '',
    tables text NOT NULL DEFAULT '{}',
    committed_at timestamptz NOT NULL DEFAULT now()
  ) WITH (fillfactor = 50)`,
];

/** Sessions set it, too; in some modes of poolers, that does not reach each connection. A user that may not change itself keeps its own. */
const USER_SEARCH_PATH = `DO $$ BEGIN
    EXECUTE pg_catalog.format('ALTER ROLE CURRENT_USER IN DATABASE %I SET search_path = pg_catalog, pg_temp', pg_catalog.current_database());
  EXCEPTION WHEN insufficient_privilege THEN NULL;
  END $$`;

/** Which indexes are possible. Without the extensions, searches read all rows of a tenant. */
interface Extensions {
  /** Of `pg_trgm`: an index for substrings. */
  readonly trigramSchema: string | undefined;
  /** `btree_gin`: the tenant in such an index. */
  readonly hasBtreeGin: boolean;
}

/** Creates or migrates the schema. Throws `DatabaseUnusable` with a sentence for the user. */
export async function prepareSchema(database: Database, tables: readonly TableColumns[]): Promise<void> {
  await tryRepeatedly(() =>
    database.use(async (connection) => {
      await checkServer(connection);
      const found = await readVersion(connection);
      if (found !== undefined && isUsable(found)) return;
      await migrate(connection, tables);
    }),
  );
}

const SERVER = defineStatement(
  `SELECT current_setting('server_version_num')::integer, current_setting('server_encoding'),
          current_setting('transaction_read_only'), current_setting('server_version')`,
);

async function checkServer(connection: Connection): Promise<void> {
  const [[version, encoding, isReadOnly, text] = []] = await connection.query(SERVER, []);
  if (Number(version) < MIN_SERVER_VERSION)
    throw new DatabaseUnusable(`PostgreSQL ${String(text)} is too old: 15 or newer is required`, { hint: 'Upgrade the database server' });
  if (encoding !== 'UTF8')
    throw new DatabaseUnusable(`The encoding of the database is ${String(encoding)}, not UTF8`, {
      hint: "Create a database with CREATE DATABASE stockroom ENCODING 'UTF8' TEMPLATE template0",
    });
  if (isReadOnly === 'on')
    throw new DatabaseUnusable('The database is read-only', { hint: 'Connect to the primary server, as a user who may write' });
}

interface Version {
  readonly version: number;
  readonly oldestCompatible: number;
}

/** True for a version that needs no migration. Throws for one that is too new. */
function isUsable({ version, oldestCompatible }: Version): boolean {
  if (version < SCHEMA_VERSION.current) return false;
  if (oldestCompatible > SCHEMA_VERSION.current)
    throw new DatabaseUnusable(
      `The schema of the database has version ${String(version)}; this release supports up to ${String(SCHEMA_VERSION.current)}`,
      { hint: 'Upgrade stockroom' },
    );
  return true;
}

const HAS_SCHEMA = defineStatement(`SELECT to_regclass('${SCHEMA}.schema_info') IS NOT NULL`);
const READ_VERSION = defineStatement(`SELECT version, oldest_compatible FROM ${SCHEMA}.schema_info`);

export async function hasSchema(connection: Connection): Promise<boolean> {
  const [[exists] = []] = await connection.query(HAS_SCHEMA, []);
  return exists === true;
}

/** Undefined before the schema is created. */
async function readVersion(connection: Connection): Promise<Version | undefined> {
  if (!(await hasSchema(connection))) return undefined;
  const [[version, oldestCompatible] = []] = await connection.query(READ_VERSION, []);
  if (version === undefined) return undefined;
  return { version: Number(version), oldestCompatible: Number(oldestCompatible) };
}

async function migrate(connection: Connection, tables: readonly TableColumns[]): Promise<void> {
  await connection.execute(LOCK_SCHEMA);
  const extensions = {
    trigramSchema: await prepareExtension(connection, 'pg_trgm'),
    hasBtreeGin: (await prepareExtension(connection, 'btree_gin')) !== undefined,
  };
  // Another daemon may have migrated while this one waited for the lock.
  const found = await readVersion(connection);
  if (found === undefined || !isUsable(found)) {
    for (let version = (found?.version ?? 0) + 1; version <= SCHEMA_VERSION.current; version += 1)
      await connection.execute((MIGRATIONS[version]?.(tables, extensions, found === undefined) ?? []).join(';\n'), MIGRATION_TIMEOUT_MS);
    const { current, oldestCompatible } = SCHEMA_VERSION;
    await connection.execute(
      `DELETE FROM ${SCHEMA}.schema_info; INSERT INTO ${SCHEMA}.schema_info VALUES (${String(current)}, ${String(oldestCompatible)})`,
    );
  }
  await connection.execute('COMMIT');
}

const FIND_EXTENSION = defineStatement(
  'SELECT quote_ident(nspname) FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_namespace AS n ON n.oid = e.extnamespace WHERE extname = $1',
);

/** The schema in which an extension is, undefined if there is none. Creates it if the user may. */
async function prepareExtension(connection: Connection, name: string): Promise<string | undefined> {
  await connection.execute('SAVEPOINT extension');
  try {
    // In the schema where most administrators create it: that of stockroom may be dropped.
    await connection.execute(`CREATE EXTENSION IF NOT EXISTS ${name} SCHEMA public`);
  } catch {
    await connection.execute('ROLLBACK TO SAVEPOINT extension');
  }
  const [[schema] = []] = await connection.query(FIND_EXTENSION, [name]);
  return schema as string | undefined;
}

function createTable(table: TableColumns, extensions: Extensions): string[] {
  const { name, keys, uniques, columns, spec } = table;
  const lines = columns.map((column) => defineColumn(table, column));
  const constraints = uniques.map(({ sqlName }) => `UNIQUE (tenant, ${sqlName}) DEFERRABLE INITIALLY DEFERRED`);
  const create = `CREATE TABLE ${name} (\n  ${['tenant text COLLATE "C" NOT NULL', ...lines, ...constraints].join(',\n  ')}\n)`;
  // Last: of indexes that seem equally good, as all do in a table that was empty when the server analyzed it, the planner takes the newest.
  const primaryKey = `ALTER TABLE ${name} ADD PRIMARY KEY (tenant, "id")`;
  const ordered = table.layout.orders
    .filter(({ steps: [first] }) => first?.column !== 0)
    .map(({ steps }) => steps.map(({ column, descending }) => `${keys[column]!.name}${descending ? ' DESC' : ''}`).join(', '))
    .map((steps) => `CREATE INDEX ON ${name} (tenant, ${steps}, "id")`);
  const filters = listFilterColumns(table).map((column) => createFilterIndex(table, column));
  const tenant = extensions.hasBtreeGin ? 'tenant, ' : '';
  const arrays = keys.filter(({ type }) => type === 'texts').map((key) => `CREATE INDEX ON ${name} USING gin (${tenant}${key.name})`);
  const search =
    table.hasSearch && extensions.trigramSchema !== undefined
      ? [`CREATE INDEX ON ${name} USING gin (${tenant}search ${extensions.trigramSchema}.gin_trgm_ops)`]
      : [];
  return [create, ...ordered, ...filters, ...arrays, ...search, primaryKey, createView(table, spec)];
}

/** The columns of filters with which no order starts. */
const listFilterColumns = ({ layout, keys }: TableColumns): string[] =>
  layout.indexes.filter((index) => !layout.orders.includes(index)).map(({ steps: [first] }) => keys[first!.column]!.name);

/** Lists in this order continue within the index of a filter. */
const hasOrderById = ({ layout }: TableColumns): boolean => layout.orders.some(({ steps: [first] }) => first?.column === 0);

/**
 * Without the id, rows with the same value share an entry: the index takes a tenth of the space, and a new row less time. No other order than that
 * by id needs it.
 */
const createFilterIndex = (table: TableColumns, column: string): string =>
  `CREATE INDEX ON ${table.name} (tenant, ${column}${hasOrderById(table) ? ', "id"' : ''})`;

/** In earlier releases, all indexes of filters end with the id, and some fields have one that no list uses. */
function replaceFilterIndexes(table: TableColumns): string[] {
  if (hasOrderById(table)) return [];
  const quote = (columns: readonly string[]): string => `'{${columns.map((column) => column.replaceAll('"', '')).join(',')}}'::text[]`;
  const ordered = quote(table.layout.orders.map(({ steps: [first] }) => table.keys[first!.column]!.name));
  return [
    `DO $$ DECLARE old record; BEGIN
       FOR old IN
         SELECT indexrelid::regclass AS name, columns[2] AS filter FROM pg_index CROSS JOIN LATERAL (SELECT ARRAY(
           SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS key (number, place)
             JOIN pg_attribute ON attrelid = indrelid AND attnum = number ORDER BY place) AS columns) AS named
         WHERE indrelid = '${table.name}'::regclass AND NOT indisunique AND columns[3:] = '{id}' AND columns[2] <> ALL (${ordered})
       LOOP
         EXECUTE format('DROP INDEX %s', old.name);
         IF old.filter = ANY (${quote(listFilterColumns(table))}) THEN
           EXECUTE format('CREATE INDEX ON ${table.name} (tenant, %I)', old.filter);
         END IF;
       END LOOP;
     END $$`,
  ];
}

/** Keys have a default, so that a release that does not know a field writes rows without it. */
function defineColumn(table: TableColumns, { name, type }: TableColumns['columns'][number]): string {
  if (isNullable(table, name)) return `${name} ${type}`;
  const key = table.keys.slice(1).find((each) => each.name === name);
  return `${name} ${type} NOT NULL${key === undefined ? '' : ` DEFAULT '${String(getNullValue(key.type))}'`}`;
}

/** Adds the columns of a unique key of one field to a table that was created without it, and the field to its view. */
function addUniqueField(table: TableColumns, field: string): string[] {
  const { name, keys, uniques, columns, spec } = table;
  const unique = uniques.find((each) => each.name === field);
  if (unique === undefined) return [];
  const added = columns.filter(
    (column) => column.name === unique.sqlName || keys.some((key) => key.field === field && key.name === column.name),
  );
  const actions = [
    ...added.map((column) => `ADD COLUMN ${defineColumn(table, column)}`),
    `ADD UNIQUE (tenant, ${unique.sqlName}) DEFERRABLE INITIALLY DEFERRED`,
  ];
  return [`ALTER TABLE ${name} ${actions.join(', ')}`, `DROP VIEW ${toViewName(spec)}`, createView(table, spec)];
}

const isNullable = ({ keys, uniques }: TableColumns, name: string): boolean =>
  uniques.some(({ sqlName }) => sqlName === name) || keys.some((key) => key.name === name && key.type === 'texts');

const toViewName = ({ name }: TableSpec): string => `${SCHEMA}."${toSnakeCase(name)}"`;

/** The indexed fields by name, and the whole row. */
function createView({ name, keys }: TableColumns, spec: TableSpec): string {
  const fields = [...new Set(keys.slice(1).map(({ field }) => field))].map((field) => {
    const value = spec.arrayFilters.includes(field) ? `"row" -> '${field}'` : `"row" ->> '${field}'`;
    const type = spec.types[field];
    return `${type === undefined ? value : `(${value})::${type === 'number' ? 'numeric' : type}`} AS ${toSqlName(field)}`;
  });
  return `CREATE VIEW ${toViewName(spec)} AS SELECT ${['tenant', '"id"', ...fields, '"row"'].join(', ')} FROM ${name}`;
}
