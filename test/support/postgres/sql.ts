/** SQL statements of tests, outside of any store. */
import pg from 'pg';

export const quoteName = pg.escapeIdentifier;

type Query = (statement: string, values?: readonly unknown[]) => Promise<pg.QueryResult>;

/** Opens a connection for `work` and closes it. */
export async function withConnection<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work((statement, values) => client.query(statement, values && [...values]));
  } finally {
    await client.end();
  }
}

/** Runs statements in a connection of their own. Returns the result of the last. */
export function runSql(url: string, first: string, ...more: string[]): Promise<pg.QueryResult> {
  return withConnection(url, async (query) => {
    let result = await query(first);
    for (const statement of more) result = await query(statement);
    return result;
  });
}
