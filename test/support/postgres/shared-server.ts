/**
 * One PostgreSQL server for all test files of a run, started when the first of them needs it, or the one of TEST_POSTGRES_URL.
 * As vitest's `globalSetup` it runs in the main process, because workers come and go, and answers their requests on a port.
 */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestProject } from 'vitest/node';
import { quoteName, runSql } from './sql.ts';
import { type PostgresServer, startPostgresServer } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly postgresPort: number;
  }
}

/** Where test files create their databases. */
export interface SharedServer {
  /** Address of a database that exists, for a user who may create others. */
  readonly url: string;
  /** The names of all databases of the run begin with this. */
  readonly prefix: string;
}

type Answer = SharedServer | { readonly error: string };

export default async function setUp({ provide }: TestProject): Promise<() => Promise<void>> {
  const prefix = `stockroom_test_${randomBytes(4).toString('hex')}_`;
  const external = process.env['TEST_POSTGRES_URL'];
  let isUsed = false;
  let server: Promise<PostgresServer> | undefined;
  const getUrl = async (): Promise<string> => {
    isUsed = true;
    return external ?? (await (server ??= startPostgresServer())).url;
  };
  const listener = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    const answer = (value: Answer) => socket.end(JSON.stringify(value));
    getUrl().then(
      (url) => answer({ url, prefix }),
      (error: unknown) => answer({ error: error instanceof Error ? error.message : String(error) }),
    );
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  provide('postgresPort', (listener.address() as AddressInfo).port);
  return async () => {
    listener.close();
    if (external === undefined) await (await server?.catch(() => undefined))?.[Symbol.asyncDispose]();
    else if (isUsed) await dropDatabases(external, prefix);
  };
}

/** Asks the main process. */
export async function requestSharedServer(port: number): Promise<SharedServer> {
  const answer = JSON.parse(await text(connect(port, '127.0.0.1'))) as Answer;
  if ('error' in answer) throw new Error(answer.error);
  return answer;
}

/** Those that killed workers have left on a server that continues to run. */
async function dropDatabases(url: string, prefix: string): Promise<void> {
  const { rows } = await runSql(url, 'SELECT datname FROM pg_database');
  const names = (rows as { datname: string }[]).map(({ datname }) => datname).filter((name) => name.startsWith(prefix));
  for (const name of names) await runSql(url, `DROP DATABASE IF EXISTS ${quoteName(name)} WITH (FORCE)`);
}
