import { expect, test } from 'vitest';
import { getCheckProgress, runCheck } from '../../../src/api/admin/data-checks/run-check.ts';
import { tables } from '../../../src/domain/tables.ts';
import { defineStatement } from '../../../src/store/postgres/database.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { createDatabaseLeases } from '../../../src/store/postgres/shared-state/leases.ts';
import { takeDatabase } from '../../support/postgres/databases.ts';
import { createStoreTemplate } from '../../support/postgres/store-database.ts';

const PARTICIPANTS = defineStatement(`SELECT name FROM stockroom.leases WHERE name LIKE 'doctor@%' ORDER BY name`);

test('one check of a database runs at a time: that of another daemon waits for it, and a repeated request gets its result', async () => {
  await using database = await takeDatabase(createStoreTemplate('service', tables));
  await using stack = new AsyncDisposableStack();
  const openDaemon = async (instanceId: string) => {
    const store = await openPostgresStore({ url: database.url, tables });
    stack.defer(() => store.close());
    const leases = createDatabaseLeases({ database: store.database, instanceId, onError: () => undefined });
    return { store, leases };
  };
  const [one, two] = [await openDaemon('one'), await openDaemon('two')];
  const events: string[] = [];
  const end = Promise.withResolvers<void>();
  const check = (name: string, until: Promise<void>) => async () => {
    events.push(`${name} starts`);
    await until;
    events.push(`${name} ends`);
    return { ok: true, checks: [{ name, ok: true, detail: '' }] };
  };
  const first = runCheck(one, '', check('first', end.promise));
  await expect.poll(() => getCheckProgress(one.store).status).toBe('running');
  const second = runCheck(two, '', check('second', Promise.resolve()));
  const repeated = runCheck(one, '', check('repeated', Promise.resolve()));
  await expect.poll(() => getCheckProgress(two.store).status).toBe('waiting');
  const listParticipants = async () => (await one.store.database.query(PARTICIPANTS, [])).map(([name]) => name);
  await expect.poll(listParticipants).toEqual(['doctor@one', 'doctor@two']);
  expect(events).toEqual(['first starts']);
  end.resolve();
  await Promise.all([first, second, repeated]);
  expect(events).toEqual(['first starts', 'first ends', 'second starts', 'second ends']);
  expect(await repeated).toBe(await first);
  expect(getCheckProgress(two.store).status).toBe('idle');
});
