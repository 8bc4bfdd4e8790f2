/** Errors of opening a database, for the user. Loads no driver: most daemons have no database. */
import { StoreUnavailable } from '../../domain/kernel/ports.ts';
import { type Member, TestClockConflict } from '../../domain/kernel/shared-state.ts';
import type { DatabaseUnusable } from '../../store/postgres/index.ts';
import { DaemonError } from '../errors.ts';
import { removePassword } from '../store-address.ts';

/** Instances with this prefix are no daemons: `stockroom migrate` needs its databases alone. */
export const MIGRATION_PREFIX = 'migrate-';

export const isMigration = ({ instanceId }: Member): boolean => instanceId.startsWith(MIGRATION_PREFIX);

/** A DaemonError that says what is wrong with which database; other errors, which are bugs, as they are. `url` may have a password. */
export function explainDatabaseError(url: string, thrown: unknown): unknown {
  const error = explain(thrown);
  if (!(error instanceof DaemonError)) return error;
  const address = removePassword(new URL(url)).href;
  if (error.message.includes(address)) return error;
  const { code, message, hint, cause } = error;
  return new DaemonError(code, `${message} (${address})`, { hint, cause });
}

function explain(cause: unknown): unknown {
  if (isDatabaseUnusable(cause)) return new DaemonError('STORE', cause.message, { hint: cause.hint, cause });
  if (cause instanceof TestClockConflict && cause.others.some(isMigration))
    return new DaemonError('STORE', '`stockroom migrate` copies the data of this database', { hint: MIGRATION_HINT, cause });
  if (cause instanceof TestClockConflict) return explainTestClockConflict(cause);
  if (cause instanceof StoreUnavailable) return new DaemonError('STORE', cause.message, { hint: UNREACHABLE_HINT, cause });
  return cause;
}

const isDatabaseUnusable = (cause: unknown): cause is DatabaseUnusable => cause instanceof Error && cause.name === 'DatabaseUnusable';

function explainTestClockConflict(cause: TestClockConflict): DaemonError {
  const others = cause.others.map(({ url, instanceId }) => url ?? instanceId).join(', ');
  return new DaemonError('STORE', `${cause.message}; running: ${others}`, {
    hint: 'Stop the other daemons, or use another database. A daemon that was killed counts as running for 10 seconds',
    cause,
  });
}

const MIGRATION_HINT = 'Start the daemon when that has ended; one that was killed counts as running for 10 seconds';
const UNREACHABLE_HINT = 'Check the address, and that the database server is running';
