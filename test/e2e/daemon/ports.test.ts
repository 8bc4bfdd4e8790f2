/** The port of a daemon: in use, chosen automatically, or kept. */
import { existsSync } from 'node:fs';
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
    const { body: status } = await home.json(['daemon', 'status']);
    expect(status.data.status).toBe('stopped');
    // Nothing of the failed start is left, and no tenant was created without a saved key.
    expect(existsSync(status.data.dataDir)).toBe(false);
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

  test('a start that asks for another port or a clock than the running daemon has fails and changes nothing', async () => {
    await using home = await makeHome();
    await using other = await startForeignListener();
    const { url } = await home.start();
    const { exit, body } = await home.json(['daemon', 'start', '--port', String(other.port)]);
    expect([exit, body.error]).toMatchObject([
      5,
      {
        code: 'OTHER_OPTIONS',
        message: `Already running on ${url}`,
        hint: expect.stringContaining(`To use port ${String(other.port)}, stop it first`),
      },
    ]);
    const clock = await home.json(['daemon', 'start', '--test-clock']);
    expect([clock.exit, clock.body.error.message]).toEqual([5, 'Already running without a test clock']);
    expect((await home.json(['daemon', 'status'])).body.data).toMatchObject({ status: 'running', url });
  });

  test.for([
    [['--host', '127.0.0.2'], 'on 127.0.0.1', 'To listen on 127.0.0.2, stop it first: `stockroom daemon stop`'],
    [['--webhook-retries', '1,2'], 'with other webhook retries', 'To use --webhook-retries 1,2, stop it first: `stockroom daemon stop`'],
    [['--metrics-port', '0'], 'without --metrics-port', 'To use --metrics-port, stop it first: `stockroom daemon stop`'],
    [['--log-level', 'debug'], 'with log level info', 'To use --log-level debug, stop it first: `stockroom daemon stop`'],
    [['--contract', 'strict'], 'with the extended contract', 'To use --contract strict, stop it first: `stockroom daemon stop`'],
    [['--drain-seconds', '3'], 'with --drain-seconds 0', 'To use --drain-seconds 3, stop it first: `stockroom daemon stop`'],
    [
      ['--no-allow-registration'],
      'with registration of applications',
      'To use --no-allow-registration, stop it first: `stockroom daemon stop`',
    ],
    [
      ['--otlp-endpoint', 'http://127.0.0.1:9'],
      'without an OTLP endpoint',
      'To use --otlp-endpoint http://127.0.0.1:9, stop it first: `stockroom daemon stop`',
    ],
    [
      ['--control-port', '0', '--control-host', '127.0.0.2'],
      'with --control-host 127.0.0.1',
      'To use --control-host 127.0.0.2, stop it first: `stockroom daemon stop`',
    ],
    [['--console'], 'without the console', 'To use --console, stop it first: `stockroom daemon stop`'],
    [['--tier', 'bulk=9', '--tier', 'slow=1'], 'without tier bulk 9', 'Set it with `stockroom tiers set bulk 9`'],
  ] as const)('a start with other options than the running daemon has fails: %j', async ([args, message, hint]) => {
    await using home = await makeHome();
    const running = ['--tier', 'slow=1', '--drain-seconds', '0', '--control-port', '0', '--no-console'];
    await home.start(running);
    const { exit, body } = await home.json(['daemon', 'start', ...args]);
    expect([exit, body.error]).toMatchObject([5, { message: `Already running ${message}`, hint }]);
    const same = [...running, '--host', '127.0.0.1', '--allow-registration', '--control-host', '127.0.0.1'];
    expect((await home.json(['daemon', 'start', ...same])).exit).toBe(0);
  });
});
