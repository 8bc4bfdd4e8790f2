/** PgBouncer in transaction mode, in front of a server. Installed from the packages of Debian where this user may. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findServerUser } from '../postgres/programs.ts';
import { findFreePort } from './free-port.ts';

const PROGRAM = '/usr/sbin/pgbouncer';
const LOCK_TIMEOUT_S = 300;
const START_TIMEOUT_MS = 30_000;

export interface PgBouncer extends AsyncDisposable {
  /** The address of the same database through PgBouncer. */
  readonly url: string;
}

function install(): void {
  if (existsSync(PROGRAM)) return;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) throw new Error(`this test needs ${PROGRAM}: apt-get install pgbouncer`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'pgbouncer']])
    execFileSync('apt-get', ['-q', '-o', `DPkg::Lock::Timeout=${String(LOCK_TIMEOUT_S)}`, ...args], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
}

/** With few connections to the server, so that clients share them. */
export async function startPgBouncer(target: string, serverConnections = 3): Promise<PgBouncer> {
  install();
  const { hostname, port: serverPort, username, password, pathname } = new URL(target);
  const directory = await mkdtemp(join(tmpdir(), 'stockroom-pgbouncer-'));
  await chmod(directory, 0o755);
  const port = await findFreePort();
  const settings = [
    '[databases]',
    `${pathname.slice(1)} = host=${hostname} port=${serverPort}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${String(port)}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${join(directory, 'users')}`,
    'pool_mode = transaction',
    `default_pool_size = ${String(serverConnections)}`,
    'server_idle_timeout = 1',
  ];
  await writeFile(join(directory, 'pgbouncer.ini'), `${settings.join('\n')}\n`);
  await writeFile(join(directory, 'users'), `"${username}" "${password}"\n`);
  const child = spawn(PROGRAM, [join(directory, 'pgbouncer.ini')], { ...(await findServerUser()), stdio: 'ignore', cwd: directory });
  const url = new URL(target);
  url.port = String(port);
  const stop = async (): Promise<void> => {
    const exited = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGKILL')) await exited;
    await rm(directory, { recursive: true, force: true });
  };
  for (const deadline = Date.now() + START_TIMEOUT_MS; !(await accepts(port)); await delay(50))
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error('PgBouncer did not start');
    }
  return { url: url.href, [Symbol.asyncDispose]: stop };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
