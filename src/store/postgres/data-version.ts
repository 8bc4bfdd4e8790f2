/** What identifies the state of the data of a database. */
import { Database } from './database.ts';
import { explainOpenError } from './errors.ts';
import { readAllHeads } from './heads.ts';
import { hasSchema } from './schema.ts';

/** Whether a database has the schema of stockroom. Throws `DatabaseUnusable` or `StoreUnavailable`. */
export async function isPrepared(url: string): Promise<boolean> {
  const database = new Database({ url, maxConnections: 1 });
  try {
    return await database.use(hasSchema);
  } catch (error) {
    throw explainOpenError(error);
  } finally {
    await database.close();
  }
}

/** A text that differs after every commit. */
export async function readDataVersion(database: Database): Promise<string> {
  const heads = (await readAllHeads(database)).map(({ tenant, sequence }) => `${tenant} ${String(sequence)}`);
  return heads.toSorted().join('\n');
}
