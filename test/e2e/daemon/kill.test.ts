/** Recovery from a daemon that was killed or does not respond. */
import { spawn } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { hasProcessEnded } from '../../../src/platform/process-ended.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { openTerminal } from '../../support/cli/terminal.ts';
import { getData, itemNames, readState } from '../../support/cli/daemon.ts';

describe('after kill -9', () => {
  test('the next start recovers the data without manual cleanup', async () => {
    await using home = await makeHome();
    const { pid, instanceId } = await home.start();
    await home.json(['items', 'create', '--name', 'Survivor']);
    process.kill(pid ?? 0, 'SIGKILL');
    expect((await home.json(['daemon', 'status'])).body.data.status).toBe('stopped');
    const again = await home.start();
    expect(again.instanceId).not.toBe(instanceId);
    expect(await itemNames(home)).toEqual(['Survivor']);
    // Once: the next start follows a stop.
    await home.run(['daemon', 'restart']);
    const log = (await home.run(['daemon', 'logs', '-n', '100'])).stdout.split('\n').map((line) => JSON.parse(line) as { msg: string });
    expect(log.filter(({ msg }) => msg.includes('was killed'))).toMatchObject([{ level: 'warn', pid, journalBytes: expect.any(Number) }]);
  });

  test('a start whose first key was not saved explains how to create one', async () => {
    await using home = await makeHome();
    const { pid } = await home.start();
    process.kill(pid ?? 0, 'SIGKILL');
    await rm(home.path('config', 'stockroom'), { recursive: true });
    const { exit, stderr, body } = await home.json(['daemon', 'start', '--port', '0']);
    const advice = 'No key is saved for this data directory. Create one: `stockroom keys create --all-scopes --save`';
    expect([exit, stderr, body.data.status]).toEqual([0, advice, 'running']);
    const refused = await home.json(['items', 'list']);
    expect([refused.exit, refused.body.error.hint]).toEqual([4, expect.stringContaining('stockroom keys create --all-scopes --save')]);
    expect((await home.run(['keys', 'create', '--all-scopes', '--save'])).exit).toBe(0);
    expect(await itemNames(home)).toEqual([]);
    expect((await home.run(['daemon', 'start'])).stderr).toBe('');
  });

  test('a daemon that does not respond is reported, and stop --force ends it', async () => {
    await using home = await makeHome();
    const { pid } = await home.start();
    process.kill(pid ?? 0, 'SIGSTOP');
    const status = await home.json(['daemon', 'status']);
    expect([status.exit, status.body.data]).toMatchObject([7, { status: 'unresponsive', pid }]);
    const patient = await home.json(['daemon', 'stop', '--timeout', '1']);
    expect([patient.exit, patient.body.error.code]).toEqual([7, 'UNRESPONSIVE']);
    expect((await home.json(['daemon', 'stop', '--timeout', '1', '--force'])).exit).toBe(0);
    expect(hasProcessEnded(pid ?? 0)).toBe(true);
    expect((await home.start()).status).toBe('running');
  });

  test('stop --force of a daemon without a state file does not advise what cannot help', async () => {
    await using home = await makeHome();
    const { pid } = await home.start();
    const path = join(getData(home), 'daemon.json');
    const state = await readFile(path, 'utf8');
    process.kill(pid ?? 0, 'SIGSTOP');
    await rm(path);
    for (const force of [[], ['--force']]) {
      const { exit, body } = await home.json(['daemon', 'stop', '--timeout', '1', ...force]);
      expect([exit, body.error.code, body.error.hint]).toEqual([
        7,
        'UNRESPONSIVE',
        expect.stringContaining(`${path} is missing or damaged`),
      ]);
      expect(body.error.hint).not.toContain('--force');
    }
    await writeFile(path, state);
    expect((await home.json(['daemon', 'stop', '--timeout', '1', '--force'])).exit).toBe(0);
  });

  test('restart --force restarts an unresponsive daemon with its settings, but not an ephemeral one', async () => {
    await using home = await makeHome();
    const before = await home.start(['--tier', 'elevated=4321', '--test-clock']);
    process.kill(before.pid ?? 0, 'SIGSTOP');
    const { exit, body } = await home.json(['daemon', 'restart', '--timeout', '1', '--force']);
    expect([exit, body.data]).toMatchObject([0, { status: 'running', url: before.url }]);
    expect(body.data.instanceId).not.toBe(before.instanceId);
    expect(readState(getData(home)).options).toMatchObject({ testClock: true, tiers: { elevated: 4321 } });

    // Its key is shown only once.
    const { key: _, ...passing } = (await home.start(['--ephemeral'])) as DaemonStatus & { readonly key?: string };
    process.kill(passing.pid ?? 0, 'SIGSTOP');
    const refused = await home.json(['daemon', 'restart', '--timeout', '1', '--force', '--data-dir', passing.dataDir]);
    expect([refused.exit, refused.body.error.message]).toEqual([2, expect.stringContaining('Cannot restart the ephemeral daemon')]);
    process.kill(passing.pid ?? 0, 'SIGCONT');
    expect((await home.json(['daemon', 'status', '--data-dir', passing.dataDir])).body.data).toMatchObject(passing);
  });

  test('hints of the daemon commands include --data-dir when it is required', async () => {
    await using home = await makeHome();
    const dataDir = home.path('other shelf');
    const { pid } = await home.start(['--data-dir', dataDir]);
    const named = `--data-dir '${dataDir}'`;
    const patient = await home.run(['daemon', 'wait', '--data-dir', home.path('none'), '--timeout', '0']);
    const none = `--data-dir ${home.path('none')}`;
    expect(patient.stderr).toContain(`\nHint:  See \`stockroom daemon status ${none}\` and \`stockroom daemon logs ${none}\``);
    expect((await home.run(['daemon', 'wait', '--timeout', '0'])).stderr).toContain('See `stockroom daemon status` and');
    const late = await home.run(['daemon', 'start', '--data-dir', dataDir, '--snapshot', 'base']);
    expect(late.exit).toBe(5);
    expect(late.stderr).toContain(`Restore the snapshot with \`stockroom snapshot load base ${named}\``);
    process.kill(pid ?? 0, 'SIGSTOP');
    const stuck = await home.run(['daemon', 'stop', '--all', '--timeout', '1']);
    expect(stuck.stderr).toContain(`check \`stockroom daemon logs ${named}\` for the reason`);
    process.kill(pid ?? 0, 'SIGCONT');
  });

  test('a daemon with a damaged state file can be stopped', async () => {
    await using home = await makeHome();
    const { pid } = await home.start();
    await writeFile(join(getData(home), 'daemon.json'), '{');
    const { exit, stderr } = await home.run(['daemon', 'stop', '--timeout', '5']);
    expect([exit, stderr]).toEqual([0, `Stopped the daemon of ${getData(home)}`]);
    await expect.poll(() => hasProcessEnded(pid ?? 0)).toBe(true);
    expect((await home.start()).status).toBe('running');
  });

  test('a start that waits for another process shows a notice in a terminal, but not in a pipe', async () => {
    await using home = await makeHome();
    const { pid } = await home.start();
    process.kill(pid ?? 0, 'SIGSTOP');
    await using terminal = await openTerminal(home, { columns: 80, rows: 24 });
    const piped = home.run(['daemon', 'start']);
    await terminal.run('daemon start');
    await terminal.shows(/Waiting up to 30 s for another process/u);
    process.kill(pid ?? 0, 'SIGCONT');
    const { exit, screen } = await terminal.ends();
    expect(exit).toBe(0);
    expect(screen).toContain(`another process (pid ${String(pid)}) that has locked`);
    expect(screen.match(/Waiting up to/gu)).toHaveLength(1);
    expect(await piped).toMatchObject({ exit: 0, stderr: '' });
  });
});

describe('the process id in the state file', () => {
  /** A process of someone else, which no command may signal. */
  const startBystander = () => spawn('sleep', ['1000'], { stdio: 'ignore' });

  /** As a command sees the state file of a daemon in a container: socket and process have other names there. */
  const pretendContainer = async (home: Home, pid: number): Promise<void> => {
    const state = readState(getData(home));
    await writeFile(join(getData(home), 'daemon.json'), JSON.stringify({ ...state, pid, adminSocket: '/nowhere/admin.sock' }));
  };

  test('of another container is not signalled: stop and other commands use the socket of the given directory', async () => {
    await using home = await makeHome();
    const { pid } = await home.start();
    const bystander = startBystander();
    onTestFinished(() => void bystander.kill('SIGKILL'));
    await pretendContainer(home, bystander.pid!);
    expect((await home.json(['tenants', 'list'])).body.data).toHaveLength(1);
    const { exit, body } = await home.json(['daemon', 'stop', '--force', '--timeout', '20']);
    expect([exit, body.data.status, bystander.exitCode, bystander.signalCode]).toEqual([0, 'stopped', null, null]);
    // The command cannot see the process of another container, only that its socket and lock are free.
    await expect.poll(() => hasProcessEnded(pid ?? 0)).toBe(true);
  });

  test('is not signalled, even with --force, when the daemon does not respond and the id is not proven', async () => {
    await using home = await makeHome();
    const { pid } = await home.start();
    const bystander = startBystander();
    onTestFinished(() => void bystander.kill('SIGKILL'));
    const original = await readFile(join(getData(home), 'daemon.json'), 'utf8');
    await pretendContainer(home, bystander.pid!);
    process.kill(pid ?? 0, 'SIGSTOP');
    for (const force of [[], ['--force']]) {
      const { exit, body } = await home.json(['daemon', 'stop', '--timeout', '1', ...force]);
      expect([exit, body.error.code, body.error.message, body.error.hint]).toEqual([
        7,
        'UNRESPONSIVE',
        expect.stringContaining('cannot be killed from here'),
        expect.stringContaining('docker stop'),
      ]);
    }
    expect([bystander.exitCode, bystander.signalCode, hasProcessEnded(pid ?? 0)]).toEqual([null, null, false]);
    await writeFile(join(getData(home), 'daemon.json'), original);
    expect((await home.json(['daemon', 'stop', '--timeout', '1', '--force'])).exit).toBe(0);
  });
});
