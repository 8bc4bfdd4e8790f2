/** A daemon that was cut off from its database, while one that must be alone has joined: one with a test clock, or a migration. */
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createRealClock, createTestClock } from '../../../src/daemon/service/clocks/clock.ts';
import { createDatabaseClock } from '../../../src/daemon/service/clocks/database-clock.ts';
import { openDatabase } from '../../../src/daemon/service/open-store.ts';
import { createIdGenerator } from '../../../src/daemon/service/ordered-ids.ts';
import { createDatabase } from '../../support/postgres/databases.ts';
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
  const change = () =>
    store
      .transact('', (tx) => tx.tiers.put({ id: 'free', requestsPerMinute: 1, updatedAt: tx.now.toISOString() }))
      .then(
        () => 'committed',
        (error: unknown) => String(error),
      );
  expect(await change()).toBe('committed');
  // As if the other had joined while this one counted as dead.
  const values = `'other', '1', clock_timestamp() + interval '9 s', ${String(kind === 'real')}`;
  await runSql(database.url, `INSERT INTO stockroom.members (instance_id, version, seen_at, test_clock) VALUES (${values})`);
  await expect.poll(change).toMatch(/The store is unavailable: .*must be the only one/u);
  await runSql(database.url, `DELETE FROM stockroom.members WHERE instance_id = 'other'`);
  await expect.poll(change).toBe('committed');
});
