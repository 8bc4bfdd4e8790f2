/**
 * A PostgreSQL server of the tests: on loopback, in a temporary directory. It ends with the process that started it, even if that
 * process is killed.
 */
import { execa } from 'execa';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, chown, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type PostgresPrograms, type ServerUser, findPostgresPrograms, findServerUser, findSystemPrograms } from './programs.ts';
import { runSql, withConnection } from './sql.ts';
import { findFreePort } from '../servers/free-port.ts';

export interface PostgresServer extends AsyncDisposable {
  readonly directory: string;
  readonly port: number;
  /** Address of a database for its owner, an ordinary user who may create others. */
  readonly url: string;
  /** Address of the database `postgres` for the superuser. */
  readonly adminUrl: string;
  /** Starts again after `stop` or `kill`, on the same port. */
  start(): Promise<void>;
  /** Ends all connections and stops. */
  stop(): Promise<void>;
  restart(): Promise<void>;
  /** Kills the server without a warning, as a crash would. */
  kill(): Promise<void>;
  /** What the server has logged. */
  readLog(): Promise<string>;
  /** Starts a standby, which ends with the server. */
  startStandby(): Promise<Standby>;
}

export interface Standby {
  readonly url: string;
  readonly adminUrl: string;
  /** Makes it the primary. */
  promote(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Commits survive a crash of the machine, as with the default settings of PostgreSQL. */
  readonly durable?: boolean;
  /** Further settings, as lines of `postgresql.conf`. */
  readonly settings?: readonly string[];
  /** A version that is installed on the system, instead of that of the packages. */
  readonly version?: number | undefined;
  /** Added to the environment of the server. */
  readonly env?: Readonly<Record<string, string>>;
}

const ADMIN = 'postgres';
const USER = 'stockroom';
/** For tests that kill the server: connections of dead processes hold shared memory for a moment. */
const START_TIMEOUT_MS = 30_000;
const RETRY_INTERVAL_MS = 50;
const PORT_ATTEMPTS = 3;

const SETTINGS = [
  `listen_addresses = '127.0.0.1'`,
  `unix_socket_directories = ''`,
  'max_connections = 200',
  // Otherwise each new database would have to be read by the autovacuum workers.
  'autovacuum_naptime = 60',
];
// An ordinary user cannot drop a database while an autovacuum worker of the superuser is connected.
const SETTINGS_WITHOUT_DURABILITY = ['autovacuum = off', 'fsync = off', 'full_page_writes = off', 'synchronous_commit = off'];

export async function startPostgresServer(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const { durable = false, settings = [], version, env = {} } = options;
  const user = await findServerUser();
  const directory = await createDirectory(user);
  const installed = version === undefined ? undefined : findSystemPrograms(version, user);
  if (version !== undefined && !installed) throw new Error(`PostgreSQL ${String(version)} is not installed on this system`);
  const programs = installed ?? (await findPackagedPrograms(directory, user));
  const { initdb, pgCtl } = programs;
  const data = join(directory, 'data');
  const log = join(directory, 'log');
  const guard = spawnGuard(directory, programs);
  const run = (program: string, args: string[]) => execa(program, args, { ...user, cwd: directory, env });
  const startOn = (port: number): Promise<void> =>
    retryStart(log, () => run(pgCtl, ['start', '--wait', '--pgdata', data, '--log', log, '--options', `-p ${String(port)}`]));
  const stopStandbys: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    await run(pgCtl, ['stop', '--wait', '--mode', 'fast', '--pgdata', data]);
  };
  const password = randomBytes(16).toString('hex');
  const create = async (): Promise<number> => {
    // Servers of an earlier version have no checksums unless they are asked for.
    const checksums = installed ? [] : ['--no-data-checksums'];
    const passwordFile = await writePasswordFile(directory, password, user);
    const access = ['--username', ADMIN, '--pwfile', passwordFile, '--auth', 'scram-sha-256'];
    // Small files: most tests write little. The size of the log between two checkpoints follows from that of its files.
    const files = ['--pgdata', data, '--no-sync', ...checksums, ...(durable ? [] : ['--wal-segsize', '1'])];
    await run(initdb, [...files, ...access, '--encoding', 'UTF8', '--locale', 'C', '--no-instructions']);
    const lines = [...SETTINGS, ...(durable ? [] : SETTINGS_WITHOUT_DURABILITY), ...settings];
    await appendFile(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`);
    const port = await startOnFreePort(startOn);
    const owner = `CREATE ROLE ${USER} LOGIN CREATEDB PASSWORD '${password}'`;
    await runSql(toUrl(ADMIN, password, port), owner, `CREATE DATABASE ${USER} OWNER ${USER} STRATEGY file_copy`);
    return port;
  };
  const port = await create().catch((error: unknown) => stopGuard(guard).then(() => Promise.reject(error as Error)));
  return {
    directory,
    port,
    url: toUrl(USER, password, port),
    adminUrl: toUrl(ADMIN, password, port),
    start: () => startOn(port),
    stop,
    async restart() {
      await stop();
      await startOn(port);
    },
    kill: () => killServer(data),
    readLog: () => readFile(log, 'utf8'),
    async startStandby() {
      const copy = join(directory, `standby-${String(stopStandbys.length + 1)}`);
      const source = toUrl(ADMIN, password, port);
      const standbyPort = await startCopy({ adminUrl: source, from: data, to: copy, user, pgCtl, run });
      stopStandbys.push(() => run(pgCtl, ['stop', '--mode', 'immediate', '--pgdata', copy]));
      const promote = async (): Promise<void> => void (await run(pgCtl, ['promote', '--wait', '--pgdata', copy]));
      return { url: toUrl(USER, password, standbyPort), adminUrl: toUrl(ADMIN, password, standbyPort), promote };
    },
    async [Symbol.asyncDispose]() {
      for (const stopStandby of stopStandbys) await stopStandby().catch(() => undefined);
      await stopGuard(guard);
    },
  };
}

async function findPackagedPrograms(directory: string, user: ServerUser): Promise<PostgresPrograms> {
  try {
    return await findPostgresPrograms(directory, user);
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

async function killServer(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid');
  process.kill(Number((await readFile(file, 'utf8')).split('\n')[0]), 'SIGKILL');
  // A dead process that its parent has not yet asked for keeps its id, and the next start would take it for a running server.
  await rm(file);
}

/** Waits for the guard, although nothing else keeps this process running. */
async function stopGuard(guard: ReturnType<typeof spawnGuard>): Promise<void> {
  guard.ref();
  const exited = once(guard, 'exit');
  guard.stdin.end();
  await exited;
}

/** Each user has a database of the same name. */
const toUrl = (name: string, password: string, port: number): string => `postgres://${name}:${password}@127.0.0.1:${String(port)}/${name}`;

async function writePasswordFile(directory: string, password: string, { uid, gid }: ServerUser): Promise<string> {
  const file = join(directory, 'password');
  await writeFile(file, password, { mode: 0o600 });
  if (uid !== undefined) await chown(file, uid, gid!);
  return file;
}

/** Tries again while the log says that something is still in use. */
async function retryStart(log: string, start: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await start();
      return;
    } catch (error) {
      const written = await readFile(log, 'utf8').catch(() => '');
      const isRetried = written.includes('is still in use') && Date.now() < deadline;
      if (!isRetried) throw new Error(`PostgreSQL did not start: ${written.slice(-2_000)}`, { cause: error });
      await rm(log, { force: true });
      await delay(RETRY_INTERVAL_MS);
    }
  }
}

async function startOnFreePort(startOn: (port: number) => Promise<void>): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    try {
      await startOn(port);
      return port;
    } catch (error) {
      // Another process may have taken the port since.
      if (attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

interface CopyOptions {
  readonly adminUrl: string;
  readonly from: string;
  readonly to: string;
  readonly user: ServerUser;
  readonly pgCtl: string;
  readonly run: (program: string, args: string[]) => Promise<unknown>;
}

/** Copies a running server, starts the copy as its standby, and returns the port. */
async function startCopy({ adminUrl, from, to, user: { uid, gid }, pgCtl, run }: CopyOptions): Promise<number> {
  const port = await findFreePort();
  await copyData(adminUrl, from, to);
  const source = new URL(adminUrl);
  source.searchParams.set('application_name', 'standby');
  await appendFile(join(to, 'postgresql.auto.conf'), `primary_conninfo = '${source.href}'\nsynchronous_standby_names = ''\n`);
  await writeFile(join(to, 'standby.signal'), '');
  if (uid !== undefined) await execa('chown', ['-R', `${String(uid)}:${String(gid)}`, to]);
  const options = `-p ${String(port)} -c hot_standby=on`;
  await run(pgCtl, ['start', '--wait', '--pgdata', to, '--log', `${to}.log`, '--options', options]);
  return port;
}

/** Copies the files of a running server, as a base backup does. */
async function copyData(adminUrl: string, from: string, to: string): Promise<void> {
  await withConnection(adminUrl, async (query) => {
    await query("SELECT pg_backup_start('standby', true)");
    await cp(from, to, { recursive: true, filter: (path) => !/postmaster\.(?:pid|opts)$/u.test(path) });
    const { rows } = await query('SELECT labelfile FROM pg_backup_stop(false)');
    await writeFile(join(to, 'backup_label'), (rows as { labelfile: string }[])[0]!.labelfile);
  });
}

async function createDirectory({ uid, gid }: ServerUser): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'stockroom-postgres-'));
  if (uid !== undefined) await chown(directory, uid, gid!);
  return directory;
}

/** A process that stops the server and removes its directory when this process ends in any way. */
function spawnGuard(directory: string, { pgCtl, user }: PostgresPrograms) {
  const script = fileURLToPath(new URL('guard.ts', import.meta.url));
  const args = [script, directory, pgCtl, JSON.stringify(user)];
  // In a session of its own: the terminal's Ctrl+C is for the tests, which may still need the server.
  const guard = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true, cwd: tmpdir() });
  guard.unref();
  // A pipe is a socket, and would keep this process from ending.
  (guard.stdin as Socket).unref();
  return guard;
}
