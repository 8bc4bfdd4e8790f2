/** What follows a daemon that was killed, or that does not answer. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasEnded } from '../../src/daemon/shutdown.ts';
import { makeHome } from '../support/cli.ts';
import { openTerminal } from '../support/terminal.ts';
import { dataOf, itemNames, readState } from '../support/daemon.ts';

describe('after kill -9', () => {
  test('the next start needs no cleaning and has the data', async () => {
    await using home = await makeHome();
    const { pid, instanceId } = await home.start();
    await home.json(['items', 'create', '--name', 'Survivor']);
    process.kill(pid ?? 0, 'SIGKILL');
    expect((await home.json(['daemon', 'status'])).body.data.status).toBe('stopped');
    const again = await home.start();
    expect(again.instanceId).not.toBe(instanceId);
    expect(await itemNames(home)).toEqual(['Survivor']);
  });

  test('a start whose first key nobody could save any more says how to get one', async () => {
    await using home = await makeHome();
    const { pid } = await home.start();
    process.kill(pid ?? 0, 'SIGKILL');
    await rm(home.path('config', 'stockroom'), { recursive: true });
    const { exit, stderr, body } = await home.json(['daemon', 'start', '--port', '0']);
    const advice = 'no key is saved for this data directory: `stockroom keys create --all-scopes --save` makes one';
    expect([exit, stderr, body.data.status]).toEqual([0, advice, 'running']);
    const refused = await home.json(['items', 'list']);
    expect([refused.exit, refused.body.error.hint]).toEqual([4, expect.stringContaining('stockroom keys create --all-scopes --save')]);
    expect((await home.run(['keys', 'create', '--all-scopes', '--save'])).exit).toBe(0);
    expect(await itemNames(home)).toEqual([]);
    expect((await home.run(['daemon', 'start'])).stderr).toBe('');
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

  test('one that does not answer is restarted as it was by restart --force, and an ephemeral one is left alone', async () => {
    await using home = await makeHome();
    const before = await home.start(['--tier', 'elevated=4321', '--test-clock']);
    process.kill(before.pid ?? 0, 'SIGSTOP');
    const { exit, body } = await home.json(['daemon', 'restart', '--timeout', '1', '--force']);
    expect([exit, body.data]).toMatchObject([0, { status: 'running', url: before.url }]);
    expect(body.data.instanceId).not.toBe(before.instanceId);
    expect(readState(dataOf(home)).options).toMatchObject({ testClock: true, tiers: { elevated: 4321 } });

    const passing = await home.start(['--ephemeral']);
    process.kill(passing.pid ?? 0, 'SIGSTOP');
    const refused = await home.json(['daemon', 'restart', '--timeout', '1', '--force', '--data-dir', passing.dataDir]);
    expect([refused.exit, refused.body.error.message]).toEqual([2, expect.stringContaining('is ephemeral')]);
    process.kill(passing.pid ?? 0, 'SIGCONT');
    expect((await home.json(['daemon', 'status', '--data-dir', passing.dataDir])).body.data).toEqual(passing);
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
