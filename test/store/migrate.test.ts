/** Copies of all data between data directories and databases. The end-to-end test compares what the API replies before and after. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readUnfinishedCopy } from '../../src/daemon/data-directory/unfinished-copy.ts';
import { lockDataDirectory } from '../../src/daemon/data-directory/lock.ts';
import type { MigrationResult } from '../../src/daemon/migrate/migrate-data.ts';
import { getDemoTenantId } from '../../src/demo/apply-scenario.ts';
import { DEMO_TENANTS, loadDemo } from '../../src/demo/load-demo.ts';
import { tables } from '../../src/domain/tables.ts';
import { openDatabaseState, openPostgresStore, readUnfinishedCopy as readUnfinishedDatabaseCopy } from '../../src/store/postgres/index.ts';
import {
  type AddressedDatabase,
  createDirectoryWithRows,
  createPath,
  createTestDatabase,
  interruptMigration,
  migrate,
  useDirectory,
} from '../support/resources/migrations.ts';

const TENANT = getDemoTenantId(DEMO_TENANTS[0]!.slug);
const RECEIVER_PORT = 1;

async function createDemoDirectory(now = new Date()): Promise<string> {
  const directory = await createPath('data');
  await useDirectory(directory, (store) => loadDemo(store, { now, receiverPort: RECEIVER_PORT }), { now: () => now });
  return directory;
}

async function openDatabase({ url }: AddressedDatabase, instanceId = 'test') {
  const store = await openPostgresStore({ url, tables, instanceId });
  onTestFinished(() => store.close());
  return store;
}

const getDigests = ({ tables: compared }: MigrationResult) =>
  compared.map(({ tenant, table, rows, sha256 }) => ({ tenant, table, rows, sha256 }));

test('a copy from a data directory to PostgreSQL and back has the same rows, and passes all checks', async () => {
  const [directory, database, copy] = [await createDemoDirectory(), await createTestDatabase(), await createPath('copy')];
  const there = await migrate(directory, database.address, { env: database.env });
  expect(there).toMatchObject({ ok: true, from: directory, to: database.address, resumedRows: 0 });
  expect(there.rows).toBeGreaterThan(1_000);
  expect(there.checks.length).toBeGreaterThan(5);
  expect(there.checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(new Set(there.tables.map(({ tenant }) => tenant))).toEqual(new Set([null, ...DEMO_TENANTS.map(({ slug }) => slug)]));
  const back = await migrate(database.address, copy, { env: database.env });
  expect(back).toMatchObject({ ok: true, rows: there.rows });
  expect(getDigests(back)).toEqual(getDigests(there));
  // Nothing of the migration stays.
  expect(readUnfinishedCopy(copy)).toBeUndefined();
  const again = await migrate(copy, await createPath('other'));
  expect(getDigests(again)).toEqual(getDigests(there));
});

test('an interrupted copy continues where it was, and keeps daemons away until it is complete', async () => {
  const directory = await createDirectoryWithRows(6_000);
  const database = await createTestDatabase();
  await interruptMigration(directory, database, 2_000);
  const store = await openDatabase(database);
  const [{ tenant } = { tenant: '' }] = await store.readFirstRows('auditEvents');
  const copied = await store.read(tenant, (tx) => tx.auditEvents.count());
  expect(copied).toBeGreaterThanOrEqual(2_000);
  expect(copied).toBeLessThan(6_000);
  const steps: number[] = [];
  const { ok, resumedRows, rows } = await migrate(directory, database.address, {
    env: database.env,
    onProgress: ({ step, done }) => void (step === 'copied' && steps.push(done)),
  });
  expect({ ok, rows }).toEqual({ ok: true, rows: expect.any(Number) as number });
  expect(resumedRows).toBeGreaterThanOrEqual(copied);
  expect(steps[0]).toBeGreaterThan(resumedRows);
  expect(steps.at(-1)).toBe(rows);
});

test('a copy stays marked until the checks have ended, so that one that is killed then can be continued', async () => {
  const [directory, copy] = [await createDirectoryWithRows(300), await createPath('copy')];
  let isMarked: boolean | undefined;
  await migrate(directory, copy, {
    onProgress({ step, done, total }) {
      if (step === 'compared' && done === total) setImmediate(() => (isMarked ??= readUnfinishedCopy(copy) !== undefined));
    },
  });
  expect(isMarked).toBe(true);
  expect(readUnfinishedCopy(copy)).toBeUndefined();
});

test('an interrupted copy is refused when the source has changed since, or is another one', async () => {
  const directory = await createDirectoryWithRows(3_000);
  const database = await createTestDatabase();
  await interruptMigration(directory, database, 1);
  const refusal = {
    name: 'DaemonError',
    code: 'TARGET_NOT_EMPTY',
    exit: 5,
    message: expect.stringContaining('the source has changed') as string,
  };
  await expect(migrate(await createDirectoryWithRows(3), database.address, { env: database.env })).rejects.toMatchObject(refusal);
  await useDirectory(directory, async (store) => {
    const [{ tenant, row } = {}] = await store.readFirstRows('auditEvents');
    await store.transact(tenant!, (tx) => tx.auditEvents.put({ ...row!, actorId: 'other' }));
  });
  await expect(migrate(directory, database.address, { env: database.env })).rejects.toMatchObject(refusal);
});

test('commits after the copy are later than the copied rows, also when these are ahead of the system time', async () => {
  const future = new Date(Date.now() + 7_200_000);
  const [directory, database] = [await createDemoDirectory(future), await createTestDatabase()];
  const notices: string[] = [];
  await migrate(directory, database.address, { env: database.env, onNotice: (message) => notices.push(message) });
  expect(notices.join('\n')).toContain('The latest change of tenant');
  const store = await openDatabase(database);
  const latest = (await store.readFirstRows('auditEvents', { descending: true })).find(({ tenant }) => tenant === TENANT);
  const { now } = await store.transact(TENANT, (tx) => Promise.resolve({ now: tx.now }));
  expect(now.toISOString() > latest!.row.createdAt).toBe(true);
});

test('a target with other data is refused', async () => {
  const [directory, database] = [await createDirectoryWithRows(10), await createTestDatabase()];
  await migrate(directory, database.address, { env: database.env });
  const refusal = { code: 'TARGET_NOT_EMPTY', exit: 5, message: `${database.address} already has data` };
  await expect(migrate(directory, database.address, { env: database.env })).rejects.toMatchObject(refusal);
  const other = await createDirectoryWithRows(1);
  await expect(migrate(directory, other)).rejects.toMatchObject({ code: 'TARGET_NOT_EMPTY', message: `${other} already has data` });
  const home = await createPath('home');
  await mkdir(home);
  await writeFile(join(home, 'letter.txt'), '');
  await expect(migrate(directory, home)).rejects.toMatchObject({
    code: 'TARGET_NOT_EMPTY',
    message: `${home} is no data directory: it contains letter.txt`,
  });
  expect(await readdir(home)).toEqual(['letter.txt']);
});

test('a locked data directory and a database with daemons are refused', async () => {
  const [directory, database] = [await createDirectoryWithRows(10), await createTestDatabase()];
  const lock = lockDataDirectory(directory);
  await expect(migrate(directory, database.address, { env: database.env })).rejects.toMatchObject({
    code: 'DATA_DIRECTORY_LOCKED',
    exit: 7,
  });
  lock?.release();
  const store = await openDatabase(database);
  const self = { instanceId: 'daemon', version: '1', hasTestClock: false };
  const state = await openDatabaseState({ database: store.database, self, onError: () => undefined });
  await state.members.setUrl('http://127.0.0.1:1');
  const refusal = { code: 'STORE', exit: 7, message: `Daemons use the database ${database.address}: http://127.0.0.1:1` };
  await expect(migrate(directory, database.address, { env: database.env })).rejects.toMatchObject(refusal);
  await expect(migrate(database.address, await createPath('copy'), { env: database.env })).rejects.toMatchObject(refusal);
  await state.close();
  expect(await migrate(directory, database.address, { env: database.env })).toMatchObject({ ok: true });
});

test('a copy that differs is reported, and daemons still refuse the target', async () => {
  const [directory, database] = [await createDirectoryWithRows(6_000), await createTestDatabase()];
  await interruptMigration(directory, database, 2_000);
  const store = await openDatabase(database);
  const [{ tenant, row } = { tenant: '', row: undefined }] = await store.readFirstRows('auditEvents');
  await store.transact(tenant, (tx) => tx.auditEvents.put({ ...row!, actorId: 'other' }));
  const { ok, tables: compared, checks } = await migrate(directory, database.address, { env: database.env });
  expect({ ok, checks }).toEqual({ ok: false, checks: [] });
  expect(compared.filter((each) => !each.ok).map(({ table }) => table)).toEqual(['auditEvents']);
  expect(await readUnfinishedDatabaseCopy(store.database)).toMatch(/^[\da-f]{64}$/u);
});
