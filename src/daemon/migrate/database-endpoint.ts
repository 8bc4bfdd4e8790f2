/** A PostgreSQL database as one end of a migration. A migration joins its daemons as one that must be alone, which keeps others away. */
import { randomUUID } from 'node:crypto';
import { type Members, TestClockConflict } from '../../domain/kernel/shared-state.ts';
import { tables } from '../../domain/tables.ts';
import type { PostgresStore } from '../../store/postgres/index.ts';
import { DaemonError } from '../errors.ts';
import { version } from '../package-info.ts';
import { MIGRATION_PREFIX, explainDatabaseError, isMigration } from '../service/database-errors.ts';
import { getStoreUrls } from '../store-address.ts';
import { CACHED_ROWS, type Endpoint, type EndpointOptions } from './endpoint.ts';

/** `address`: without a password, which is in the environment. */
export async function openDatabase(address: string, { role, clock, env, onNotice }: EndpointOptions): Promise<Endpoint> {
  const postgres = await import('../../store/postgres/index.ts');
  const { url } = getStoreUrls(address, env);
  const instanceId = MIGRATION_PREFIX + randomUUID();
  const joined: { members?: Members } = {};
  let store: PostgresStore<typeof tables> | undefined;
  try {
    if (role === 'source' && !(await postgres.isPrepared(url)))
      throw new DaemonError('STORE', `The database ${address} has no data`, { hint: 'Name a database that daemons have used' });
    store = await postgres.openPostgresStore({
      url,
      tables,
      clock,
      instanceId,
      cachedRows: CACHED_ROWS,
      onNotice: ({ message }) => onNotice(message),
      // One that could not report counts as dead, and does not keep daemons away any more.
      findClockProblem: () => (joined.members?.hasClockConflict() ? 'a daemon uses the database, too' : undefined),
    });
    const opened = store;
    const { database } = opened;
    const sharedState = await postgres.openDatabaseState({
      database,
      self: { instanceId, version, hasTestClock: true },
      // Reported again every two seconds; a copy that lost its database fails by itself.
      onError: () => undefined,
    });
    joined.members = sharedState.members;
    return {
      name: address,
      store: opened,
      readDataVersion: () => postgres.readDataVersion(database),
      readUnfinishedCopy: () => postgres.readUnfinishedCopy(database),
      markUnfinishedCopy: (source) => postgres.markUnfinishedCopy(database, source),
      removeUnfinishedCopyMark: () => postgres.removeUnfinishedCopyMark(database),
      async [Symbol.asyncDispose]() {
        await sharedState.close();
        await opened.close();
      },
    };
  } catch (error) {
    await store?.close();
    throw explainError(address, error);
  }
}

function explainError(address: string, cause: unknown): unknown {
  if (!(cause instanceof TestClockConflict)) return explainDatabaseError(address, cause);
  const { others } = cause;
  if (others.some(isMigration))
    return new DaemonError('STORE', `Another \`stockroom migrate\` uses the database ${address}`, {
      hint: 'Wait until it has ended; one that was killed counts as running for 10 seconds',
      cause,
    });
  const urls = others.map(({ url }) => url ?? 'one that is starting').join(', ');
  return new DaemonError('STORE', `Daemons use the database ${address}: ${urls}`, {
    hint: 'Stop all of them; one that was killed counts as running for 10 seconds',
    cause,
  });
}
