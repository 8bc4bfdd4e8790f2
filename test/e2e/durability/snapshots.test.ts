/** Snapshots and resets through the built CLI, with killed daemons and full disks. */
import { type FSWatcher, existsSync, mkdirSync, readFileSync, readdirSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errors } from '../../../src/contract/errors.ts';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { DISKS } from '../../support/cli/full-disk.ts';
import { openShop } from '../../support/cli/running-daemon.ts';
import { isLongRun } from '../../support/long-run.ts';

const names = async (home: Home, more: readonly string[] = []): Promise<string[]> => {
  const { body } = await home.json(['items', 'list', '--sort', 'name', ...more]);
  return (body as { data: { name: string }[] }).data.map(({ name }) => name);
};
const add = async (home: Home, name: string, more: readonly string[] = []) => {
  expect((await home.run(['items', 'create', '--name', name, ...more])).exit).toBe(0);
};

test('a snapshot is saved and loaded while the daemon is running', async () => {
  await using shop = await openShop([{ name: 'Before' }]);
  const { home, daemon } = shop;
  const saved = await home.json(['snapshot', 'save', 'base']);
  expect(saved.body.data).toMatchObject({ name: 'base', tenants: ['local'], problem: null });
  await add(home, 'Later');
  const again = await home.json(['snapshot', 'save', 'base']);
  expect([again.exit, again.body.error.message]).toEqual([5, expect.stringContaining('--replace')]);
  const loaded = await home.json(['snapshot', 'load', 'base', '--yes']);
  expect([loaded.body.data, loaded.stderr]).toEqual([saved.body.data, expect.stringContaining(`replaced all data of ${daemon.dataDir}`)]);
  expect(loaded.stderr).toContain('a key revoked since then is valid again');
  expect(await names(home)).toEqual(['Before']);
  expect((await home.json(['daemon', 'status'])).body.data).toMatchObject(daemon);
  expect((await home.json(['snapshot', 'list'])).body.data).toEqual([saved.body.data]);
  expect((await home.run(['snapshot', 'save', '../out'])).stderr).toContain('NAME');
  expect((await home.run(['snapshot', 'delete', 'base'])).exit).toBe(0);
  expect((await home.run(['snapshot', 'load', 'base', '--yes'])).exit).toBe(3);
});

test('reset creates empty data with a saved key; --to loads a snapshot and names the matching key', async () => {
  await using home = await makeHome();
  const { dataDir } = await home.start(['--demo']);
  expect((await home.run(['snapshot', 'save', 'demo'])).exit).toBe(0);
  const refused = await home.json(['reset']);
  expect([refused.exit, refused.body.error.message]).toEqual([2, expect.stringContaining('pass --yes')]);
  expect((await names(home)).length).toBeGreaterThan(20);

  const reset = await home.run(['reset', '--yes']);
  expect({ exit: reset.exit, stdout: reset.stdout }).toEqual({ exit: 0, stdout: '' });
  expect(reset.stderr).toMatch(/^The data do not have the tenants of these profiles.*: kestrel-coffee, spoke-chain, sandbox\. /mu);
  expect(await names(home)).toEqual([]);
  expect((await home.json(['auth', 'context'])).exit).toBe(0);
  expect((await home.json(['tenants', 'list'])).body.data).toMatchObject([{ slug: 'local' }]);

  const back = await home.run(['reset', '--to', 'demo', '--yes']);
  expect(back.stderr).toContain('`stockroom profile use kestrel-coffee`');
  await home.run(['profile', 'use', 'kestrel-coffee']);
  expect((await names(home)).length).toBeGreaterThan(20);
  expect(existsSync(join(dataDir, 'snapshots', 'demo.snapshot'))).toBe(true);
});

test('each saved key that a loaded snapshot does not contain is named, also by demo, with the command that replaces it', async () => {
  await using home = await makeHome();
  await home.start(['--demo']);
  await home.run(['snapshot', 'save', 'older']);
  await home.run(['demo', '--reset', '--yes']);
  const replace = (tenant: string): string => `\`stockroom keys create --tenant ${tenant} --all-scopes --save\``;
  const loaded = await home.run(['snapshot', 'load', 'older', '--yes']);
  expect(loaded.stderr).toContain('The data do not contain the key of profile kestrel-coffee. Create a key with all scopes');
  for (const tenant of ['spoke-chain', 'sandbox'])
    expect(loaded.stderr).toContain(`The key of profile ${tenant} is not valid any more. Create another: ${replace(tenant)}`);

  expect((await home.run(['demo'])).stderr).toContain(replace('kestrel-coffee'));
  const live = await home.run(['demo', '--live']);
  expect([live.exit, live.stderr]).toEqual([4, expect.stringContaining('The saved key of the demo tenant kestrel-coffee is not valid')]);
  await home.run(['keys', 'create', '--tenant', 'kestrel-coffee', '--all-scopes', '--save']);
  expect((await home.run(['demo'])).stderr).not.toContain(replace('kestrel-coffee'));
});

test('reset and load ask for confirmation in a terminal, and only yes makes changes', async () => {
  await using shop = await openShop([{ name: 'Bolt' }]);
  const { home } = shop;
  await home.run(['snapshot', 'save', 'base']);
  await add(home, 'Nut');
  for (const args of [['reset'], ['reset', '--to', 'base'], ['snapshot', 'load', 'base']]) {
    const { exit, stdout } = await home.terminal(args, { input: 'n\n' });
    expect([exit, stdout]).toEqual([2, expect.stringContaining('holds 2 items')]);
    expect(await names(home)).toEqual(['Bolt', 'Nut']);
  }
  expect((await home.terminal(['snapshot', 'load', 'base'], { input: 'y\n' })).exit).toBe(0);
  expect(await names(home)).toEqual(['Bolt']);
});

test('reset and load require --yes without a terminal, and change nothing', async () => {
  await using shop = await openShop([{ name: 'Bolt' }]);
  const { home } = shop;
  await home.run(['snapshot', 'save', 'base']);
  await add(home, 'Nut');
  for (const args of [['reset'], ['snapshot', 'load', 'base'], ['snapshot', 'load', 'base', '--no-input']]) {
    const { exit, stderr } = await home.run(args);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('pass --yes')]);
  }
  expect((await home.run(['snapshot', 'load', 'base', '--dry-run'])).stdout).toContain('/admin/snapshots/base/load');
  expect(await names(home)).toEqual(['Bolt', 'Nut']);
});

test('an invalid or damaged snapshot file is rejected with a one-line error and no changes', async () => {
  await using shop = await openShop([{ name: 'Bolt' }]);
  const { home, daemon } = shop;
  await home.run(['snapshot', 'save', 'base']);
  const folder = join(daemon.dataDir, 'snapshots');
  const bytes = readFileSync(join(folder, 'base.snapshot'));
  writeFileSync(join(folder, 'short.snapshot'), bytes.subarray(0, bytes.length / 2));
  bytes[bytes.length - 300]! ^= 4;
  writeFileSync(join(folder, 'spoilt.snapshot'), bytes);
  writeFileSync(join(folder, 'foreign.snapshot'), '{"collections":[]}');
  for (const [name, words] of [
    ['short', 'it is damaged: it has'],
    ['spoilt', 'it is damaged: checksum mismatch'],
    ['foreign', 'it is not a stockroom snapshot'],
  ] as const) {
    const { exit, body } = await home.json(['snapshot', 'load', name, '--yes']);
    expect([exit, body.error.code, body.error.message]).toEqual([5, 'SNAPSHOT_UNUSABLE', expect.stringContaining(words)]);
  }
  expect(await names(home)).toEqual(['Bolt']);
  const { stdout } = await home.run(['snapshot', 'list', '-o', 'csv', '--columns', 'name,problem']);
  expect(stdout).toContain('foreign,it is not a stockroom snapshot');
});

test('the error of a damaged data directory without snapshots says that there are none', async () => {
  await using home = await makeHome();
  const { dataDir, pid } = await home.start();
  process.kill(pid ?? 0, 'SIGKILL');
  writeFileSync(join(dataDir, 'manifest.json'), '{"checksum":1,"manifest":{}}');
  const { exit, body } = await home.json(['daemon', 'start', '--port', '0']);
  const hint = `${dataDir} has no snapshot that can be restored. Restore a backup of the directory, or start with another one: --data-dir`;
  expect([exit, body.error.hint]).toEqual([7, hint]);
});

test('damaged data can be replaced at start by a snapshot, but only by an intact one', async () => {
  await using home = await makeHome();
  const { dataDir, pid } = await home.start();
  await add(home, 'Kept');
  await home.run(['snapshot', 'save', 'base']);
  await home.run(['snapshot', 'save', 'later']);
  const unknown = await home.json(['snapshot', 'load', 'none', '--yes']);
  expect([unknown.exit, unknown.body.error.message]).toEqual([3, 'There is no snapshot none. Snapshots, newest first: later, base.']);
  await add(home, 'Lost');
  process.kill(pid ?? 0, 'SIGKILL');
  writeFileSync(join(dataDir, 'manifest.json'), '{"checksum":1,"manifest":{}}');
  writeFileSync(join(dataDir, 'snapshots', 'short.snapshot'), readFileSync(join(dataDir, 'snapshots', 'base.snapshot')).subarray(0, 900));

  const start = ['daemon', 'start', '--port', '0'];
  const refused = await home.json(start);
  // The short one cannot be restored.
  const known = 'Snapshots, newest first: later, base';
  expect([refused.exit, refused.body.error.hint]).toEqual([7, `${known}. Restore one with \`stockroom daemon start --snapshot NAME\``]);
  for (const [name, words] of [
    ['short', 'it is damaged: it has 900 bytes'],
    ['none', 'the file does not exist'],
  ] as const) {
    const { exit, body } = await home.json([...start, '--snapshot', name]);
    expect([exit, body.error.message, body.error.hint]).toEqual([7, expect.stringContaining(words), known]);
  }
  expect((await home.json([...start, '--snapshot', '../base'])).exit).toBe(2);
  expect((await home.json(start)).exit).toBe(7);

  expect((await home.json([...start, '--snapshot', 'base'])).exit).toBe(0);
  expect(await names(home)).toEqual(['Kept']);
  const again = await home.json([...start, '--snapshot', 'base']);
  expect([again.exit, again.body.error.hint]).toEqual([5, expect.stringContaining('`stockroom snapshot load base`')]);
  await add(home, 'New');
  await home.run(['daemon', 'restart']);
  expect(await names(home)).toEqual(['Kept', 'New']);
  expect((await home.json(['doctor'])).body.data.ok).toBe(true);
});

/** Numbers of changed files after which the daemon is killed: during a save, then during a load, and so on. */
const KILL_AT = isLongRun ? [1, 2, 4, 8] : [2, 4];

/** Resolves when so many files whose names pass have been made or changed in a directory. */
function changes(directory: string, passes: (name: string) => boolean, count: number): { seen: Promise<void>; watcher: FSWatcher } {
  let left = count;
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(directory, (_kind, name) => {
    if (name !== null && passes(name) && (left -= 1) <= 0) resolve();
  });
  return { seen: promise, watcher };
}

describe('kill -9', () => {
  test('during save or load of a snapshot leaves data and snapshots intact', async () => {
    await using home = await makeHome();
    const start = ['--tier', 'elevated=1000000'];
    let daemon = await home.start(start);
    const { dataDir } = daemon;
    expect((await home.run(['seed', '--items', isLongRun ? '1500' : '300', '--orders', isLongRun ? '100' : '20'])).exit).toBe(0);
    await add(home, 'Before');
    expect((await home.run(['snapshot', 'save', 'base'])).exit).toBe(0);
    await add(home, 'Later');
    const folder = join(dataDir, 'snapshots');
    const count = async (name: string) => (await home.json(['items', 'list', '--search', name])).body.pagination.total as number;

    let loads = 0;
    for (const [round, at] of KILL_AT.entries()) {
      const saves = round % 2 === 0;
      const { seen, watcher } = saves
        ? changes(folder, (name) => name.startsWith('.next'), at)
        : changes(dataDir, (name) => /^(?:checkpoint|journal)-|^manifest/u.test(name), at);
      const command = home.run(
        saves ? ['snapshot', 'save', 'next', '--replace', '--max-wait', '0'] : ['snapshot', 'load', 'base', '--yes', '--max-wait', '0'],
      );
      // The command may be done before so many changes have come.
      await Promise.race([seen, command]);
      watcher.close();
      process.kill(daemon.pid ?? 0, 'SIGKILL');
      const { exit } = await command;
      daemon = await home.start(start);
      expect([await count('Before'), (await home.json(['doctor'])).body.data.ok], `round ${String(round)}`).toEqual([1, true]);
      const later = await count('Later');
      if (saves) expect(later).toBe(1);
      else if (exit === 0) expect(later).toBe(0);
      if (later === 0) {
        loads += 1;
        await add(home, 'Later');
      }
      const listed = (await home.json(['snapshot', 'list'])).body.data as { name: string; problem: string | null }[];
      expect(listed.every(({ problem }) => problem === null)).toBe(true);
      expect(listed.map(({ name }) => name)).toContain('base');
      if (saves && exit === 0) expect(listed.map(({ name }) => name)).toContain('next');
    }
    expect(loads).toBeLessThanOrEqual(KILL_AT.length / 2);
    await home.run(['snapshot', 'save', 'last']);
    expect(readdirSync(folder).filter((file) => file.startsWith('.'))).toEqual([]);
  });
});

describe.each(DISKS)('on $name', (kind) => {
  test('saving or loading a snapshot without enough space is rejected and leaves no files', async () => {
    await using home = await makeHome();
    mkdirSync(home.path('disks'), { recursive: true });
    await using disk = await kind.make(home.path('disks', 'one'));
    const at = ['--data-dir', disk.directory];
    const { pid } = (await home.start(at)) as DaemonStatus & { pid: number };
    expect((await home.run(['seed', '--items', '200', ...at])).exit).toBe(0);
    await add(home, 'Before', at);
    expect((await home.run(['snapshot', 'save', 'base', ...at])).exit).toBe(0);
    await add(home, 'Later', at);
    disk.fill(pid);
    for (const command of [
      ['save', 'more'],
      ['load', 'base', '--yes'],
    ]) {
      const { exit, body } = await home.json(['snapshot', ...command, '--max-wait', '0', ...at]);
      expect([exit, body.error.status, body.error.code]).toEqual([1, errors.STORE_UNAVAILABLE.status, 'STORE_UNAVAILABLE']);
    }
    disk.empty(pid);
    expect(readdirSync(join(disk.directory, 'snapshots'))).toEqual(['base.snapshot']);
    expect(await names(home, ['--search', 'Later', ...at])).toEqual(['Later']);
    expect((await home.run(['snapshot', 'load', 'base', '--yes', ...at])).exit).toBe(0);
    expect(await names(home, ['--search', 'Later', ...at])).toEqual([]);
    expect((await home.run(['daemon', 'stop', ...at])).exit).toBe(0);
  });
});
