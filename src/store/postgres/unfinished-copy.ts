/**
 * Marks a database into which all data of another store is being copied, until the copy is complete: daemons do not start on part of the
 * data. The table exists only as long as the mark.
 */
import { type Database, defineStatement } from './database.ts';
import { SCHEMA } from './table-columns.ts';

const TABLE = `${SCHEMA}.unfinished_copy`;
const EXISTS = defineStatement(`SELECT to_regclass('${TABLE}') IS NOT NULL`);
const READ = defineStatement(`SELECT source FROM ${TABLE}`);
const INSERT = defineStatement(`INSERT INTO ${TABLE} (source) VALUES ($1)`);

/** Identifies the data that is being copied; undefined without a mark. */
export async function readUnfinishedCopy(database: Database): Promise<string | undefined> {
  const [[exists] = []] = await database.query(EXISTS, []);
  if (exists !== true) return undefined;
  const [[source] = []] = await database.query(READ, []);
  return source as string | undefined;
}

export async function markUnfinishedCopy(database: Database, source: string): Promise<void> {
  await database.use(async (connection) => {
    await connection.execute(`BEGIN; CREATE TABLE ${TABLE} (source text NOT NULL)`);
    await connection.query(INSERT, [source]);
    await connection.execute('COMMIT');
  });
}

export async function removeUnfinishedCopyMark(database: Database): Promise<void> {
  await database.use((connection) => connection.execute(`DROP TABLE ${TABLE}`));
}
