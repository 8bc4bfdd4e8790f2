/** A daemon that was cut off from its database, while one that must be alone has joined: one with a test clock, or a migration. */
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase as openMigrationEndpoint } from '../../../src/daemon/migrate/database-endpoint.ts';
import { createRealClock, createTestClock } from '../../../src/daemon/service/clocks/clock.ts';
import { createDatabaseClock } from '../../../src/daemon/service/clocks/database-clock.ts';
import { openDatabase } from '../../../src/daemon/service/open-store.ts';
import { createIdGenerator } from '../../../src/daemon/service/ordered-ids.ts';
import type { StockroomStore } from '../../../src/domain/tables.ts';
import { createDatabase } from '../../support/postgres/databases.ts';
import { createTestDatabase } from '../../support/resources/migrations.ts';
import { runSql } from '../../support/postgres/sql.ts';

test.each(['real', 'test'])('a daemon with a %s clock rejects changes while another live one must be alone or is not', async (kind) => {
  const database = await createDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  const databaseClock = createDatabaseClock();
  const { store, sharedState, close } = await openDatabase({
    url: database.url,
    databaseClock,
    instanceId: 'one',
    version: '1',
    clock: kind === 'real' ? createRealClock(databaseClock.source) : createTestClock(),
    newId: createIdGenerator(),
    log: pino({ level: 'silent' }),
  });
  onTestFinished(async () => {
    await sharedState.close();
    await close();
  });
  expect(await tryChanges(store, database.url, kind === 'real')).toEqual(REJECTED_MEANWHILE);
});

test('a migration that counted as dead rejects changes while a daemon has joined meanwhile', async () => {
  const { address, url, env } = await createTestDatabase();
  const clock = { now: () => new Date() };
  await using target = await openMigrationEndpoint(address, { role: 'target', clock, env, onNotice: () => undefined });
  expect(await tryChanges(target.store, url, false)).toEqual(REJECTED_MEANWHILE);
});

const REJECTED_MEANWHILE = [
  'committed',
  expect.stringMatching(/The store is unavailable: .*(?:must be the only one|uses the database)/u) as unknown,
  'committed',
];

/** The outcomes of changes before, while and after another daemon is live that must be alone or with which the store must not be. */
async function tryChanges(store: StockroomStore, url: string, hasOtherTestClock: boolean): Promise<string[]> {
  const change = () =>
    store
      .transact('', (tx) => tx.tiers.put({ id: 'free', requestsPerMinute: 1, updatedAt: tx.now.toISOString() }))
      .then(
        () => 'committed',
        (error: unknown) => String(error),
      );
  const before = await change();
  // As if the other had joined while this one counted as dead.
  const values = `'other', '1', clock_timestamp() + interval '9 s', ${String(hasOtherTestClock)}`;
  await runSql(url, `INSERT INTO stockroom.members (instance_id, version, seen_at, test_clock) VALUES (${values})`);
  await expect.poll(change).not.toBe('committed');
  const during = await change();
  await runSql(url, `DELETE FROM stockroom.members WHERE instance_id = 'other'`);
  await expect.poll(change).toBe('committed');
  return [before, during, await change()];
}
