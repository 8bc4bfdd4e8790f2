/** Daemons on one PostgreSQL database, as behind a load balancer: secrets, readiness, metrics and stop. */
import { readFileSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { request } from 'undici';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { getData, readState } from '../../support/cli/daemon.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { createDatabase } from '../../support/postgres/databases.ts';
import { parseMetrics } from '../../support/service/metrics.ts';

async function start(home: Home, args: readonly string[], env: Readonly<Record<string, string>>): Promise<DaemonStatus> {
  const { exit, body, stderr } = await home.json(['daemon', 'start', '--port', '0', ...args], { env });
  expect([exit, stderr]).toEqual([0, '']);
  return body.data as DaemonStatus;
}

const getReadiness = async ({ url }: DaemonStatus): Promise<unknown> => (await request(`${url ?? ''}/readyz`)).body.json();

test.each([
  ['STOCKROOM_STORE', (url: string) => ({ STOCKROOM_STORE: url })],
  [
    'PGPASSWORD',
    (url: string) => {
      const { password } = new URL(url);
      return { STOCKROOM_STORE: url.replace(`:${password}@`, '@'), PGPASSWORD: decodeURIComponent(password) };
    },
  ],
])('the password in %s reaches the daemon in its environment, and neither its command line nor a file', async (variable, toEnv) => {
  await using database = await createDatabase();
  await using home = await makeHome();
  const env = toEnv(database.url);
  const password = decodeURIComponent(new URL(database.url).password);
  expect(password).not.toBe('');
  const { pid } = await start(home, ['--drain-seconds', '0'], env);
  const read = (name: string) => readFileSync(`/proc/${String(pid)}/${name}`, 'utf8');
  expect(read('environ').split('\0')).toContain(`${variable}=${(env as Record<string, string>)[variable] ?? ''}`);
  expect(read('cmdline')).not.toContain(password);
  for (const entry of await readdir(getData(home), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) expect([path, (await readFile(path)).includes(password)]).toEqual([path, false]);
  }
});

test('a daemon is ready, has metrics without the figures of files, and drains for five seconds by default', async () => {
  await using database = await createDatabase();
  await using home = await makeHome();
  const status = await start(home, ['--metrics-port', '0'], { STOCKROOM_STORE: database.url });
  const { metricsUrl = '', options } = readState(getData(home));
  expect([await getReadiness(status), options.drainSeconds]).toMatchObject([{ status: 'ready' }, 5]);
  const { values } = parseMetrics(await (await request(metricsUrl)).body.text());
  const figures = ['stockroom_ready', 'stockroom_store_unavailable', 'stockroom_webhook_deliveries_open', 'stockroom_store_rows'];
  expect(figures.map((name) => values.get(name))).toEqual([1, 0, 0, undefined]);
  process.kill(status.pid!, 'SIGTERM');
  await expect.poll(() => getReadiness(status)).toMatchObject({ status: 'not ready', reason: 'stopping' });
  process.kill(status.pid!, 'SIGTERM');
});
