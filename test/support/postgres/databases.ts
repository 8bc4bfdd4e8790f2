/** Databases of test files on the shared server. */
import { inject } from 'vitest';
import { type SharedServer, requestSharedServer } from './shared-server.ts';
import { quoteName, runSql } from './sql.ts';

export interface Database extends AsyncDisposable {
  /** With the name and password of its owner, an ordinary user. */
  readonly url: string;
}

let server: Promise<SharedServer> | undefined;
let counter = 0;

/** Creates an empty database; disposing it drops it, whoever is connected. */
export async function createDatabase(): Promise<Database> {
  const { url, prefix } = await (server ??= requestSharedServer(inject('postgresPort')));
  const name = `${prefix}${String(process.pid)}_${String((counter += 1))}`;
  // Copying files is faster than the default, which writes the copy to the log.
  await runSql(url, `CREATE DATABASE ${quoteName(name)} STRATEGY file_copy`);
  const address = new URL(url);
  address.pathname = `/${name}`;
  return {
    url: address.href,
    async [Symbol.asyncDispose]() {
      await runSql(url, `DROP DATABASE IF EXISTS ${quoteName(name)} WITH (FORCE)`);
    },
  };
}

/** A database for all tests of the calling file. Its properties are available in hooks and tests. */
