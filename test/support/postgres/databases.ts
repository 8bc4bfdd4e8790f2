/** Databases of test files on the shared server. */
import { inject } from 'vitest';
import { type SharedServer, requestSharedServer } from './shared-server.ts';
import { quoteName, runSql, withConnection } from './sql.ts';

export interface Database extends AsyncDisposable {
  /** With the name and password of its owner, an ordinary user. */
  readonly url: string;
}

/** What a new database has. It is prepared once per run, copied for each process, and used again by its later tests. */
export interface DatabaseTemplate {
  readonly name: string;
  /** Prepares the first database. Must close its connections. */
  prepare(url: string): Promise<void>;
  /** Returns a database, whose connections are closed, to the state after `prepare`. */
  clean(url: string): Promise<void>;
}

let server: Promise<SharedServer> | undefined;
let counter = 0;
/** Databases that are free, by template. */
const idle = new Map<string, string[]>();
const templates = new Map<string, Promise<string>>();

const getServer = (): Promise<SharedServer> => (server ??= requestSharedServer(inject('postgresPort')));

/** Creates an empty database. Disposing it drops it, also while programs are connected. */
export async function createDatabase(): Promise<Database> {
  const { url } = await getServer();
  const name = await copyDatabase();
  return {
    url: toUrl(url, name),
    async [Symbol.asyncDispose]() {
      await runSql(url, `DROP DATABASE IF EXISTS ${quoteName(name)} WITH (FORCE)`);
    },
  };
}

/** A database like the template. Disposing it leaves it to the next test of this process. */
export async function takeDatabase(template: DatabaseTemplate): Promise<Database> {
  const { url } = await getServer();
  const free = (idle.get(template.name) ?? []).pop();
  const name = free ?? (await copyDatabase(await findTemplate(template)));
  const address = toUrl(url, name);
  if (free !== undefined) await template.clean(address);
  return {
    url: address,
    [Symbol.asyncDispose]() {
      idle.set(template.name, [...(idle.get(template.name) ?? []), name]);
      return Promise.resolve();
    },
  };
}

async function copyDatabase(source = 'template1'): Promise<string> {
  const { url, prefix } = await getServer();
  const name = `${prefix}${String(process.pid)}_${String((counter += 1))}`;
  // Copying files is faster than the default strategy, which writes the copy to the log.
  await runSql(url, `CREATE DATABASE ${quoteName(name)} TEMPLATE ${quoteName(source)} STRATEGY file_copy`);
  return name;
}

function findTemplate(template: DatabaseTemplate): Promise<string> {
  let found = templates.get(template.name);
  if (found === undefined) templates.set(template.name, (found = createTemplate(template)));
  return found;
}

/** Creates the database of a template unless another process of the run has; it waits while another one does. */
async function createTemplate({ name, prepare }: DatabaseTemplate): Promise<string> {
  const { url, prefix } = await getServer();
  const database = `${prefix}${name}`;
  await withConnection(url, async (query) => {
    await query('SELECT pg_advisory_lock(hashtext($1))', [database]);
    const { rowCount } = await query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (rowCount !== 0) return;
    const unfinished = `${database}_unfinished`;
    await query(`CREATE DATABASE ${quoteName(unfinished)} STRATEGY file_copy`);
    await prepare(toUrl(url, unfinished));
    await query(`ALTER DATABASE ${quoteName(unfinished)} RENAME TO ${quoteName(database)}`);
  });
  return database;
}

function toUrl(base: string, database: string): string {
  const url = new URL(base);
  url.pathname = `/${database}`;
  return url.href;
}
