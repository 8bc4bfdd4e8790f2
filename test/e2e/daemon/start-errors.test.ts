/** Invalid configurations with which a daemon does not start. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeHome } from '../../support/cli/home.ts';
import { getData, startForeignListener } from '../../support/cli/daemon.ts';

describe('daemon start', () => {
  test.each([
    [['--host', '0.0.0.0'], 'plain HTTP'],
    [['--store', 'mysql://localhost/x'], 'only at postgres://'],
    [['--store', 'postgres://stock:hunter2@localhost/x'], 'The password in --store is visible'],
    [['--tier', 'fast'], 'NAME=PER_MINUTE'],
    [['--tier', 'Fast=1'], 'lowercase'],
    [['--tier', 'fast=0'], 'from 1'],
    [['--ephemeral', '--data-dir', './x'], 'ephemeral'],
    [['--port', '70000'], '65535'],
    [['--public-url', 'stock.example'], 'http or https with a host'],
    [['--public-url', 'https://user:hunter2@stock.example'], 'Invalid public URL in --public-url. Use'],
    [['--trust-proxy', '10.0.0.0/8,10.0.0.0/64'], 'Invalid address range "10.0.0.0/64" in --trust-proxy'],
    [['--drain-seconds', '601'], 'from 0 to 600'],
    [['--metrics-port', '65536'], 'from 0 to 65535'],
    [['--metrics-host', '127.0.0.1'], '--metrics-host has no effect'],
  ])('%j is a usage error', async (args, word) => {
    await using home = await makeHome();
    const { exit, body } = await home.json(['daemon', 'start', ...args]);
    expect([exit, body.error.exit, body.error.message]).toEqual([2, 2, expect.stringContaining(word)]);
    expect(existsSync(getData(home))).toBe(false);
  });

  test('an invalid configuration file is named, and no daemon starts', async () => {
    await using home = await makeHome();
    await mkdir(home.path('config', 'stockroom'), { recursive: true });
    const path = home.path('config', 'stockroom', 'config.json');
    for (const [content, word] of [
      ['{', 'JSON'],
      ['{"daemon":{"prot":1}}', 'prot'],
      ['{"daemon":{"port":"8625"}}', 'port'],
      ['{"daemon":{"trustProxy":"10.0.0.0/8"}}', 'trustProxy'],
    ] as const) {
      await writeFile(path, content);
      const { exit, body } = await home.json(['daemon', 'start']);
      expect([exit, body.error.message]).toEqual([2, expect.stringContaining(word)]);
      expect(body.error.message).toContain(path);
    }
  });

  test('the configuration file sets the maximum number of endpoints per tenant', async () => {
    await using home = await makeHome();
    await mkdir(home.path('config', 'stockroom'), { recursive: true });
    await writeFile(home.path('config', 'stockroom', 'config.json'), '{"webhooks":{"maxEndpoints":1}}');
    expect(await home.run(['daemon', 'start'])).toMatchObject({ exit: 0 });
    const create = () =>
      home.json(['webhooks', 'create', '--name', 'One', '--target-url', 'http://127.0.0.1:9/', '--event', 'order.created']);
    expect((await create()).exit).toBe(0);
    const { exit, body } = await create();
    expect([exit, body.error.details.limit]).toEqual([5, 1]);
  });

  test('a data directory that cannot be created ends with exit 7', async () => {
    await using home = await makeHome();
    await writeFile(home.path('file'), '');
    const { exit, body } = await home.json(['daemon', 'start', '--data-dir', home.path('file', 'below')]);
    expect([exit, body.error.code]).toEqual([7, 'DATA_DIRECTORY']);
  });

  test.for([
    [['file'], 'it is a file'],
    [['file', 'below'], 'part of the path is a file'],
  ] as const)('an unusable data directory is reported with the reason: %j', async ([place, reason]) => {
    await using home = await makeHome();
    await writeFile(home.path('file'), '');
    const dataDir = home.path(...place);
    const { stderr } = await home.run(['daemon', 'start', '--data-dir', dataDir]);
    const hint = 'Choose another with --data-dir or STOCKROOM_DATA_DIR';
    expect(stderr).toBe(`Error: Cannot use the data directory ${dataDir}: ${reason}\nHint:  ${hint}`);
  });

  test('a state file is valid only if the same instance responds', async () => {
    await using home = await makeHome();
    await using other = await startForeignListener(JSON.stringify({ status: 'ok', version: '0', instanceId: 'other' }));
    await mkdir(getData(home), { recursive: true, mode: 0o700 });
    // The pid is that of a living process which is no daemon: as after a kill and a reuse of its number.
    const state = {
      pid: process.pid,
      url: `http://127.0.0.1:${String(other.port)}`,
      instanceId: 'mine',
      version: '0',
      dataDir: getData(home),
      adminSocket: '/nowhere',
    };
    await writeFile(join(getData(home), 'daemon.json'), JSON.stringify(state));
    expect((await home.json(['daemon', 'status'])).body.data.status).toBe('stopped');
    const stop = await home.json(['daemon', 'stop', '--force', '--timeout', '1']);
    expect([stop.exit, stop.body.data.status]).toEqual([0, 'stopped']);
    expect((await home.start()).pid).not.toBe(process.pid);
  });
});
