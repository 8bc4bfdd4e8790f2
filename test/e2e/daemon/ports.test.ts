/** The port of a daemon: in use, chosen automatically, or kept. */
import { mkdir, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { makeHome } from '../../support/cli/home.ts';
import { startForeignListener } from '../../support/cli/daemon.ts';

describe('daemon port', () => {
  test('a named port in use ends with exit 7 and names the holder', async () => {
    await using home = await makeHome();
    await using other = await startForeignListener();
    const { exit, body } = await home.json(['daemon', 'start', '--port', String(other.port)]);
    expect([exit, body.error]).toMatchObject([7, { code: 'PORT_TAKEN', exit: 7 }]);
    expect(body.error.message).toContain(String(other.port));
    if (process.platform === 'linux') expect(body.error.message).toContain(`(pid ${String(process.pid)})`);
    await expect.poll(async () => (await home.json(['daemon', 'status'])).body.data.status).toBe('stopped');
    // Nothing of the failed start is in the way of the next, and no tenant was created without a saved key.
    expect((await home.start()).status).toBe('running');
    expect((await home.run(['items', 'list'])).exit).toBe(0);
  });

  test('a named port in use by another daemon ends with exit 7 and names its data directory', async () => {
    await using home = await makeHome();
    const dirs = [home.path('one'), home.path('two')] as const;
    const { url } = await home.start(['--data-dir', dirs[0]]);
    const { exit, body } = await home.json(['daemon', 'start', '--port', new URL(url ?? '').port, '--data-dir', dirs[1]]);
    expect([exit, body.error.message]).toEqual([7, expect.stringContaining(dirs[0])]);
  });

  test('a default port in use is skipped with one notice', async () => {
    await using home = await makeHome();
    await using other = await startForeignListener();
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

  test('a running daemon keeps its port and reports that another --port was ignored', async () => {
    await using home = await makeHome();
    await using other = await startForeignListener();
    const { url } = await home.start();
    const { exit, body, stderr } = await home.json(['daemon', 'start', '--port', String(other.port)]);
    expect([exit, body.data.url, stderr]).toEqual([0, url, expect.stringContaining(`port ${String(other.port)} was ignored`)]);
    const clock = await home.json(['daemon', 'start', '--test-clock']);
    expect([clock.exit, clock.stderr]).toEqual([0, 'Already running without a test clock. Stop the daemon first to use --test-clock.']);
  });

  test.for([
    [['--host', '127.0.0.2'], ' on 127.0.0.1; --host 127.0.0.2 was ignored. Stop the daemon first to change its address.'],
    [['--webhook-retries', '1,2'], ' with other webhook retries. Stop the daemon first to use --webhook-retries 1,2.'],
    [['--metrics-port', '0'], ' without metrics. Stop the daemon first to use --metrics-port.'],
    [['--log-level', 'debug'], ' with log level info. Stop the daemon first to use --log-level debug.'],
    [['--tier', 'bulk=9', '--tier', 'slow=1'], '; tier bulk=9 was ignored. Set it with `stockroom tiers set bulk 9`.'],
  ] as const)('a running daemon keeps its settings and reports ignored flags: %j', async ([args, words]) => {
    await using home = await makeHome();
    await home.start(['--tier', 'slow=1']);
    const { exit, stderr } = await home.json(['daemon', 'start', ...args]);
    expect([exit, stderr]).toEqual([0, `Already running${words}`]);
    expect((await home.json(['daemon', 'start', '--host', '127.0.0.1', '--tier', 'slow=1'])).stderr).toBe('');
  });
});
