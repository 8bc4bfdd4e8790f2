/** Data directories with data, and migrations of them, for tests in this process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type MigrationOptions, type MigrationResult, migrateData } from '../../../src/daemon/migrate/migrate-data.ts';
import { createFirstTenant } from '../../../src/daemon/service/bootstrap.ts';
import { createIdGenerator } from '../../../src/daemon/service/ordered-ids.ts';
import type { AuditRecord } from '../../../src/domain/events/records.ts';
import type { Clock, NewId } from '../../../src/domain/kernel/ports.ts';
import { type StockroomStore, tables } from '../../../src/domain/tables.ts';
import { openFileStore } from '../../../src/store/file/index.ts';
import { type Database, createDatabase } from '../postgres/databases.ts';

/** A path in a new directory, which is removed when the test has ended. */
export async function createPath(name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sr-migrate-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return join(directory, name);
}

/** Opens the store of a directory, as a daemon would, for `work`. */
export async function useDirectory<T>(
  directory: string,
  work: (store: StockroomStore, newId: NewId) => Promise<T>,
  clock: Clock = { now: () => new Date() },
): Promise<T> {
  const newId = createIdGenerator();
  const store = await openFileStore({ directory, tables, clock, newId });
  try {
    return await work(store, newId);
  } finally {
    await store.close();
  }
}

const ROWS_PER_COMMIT = 2_000;

/** A data directory with the first tenant and so many audit rows. */
export async function createDirectoryWithRows(rows: number): Promise<string> {
  const directory = await createPath('data');
  await useDirectory(directory, async (store, newId) => {
    await createFirstTenant({ store, newId });
    const [tenant] = (await store.read('', (tx) => tx.tenants.listAfter({ limit: 1 }))).rows;
    for (let done = 0; done < rows; done += ROWS_PER_COMMIT)
      await store.transact(tenant!.id, (tx) =>
        tx.auditEvents.putMany(Array.from({ length: Math.min(ROWS_PER_COMMIT, rows - done) }, () => createAuditRow(newId(), tx.now))),
      );
  });
  return directory;
}

const createAuditRow = (id: string, at: Date): AuditRecord => ({
  id,
  actorType: 'system',
  actorId: 'test',
  action: 'item.updated',
  resourceType: 'item',
  resourceId: id,
  metadata: { changes: { name: { from: `Bolt ${id}`, to: `Hex bolt ${id}` } } },
  ipAddress: null,
  createdAt: at.toISOString(),
});

export interface AddressedDatabase {
  /** Without the password, as in a flag. */
  readonly address: string;
  /** With the password. */
  readonly url: string;
  readonly env: { readonly STOCKROOM_STORE: string };
}

/** An empty database, which is dropped when the test has ended. */
export async function createTestDatabase(): Promise<AddressedDatabase> {
  const database: Database = await createDatabase();
  onTestFinished(() => database[Symbol.asyncDispose]());
  const address = new URL(database.url);
  address.password = '';
  return { address: address.href, url: database.url, env: { STOCKROOM_STORE: database.url } };
}

/** Aborts a migration once so many rows are copied. */
export async function interruptMigration(from: string, { address, env }: AddressedDatabase, rows: number): Promise<void> {
  const controller = new AbortController();
  const copying = migrate(from, address, {
    env,
    signal: controller.signal,
    onProgress: ({ done }) => {
      if (done >= rows) controller.abort();
    },
  });
  await expect(copying).rejects.toThrow(/abort/u);
}

/** Runs a migration to its end, unless `options` interrupt it. */
export const migrate = (from: string, to: string, options: Partial<MigrationOptions> = {}): Promise<MigrationResult> =>
  migrateData({
    from,
    to,
    env: {},
    signal: new AbortController().signal,
    onProgress: () => undefined,
    onNotice: () => undefined,
    ...options,
  });
