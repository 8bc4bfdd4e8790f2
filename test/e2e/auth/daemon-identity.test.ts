/** A saved key is sent only to the daemon that issued it, never to another process on its port. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { type IncomingMessage, type Server, createServer } from 'node:http';
import { setImmediate as breathe } from 'node:timers/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DaemonState, DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { hasProcessEnded } from '../../../src/platform/process-ended.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { getKey } from '../../support/cli/daemon.ts';

interface OtherProgram extends AsyncDisposable {
  readonly url: string;
  /** What it was asked: method, path and every header. */
  readonly heard: string[];
}

/** Takes the port, answers everything with `answer`, and writes down what it hears. */
async function startForeignListener(
  port: number,
  answer: (request: IncomingMessage) => string,
  headers: Record<string, string> = {},
): Promise<OtherProgram> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(`${request.method ?? ''} ${request.url ?? ''} ${JSON.stringify(request.rawHeaders)}`);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.end(answer(request));
  });
  await listen(server, port);
  return {
    url: `http://127.0.0.1:${String((server.address() as { port: number }).port)}`,
    heard,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The threads of a killed process may hold its port a moment longer than the process is there. */
async function listen(server: Server, port: number): Promise<void> {
  for (;;) {
    try {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      await breathe();
    }
  }
}

const LIST = '{"data":[],"pagination":{"page":1,"pageSize":50,"total":0,"totalPages":0}}';
const getHealth = (instanceId: string): string => JSON.stringify({ status: 'ok', version: '0.1.0', instanceId });
const stateFile = (daemon: DaemonStatus): string => join(daemon.dataDir, 'daemon.json');
const getPort = (daemon: DaemonStatus): number => Number(new URL(daemon.url ?? '').port);

async function kill(pid: number | null): Promise<void> {
  if (pid === null) throw new Error('there is no process');
  process.kill(pid, 'SIGKILL');
  while (!hasProcessEnded(pid)) await breathe();
}

const COMMANDS = [
  ['items', 'list'],
  ['items', 'list', '--all'],
  ['items', 'create', '--name', 'Bolt'],
  ['usage'],
  ['audit', 'export'],
  ['auth', 'context'],
  ['api', 'GET', '/v1/items'],
];

/** What every command comes to, and what of it has been heard beside the question who is there. */
async function runCommands(home: Home, { heard }: OtherProgram): Promise<{ ends: string[]; requests: string[] }> {
  const apiKey = getKey(home);
  expect(apiKey).toMatch(/^pk_test_/u);
  const ends: string[] = [];
  for (const command of COMMANDS) {
    const { exit, body } = await home.json([...command, '--max-wait', '0']);
    ends.push(`${String(exit)} ${String(body.error?.code)}`);
  }
  return {
    ends: [...new Set(ends)],
    requests: heard.filter((line) => !line.startsWith('GET /healthz ') || line.includes(apiKey.slice(0, 16))),
  };
}

const SILENCE = { ends: ['7 UNREACHABLE'], requests: [] };

describe('a daemon that was killed', () => {
  test('does not expose its key to another process on its port', async () => {
    await using home = await makeHome();
    const daemon = await home.start();
    await kill(daemon.pid);
    expect(existsSync(stateFile(daemon))).toBe(true);
    await using other = await startForeignListener(getPort(daemon), () => LIST);
    expect(await runCommands(home, other)).toEqual(SILENCE);
  });

  test('does not expose its key to another daemon on its port, even with the same instance id', async () => {
    await using home = await makeHome();
    const daemon = await home.start();
    await kill(daemon.pid);
    // Anybody could have asked the daemon for its id while it lived.
    for (const id of ['another', daemon.instanceId ?? '']) {
      for (const headers of [{}, { connection: 'close' }] as Record<string, string>[]) {
        await using other = await startForeignListener(getPort(daemon), ({ url }) => (url === '/healthz' ? getHealth(id) : LIST), headers);
        expect(await runCommands(home, other)).toEqual(SILENCE);
      }
    }
  });

  test('does not expose its key when its process id is reused', async () => {
    await using home = await makeHome();
    const daemon = await home.start();
    const state = JSON.parse(readFileSync(stateFile(daemon), 'utf8')) as DaemonState;
    await kill(daemon.pid);
    writeFileSync(stateFile(daemon), JSON.stringify({ ...state, pid: process.pid }));
    await using other = await startForeignListener(getPort(daemon), () => LIST);
    expect(await runCommands(home, other)).toEqual(SILENCE);
  });
});

test('a state file with the URL of a foreign process does not expose the key of a running daemon', async () => {
  await using home = await makeHome();
  const daemon = await home.start();
  const text = readFileSync(stateFile(daemon), 'utf8');
  await using other = await startForeignListener(0, ({ url }) => (url === '/healthz' ? getHealth('another') : LIST));
  writeFileSync(stateFile(daemon), JSON.stringify({ ...(JSON.parse(text) as DaemonState), url: other.url }));
  expect(await runCommands(home, other)).toEqual(SILENCE);
  writeFileSync(stateFile(daemon), text);
  expect((await home.run(['items', 'list'])).exit).toBe(0);
});
