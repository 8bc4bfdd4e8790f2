/**
 * Fills a data directory with a tenant, its keys and `rows` items, and writes the same rows as plain JSON beside it, for what is compared
 * with `JSON.parse`. A process of its own, so that the bench itself stays small: `node fill.ts DIRECTORY ROWS` prints a line of JSON.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { SCOPES } from '../../src/contract/scopes.ts';
import { createKey } from '../../src/domain/tenancy/api-keys.ts';
import { tables } from '../../src/domain/tables.ts';
import { createTenant } from '../../src/domain/tenancy/tenants.ts';
import { openFileStore } from '../../src/store/file/index.ts';
import { BENCH_KEYS, BENCH_TIER } from './servers.ts';
import { categories, itemRecord, supplierLink, suppliers, unit } from './catalog-rows.ts';

export interface Filled {
  /** Secrets of keys with every scope. */
  readonly keys: readonly string[];
  /** Bytes of all rows as JSON. */
  readonly bytes: number;
}

/** Where the plain JSON of a data directory lies: files of at most `FILE_ROWS` items, because one string cannot hold a million. */
export const plainDirectory = (directory: string): string => `${directory}.json`;

const BATCH = 1_000;
const FILE_ROWS = 100_000;

if (import.meta.main) {
  const [, , directory = '', rows = '0'] = process.argv;
  process.stdout.write(`${JSON.stringify(await fill(directory, Number(rows)))}\n`);
}

async function fill(directory: string, rows: number): Promise<Filled> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const store = await openFileStore({ directory, tables });
  const tenantId = v7();
  const now = new Date();
  const keys = await store.transact(tenantId, async (tx) => {
    await createTenant(tx, tenantId, now, v7, { name: 'Bench', slug: 'bench', plan: 'enterprise' });
    await tx.units.put(unit);
    for (const category of categories) await tx.categories.put(category);
    for (const supplier of suppliers) await tx.contacts.put(supplier);
    const draft = { tenantId, name: 'bench', scopes: SCOPES, environment: 'development', rateLimitTier: BENCH_TIER } as const;
    const secrets: string[] = [];
    for (let n = 0; n < BENCH_KEYS; n += 1) secrets.push((await createKey(tx, now, v7, draft)).secret);
    return secrets;
  });
  for (let from = 0; from < rows; from += BATCH) {
    await store.transact(tenantId, async (tx) => {
      const items = Array.from({ length: Math.min(BATCH, rows - from) }, (_, at) => itemRecord(from + at));
      await tx.items.putMany(items);
      await tx.supplierLinks.putMany(items.flatMap((item) => supplierLink(item) ?? []));
    });
  }
  await store.close();
  return { keys, bytes: writePlain(plainDirectory(directory), rows) };
}

function writePlain(directory: string, rows: number): number {
  mkdirSync(directory, { recursive: true });
  let bytes = 0;
  const write = (name: string, values: readonly unknown[]) => {
    const text = JSON.stringify(values);
    bytes += Buffer.byteLength(text);
    writeFileSync(join(directory, `${name}.json`), text);
  };
  write('rest', [unit, ...categories, ...suppliers]);
  for (let from = 0; from < rows; from += FILE_ROWS) {
    const items = Array.from({ length: Math.min(FILE_ROWS, rows - from) }, (_, index) => itemRecord(from + index));
    write(`items-${String(from)}`, items);
    write(
      `links-${String(from)}`,
      items.map(supplierLink).filter((link) => link !== undefined),
    );
  }
  return bytes;
}
