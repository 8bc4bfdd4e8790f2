/** Several stores on one database, as several daemons have them. */
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/domain/kernel/ports.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { takeDatabase } from '../../support/postgres/databases.ts';
import { createStoreTemplate } from '../../support/postgres/store-database.ts';
import { type Things, tables } from '../fixtures.ts';

const template = createStoreTemplate('conformance', tables);

export type ThingStore = Awaited<ReturnType<typeof openPostgresStore<Things>>>;

export interface StoreSettings {
  readonly clock?: Clock;
  readonly listenUrl?: string;
  readonly pollMs?: number;
  readonly maxAheadMs?: number;
  readonly onNotice?: (notice: unknown) => void;
}

/** An address of an empty database, until the test has ended. */
export async function takeUrl(): Promise<string> {
  const database = await takeDatabase(template);
  onTestFinished(() => database[Symbol.asyncDispose]());
  return database.url;
}

/** Opens a store, which is closed when the test has ended. */
export async function openStoreAt(url: string, settings: StoreSettings = {}): Promise<ThingStore> {
  const store = await openPostgresStore({ url, tables, ...settings });
  onTestFinished(() => store.close());
  return store;
}

/** Opens two stores on one database. */
export async function openTwoStores(first: StoreSettings = {}, second: StoreSettings = {}): Promise<[ThingStore, ThingStore]> {
  const url = await takeUrl();
  return [await openStoreAt(url, first), await openStoreAt(url, second)];
}
