/** Daemons of several data directories: which one a command uses, and damaged directories. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { isDataDirectoryLocked } from '../../../src/daemon/data-directory/lock.ts';
import { hasProcessEnded } from '../../../src/platform/process-ended.ts';
import { RUN, makeHome } from '../../support/cli/home.ts';
import { getData, mode, readState, startForeignListener } from '../../support/cli/daemon.ts';

describe('several data directories', () => {
  test('are addressed by the commands that daemon start suggests', async () => {
    await using home = await makeHome();
    await home.start();
    const dataDir = home.path('my play');
    const getWelcome = async (args: readonly string[]) => {
      const { stdout } = await home.terminal(['daemon', 'start', '--port', '0', ...args], { columns: 200 });
      const [script, ...lines] = (/Try:\n([^]*)/u.exec(stdout)?.[1] ?? '').trim().split('\n').toReversed();
      expect(script).toMatch(/curl|usage/u);
      return { stdout, typed: lines.toReversed().join('\n'), stop: /Stop +(.*)/u.exec(stdout)?.[1] ?? '' };
    };
    // As after an installation.
    await symlink(RUN, home.path('stockroom'));
    const env = { ...home.env, PATH: `${home.directory}:${home.env['PATH'] ?? ''}` };
    const type = async (text: string) => {
      const { exitCode, stdout, stderr } = await execa('sh', ['-c', text], { env, extendEnv: false, cwd: home.directory });
      return { exitCode, stdout, stderr };
    };
    const bolts = async (args: readonly string[]) => (await home.run(['items', 'list', '-o', 'id', ...args])).stdout;

    const play = await getWelcome(['--data-dir', dataDir]);
    expect(play.stdout).toContain('saved in profile "local-2"; used with --data-dir');
    await type(play.typed);
    expect([await bolts([]), await bolts(['--data-dir', dataDir])]).toEqual(['', expect.stringMatching(/^\S+$/u)]);
    expect((await type(play.stop)).stderr).toContain(`Stopped the daemon of ${dataDir}`);

    const passing = await getWelcome(['--ephemeral']);
    expect(passing.typed).toContain('export STOCKROOM_DATA_DIR=');
    expect((await type(passing.typed)).stdout).toContain('Hex bolt M6');
    expect(await bolts([])).toBe('');
    expect((await type(passing.stop)).stderr).not.toContain(getData(home));
    expect((await home.json(['daemon', 'list'])).body.data).toMatchObject([{ dataDir: getData(home) }]);
  });

  test('without a running daemon are named in the hint, for every source of the setting', async () => {
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
      expect(stderr).toContain(`Hint:  Start the daemon with \`stockroom daemon start --data-dir '${dataDir}'\``);
    }
  });

  test('have separate daemons, profiles and keys, shown by list and stopped by stop --all', async () => {
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
    for (const { pid } of started) expect(hasProcessEnded(pid ?? 0)).toBe(true);
    expect((await home.json(['daemon', 'list'])).body.data).toEqual([]);
    expect((await home.json(['daemon', 'list', '--all'])).body.data).toHaveLength(3);
  });

  test('with an unreadable list of daemons fail only commands that need it', async () => {
    await using home = await makeHome();
    await using other = await startForeignListener();
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
        `Error: Cannot read the list of daemons in ${list}: it is a file\nHint:  Make it a directory that this user can read`,
      ]);
    }
    expect(await home.run(['daemon', 'status'])).toMatchObject({ exit: 7, stderr: '' });
    const taken = await home.json(['daemon', 'start', '--port', String(other.port)]);
    expect([taken.exit, taken.body.error.code]).toEqual([7, 'PORT_TAKEN']);
    await home.start();
    await home.run(['daemon', 'stop']);
  });

  test('with paths too long for a socket use an owner-only socket in the temporary directory', async () => {
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

describe('a directory of something else', () => {
  test.each([[[]], [['--foreground']], [['--demo']]])('is refused by daemon start %j with exit 7 and stays as it is', async (args) => {
    await using home = await makeHome();
    const shared = home.path('shared');
    await mkdir(shared);
    await writeFile(join(shared, 'notes.txt'), 'of others');
    await chmod(shared, 0o1777);
    const { exit, body } = await home.json(['daemon', 'start', '--port', '0', '--data-dir', shared, ...args]);
    expect([exit, body.error.code, body.error.message]).toEqual([
      7,
      'DATA_DIRECTORY',
      `${shared} is not a data directory: it contains notes.txt`,
    ]);
    expect([(await stat(shared)).mode & 0o7777, await readdir(shared)]).toEqual([0o1777, ['notes.txt']]);
  });

  test('with access for other users is refused through STOCKROOM_DATA_DIR and as a target of a copy', async () => {
    await using home = await makeHome();
    const open = home.path('open');
    await mkdir(open);
    await chmod(open, 0o777);
    const started = await home.json(['daemon', 'start', '--port', '0'], { env: { STOCKROOM_DATA_DIR: open } });
    expect([started.exit, started.body.error.message, started.body.error.hint]).toEqual([
      7,
      expect.stringContaining('other users have access to it (mode 0777)'),
      expect.stringContaining('chmod 700'),
    ]);
    await home.start();
    await home.run(['daemon', 'stop']);
    const copied = await home.json(['migrate', '--from', getData(home), '--to', open]);
    expect([copied.exit, copied.body.error.message]).toEqual([7, expect.stringContaining('other users have access to it (mode 0777)')]);
    expect([(await stat(open)).mode & 0o7777, await readdir(open)]).toEqual([0o777, []]);
  });
});

test.each([[[]], [['--foreground']]])('a data directory whose files cannot be written ends daemon start %j with exit 7', async (args) => {
  await using home = await makeHome();
  const dataDir = home.path('unwritable');
  await mkdir(join(dataDir, 'daemon.lock'), { recursive: true, mode: 0o700 });
  await mkdir(join(dataDir, 'daemon.log'), { mode: 0o700 });
  const { exit, body } = await home.json(['daemon', 'start', '--port', '0', '--data-dir', dataDir, ...args]);
  expect([exit, body.error.code]).toEqual([7, 'DATA_DIRECTORY']);
  expect(body.error.message).not.toContain('bug');
});

describe('a damaged data directory', () => {
  test('is rejected with exit 7, the name of the file, and no changes', async () => {
    await using home = await makeHome();
    await home.start();
    await home.json(['items', 'create', '--name', 'Precious']);
    await home.run(['daemon', 'stop']);
    const file = (await readdir(getData(home))).find((name) => name.startsWith('checkpoint')) ?? '';
    const path = join(getData(home), file);
    const bytes = await readFile(path);
    const middle = Math.floor(bytes.length / 2);
    bytes.writeUInt8(bytes.readUInt8(middle) ^ 0xff, middle);
    await writeFile(path, bytes);
    for (const args of [[], ['--foreground']]) {
      const { exit, body } = await home.json(['daemon', 'start', '--port', '0', ...args]);
      expect([exit, body.error.code]).toEqual([7, 'DATA_DIRECTORY']);
      expect(body.error.message).toContain(file);
    }
    expect(await readFile(path)).toEqual(bytes);
    expect((await home.json(['daemon', 'status'])).body.data.status).toBe('stopped');
    expect(isDataDirectoryLocked(getData(home))).toBe(false);
  });
});

test('empty or relative directory variables are ignored, and the working directory is not used', async () => {
  await using home = await makeHome();
  const cwd = home.path('somewhere');
  await mkdir(cwd);
  const dataDir = async (env: Record<string, string>) => {
    const { body } = await home.json(['config', 'show'], { cwd, env });
    return (body.data as { setting: string; value: string }[]).find(({ setting }) => setting === 'dataDir')?.value;
  };
  const relative = { XDG_CACHE_HOME: 'cache', XDG_CONFIG_HOME: 'config', XDG_DATA_HOME: 'data' };
  expect(await dataDir(relative)).toBe(home.path('.local', 'share', 'stockroom'));
  // The tests must not write to the home directory of the user who runs them.
  const none = { HOME: '', XDG_DATA_HOME: '', NODE_DISABLE_COMPILE_CACHE: '1' };
  expect(await dataDir(none)).toBe(join(userInfo().homedir, '.local', 'share', 'stockroom'));
  expect(await readdir(cwd)).toEqual([]);
});
