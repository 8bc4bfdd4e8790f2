/** What a daemon has to know about the server: whether it is the same as before, and whether it accepts changes. */
import { type Queryable, SHORT_TIMEOUT_MS, defineStatement } from './database.ts';

export interface ServerState {
  /** Differs after a restart, a promotion and a restore. */
  readonly identity: string;
  /** Differs after a promotion and a restore. */
  readonly cluster: string;
  /** A standby, a demoted primary, or one whose provider has stopped changes. */
  readonly isReadOnly: boolean;
  /** Milliseconds since the epoch, by the clock of the server. */
  readonly time: number;
}

// The timeline is in the name of the log file that is written now; a standby writes none.
const READ = defineStatement(
  `SELECT (SELECT system_identifier::text FROM pg_catalog.pg_control_system()),
     CASE WHEN pg_catalog.pg_is_in_recovery() THEN '' ELSE
       pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8) END,
     extract(epoch FROM pg_catalog.pg_postmaster_start_time())::text,
     pg_catalog.current_setting('transaction_read_only'),
     extract(epoch FROM pg_catalog.clock_timestamp()) * 1000`,
  SHORT_TIMEOUT_MS,
);

export async function readServerState(database: Queryable): Promise<ServerState> {
  const [[system, timeline, startedAt, isReadOnly, time] = []] = await database.query(READ, []);
  const cluster = [system, timeline].join('/');
  return { identity: [cluster, startedAt].join('/'), cluster, isReadOnly: isReadOnly === 'on', time: Number(time) };
}
