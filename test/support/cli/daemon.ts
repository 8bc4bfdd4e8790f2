/** What daemons of a home leave on the disk and answer, and a foreign listener on a port. */
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { request } from 'undici';
import type { DaemonState } from '../../../src/platform/daemon-state.ts';
import type { Home } from './home.ts';

/** The permissions of a file, in octal. */
export const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
/** The data directory of a home's daemon, when no other is named. */
export const getData = (home: Home): string => home.path('data', 'stockroom');
export const readState = (dataDir: string): DaemonState => JSON.parse(readFileSync(join(dataDir, 'daemon.json'), 'utf8')) as DaemonState;
/** The key that a profile has saved; there must be one. */
export const getKey = (home: Home, profile = 'local'): string => {
  const text = readFileSync(home.path('config', 'stockroom', 'credentials.json'), 'utf8');
  const key = (JSON.parse(text) as { profiles: Record<string, { apiKey: string }> }).profiles[profile]?.apiKey;
  if (key === undefined) throw new Error(`no key is saved for the profile ${profile}`);
  return key;
};
/** Whether anything answers there. */
export const isListening = (url: string): Promise<boolean> =>
  request(`${url}/healthz`).then(
    async ({ body }) => body.dump().then(() => true),
    () => false,
  );
/** The names of all items that the daemon of a home has. */
export const itemNames = async (home: Home): Promise<string[]> =>
  ((await home.json(['items', 'list'])).body.data as { name: string }[]).map(({ name }) => name);

/** Another program on a port. */
export async function startForeignListener(answer = 'hello'): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer((_request, response) => response.end(answer)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
