/** Stopping a daemon behind a load balancer: it becomes not ready, serves requests for a while, and then ends. */
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { request } from 'undici';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { hasProcessEnded } from '../../../src/platform/process-ended.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { getKey, isListening } from '../../support/cli/daemon.ts';

/** Longer than a test. */
const LONG = ['--drain-seconds', '600'];

async function startForeground(home: Home, args: readonly string[]) {
  const child = home.spawn(['daemon', 'start', '--foreground', '--port', '0', '--json', ...args]);
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  return { child, status: (JSON.parse(line) as { data: DaemonStatus }).data };
}

/** Status and body of a request on a connection of its own. */
async function send(home: Home, { url }: DaemonStatus, path: string): Promise<[number, Record<string, unknown>]> {
  const reply = await request(`${url ?? ''}${path}`, { headers: { 'x-api-key': getKey(home) }, reset: true });
  return [reply.statusCode, (await reply.body.json()) as Record<string, unknown>];
}

/** Waits until the daemon drains, and checks that it serves requests. */
async function expectDraining(home: Home, status: DaemonStatus): Promise<void> {
  await expect.poll(async () => (await send(home, status, '/readyz'))[0]).toBe(503);
  expect((await send(home, status, '/readyz'))[1]).toMatchObject({ status: 'not ready', reason: 'stopping' });
  for (const path of ['/v1/items', '/healthz']) expect((await send(home, status, path))[0]).toBe(200);
}

test('SIGTERM makes a daemon in the foreground not ready, and it ends with exit 0 after its drain time', async () => {
  await using home = await makeHome();
  const { child, status } = await startForeground(home, ['--drain-seconds', '2']);
  expect(await send(home, status, '/readyz')).toMatchObject([200, { status: 'ready' }]);
  const stoppedAt = performance.now();
  child.kill('SIGTERM');
  await expectDraining(home, status);
  const { exitCode } = await child;
  expect(exitCode).toBe(0);
  expect(performance.now() - stoppedAt).toBeGreaterThanOrEqual(2_000);
});

test('a second signal ends draining, and the daemon ends with exit 0', async () => {
  await using home = await makeHome();
  const { child, status } = await startForeground(home, LONG);
  child.kill('SIGTERM');
  await expectDraining(home, status);
  child.kill('SIGTERM');
  expect((await child).exitCode).toBe(0);
});

test('a public URL makes a daemon drain, and otherwise it stops immediately', async () => {
  await using home = await makeHome();
  const { child, status } = await startForeground(home, ['--public-url', 'https://stock.example']);
  child.kill('SIGINT');
  await expectDraining(home, status);
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(0);
  const local = await startForeground(home, []);
  local.child.kill('SIGTERM');
  expect((await local.child).exitCode).toBe(0);
});

test('`daemon stop` drains a daemon in the background, and a second one ends draining', async () => {
  await using home = await makeHome();
  const status = await home.start(LONG);
  const stop = home.spawn(['daemon', 'stop', '--json']);
  await expectDraining(home, status);
  expect((await home.json(['daemon', 'stop'])).exit).toBe(0);
  expect((await stop).exitCode).toBe(0);
  expect([hasProcessEnded(status.pid!), await isListening(status.url!)]).toEqual([true, false]);
});

test('SIGTERM drains a daemon in the background', async () => {
  await using home = await makeHome();
  const status = await home.start(LONG);
  process.kill(status.pid!, 'SIGTERM');
  await expectDraining(home, status);
  process.kill(status.pid!, 'SIGTERM');
  await expect.poll(() => hasProcessEnded(status.pid!)).toBe(true);
});
