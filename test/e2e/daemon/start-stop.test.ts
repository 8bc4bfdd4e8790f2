/** Start, stop, restart, log and demo data of a daemon, through the built CLI. */
import { existsSync, statSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { request } from 'undici';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { isDataDirectoryLocked } from '../../../src/daemon/data-directory/lock.ts';
import { hasProcessEnded } from '../../../src/platform/process-ended.ts';
import { isLongRun } from '../../support/long-run.ts';
import { makeHome } from '../../support/cli/home.ts';
import { getData, isListening, getKey, mode, itemNames, readState } from '../../support/cli/daemon.ts';

/** Started at the same time. */
const STARTS = isLongRun ? 10 : 4;

/** The row of a table that was printed to a pipe. */
function readRow(text: string): { readonly key: string; readonly dataDir: string } {
  const [names = [], values = []] = text.split('\n').map((line) => line.split('\t'));
  return Object.fromEntries(names.map((name, at) => [name, values[at]])) as ReturnType<typeof readRow>;
}

describe('start and stop', () => {
  test('start returns when the service is ready and is idempotent, and stop leaves only the data', async () => {
    await using home = await makeHome();
    const first = await home.json(['daemon', 'start', '--port', '0']);
    expect([first.exit, first.body]).toEqual([
      0,
      {
        data: {
          status: 'running',
          url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u) as string,
          pid: expect.any(Number) as number,
          dataDir: getData(home),
          version: expect.any(String) as string,
          instanceId: expect.any(String) as string,
        },
      },
    ]);
    const { url, pid, instanceId } = first.body.data as { url: string; pid: number; instanceId: string };
    const health = await request(`${url}/healthz`);
    expect(await health.body.json()).toMatchObject({ status: 'ok', instanceId });

    const second = await home.json(['daemon', 'start']);
    expect([second.exit, second.body]).toEqual([0, first.body]);
    expect((await home.json(['daemon', 'status'])).body.data).toEqual({ ...first.body.data, ready: true, reason: null });

    const { adminSocket } = readState(getData(home));
    expect(existsSync(adminSocket)).toBe(true);
    const stopped = await home.json(['daemon', 'stop']);
    expect([stopped.exit, stopped.body.data]).toEqual([
      0,
      { status: 'stopped', url: null, pid: null, dataDir: getData(home), version: null, instanceId: null, ready: false, reason: null },
    ]);
    expect(hasProcessEnded(pid)).toBe(true);
    expect(await isListening(url)).toBe(false);
    expect(existsSync(adminSocket)).toBe(false);
    expect(existsSync(join(getData(home), 'daemon.json'))).toBe(false);
    expect(isDataDirectoryLocked(getData(home))).toBe(false);

    const again = await home.json(['daemon', 'stop']);
    expect([again.exit, again.body.data.status]).toEqual([0, 'stopped']);
    const status = await home.json(['daemon', 'status']);
    expect([status.exit, status.body.data.status]).toEqual([7, 'stopped']);
  });

  test('the first start saves a working key with owner-only permissions and never shows or logs it', async () => {
    await using home = await makeHome();
    const started = await home.json(['daemon', 'start', '--port', '0', '--log-level', 'debug']);
    const key = getKey(home);
    expect(key).toMatch(/^pk_test_[0-9A-Za-z]{46}$/u);
    expect((await home.json(['items', 'create', '--name', 'Bolt'])).exit).toBe(0);
    expect(await itemNames(home)).toEqual(['Bolt']);
    const context = (await home.json(['api', 'GET', '/v1/auth/context'])).body.data;
    expect(context).toMatchObject({ tenant: { plan: 'enterprise' }, api_key: { rate_limit_tier: 'elevated', prefix: key.slice(0, 16) } });

    const { url } = started.body.data as { url: string };
    // What a careless caller may do with a key must not reach the log either.
    await (await request(`${url}/v1/items?api_key=${key}`)).body.dump();
    await (await request(`${url}/v1/${key}`, { headers: { 'x-api-key': key } })).body.dump();
    const log = await readFile(join(getData(home), 'daemon.log'), 'utf8');
    expect(log).toContain('/v1/items');
    for (const text of [started.stdout, started.stderr, log]) expect(text).not.toContain(key);
    expect(log).not.toContain(key.slice(17, 40));

    expect(mode(getData(home))).toBe('700');
    for (const name of await readdir(getData(home)))
      expect([name, mode(join(getData(home), name))]).toEqual([name, statSync(join(getData(home), name)).isDirectory() ? '700' : '600']);
    expect(mode(home.path('config', 'stockroom'))).toBe('700');
    expect(mode(home.path('config', 'stockroom', 'credentials.json'))).toBe('600');
  });

  test('a later start creates no second tenant or key', async () => {
    await using home = await makeHome();
    await home.start();
    await home.json(['items', 'create', '--name', 'Kept']);
    const key = getKey(home);
    await home.run(['daemon', 'stop']);
    await home.start();
    expect(getKey(home)).toBe(key);
    expect(await itemNames(home)).toEqual(['Kept']);
  });

  test('concurrent starts create one daemon and return the same output', async () => {
    await using home = await makeHome();
    const starts = await Promise.all(Array.from({ length: STARTS }, () => home.json(['daemon', 'start', '--port', '0'])));
    expect(starts.map(({ exit }) => exit)).toEqual(starts.map(() => 0));
    expect(new Set(starts.map(({ stdout }) => stdout)).size).toBe(1);
    expect((await home.json(['daemon', 'list'])).body.data).toMatchObject([starts[0]?.body.data]);
    expect((await home.json(['items', 'list'])).exit).toBe(0);
  });

  test('restart keeps port, tiers and data, and creates a new instance', async () => {
    await using home = await makeHome();
    const before = await home.start(['--tier', 'elevated=4321', '--test-clock']);
    await home.json(['items', 'create', '--name', 'Kept']);
    const after = (await home.json(['daemon', 'restart'])).body.data as DaemonStatus;
    expect(after.url).toBe(before.url);
    expect(after.instanceId).not.toBe(before.instanceId);
    expect(await itemNames(home)).toEqual(['Kept']);
    const { headers, body } = await request(`${after.url ?? ''}/v1`, { headers: { 'x-api-key': getKey(home) } });
    await body.dump();
    expect(headers['x-ratelimit-limit']).toBe('4321');
    expect(readState(getData(home)).options.testClock).toBe(true);
  });

  test('setting a tier that differs from the start flags warns that a restart resets it', async () => {
    await using home = await makeHome();
    await home.start(['--tier', 'bulk=9']);
    const warning =
      'The daemon was started with --tier bulk=9, which applies again after a restart. Use `stockroom daemon start --tier bulk=7` to keep';
    expect((await home.run(['tiers', 'set', 'bulk', '7'])).stderr).toContain(warning);
    for (const args of [
      ['bulk', '9'],
      ['other', '7'],
    ])
      expect((await home.run(['tiers', 'set', ...args])).stderr).toBe('');
  });

  test('an ephemeral daemon deletes its data at stop and saves no key', async () => {
    await using home = await makeHome();
    const { dataDir } = await home.start(['--ephemeral']);
    expect(existsSync(dataDir)).toBe(true);
    expect(existsSync(home.path('config', 'stockroom', 'credentials.json'))).toBe(false);
    expect((await home.json(['daemon', 'restart', '--data-dir', dataDir])).exit).toBe(2);
    expect((await home.json(['daemon', 'stop', '--data-dir', dataDir])).exit).toBe(0);
    expect(existsSync(dataDir)).toBe(false);
    expect((await home.json(['daemon', 'list', '--all'])).body.data).toEqual([]);
  });

  test.each([[['--json']], [[]]])('a start in a pipe prints the key that nothing has saved: %j', async (format) => {
    await using home = await makeHome();
    const { stdout } = await home.run(['daemon', 'start', '--port', '0', '--ephemeral', ...format]);
    const status = format.length > 0 ? (JSON.parse(stdout) as { data: { key: string; dataDir: string } }).data : readRow(stdout);
    const listed = await home.json(['items', 'list', '--data-dir', status.dataDir], { env: { STOCKROOM_API_KEY: status.key } });
    expect([listed.exit, listed.body.data]).toEqual([0, []]);
    expect(JSON.stringify(await home.json(['daemon', 'status', '--data-dir', status.dataDir]))).not.toContain(status.key);
    const saved = await home.run(['daemon', 'start', '--port', '0', ...format]);
    expect(saved.stdout).not.toMatch(/pk_test_|\bkey\b/u);
  });

  test('stop without a daemon names those that run, and --url says how to select one', async () => {
    await using home = await makeHome();
    const { url, dataDir } = await home.start(['--ephemeral']);
    const none = await home.run(['daemon', 'stop']);
    expect([none.exit, none.stderr]).toEqual([
      0,
      expect.stringContaining(`Running on ${url ?? ''}: stop it with \`stockroom daemon stop --data-dir ${dataDir}\``),
    ]);
    const wrong = await home.run(['daemon', 'stop', '--url', url ?? '']);
    expect([wrong.exit, wrong.stderr]).toEqual([2, expect.stringContaining('pass --data-dir DIR')]);
    expect((await home.run(['daemon', 'stop', '--data-dir', dataDir])).exit).toBe(0);
  });

  test('wait waits for a starting daemon, and ends with exit 9 if there is none', async () => {
    await using home = await makeHome();
    const none = await home.json(['daemon', 'wait', '--timeout', '0']);
    expect([none.exit, none.body.error]).toMatchObject([9, { code: 'NOT_READY', exit: 9 }]);
    const [waited, started] = await Promise.all([
      home.json(['daemon', 'wait', '--timeout', '30']),
      home.json(['daemon', 'start', '--port', '0']),
    ]);
    expect([waited.exit, waited.body]).toEqual([0, started.body]);
  });
});

describe('the log', () => {
  test('is one JSON object per line, limited by -n and followed with -f', async () => {
    await using home = await makeHome();
    await home.start(['--log-level', 'debug']);
    const all = (await home.run(['daemon', 'logs', '--json'])).stdout
      .split('\n')
      .map((line) => JSON.parse(line) as { level: string; msg: string });
    expect(all.map(({ msg }) => msg)).toContain('ready');
    expect((await home.run(['daemon', 'logs', '-n', '1'])).stdout.split('\n')).toHaveLength(1);
    const following = home.spawn(['daemon', 'logs', '-f', '-n', '0', '--json']);
    const { stdout } = following;
    // A request is logged once the follower looks; asking again until it shows needs no guess about when that is.
    let seen = '';
    stdout?.on('data', (part: Buffer) => (seen += part.toString()));
    while (!seen.includes('"/v1/items"')) await home.run(['items', 'list']);
    following.kill('SIGINT');
    await following;
    for (const line of seen.trimEnd().split('\n')) expect(() => JSON.parse(line) as unknown).not.toThrow();
  });

  test('is YAML, CSV or selected columns on request', async () => {
    await using home = await makeHome();
    await home.start();
    await home.run(['daemon', 'stop']);
    const logs = async (...args: string[]) => home.run(['daemon', 'logs', '-n', '1', ...args]);
    expect((await logs('-o', 'yaml')).stdout).toMatch(/^- level: info\n {2}time: .*\n {2}msg: stopped$/u);
    expect((await logs('-o', 'csv')).stdout).toMatch(/^time,level,msg,code,method,path,requestId\r\n[^,]+,info,stopped,,,,\r?$/u);
    expect((await logs('--columns', 'msg,level')).stdout).toBe('msg\tlevel\nstopped\tinfo');
    expect(JSON.parse((await logs('--columns', 'msg', '--json')).stdout)).toMatchObject({ level: 'info', msg: 'stopped' });
    expect(await logs('-o', 'id')).toMatchObject({ exit: 2, stdout: '' });
    expect((await logs('--columns', 'mesg')).stderr).toContain('Did you mean "msg"?');
  });

  test('is readable after the daemon has stopped, and empty if there was none', async () => {
    await using home = await makeHome();
    expect(await home.run(['daemon', 'logs'])).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: expect.stringContaining('logs to its terminal'),
    });
    await home.start();
    await home.run(['daemon', 'stop']);
    expect((await home.run(['daemon', 'logs'])).stdout).toContain('"stopped"');
  });
});

describe('the demo data', () => {
  test('are loaded once by start --demo, with a profile for each tenant', async () => {
    await using home = await makeHome();
    await home.start(['--demo']);
    const before = await itemNames(home);
    expect(before.length).toBeGreaterThan(10);
    await home.json(['items', 'create', '--name', 'My own']);
    const key = getKey(home, 'kestrel-coffee');
    expect((await home.json(['daemon', 'start', '--demo'])).exit).toBe(0);
    await home.run(['daemon', 'stop']);
    await home.start(['--demo']);
    expect((await itemNames(home)).toSorted()).toEqual([...before, 'My own'].toSorted());
    expect(getKey(home, 'kestrel-coffee')).toBe(key);
  });

  test('can be loaded into a running daemon', async () => {
    await using home = await makeHome();
    const { pid } = await home.start();
    expect(await itemNames(home)).toEqual([]);
    expect((await home.start(['--demo'])).pid).toBe(pid);
    expect((await itemNames(home)).length).toBeGreaterThan(10);
    expect((await home.json(['items', 'list', '--profile', 'local'])).body.data).toEqual([]);
  });
});
