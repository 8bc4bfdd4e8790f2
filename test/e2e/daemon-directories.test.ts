/** Daemons of several data directories: which of them a command reaches, and what becomes of a directory that is damaged. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import type { DaemonStatus } from '../../src/contract/places.ts';
import { isLocked } from '../../src/daemon/lock.ts';
import { hasEnded } from '../../src/daemon/shutdown.ts';
import { makeHome } from '../support/cli.ts';
import { dataOf, mode, readState, stranger } from '../support/daemon.ts';

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

test('variables that are empty or relative count as unset: nothing is looked for or left where a command happens to run', async () => {
  await using home = await makeHome();
  const cwd = home.path('somewhere');
  await mkdir(cwd);
  const dataDir = async (env: Record<string, string>) => {
    const { body } = await home.json(['config', 'show'], { cwd, env });
    return (body.data as { setting: string; value: string }[]).find(({ setting }) => setting === 'dataDir')?.value;
  };
  const relative = { XDG_CACHE_HOME: 'cache', XDG_CONFIG_HOME: 'config', XDG_DATA_HOME: 'data' };
  expect(await dataDir(relative)).toBe(home.path('.local', 'share', 'stockroom'));
  // Whoever runs the tests has a home as well, where nothing must be kept.
  const none = { HOME: '', XDG_DATA_HOME: '', NODE_DISABLE_COMPILE_CACHE: '1' };
  expect(await dataDir(none)).toBe(join(userInfo().homedir, '.local', 'share', 'stockroom'));
  expect(await readdir(cwd)).toEqual([]);
});
