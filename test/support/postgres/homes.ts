/** Homes whose daemons keep their data in a database. */
import { writeFile } from 'node:fs/promises';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { type Home, makeHome } from '../cli/home.ts';

export interface DatabaseHome {
  readonly home: Home;
  /** Address of the database without the password, which is in the home's `.pgpass`. */
  readonly store: string;
  /** Starts a daemon of the database. `env` is added to its environment. */
  start(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<DaemonStatus>;
}

/** Lets commands and daemons of the home connect to the database. */
export async function useDatabaseIn(home: Home, url: string): Promise<DatabaseHome> {
  const store = await savePassword(home, url);
  return {
    home,
    store,
    async start(args = [], env = {}) {
      const { exit, body, stderr } = await home.json(['daemon', 'start', '--port', '0', '--store', store, ...args], { env });
      if (exit !== 0) throw new Error(`daemon start: exit ${String(exit)} ${JSON.stringify(body)} ${stderr}`);
      return (body as { data: DaemonStatus }).data;
    },
  };
}

/** Moves the password of an address to the home's `.pgpass`, and returns the address without it. */
export async function savePassword(home: Home, url: string): Promise<string> {
  const address = new URL(url);
  const { hostname, port, pathname, username, password } = address;
  await writeFile(home.path('.pgpass'), `${[hostname, port, pathname.slice(1), username, password].join(':')}\n`, { mode: 0o600 });
  address.password = '';
  return address.href;
}

export async function makeDatabaseHome(url: string): Promise<DatabaseHome & AsyncDisposable> {
  const home = await makeHome();
  return { ...(await useDatabaseIn(home, url)), [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}
