/** The port of a daemon: one that is taken, one that nobody insisted on, one that is kept. */
import { mkdir, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { stranger } from '../support/daemon.ts';

describe('ports', () => {
  test('a named port in use ends with exit 7 and names the holder', async () => {
    await using home = await makeHome();
    await using other = await stranger();
    const { exit, body } = await home.json(['daemon', 'start', '--port', String(other.port)]);
    expect([exit, body.error]).toMatchObject([7, { code: 'port_taken', exit: 7 }]);
    expect(body.error.message).toContain(String(other.port));
    if (process.platform === 'linux') expect(body.error.message).toContain(`(pid ${String(process.pid)})`);
    expect((await home.json(['daemon', 'status'])).body.data.status).toBe('stopped');
    // Nothing of the failed start is in the way of the next.
    expect((await home.start()).status).toBe('running');
  });

  test('a named port with a daemon of ours ends with exit 7 and names its data directory', async () => {
    await using home = await makeHome();
    const dirs = [home.path('one'), home.path('two')] as const;
    const { url } = await home.start(['--data-dir', dirs[0]]);
    const { exit, body } = await home.json(['daemon', 'start', '--port', new URL(url ?? '').port, '--data-dir', dirs[1]]);
    expect([exit, body.error.message]).toEqual([7, expect.stringContaining(dirs[0])]);
  });

  test('a port that nobody insisted on is passed over, with one notice', async () => {
    await using home = await makeHome();
    await using other = await stranger();
    await mkdir(home.path('config', 'stockroom'), { recursive: true });
    await writeFile(home.path('config', 'stockroom', 'config.json'), JSON.stringify({ daemon: { port: other.port } }));
    const { exit, body, stderr } = await home.json(['daemon', 'start']);
    expect(exit).toBe(0);
    const { port } = new URL((body.data as { url: string }).url);
    expect(Number(port)).toBeGreaterThan(other.port);
    expect(stderr.split('\n').filter((line) => line.includes(String(other.port)))).toEqual([
      expect.stringContaining(`using ${port} instead`),
    ]);
  });

  test('a running daemon stays on its port and says so when another is asked for', async () => {
    await using home = await makeHome();
    await using other = await stranger();
    const { url } = await home.start();
    const { exit, body, stderr } = await home.json(['daemon', 'start', '--port', String(other.port)]);
    expect([exit, body.data.url, stderr]).toEqual([0, url, expect.stringContaining(`port ${String(other.port)} was not used`)]);
    const clock = await home.json(['daemon', 'start', '--test-clock']);
    expect([clock.exit, clock.stderr]).toEqual([
      0,
      'It was running already, on the real time. Stop it first to start it with a test clock.',
    ]);
  });

  test.for([
    [['--host', '127.0.0.2'], 'on 127.0.0.1; --host 127.0.0.2 was not used. Stop it first to change the address.'],
    [['--webhook-retries', '1,2'], 'with other retries of webhooks. Stop it first to start it with --webhook-retries 1,2.'],
    [['--log-level', 'debug'], 'at the log level info. Stop it first to start it with --log-level debug.'],
    [['--tier', 'bulk=9', '--tier', 'slow=1'], 'and the tier bulk=9 was not made; `stockroom tiers set bulk 9` makes it.'],
  ] as const)('a running daemon stays as it is and says so when another is asked for: %j', async ([args, words]) => {
    await using home = await makeHome();
    await home.start(['--tier', 'slow=1']);
    const { exit, stderr } = await home.json(['daemon', 'start', ...args]);
    expect([exit, stderr]).toEqual([0, `It was running already, ${words}`]);
    expect((await home.json(['daemon', 'start', '--host', '127.0.0.1', '--tier', 'slow=1'])).stderr).toBe('');
  });
});
