/**
 * The live daemons of a database: each reports every two seconds that it is alive, by the clock of the database. A daemon without connection
 * counts as dead after a while, so each report also finds a daemon with a test clock that has started meanwhile.
 */
import { type Member, type Members, TestClockConflict } from '../../../domain/kernel/shared-state.ts';
import { type Connection, type Database, type Queryable, type ResultRow, SHORT_TIMEOUT_MS, defineStatement } from '../database.ts';
import { tryRepeatedly } from '../try-lock.ts';
import { SCHEMA } from '../table-columns.ts';

export const MEMBERS_DDL: readonly string[] = [
  `CREATE TABLE ${SCHEMA}.members (
    instance_id text COLLATE "C" PRIMARY KEY,
    url text,
    version text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    test_clock boolean NOT NULL
  ) WITH (fillfactor = 50)`,
];

const HEARTBEAT_MS = 2_000;
/** A daemon that was not seen for so long is dead. */
const DEAD_AFTER_MS = 10_000;

const COLUMNS = 'instance_id, url, version, started_at, seen_at, test_clock';
/** A report from the future is from before the clock of the server was set back: a live daemon soon replaces it. */
const IS_LIVE = `seen_at BETWEEN clock_timestamp() - pg_catalog.make_interval(secs => $1) AND clock_timestamp() + pg_catalog.make_interval(secs => $1)`;
const LIST = defineStatement(
  `SELECT ${COLUMNS} FROM ${SCHEMA}.members WHERE ${IS_LIVE} ORDER BY started_at, instance_id`,
  SHORT_TIMEOUT_MS,
);
const DELETE_DEAD = defineStatement(`DELETE FROM ${SCHEMA}.members WHERE NOT (${IS_LIVE})`, SHORT_TIMEOUT_MS);
const REPORT = defineStatement(
  `INSERT INTO ${SCHEMA}.members (instance_id, url, version, test_clock) VALUES ($1, $2, $3, $4)
   ON CONFLICT (instance_id) DO UPDATE SET seen_at = clock_timestamp(), url = excluded.url
   RETURNING EXISTS (
     SELECT FROM ${SCHEMA}.members AS other
     WHERE instance_id <> $1 AND (test_clock OR $4) AND ${IS_LIVE.replaceAll('$1', '$5')}
   )`,
  SHORT_TIMEOUT_MS,
);
const LEAVE = defineStatement(`DELETE FROM ${SCHEMA}.members WHERE instance_id = $1`, SHORT_TIMEOUT_MS);

/** Locks a row that exists always and that nothing else waits for. */
const BEGIN_JOIN = `BEGIN; SET LOCAL lock_timeout = '1s'; SET LOCAL idle_in_transaction_session_timeout = '5s';
  SELECT FROM ${SCHEMA}.schema_info FOR UPDATE`;

export interface MembersOptions {
  readonly database: Database;
  readonly self: Pick<Member, 'instanceId' | 'version' | 'hasTestClock'>;
  /** Called when a report failed; the next one follows in any case. */
  readonly onError: (error: unknown) => void;
  readonly heartbeatMs?: number;
  readonly deadAfterMs?: number;
}

export interface DatabaseMembers extends Members {
  leave(): Promise<void>;
}

/** Throws `TestClockConflict` if this daemon or a live one has a test clock. */
export async function joinMembers(options: MembersOptions): Promise<DatabaseMembers> {
  const { database, self, onError, heartbeatMs = HEARTBEAT_MS, deadAfterMs = DEAD_AFTER_MS } = options;
  const deadAfterSeconds = deadAfterMs / 1_000;
  let url: string | null = null;
  let hasClockConflict = false;
  const report = async (connection: Queryable): Promise<void> => {
    const [[isConflict] = []] = await connection.query(REPORT, [self.instanceId, url, self.version, self.hasTestClock, deadAfterSeconds]);
    hasClockConflict = isConflict === true;
  };
  const list = async (connection: Queryable) => (await connection.query(LIST, [deadAfterSeconds])).map(toMember);

  const join = async (connection: Connection): Promise<void> => {
    // One daemon after the other, so that two cannot join without seeing each other.
    await connection.execute(BEGIN_JOIN, SHORT_TIMEOUT_MS);
    await connection.query(DELETE_DEAD, [deadAfterSeconds]);
    const others = await list(connection);
    const conflicting = self.hasTestClock ? others : others.filter(({ hasTestClock }) => hasTestClock);
    if (conflicting.length > 0) throw new TestClockConflict(conflicting);
    await report(connection);
    await connection.execute('COMMIT', SHORT_TIMEOUT_MS);
  };
  await tryRepeatedly(() => database.use(join));
  /** The report in progress. */
  let reporting: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    reporting ??= report(database)
      .catch(onError)
      .finally(() => (reporting = undefined));
  }, heartbeatMs).unref();
  return {
    list: () => list(database),
    hasClockConflict: () => hasClockConflict,
    async setUrl(newUrl) {
      url = newUrl;
      await report(database);
    },
    async leave() {
      clearInterval(timer);
      // A late report would add the daemon again.
      await reporting;
      await database.query(LEAVE, [self.instanceId]);
    },
  };
}

const toMember = ([instanceId, url, version, startedAt, seenAt, hasTestClock]: ResultRow): Member => ({
  instanceId: String(instanceId),
  url: url as string | null,
  version: String(version),
  startedAt: (startedAt as Date).toISOString(),
  seenAt: (seenAt as Date).toISOString(),
  hasTestClock: hasTestClock === true,
});
