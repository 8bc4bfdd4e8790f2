/** SQL statements of tests, outside of any store. */
import pg from 'pg';

export const quoteName = pg.escapeIdentifier;

/** Runs statements in one connection, which it opens and closes. Returns the result of the last. */
export async function runSql(url: string, ...statements: string[]): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const results: pg.QueryResult[] = [];
    for (const statement of statements) results.push(await client.query(statement));
    const last = results.at(-1);
    if (last === undefined) throw new Error('no statement');
    return last;
  } finally {
    await client.end();
  }
}
