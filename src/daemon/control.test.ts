import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { daemonStatus } from './control.ts';
import { takeLock } from './lock.ts';

const INSTANCE = 'the-instance';

/** A locked data directory of a daemon that answers the questions after its health in turn. */
async function place(answers: readonly ((response: ServerResponse) => void)[]) {
  const dataDir = mkdtempSync(join(tmpdir(), 'sr-control-'));
  let asked = 0;
  const server = createServer((_request, response) => answers[(asked += 1) - 1]?.(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const lock = takeLock(dataDir);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    lock?.release();
    rmSync(dataDir, { recursive: true });
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  writeFileSync(join(dataDir, 'daemon.json'), JSON.stringify({ pid: process.pid, url, instanceId: INSTANCE, version: '0', dataDir }));
  return { dataDir, url, asked: () => asked };
}

const healthy = (response: ServerResponse) => void response.end(JSON.stringify({ status: 'ok', instanceId: INSTANCE }));
const silent = () => undefined;

test('a daemon that holds its directory and is late once is running, not unresponsive', async () => {
  const { dataDir, url, asked } = await place([silent, healthy]);
  expect(await daemonStatus(dataDir)).toMatchObject({ status: 'running', url, instanceId: INSTANCE });
  expect(asked()).toBe(2);
});

test('one that answers in time is asked once', async () => {
  const { dataDir, asked } = await place([healthy]);
  expect((await daemonStatus(dataDir)).status).toBe('running');
  expect(asked()).toBe(1);
});
