import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { getDaemonStatus } from './status.ts';
import { lockDataDirectory } from '../data-directory/lock.ts';

const INSTANCE = 'the-instance';

/** A locked data directory whose daemon answers the health checks with these handlers, in this order. */
async function startFakeDaemon(answers: readonly ((response: ServerResponse) => void)[]) {
  const dataDir = mkdtempSync(join(tmpdir(), 'sr-control-'));
  let healthChecks = 0;
  const server = createServer((request, response) => {
    if (request.url === '/readyz') response.writeHead(503).end('{"status":"not ready","reason":"store unavailable"}');
    else answers[(healthChecks += 1) - 1]?.(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const lock = lockDataDirectory(dataDir);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    lock?.release();
    rmSync(dataDir, { recursive: true });
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  writeFileSync(join(dataDir, 'daemon.json'), JSON.stringify({ pid: process.pid, url, instanceId: INSTANCE, version: '0', dataDir }));
  return { dataDir, url, countHealthChecks: () => healthChecks };
}

const healthy = (response: ServerResponse) => void response.end(JSON.stringify({ status: 'ok', instanceId: INSTANCE }));
const silent = () => undefined;
/** The first is long enough to be answered by a server in this process, and short, because one test waits for it. */
const TIMEOUTS = { healthCheckMs: 250, secondCheckMs: 10_000 };

test('a daemon that misses one health check while it holds its lock is running, not unresponsive', async () => {
  const { dataDir, url, countHealthChecks } = await startFakeDaemon([silent, healthy]);
  expect(await getDaemonStatus(dataDir, TIMEOUTS)).toMatchObject({ status: 'running', url, instanceId: INSTANCE });
  expect(countHealthChecks()).toBe(2);
});

test('a daemon that answers in time gets one health check', async () => {
  const { dataDir, countHealthChecks } = await startFakeDaemon([healthy]);
  expect(await getDaemonStatus(dataDir)).toMatchObject({ status: 'running', ready: false, reason: 'store unavailable' });
  expect(countHealthChecks()).toBe(1);
});
