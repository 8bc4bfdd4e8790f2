/** `demo --live`: simulated business against a real daemon, until Ctrl-C. */
import { expect, test } from 'vitest';
import { getLines, saying } from '../../support/cli/command-output.ts';
import { makeHome } from '../../support/cli/home.ts';

test('demo --live prints one line per event until Ctrl-C, and leaves consistent data and a running daemon', async () => {
  await using home = await makeHome();
  const child = home.spawn(['demo', '--live', '--per-minute', '600', '--seed', '3', '--json'], {
    env: { STOCKROOM_API_KEY: 'of another service' },
  });
  const lines = getLines(child);
  expect(await lines.next()).toMatchObject({ data: { status: 'running' } });
  for (let count = 0; count < 12; count += 1) {
    expect(await lines.next()).toMatchObject({ at: expect.stringMatching(/^\d{4}-/u), kind: expect.any(String), text: expect.any(String) });
  }
  child.kill('SIGINT');
  const { exitCode, stderr } = await child;
  expect(exitCode).toBe(130);
  expect(stderr).toMatch(/Stopped: \d+ orders? received, \d+ shipped/u);
  expect((await home.json(['daemon', 'status'])).body.data.status).toBe('running');
  expect((await home.run(['doctor', '--tenant', 'kestrel-coffee'])).exit).toBe(0);
});

test('demo --live ends with one sentence when the daemon stops', async () => {
  await using home = await makeHome();
  await home.start(['--demo']);
  const child = home.spawn(['demo', '--live', '--per-minute', '600']);
  await saying(child, 'press Ctrl-C');
  await home.run(['daemon', 'stop']);
  const { exitCode, stderr } = await child;
  expect([exitCode, stderr]).toEqual([7, expect.stringMatching(/is no longer running|shutting down/u)]);
});

test('demo --reset asks, and with --yes replaces all data with those of a new demo, whose key is used', async () => {
  await using home = await makeHome();
  await home.start(['--demo']);
  const count = async () => (await home.json(['items', 'list'])).body.pagination.total as number;
  const before = await count();
  await home.run(['items', 'create', '--name', 'Leftover']);
  expect(await home.run(['demo', '--reset'])).toMatchObject({ exit: 2, stderr: expect.stringContaining('--yes') });
  expect(await count()).toBe(before + 1);
  expect((await home.json(['demo', '--reset', '--yes'])).body.data).toMatchObject({ status: 'running' });
  expect(await count()).toBe(before);
  expect((await home.run(['whoami', '--columns', 'tenant.plan'])).stdout).toContain('enterprise');
});

test.each([
  [['--per-minute', '6'], '--live'],
  [['--yes'], '--reset'],
  [['--live', '--per-minute', '0'], 'from 1 to 600'],
  [['--live', '--per-minute', '601'], 'from 1 to 600'],
  [['--live', '--ephemeral'], '--ephemeral'],
])('demo %j is rejected with a message that names what is right', async (args, message) => {
  await using home = await makeHome();
  const { exit, stderr } = await home.run(['demo', ...args]);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(message)]);
});
