/** The daemon as a living process, through the built command line. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { type IncomingMessage, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { request } from 'undici';
import type { DaemonState, DaemonStatus } from '../../src/contract/places.ts';
import { isLocked } from '../../src/daemon/lock.ts';
import { hasEnded } from '../../src/daemon/shutdown.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { openTerminal } from '../support/terminal.ts';

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const dataOf = (home: Home): string => home.path('data', 'stockroom');
const readState = (dataDir: string): DaemonState => JSON.parse(readFileSync(join(dataDir, 'daemon.json'), 'utf8')) as DaemonState;
const keyOf = (home: Home, profile = 'local'): string => {
  const text = readFileSync(home.path('config', 'stockroom', 'credentials.json'), 'utf8');
  return (JSON.parse(text) as { profiles: Record<string, { apiKey: string }> }).profiles[profile]?.apiKey ?? '';
};
const isListening = (url: string): Promise<boolean> =>
  request(`${url}/healthz`).then(
    async ({ body }) => body.dump().then(() => true),
    () => false,
  );
const names = async (home: Home): Promise<string[]> =>
  ((await home.json(['items', 'list'])).body.data as { name: string }[]).map(({ name }) => name);

/** A program of somebody else on a port. */
async function stranger(answer = 'hello'): Promise<{ port: number } & AsyncDisposable> {
  const server = createServer((_request, response) => response.end(answer)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('start and stop', () => {
  test('start answers when the service does, twice is once, and stop leaves nothing but the data', async () => {
    await using home = await makeHome();
    const first = await home.json(['daemon', 'start', '--port', '0']);
    expect([first.exit, first.body]).toEqual([
      0,
      {
        data: {
          status: 'running',
          url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u) as string,
          pid: expect.any(Number) as number,
          dataDir: dataOf(home),
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
    expect((await home.json(['daemon', 'status'])).body).toEqual(first.body);

    const { adminSocket } = readState(dataOf(home));
    expect(existsSync(adminSocket)).toBe(true);
    const stopped = await home.json(['daemon', 'stop']);
    expect([stopped.exit, stopped.body.data]).toEqual([
      0,
      { status: 'stopped', url: null, pid: null, dataDir: dataOf(home), version: null, instanceId: null },
    ]);
    expect(hasEnded(pid)).toBe(true);
    expect(await isListening(url)).toBe(false);
    expect(existsSync(adminSocket)).toBe(false);
    expect(existsSync(join(dataOf(home), 'daemon.json'))).toBe(false);
    expect(isLocked(dataOf(home))).toBe(false);

    const again = await home.json(['daemon', 'stop']);
    expect([again.exit, again.body.data.status]).toEqual([0, 'stopped']);
    const status = await home.json(['daemon', 'status']);
    expect([status.exit, status.body.data.status]).toEqual([7, 'stopped']);
  });

  test('the first start makes a key that works at once, saves it for the owner alone, and shows or logs it nowhere', async () => {
    await using home = await makeHome();
    const started = await home.json(['daemon', 'start', '--port', '0', '--log-level', 'debug']);
    const key = keyOf(home);
    expect(key).toMatch(/^pk_test_[0-9A-Za-z]{46}$/u);
    expect((await home.json(['items', 'create', '--name', 'Bolt'])).exit).toBe(0);
    expect(await names(home)).toEqual(['Bolt']);
    const context = (await home.json(['api', 'GET', '/v1/auth/context'])).body.data;
    expect(context).toMatchObject({ tenant: { plan: 'enterprise' }, api_key: { rate_limit_tier: 'elevated', prefix: key.slice(0, 16) } });

    const { url } = started.body.data as { url: string };
    // What a careless caller may do with a key must not reach the log either.
    await (await request(`${url}/v1/items?api_key=${key}`)).body.dump();
    await (await request(`${url}/v1/${key}`, { headers: { 'x-api-key': key } })).body.dump();
    const log = await readFile(join(dataOf(home), 'daemon.log'), 'utf8');
    expect(log).toContain('/v1/items');
    for (const text of [started.stdout, started.stderr, log]) expect(text).not.toContain(key);
    expect(log).not.toContain(key.slice(17, 40));

    expect(mode(dataOf(home))).toBe('700');
    for (const name of await readdir(dataOf(home)))
      expect([name, mode(join(dataOf(home), name))]).toEqual([name, statSync(join(dataOf(home), name)).isDirectory() ? '700' : '600']);
    expect(mode(home.path('config', 'stockroom'))).toBe('700');
    expect(mode(home.path('config', 'stockroom', 'credentials.json'))).toBe('600');
  });

  test('a later start makes no second tenant and no second key', async () => {
    await using home = await makeHome();
    await home.start();
    await home.json(['items', 'create', '--name', 'Kept']);
    const key = keyOf(home);
    await home.run(['daemon', 'stop']);
    await home.start();
    expect(keyOf(home)).toBe(key);
    expect(await names(home)).toEqual(['Kept']);
  });

  test('ten starts at once give one daemon and ten times the same answer', async () => {
    await using home = await makeHome();
    const starts = await Promise.all(Array.from({ length: 10 }, () => home.json(['daemon', 'start', '--port', '0'])));
    expect(starts.map(({ exit }) => exit)).toEqual(Array.from({ length: 10 }, () => 0));
    expect(new Set(starts.map(({ stdout }) => stdout)).size).toBe(1);
    expect((await home.json(['daemon', 'list'])).body.data).toEqual([starts[0]?.body.data]);
    expect((await home.json(['items', 'list'])).exit).toBe(0);
  });

  test('restart keeps port, tiers and data, and is another instance', async () => {
    await using home = await makeHome();
    const before = await home.start(['--tier', 'elevated=4321', '--test-clock']);
    await home.json(['items', 'create', '--name', 'Kept']);
    const after = (await home.json(['daemon', 'restart'])).body.data as DaemonStatus;
    expect(after.url).toBe(before.url);
    expect(after.instanceId).not.toBe(before.instanceId);
    expect(await names(home)).toEqual(['Kept']);
    const { headers, body } = await request(`${after.url ?? ''}/v1`, { headers: { 'x-api-key': keyOf(home) } });
    await body.dump();
    expect(headers['x-ratelimit-limit']).toBe('4321');
    expect(readState(dataOf(home)).options.testClock).toBe(true);
  });

  test('an ephemeral daemon takes its data along and saves no key', async () => {
    await using home = await makeHome();
    const { dataDir } = await home.start(['--ephemeral']);
    expect(existsSync(dataDir)).toBe(true);
    expect(existsSync(home.path('config', 'stockroom', 'credentials.json'))).toBe(false);
    expect((await home.json(['daemon', 'restart', '--data-dir', dataDir])).exit).toBe(2);
    expect((await home.json(['daemon', 'stop', '--data-dir', dataDir])).exit).toBe(0);
    expect(existsSync(dataDir)).toBe(false);
    expect((await home.json(['daemon', 'list', '--all'])).body.data).toEqual([]);
  });

  test('wait waits for a daemon that is on its way, and says with exit 9 that there is none', async () => {
    await using home = await makeHome();
    const none = await home.json(['daemon', 'wait', '--timeout', '0']);
    expect([none.exit, none.body.error]).toMatchObject([9, { code: 'not_ready', exit: 9 }]);
    const [waited, started] = await Promise.all([
      home.json(['daemon', 'wait', '--timeout', '30']),
      home.json(['daemon', 'start', '--port', '0']),
    ]);
    expect([waited.exit, waited.body]).toEqual([0, started.body]);
  });
});

describe('several data directories', () => {
  test('what a start says to type reaches the daemon that it started, and no other', async () => {
    await using home = await makeHome();
    await home.start();
    const dataDir = home.path('my play');
    const welcomeOf = async (args: readonly string[]) => {
      const { stdout } = await home.terminal(['daemon', 'start', '--port', '0', ...args], { columns: 200 });
      const [script, ...lines] = (/Try:\n([^]*)/u.exec(stdout)?.[1] ?? '').trim().split('\n').toReversed();
      expect(script).toMatch(/curl|usage/u);
      return { stdout, typed: lines.toReversed().join('\n'), stop: /Stop +(.*)/u.exec(stdout)?.[1] ?? '' };
    };
    const type = async (text: string) => {
      const { exitCode, stdout, stderr } = await execa('sh', ['-c', text], { env: home.env, extendEnv: false, cwd: home.directory });
      return { exitCode, stdout, stderr };
    };
    const bolts = async (args: readonly string[]) => (await home.run(['items', 'list', '-o', 'id', ...args])).stdout;

    const play = await welcomeOf(['--data-dir', dataDir]);
    expect(play.stdout).toContain('saved in the profile "local-2"; commands use it with --data-dir');
    await type(play.typed);
    expect([await bolts([]), await bolts(['--data-dir', dataDir])]).toEqual(['', expect.stringMatching(/^\S+$/u)]);
    expect((await type(play.stop)).stderr).toContain(`stopped the daemon of ${dataDir}`);

    const passing = await welcomeOf(['--ephemeral']);
    expect(passing.typed).toContain('export STOCKROOM_DATA_DIR=');
    expect((await type(passing.typed)).stdout).toContain('Hex bolt M6');
    expect(await bolts([])).toBe('');
    expect((await type(passing.stop)).stderr).not.toContain(dataOf(home));
    expect((await home.json(['daemon', 'list'])).body.data).toMatchObject([{ dataDir: dataOf(home) }]);
  });

  test('whose daemon does not run is named by the hint that tells how to start it, wherever it was said', async () => {
    await using home = await makeHome();
    const dataDir = home.path('my play');
    await home.run(['profile', 'add', 'play', '--data-dir', dataDir]);
    for (const args of [
      ['tenants', 'list', '--data-dir', dataDir],
      ['tenants', 'list', '--profile', 'play'],
      ['items', 'list', '--profile', 'play'],
    ]) {
      const { exit, stderr } = await home.run(args);
      expect(exit).toBe(7);
      expect(stderr).toContain(`Hint:  start it with \`stockroom daemon start --data-dir '${dataDir}'\``);
    }
  });

  test('each has a daemon, a profile and a key of its own; list shows them, stop --all ends them', async () => {
    await using home = await makeHome();
    const dirs = ['one', 'two', 'three'].map((name) => home.path(name));
    const started: DaemonStatus[] = [];
    for (const dir of dirs) started.push(await home.start(['--data-dir', dir]));
    expect(new Set(started.map(({ url }) => url)).size).toBe(3);
    await home.json(['items', 'create', '--name', 'Only in two', '--profile', 'local-2']);
    expect((await home.json(['items', 'list', '--profile', 'local-2'])).body.data).toHaveLength(1);
    expect((await home.json(['items', 'list', '--profile', 'local-3'])).body.data).toHaveLength(0);
    const listed = (await home.json(['daemon', 'list'])).body.data as DaemonStatus[];
    expect(listed.map(({ dataDir }) => dataDir)).toEqual(dirs.toSorted());
    const elsewhere = await home.run(['daemon', 'status']);
    expect([elsewhere.exit, elsewhere.stderr]).toEqual([7, expect.stringContaining(dirs[0] ?? '')]);
    expect((await home.json(['daemon', 'stop', '--all'])).exit).toBe(0);
    for (const { pid } of started) expect(hasEnded(pid ?? 0)).toBe(true);
    expect((await home.json(['daemon', 'list'])).body.data).toEqual([]);
    expect((await home.json(['daemon', 'list', '--all'])).body.data).toHaveLength(3);
  });

  test("a list of them that cannot be read is told by those who need it, and stands in nobody else's way", async () => {
    await using home = await makeHome();
    await using other = await stranger();
    const list = home.path('cache', 'stockroom', 'daemons');
    await mkdir(home.path('cache', 'stockroom'), { recursive: true });
    await writeFile(list, '');
    for (const args of [
      ['daemon', 'list'],
      ['daemon', 'stop', '--all'],
    ]) {
      const { exit, stderr } = await home.run(args);
      expect([exit, stderr]).toEqual([
        7,
        `Error: the list of daemons, ${list}, cannot be read: it is a file\nHint:  make it a directory that this user may read`,
      ]);
    }
    expect(await home.run(['daemon', 'status'])).toMatchObject({ exit: 7, stderr: '' });
    const taken = await home.json(['daemon', 'start', '--port', String(other.port)]);
    expect([taken.exit, taken.body.error.code]).toEqual([7, 'port_taken']);
    await home.start();
    await home.run(['daemon', 'stop']);
  });

  test('a path too long for a socket gets one in the temporary directory, for the owner alone', async () => {
    await using home = await makeHome();
    const dataDir = home.path('d'.repeat(120));
    await home.start(['--data-dir', dataDir]);
    const { adminSocket } = readState(dataDir);
    expect(adminSocket.startsWith(home.path('tmp'))).toBe(true);
    expect([mode(adminSocket), mode(join(adminSocket, '..'))]).toEqual(['600', '700']);
    expect((await home.json(['tenants', 'list', '--data-dir', dataDir])).exit).toBe(0);
    await home.run(['daemon', 'stop', '--data-dir', dataDir]);
    expect(existsSync(adminSocket)).toBe(false);
  });
});

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

describe('what is refused', () => {
  test.each([
    [['--host', '0.0.0.0'], 'plain HTTP'],
    [['--store', 'postgres://localhost/x'], 'PostgreSQL'],
    [['--tier', 'fast'], 'NAME=PER_MINUTE'],
    [['--tier', 'Fast=1'], 'lower-case'],
    [['--tier', 'fast=0'], 'from 1'],
    [['--ephemeral', '--data-dir', './x'], 'ephemeral'],
    [['--port', '70000'], '65535'],
  ])('start %j is misuse', async (args, word) => {
    await using home = await makeHome();
    const { exit, body } = await home.json(['daemon', 'start', ...args]);
    expect([exit, body.error.exit, body.error.message]).toEqual([2, 2, expect.stringContaining(word)]);
    expect(existsSync(dataOf(home))).toBe(false);
  });

  test('a configuration file with a mistake is named, and nothing starts', async () => {
    await using home = await makeHome();
    await mkdir(home.path('config', 'stockroom'), { recursive: true });
    const path = home.path('config', 'stockroom', 'config.json');
    for (const [content, word] of [
      ['{', 'JSON'],
      ['{"daemon":{"prot":1}}', 'prot'],
      ['{"daemon":{"port":"8625"}}', 'port'],
    ] as const) {
      await writeFile(path, content);
      const { exit, body } = await home.json(['daemon', 'start']);
      expect([exit, body.error.message]).toEqual([2, expect.stringContaining(word)]);
      expect(body.error.message).toContain(path);
    }
  });

  test('the configuration file says how many endpoints a tenant may have', async () => {
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

  test('a data directory that cannot be made is exit 7', async () => {
    await using home = await makeHome();
    await writeFile(home.path('file'), '');
    const { exit, body } = await home.json(['daemon', 'start', '--data-dir', home.path('file', 'below')]);
    expect([exit, body.error.code]).toEqual([7, 'data_directory']);
  });

  test.for([
    [['file'], 'it is a file'],
    [['file', 'below'], 'what should be a directory is a file'],
  ] as const)('why a data directory cannot be used is told in words: %j', async ([place, reason]) => {
    await using home = await makeHome();
    await writeFile(home.path('file'), '');
    const dataDir = home.path(...place);
    const { stderr } = await home.run(['daemon', 'start', '--data-dir', dataDir]);
    const hint = 'choose another with --data-dir or STOCKROOM_DATA_DIR';
    expect(stderr).toBe(`Error: the data directory ${dataDir} cannot be used: ${reason}\nHint:  ${hint}`);
  });

  test('a state file is believed only when the same instance answers', async () => {
    await using home = await makeHome();
    await using other = await stranger(JSON.stringify({ status: 'ok', version: '0', instanceId: 'other' }));
    await mkdir(dataOf(home), { recursive: true });
    // The pid is that of a living process which is no daemon: as after a kill and a reuse of its number.
    const state = {
      pid: process.pid,
      url: `http://127.0.0.1:${String(other.port)}`,
      instanceId: 'mine',
      version: '0',
      dataDir: dataOf(home),
      adminSocket: '/nowhere',
    };
    await writeFile(join(dataOf(home), 'daemon.json'), JSON.stringify(state));
    expect((await home.json(['daemon', 'status'])).body.data.status).toBe('stopped');
    const stop = await home.json(['daemon', 'stop', '--force', '--timeout', '1']);
    expect([stop.exit, stop.body.data.status]).toEqual([0, 'stopped']);
    expect((await home.start()).pid).not.toBe(process.pid);
  });
});

describe('the log', () => {
  test('is one JSON object per line, the last ones with -n, and goes on with -f', async () => {
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

  test('is readable when the daemon is stopped, and empty when there never was one', async () => {
    await using home = await makeHome();
    expect(await home.run(['daemon', 'logs'])).toMatchObject({ exit: 0, stdout: '' });
    await home.start();
    await home.run(['daemon', 'stop']);
    expect((await home.run(['daemon', 'logs'])).stdout).toContain('"stopped"');
  });
});

describe('in the foreground', () => {
  /** Starts in the foreground; resolves with the first line on stdout. */
  async function foreground(home: Home, args: readonly string[] = []) {
    const child = home.spawn(['daemon', 'start', '--foreground', '--port', '0', ...args]);
    let stdout = '';
    const line = new Promise<string>((resolve, reject) => {
      child.stdout?.on('data', (part: Buffer) => {
        stdout += part.toString();
        if (stdout.includes('\n')) resolve(stdout.slice(0, stdout.indexOf('\n')));
      });
      void child.then(({ stderr }) => reject(new Error(`ended: ${String(stderr)}`)));
    });
    return { child, line: await line, all: () => stdout };
  }

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'prints one line of JSON when ready, logs on stderr, and %s stops it with exit 0',
    async (signal) => {
      await using home = await makeHome();
      const { child, line, all } = await foreground(home, ['--json']);
      const { data } = JSON.parse(line) as { data: DaemonStatus };
      expect(data).toMatchObject({ status: 'running', pid: child.pid, dataDir: dataOf(home) });
      expect((await home.json(['daemon', 'status'])).body).toEqual({ data });
      expect((await home.json(['items', 'list'])).exit).toBe(0);
      child.kill(signal);
      const { exitCode, stderr } = await child;
      expect(exitCode).toBe(0);
      expect(all()).toBe(`${line}\n`);
      for (const logged of String(stderr).trimEnd().split('\n')) expect(JSON.parse(logged)).toHaveProperty('level');
      expect(existsSync(join(dataOf(home), 'daemon.json'))).toBe(false);
      expect(isLocked(dataOf(home))).toBe(false);
    },
  );

  test('prints in a pipe the URL, how to use the key, and three commands to try', async () => {
    await using home = await makeHome();
    const { child, all } = await foreground(home);
    const { url } = (await home.json(['daemon', 'wait'])).body.data as { url: string };
    child.kill('SIGTERM');
    await child;
    const text = all();
    expect(text).toContain(url);
    expect(text).toContain(keyOf(home));
    expect(text).toMatch(/Try:\n( {2}\S.*\n){3}$/u);
    expect(text).not.toContain('\u001b');
  });

  test('does not start beside a running daemon', async () => {
    await using home = await makeHome();
    const { url } = await home.start();
    const { exit, body } = await home.json(['daemon', 'start', '--foreground', '--port', '0']);
    expect([exit, body.error]).toMatchObject([7, { code: 'data_directory_locked' }]);
    expect(body.error.message).toContain(url);
    expect((await home.json(['daemon', 'status'])).body.data.url).toBe(url);
  });

  /** A request that the service has let in and whose body is still to come. */
  async function underWay(home: Home, url: string) {
    const body = '{"name":"Under way"}';
    const headers = {
      'x-api-key': keyOf(home),
      'idempotency-key': 'under-way',
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    };
    const pending = httpRequest(`${url}/v1/items`, { method: 'POST', headers, agent: false });
    pending.flushHeaders();
    await once(pending, 'continue');
    return { pending, body };
  }

  test('a stop lets a request under way finish, and takes no new one', async () => {
    await using home = await makeHome();
    const { child, line } = await foreground(home, ['--json']);
    const { url } = (JSON.parse(line) as { data: { url: string } }).data;
    const { pending, body } = await underWay(home, url);
    let log = '';
    child.stderr?.on('data', (part: Buffer) => (log += part.toString()));
    child.kill('SIGTERM');
    // Its end before the request's would leave this loop as well, and fail below.
    while (await isListening(url));
    pending.end(body);
    const [response] = (await once(pending, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(201);
    expect((await child).exitCode).toBe(0);
    expect(log).toContain('"stopped"');
    await home.start();
    expect(await names(home)).toEqual(['Under way']);
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('a second %s does not wait, and the next start recovers', async (signal, exit) => {
    await using home = await makeHome();
    const { child, line } = await foreground(home, ['--json']);
    const { url } = (JSON.parse(line) as { data: { url: string } }).data;
    const { pending } = await underWay(home, url);
    pending.on('error', () => undefined);
    child.kill(signal);
    // Its end before the request's would leave this loop as well, and fail below.
    while (await isListening(url));
    child.kill(signal);
    expect((await child).exitCode).toBe(exit);
    await home.start();
    expect(await names(home)).toEqual([]);
  });

  test('the stop command ends it too, and a reader that has gone does not', async () => {
    await using home = await makeHome();
    const { child } = await foreground(home, ['--json', '--log-level', 'debug']);
    child.stdout?.destroy();
    child.stderr?.destroy();
    expect((await home.json(['items', 'list'])).exit).toBe(0);
    expect((await home.json(['items', 'list'])).exit).toBe(0);
    expect((await home.json(['daemon', 'stop'])).exit).toBe(0);
    expect((await child).exitCode).toBe(0);
  });
});

describe('the demo data', () => {
  test('are there after start --demo, with a profile for each tenant; a second time changes nothing', async () => {
    await using home = await makeHome();
    await home.start(['--demo']);
    const before = await names(home);
    expect(before.length).toBeGreaterThan(10);
    await home.json(['items', 'create', '--name', 'My own']);
    const key = keyOf(home, 'kestrel-coffee');
    expect((await home.json(['daemon', 'start', '--demo'])).exit).toBe(0);
    await home.run(['daemon', 'stop']);
    await home.start(['--demo']);
    expect((await names(home)).toSorted()).toEqual([...before, 'My own'].toSorted());
    expect(keyOf(home, 'kestrel-coffee')).toBe(key);
  });

  test('come into a daemon that runs already', async () => {
    await using home = await makeHome();
    const { pid } = await home.start();
    expect(await names(home)).toEqual([]);
    expect((await home.start(['--demo'])).pid).toBe(pid);
    expect((await names(home)).length).toBeGreaterThan(10);
    expect((await home.json(['items', 'list', '--profile', 'local'])).body.data).toEqual([]);
  });
});

describe('a damaged data directory', () => {
  test('is refused with exit 7, names the file, and nothing of it is touched', async () => {
    await using home = await makeHome();
    await home.start();
    await home.json(['items', 'create', '--name', 'Precious']);
    await home.run(['daemon', 'stop']);
    const file = (await readdir(dataOf(home))).find((name) => name.startsWith('checkpoint')) ?? '';
    const path = join(dataOf(home), file);
    const bytes = await readFile(path);
    const middle = Math.floor(bytes.length / 2);
    bytes.writeUInt8(bytes.readUInt8(middle) ^ 0xff, middle);
    await writeFile(path, bytes);
    for (const args of [[], ['--foreground']]) {
      const { exit, body } = await home.json(['daemon', 'start', '--port', '0', ...args]);
      expect([exit, body.error.code]).toEqual([7, 'data_directory']);
      expect(body.error.message).toContain(file);
    }
    expect(await readFile(path)).toEqual(bytes);
    expect((await home.json(['daemon', 'status'])).body.data.status).toBe('stopped');
    expect(isLocked(dataOf(home))).toBe(false);
  });
});

describe('after kill -9', () => {
  test('the next start needs no cleaning and has the data', async () => {
    await using home = await makeHome();
    const { pid, instanceId } = await home.start();
    await home.json(['items', 'create', '--name', 'Survivor']);
    process.kill(pid ?? 0, 'SIGKILL');
    expect((await home.json(['daemon', 'status'])).body.data.status).toBe('stopped');
    const again = await home.start();
    expect(again.instanceId).not.toBe(instanceId);
    expect(await names(home)).toEqual(['Survivor']);
  });

  test('a daemon that does not answer is reported as such, and stop --force ends it', async () => {
    await using home = await makeHome();
    const { pid } = await home.start();
    process.kill(pid ?? 0, 'SIGSTOP');
    const status = await home.json(['daemon', 'status']);
    expect([status.exit, status.body.data]).toMatchObject([7, { status: 'unresponsive', pid }]);
    const patient = await home.json(['daemon', 'stop', '--timeout', '1']);
    expect([patient.exit, patient.body.error.code]).toEqual([7, 'unresponsive']);
    expect((await home.json(['daemon', 'stop', '--timeout', '1', '--force'])).exit).toBe(0);
    expect(hasEnded(pid ?? 0)).toBe(true);
    expect((await home.start()).status).toBe('running');
  });

  test('hints of the daemon commands name a data directory that has to be named', async () => {
    await using home = await makeHome();
    const dataDir = home.path('other shelf');
    const { pid } = await home.start(['--data-dir', dataDir]);
    const named = `--data-dir '${dataDir}'`;
    const patient = await home.run(['daemon', 'wait', '--data-dir', home.path('none'), '--timeout', '0']);
    const none = `--data-dir ${home.path('none')}`;
    expect(patient.stderr).toContain(`\nHint:  see \`stockroom daemon status ${none}\` and \`stockroom daemon logs ${none}\``);
    expect((await home.run(['daemon', 'wait', '--timeout', '0'])).stderr).toContain('see `stockroom daemon status` and');
    const late = await home.run(['daemon', 'start', '--data-dir', dataDir, '--snapshot', 'base']);
    expect(late.stderr).toBe(`It was running already; \`stockroom snapshot load base ${named}\` loads the snapshot.`);
    process.kill(pid ?? 0, 'SIGSTOP');
    const stuck = await home.run(['daemon', 'stop', '--all', '--timeout', '1']);
    expect(stuck.stderr).toContain(`\`stockroom daemon logs ${named}\` may say why`);
    process.kill(pid ?? 0, 'SIGCONT');
  });

  test('a daemon whose state file is damaged is stopped all the same', async () => {
    await using home = await makeHome();
    const { pid } = await home.start();
    await writeFile(join(dataOf(home), 'daemon.json'), '{');
    const { exit, stderr } = await home.run(['daemon', 'stop', '--timeout', '5']);
    expect([exit, stderr]).toEqual([0, `stopped the daemon of ${dataOf(home)}`]);
    expect(hasEnded(pid ?? 0)).toBe(true);
    expect((await home.start()).status).toBe('running');
  });

  test('a start that waits for another process says so at a terminal, and never in a pipe', async () => {
    await using home = await makeHome();
    const { pid } = await home.start();
    process.kill(pid ?? 0, 'SIGSTOP');
    await using terminal = await openTerminal(home, { columns: 80, rows: 24 });
    const piped = home.run(['daemon', 'start']);
    await terminal.run('daemon start');
    await terminal.shows(/waiting for it, 30 s at most/u);
    process.kill(pid ?? 0, 'SIGCONT');
    const { exit, screen } = await terminal.ends();
    expect(exit).toBe(0);
    expect(screen).toContain(`another process (pid ${String(pid)}) holds`);
    expect(screen.match(/waiting for it/gu)).toHaveLength(1);
    expect(await piped).toMatchObject({ exit: 0, stderr: '' });
  });
});
