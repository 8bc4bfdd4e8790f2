/** A data directory that is deleted or replaced under a running daemon: it must neither pretend to save nor harm a second daemon. */
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { request } from 'undici';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { getData, getKey, isListening } from '../../support/cli/daemon.ts';

interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

interface Client {
  readonly daemon: DaemonStatus;
  send(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer>;
}

/** A client of the daemon that was started last. */
function openClient(home: Home, daemon: DaemonStatus): Client {
  const key = getKey(home);
  return {
    daemon,
    async send(method, path, body) {
      const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': randomUUID() };
      const reply = await request(`${daemon.url ?? ''}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: reply.statusCode, body: await reply.body.json() };
    },
  };
}

const START = ['--tier', 'elevated=1000000'];
const startClient = async (home: Home): Promise<Client> => openClient(home, await home.start(START));

/** A daemon in the foreground, whose exit code can be read. */
async function startForeground(home: Home): Promise<{ client: Client; exit: Promise<number | undefined>; stderr: () => string }> {
  const child = home.spawn(['daemon', 'start', '--foreground', '--port', '0', '--json', ...START]);
  let stderr = '';
  child.stderr?.on('data', (text: Buffer) => (stderr += text.toString()));
  const [line] = (await once(createInterface(child.stdout!), 'line')) as [string];
  const client = openClient(home, (JSON.parse(line) as { data: DaemonStatus }).data);
  return { client, exit: child.then(({ exitCode }) => exitCode), stderr: () => stderr };
}

const createItem = (client: Client, sku: string): Promise<Answer> => client.send('POST', '/v1/items', { name: sku, sku });

async function createItems(client: Client, prefix: string, count: number): Promise<string[]> {
  const skus = Array.from({ length: count }, (_, each) => `${prefix}-${String(each)}`);
  for (const sku of skus) expect((await createItem(client, sku)).status).toBe(201);
  return skus;
}

const listSkus = async ({ send }: Client): Promise<string[]> => {
  const { status, body } = await send('GET', '/v1/items?page_size=200');
  expect(status).toBe(200);
  return (body.data as { sku: string }[]).map(({ sku }) => sku).toSorted();
};

/** Writes until the daemon rejects a write, and checks that it continues to. Reads continue. Returns the SKUs acknowledged before. */
async function waitUntilRejected(client: Client): Promise<string[]> {
  const acknowledged: string[] = [];
  let serial = 0;
  const write = async (): Promise<Answer> => {
    const sku = `LATE-${String((serial += 1))}`;
    const answer = await createItem(client, sku);
    if (answer.status === 201) acknowledged.push(sku);
    return answer;
  };
  await expect.poll(async () => (await write()).body.error?.code as unknown).toBe('STORE_UNAVAILABLE');
  const { status, body } = await write();
  expect([status, body.error.code]).toEqual([503, 'STORE_UNAVAILABLE']);
  expect(body.error.message).toBe(
    'The data directory of the service was deleted or replaced; restart the daemon. The request had no effect; try again.',
  );
  expect((await client.send('GET', '/v1/items')).status).toBe(200);
  return acknowledged;
}

/** Names and digests of all files, without sockets. */
async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(files.toSorted().map(async (file) => `${file} ${hash('sha256', await readFile(file))}`));
}

async function getSegment(dataDir: string): Promise<string> {
  const { manifest } = JSON.parse(await readFile(join(dataDir, 'manifest.json'), 'utf8')) as {
    manifest: { segments: { file: string }[] };
  };
  return join(dataDir, manifest.segments.at(-1)?.file ?? '');
}

async function replace(file: string): Promise<void> {
  await writeFile(`${file}-new`, await readFile(file));
  await rename(`${file}-new`, file);
}

const LOSSES: Readonly<Record<string, (dataDir: string) => Promise<void>>> = {
  'its data directory was deleted': (dataDir) => rm(dataDir, { recursive: true }),
  'its data directory was replaced by a copy': async (dataDir) => {
    await rename(dataDir, `${dataDir}-old`);
    await cp(`${dataDir}-old`, dataDir, { recursive: true, filter: (path) => !path.endsWith('.sock') });
  },
  'its lock file was replaced': (dataDir) => replace(join(dataDir, 'daemon.lock')),
  'its open journal segment was deleted': async (dataDir) => rm(await getSegment(dataDir)),
  'its open journal segment was replaced': async (dataDir) => replace(await getSegment(dataDir)),
};

describe('a daemon that has lost its data directory', () => {
  test.for(Object.keys(LOSSES))('rejects changes, logs the loss and exits with 1 on SIGTERM after %s', async (loss) => {
    await using home = await makeHome();
    const dataDir = getData(home);
    const { client, exit, stderr } = await startForeground(home);
    await createItems(client, 'A', 3);
    await LOSSES[loss]!(dataDir);
    await waitUntilRejected(client);
    expect(stderr()).toMatch(/"kind":"directory-lost"/u);
    expect(stderr()).toContain(`nothing more is written to ${dataDir}. Restart the daemon.`);
    const before = existsSync(dataDir) ? await listFiles(dataDir) : undefined;
    process.kill(client.daemon.pid ?? 0, 'SIGTERM');
    expect(await exit).toBe(1);
    expect(existsSync(dataDir) ? await listFiles(dataDir) : undefined).toEqual(before);
  });

  test('leaves the data of a second daemon on the same path intact, also when it stops', async () => {
    await using home = await makeHome();
    const dataDir = getData(home);
    const first = await startForeground(home);
    const kept = await createItems(first.client, 'FIRST', 5);
    await rename(dataDir, `${dataDir}-moved`);
    const second = await startClient(home);
    const acknowledged = await createItems(second, 'SECOND', 30);
    kept.push(...(await waitUntilRejected(first.client)));
    expect((await home.json(['daemon', 'status'])).body.data).toMatchObject({ status: 'running', pid: second.daemon.pid });
    process.kill(first.client.daemon.pid ?? 0, 'SIGTERM');
    expect(await first.exit).toBe(1);
    // The second is still found and stopped by its state file and socket.
    expect((await home.json(['daemon', 'status'])).body.data).toMatchObject({ status: 'running', pid: second.daemon.pid });
    acknowledged.push(...(await createItems(second, 'AFTER', 5)));
    expect((await home.json(['snapshot', 'list'])).exit).toBe(0);
    process.kill(second.daemon.pid ?? 0, 'SIGKILL');
    await expect.poll(() => isListening(second.daemon.url ?? '')).toBe(false);
    const again = await home.start(START);
    expect(await listSkus({ ...second, ...openClient(home, again) })).toEqual(acknowledged.toSorted());
    expect((await home.run(['daemon', 'stop'])).exit).toBe(0);
    await rm(dataDir, { recursive: true });
    await rename(`${dataDir}-moved`, dataDir);
    const restored = openClient(home, await home.start(START));
    const { data } = (await home.json(['keys', 'create', '--all-scopes', '--save'])).body as { data: unknown };
    expect(data).toBeDefined();
    expect(await listSkus(openClient(home, restored.daemon))).toEqual(kept.toSorted());
  });

  test('is reported by daemon status and stopped by daemon stop, which exits with 1', async () => {
    await using home = await makeHome();
    const dataDir = getData(home);
    const client = await startClient(home);
    await rm(dataDir, { recursive: true });
    await waitUntilRejected(client);
    const status = await home.run(['daemon', 'status']);
    const reason = `${dataDir} was deleted while in use. Changes are rejected and nothing more is written to ${dataDir}. Restart the daemon.`;
    expect([status.exit, status.stderr]).toEqual([
      7,
      `The daemon with pid ${String(client.daemon.pid)} on ${String(client.daemon.url)} has lost its data directory: ${reason}`,
    ]);
    const stop = await home.run(['daemon', 'stop']);
    expect([stop.exit, stop.stderr]).toEqual([
      1,
      `Stopped the daemon with pid ${String(client.daemon.pid)}, which had lost its data directory: ${reason}`,
    ]);
    expect(await isListening(client.daemon.url ?? '')).toBe(false);
    expect((await home.run(['daemon', 'status'])).stderr).toBe('');
    expect(existsSync(dataDir)).toBe(false);
  });

  test('notices the loss without any write, and saves no snapshot', async () => {
    await using home = await makeHome();
    const dataDir = getData(home);
    const client = await startClient(home);
    await replace(join(dataDir, 'daemon.lock'));
    const saved = await home.json(['snapshot', 'save', 'late', '--max-wait', '0']);
    expect([saved.exit, saved.body.error.code]).toEqual([1, 'STORE_UNAVAILABLE']);
    expect(existsSync(join(dataDir, 'snapshots'))).toBe(false);
    expect(await readFile(join(dataDir, 'daemon.log'), 'utf8')).toContain('daemon.lock was replaced while in use');
    const terminal = await home.terminal(['daemon', 'status'], { columns: 200 });
    expect(terminal.stdout).toContain('Changes are rejected');
    expect(terminal.stdout).toContain('daemon.lock was replaced while in use');
    const dashboard = await home.json(['dashboard', '--once']);
    expect(dashboard.body.data?.storeProblem ?? dashboard.body.storeProblem).toContain('daemon.lock was replaced');
    expect((await home.run(['daemon', 'stop'])).exit).toBe(1);
    expect(await isListening(client.daemon.url ?? '')).toBe(false);
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    expect((await home.start()).status).toBe('running');
  });
});
