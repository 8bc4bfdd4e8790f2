/**
 * The last commits of all tenants: how daemons learn which rows others have changed (notifications.ts), whether a COMMIT without an answer
 * took place (commit-outcome.ts), and which commits a server has lost (history.ts). Each group of transactions adds one entry, in its own
 * transaction of the database. Entries are kept for some minutes.
 */
import type { Commit } from '../../domain/kernel/ports.ts';
import { type Connection, type Queryable, type ResultRow, SHORT_TIMEOUT_MS, defineStatement } from './database.ts';
import { SCHEMA } from './table-columns.ts';

export const COMMIT_LOG_DDL: readonly string[] = [
  `CREATE TABLE ${SCHEMA}.commits (
    tenant text COLLATE "C" NOT NULL,
    sequence bigint NOT NULL,
    first bigint NOT NULL,
    token text COLLATE "C" NOT NULL,
    writer text COLLATE "C" NOT NULL,
    changes text,
    committed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (tenant, sequence)
  )`,
  `CREATE INDEX ON ${SCHEMA}.commits (committed_at)`,
];

type Changes = Commit['changes'];

export interface LoggedCommit {
  readonly tenant: string;
  /** The number of the first commit of the group, and of the last. */
  readonly first: number;
  readonly sequence: number;
  readonly token: string;
  readonly writer: string;
  /** By commit; undefined when they were too many to be kept. */
  readonly changes: readonly Changes[] | undefined;
}

/** Longer lists of changes are left out: others then read again what they need. */
const MAX_CHANGES_CHARS = 16_000;
const MAX_ENTRIES = 500;
const PURGE_BATCH = 5_000;
export const RETENTION_MINUTES = 5;

const INSERT = defineStatement(
  `INSERT INTO ${SCHEMA}.commits (tenant, sequence, first, token, writer, changes)
   SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[])`,
);
const SELECT_AFTER = defineStatement(
  `SELECT tenant, first, sequence, token, writer, changes FROM ${SCHEMA}.commits
   WHERE tenant = $1 AND sequence > $2 ORDER BY sequence LIMIT ${String(MAX_ENTRIES)}`,
  SHORT_TIMEOUT_MS,
);
/** The entry of the group that a commit belonged to. */
const FIND = defineStatement(
  `SELECT token FROM ${SCHEMA}.commits WHERE tenant = $1 AND sequence >= $2 AND first <= $2 ORDER BY sequence LIMIT 1`,
  SHORT_TIMEOUT_MS,
);
const PURGE = defineStatement(
  `DELETE FROM ${SCHEMA}.commits WHERE (tenant, sequence) IN (
     SELECT tenant, sequence FROM ${SCHEMA}.commits WHERE committed_at < clock_timestamp() - interval '${String(RETENTION_MINUTES)} minutes'
     ORDER BY committed_at LIMIT ${String(PURGE_BATCH)} FOR UPDATE SKIP LOCKED
   ) RETURNING 1`,
);

export async function logCommits(connection: Connection, commits: readonly LoggedCommit[]): Promise<void> {
  await connection.query(INSERT, [
    commits.map(({ tenant }) => tenant),
    commits.map(({ sequence }) => sequence),
    commits.map(({ first }) => first),
    commits.map(({ token }) => token),
    commits.map(({ writer }) => writer),
    commits.map(({ changes }) => (changes === undefined ? null : formatChanges(changes))),
  ]);
}

/** The entries of a tenant after a commit, oldest first; not all when they are many. */
export async function readCommitsAfter(database: Queryable, tenant: string, sequence: number): Promise<LoggedCommit[]> {
  return (await database.query(SELECT_AFTER, [tenant, sequence])).map(parse);
}

/** The token of the group with this commit; undefined when there is no entry. */
export async function findToken(database: Queryable, tenant: string, sequence: number): Promise<string | undefined> {
  const [[token] = []] = await database.query(FIND, [tenant, sequence]);
  return token as string | undefined;
}

export async function purgeCommits(database: Queryable): Promise<void> {
  while ((await database.query(PURGE, [])).length === PURGE_BATCH);
}

/** `+` added, `~` changed, `-` removed. */
type StoredChange = readonly [table: string, id: string, kind: '+' | '~' | '-'];

function formatChanges(changes: readonly Changes[]): string | null {
  const stored = changes.map((each) =>
    each.map(({ table, id = '', added, removed }): StoredChange => [table, id, removed ? '-' : added ? '+' : '~']),
  );
  const text = JSON.stringify(stored);
  return text.length <= MAX_CHANGES_CHARS ? text : null;
}

function parse([tenant, first, sequence, token, writer, changes]: ResultRow): LoggedCommit {
  const stored = changes === null ? undefined : (JSON.parse(changes as string) as readonly (readonly StoredChange[])[]);
  return {
    tenant: String(tenant),
    first: Number(first),
    sequence: Number(sequence),
    token: String(token),
    writer: String(writer),
    changes: stored?.map((each) => each.map(([table, id, kind]) => ({ table, id, added: kind === '+', removed: kind === '-' }))),
  };
}
