/** Progress of commands that wait: shown in a terminal, never in a pipe. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { startBetween } from '../../support/servers/intercepting-proxy.ts';
import { type Receiver, startReceiver } from '../../support/servers/webhook-receiver.ts';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';
import { openTerminal } from '../../support/cli/terminal.ts';

let shop: Shop;
let silent: Receiver;
beforeAll(async () => {
  silent = await startReceiver(() => undefined);
  shop = await openShop();
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
  await silent[Symbol.asyncDispose]();
});

/** A delivery that its receiver does not answer. */
async function leaveOneUnderWay(): Promise<void> {
  const before = silent.received.length;
  expect((await shop.http('POST', '/v1/items', { name: 'Nut', itemType: 'product' })).status).toBe(201);
  await silent.count(before + 1);
}

test('a slow stop shows the elapsed seconds in a terminal and leaves one line', async () => {
  const { exit } = await shop.home.run(
    ['webhooks', 'create', '--name', 'Silent', '--target-url', silent.url].concat(['--event', 'inventory.item.created']),
  );
  expect(exit).toBe(0);
  await leaveOneUnderWay();
  await using terminal = await openTerminal(shop.home, { columns: 80, rows: 24 });
  await terminal.run('daemon stop');
  let refused = await shop.http('GET', '/v1/items');
  while (refused.status === 200) refused = await shop.http('GET', '/v1/items');
  // It does not get to the end of its stop before that was seen.
  process.kill(shop.daemon.pid ?? 0, 'SIGSTOP');
  try {
    await terminal.shows(/^Stopping; finishing pending requests: \d+ s of at most 30 s$/mu);
  } finally {
    process.kill(shop.daemon.pid ?? 0, 'SIGCONT');
  }
  const ended = await terminal.ends();
  expect(ended.exit).toBe(0);
  expect(ended.screen).toContain('Stopped the daemon of');
  expect(ended.screen).not.toContain('pending requests');
  // A request rejected during shutdown is no fault of the service, so the message must not point to its log.
  expect([refused.status, (refused.body as { error: { code: string } }).error.code]).toEqual([503, 'UNAVAILABLE']);
  expect((await shop.home.run(['daemon', 'logs'])).stdout).not.toMatch(/"level":"error"|shutting down/u);
});

test('a daemon in the foreground reports why Ctrl-C takes long', async () => {
  await using terminal = await openTerminal(shop.home, { columns: 100, rows: 30 });
  const sent = silent.received.length;
  await terminal.run('daemon start --foreground --port 0');
  await terminal.shows(/Running on/u);
  await silent.count(sent + 1);
  process.kill(await terminal.pid(), 'SIGINT');
  await terminal.shows(/^Stopping; finishing pending requests$/mu);
  expect((await terminal.ends()).exit).toBe(0);
});

test('a slow response shows progress in a terminal, and nothing in a pipe', async () => {
  silent.answer = 200;
  expect((await shop.home.run(['daemon', 'start'])).exit).toBe(0);
  const seen = Promise.withResolvers<void>();
  const { url } = (await shop.home.json(['daemon', 'status'])).body.data as DaemonStatus;
  await using slow = await startBetween(url ?? '', shop.key, () => seen.promise);
  // A saved key is sent only to the service it was saved for.
  const env = { STOCKROOM_API_KEY: shop.key };
  await using terminal = await openTerminal(shop.home, { columns: 80, rows: 24 }, env);
  await terminal.run(`items list --columns name --url ${slow.url}`);
  await terminal.shows(/^Waiting for the response: \d+ s$/mu);
  seen.resolve();
  const { screen } = await terminal.ends();
  expect(screen).toMatch(/^NAME$/mu);
  expect(screen).not.toContain('Waiting');
  expect((await shop.home.run(['faults', 'set', 'GET /v1/items', '--latency', '2500ms'])).exit).toBe(0);
  expect(await shop.home.run(['items', 'list', '--columns', 'name'])).toMatchObject({ exit: 0, stderr: '' });
});

test('Ctrl-C removes the line of a command that waits', async () => {
  await using slow = await startBetween(String(shop.daemon.url), shop.key, () => new Promise<void>(() => undefined));
  await using terminal = await openTerminal(shop.home, { columns: 80, rows: 24 }, { STOCKROOM_API_KEY: shop.key });
  await terminal.run(`items list --url ${slow.url}`);
  await terminal.shows(/^Waiting for the response: \d+ s$/mu);
  await terminal.press('C-c');
  const { exit, screen } = await terminal.ends();
  expect(exit).toBe(130);
  expect(screen).not.toContain('Waiting');
});

test('an unresponsive daemon is reported instead of an empty screen', async () => {
  const { pid } = (await shop.home.json(['daemon', 'status'])).body.data as { pid: number };
  await using dashboard = await openTerminal(shop.home, { columns: 80, rows: 24 });
  await using listener = await openTerminal(shop.home, { columns: 81, rows: 24 });
  process.kill(pid, 'SIGSTOP');
  try {
    await dashboard.run('dashboard');
    await listener.run('webhooks listen');
    for (const terminal of [dashboard, listener]) await terminal.shows(/^Waiting for the response: \d+ s$/mu);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await listener.shows(/^Listening for/mu);
  expect(await dashboard.shows(/\* live/u)).not.toContain('Waiting');
  process.kill(await listener.pid(), 'SIGTERM');
  await dashboard.press('q');
  await Promise.all([listener.ends(), dashboard.ends()]);
});

test('deliveries tail and usage --watch report that they wait for an unresponsive daemon', async () => {
  const { pid } = (await shop.home.json(['daemon', 'status'])).body.data as { pid: number };
  await using tail = await openTerminal(shop.home, { columns: 80, rows: 24 });
  await using watch = await openTerminal(shop.home, { columns: 81, rows: 24 });
  process.kill(pid, 'SIGSTOP');
  try {
    await tail.run('webhooks deliveries tail');
    await watch.run('usage --watch');
    for (const terminal of [tail, watch]) await terminal.shows(/^Waiting for the response: \d+ s$/mu);
    // A single frame must not wait.
    const once = await shop.home.json(['dashboard', '--once']);
    expect([once.exit, once.body.error.code, once.body.error.message]).toEqual([
      7,
      'UNREACHABLE',
      expect.stringMatching(/^No response from http:.* within 5 s$/u),
    ]);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  expect(await tail.shows(/^Following deliveries/mu)).not.toContain('Waiting');
  expect(await watch.shows(/· live/u)).not.toContain('Waiting');
  for (const terminal of [tail, watch]) process.kill(await terminal.pid(), 'SIGTERM');
  await Promise.all([tail.ends(), watch.ends()]);
});

test('the log has a warning when faults are set, and an entry when they end', async () => {
  for (const args of [['clear'], ['set', 'GET /v1/items', '--status', '503'], ['clear']])
    expect((await shop.home.run(['faults', ...args])).exit, args.join(' ')).toBe(0);
  const { stdout } = await shop.home.run(['daemon', 'logs', '--lines', '2']);
  const lines = stdout.split('\n').map((line) => JSON.parse(line) as { level: string; msg: string; faults?: string[] });
  expect(lines.map(({ level, msg, faults }) => [level, msg, faults])).toEqual([
    ['warn', 'fault injection active', ['GET /v1/items']],
    ['info', 'fault injection ended', undefined],
  ]);
});
