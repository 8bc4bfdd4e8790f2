/** Signals that other programs send to a daemon: none opens a debugger, and SIGHUP reopens the log. */
import { existsSync } from 'node:fs';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeHome } from '../../support/cli/home.ts';
import { getData, isListening } from '../../support/cli/daemon.ts';

test('SIGUSR1 opens no debugger in a daemon in the background', async () => {
  await using home = await makeHome();
  const { pid, url } = await home.start();
  for (let count = 0; count < 3; count += 1) {
    process.kill(pid ?? 0, 'SIGUSR1');
    expect(await isListening(url ?? '')).toBe(true);
  }
  await home.run(['daemon', 'stop']);
  // Node reports a debugger on stderr.
  expect(await readFile(join(getData(home), 'daemon.log'), 'utf8')).not.toContain('Debugger');
});

test('SIGUSR1 opens no debugger in a daemon in the foreground', async () => {
  await using home = await makeHome();
  const child = home.spawn(['daemon', 'start', '--foreground', '--port', '0', '--json']);
  const { url } = (await home.json(['daemon', 'wait'])).body.data as { url: string };
  for (let count = 0; count < 3; count += 1) {
    child.kill('SIGUSR1');
    expect(await isListening(url)).toBe(true);
  }
  child.kill('SIGTERM');
  const { exitCode, stderr } = await child;
  expect(exitCode).toBe(0);
  expect(String(stderr)).not.toContain('Debugger');
});

test('SIGHUP makes a daemon in the background continue its log in a new file, and does not stop it', async () => {
  await using home = await makeHome();
  const { pid, url } = await home.start();
  const path = join(getData(home), 'daemon.log');
  await rename(path, `${path}.moved`);
  process.kill(pid ?? 0, 'SIGHUP');
  await expect.poll(() => existsSync(path)).toBe(true);
  expect(await isListening(url ?? '')).toBe(true);
  expect((await home.run(['daemon', 'stop'])).exit).toBe(0);
  expect(await readFile(path, 'utf8')).toContain('"msg"');
});
