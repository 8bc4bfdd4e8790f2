import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isLongRun } from '../../../test/support/long-run.ts';
import { isDataDirectoryLocked, lockDataDirectory } from './lock.ts';

/** Of a directory that is made, locked and removed while it is probed. */
const ROUNDS = isLongRun ? 1_500 : 300;

/** With characters in its name that a URL has to escape. */
function createDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'lock %20#ü'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}
const LOCK = new URL('lock.ts', import.meta.url).href;

/** Starts a process that tries to take the lock, prints the result, and runs until it is killed. */
async function startRival(directory: string) {
  const code = `import { lockDataDirectory } from ${JSON.stringify(LOCK)}; console.log(lockDataDirectory(${JSON.stringify(directory)}) ? 'got' : 'busy'); gc(); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    result: output.toString().trim(),
    child,
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

test('only one holder at a time gets the lock, also within a process, and a released lock is free', () => {
  const directory = createDirectory();
  expect(isDataDirectoryLocked(directory)).toBe(false);
  const lock = lockDataDirectory(directory);
  expect(lock).toBeDefined();
  expect(isDataDirectoryLocked(directory)).toBe(true);
  expect(lockDataDirectory(directory)).toBeUndefined();
  lock?.release();
  expect(isDataDirectoryLocked(directory)).toBe(false);
  const again = lockDataDirectory(directory);
  expect(again).toBeDefined();
  again?.release();
});

test('exactly one of several processes gets the lock, keeps it through garbage collection, and loses it with kill -9', async () => {
  const directory = createDirectory();
  const rivals = await Promise.all(Array.from({ length: 6 }, () => startRival(directory)));
  onTestFinished(() => rivals.forEach(({ child }) => child.kill('SIGKILL')));
  expect(rivals.map(({ result }) => result).toSorted()).toEqual(['busy', 'busy', 'busy', 'busy', 'busy', 'got']);
  for (const { result, kill } of rivals) if (result === 'busy') await kill();
  expect(isDataDirectoryLocked(directory)).toBe(true);
  await rivals.find(({ result }) => result === 'got')?.kill();
  expect(isDataDirectoryLocked(directory)).toBe(false);
  expect(readdirSync(directory)).toEqual(['daemon.lock']);
  const lock = lockDataDirectory(directory);
  expect(lock).toBeDefined();
  lock?.release();
});

test('probing the lock of a directory that is being removed neither fails nor creates a file', async () => {
  const parent = createDirectory();
  const directory = join(parent, 'ephemeral');
  const code = `
    import { mkdirSync, readdirSync, rmSync } from 'node:fs';
    import { lockDataDirectory } from ${JSON.stringify(LOCK)};
    for (let round = 0; round < ${String(ROUNDS)}; round += 1) {
      mkdirSync(${JSON.stringify(directory)});
      lockDataDirectory(${JSON.stringify(directory)})?.release();
      rmSync(${JSON.stringify(directory)}, { recursive: true });
      if (readdirSync(${JSON.stringify(parent)}).length > 0) throw new Error('the directory exists again');
    }
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'inherit', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  while (child.exitCode === null && child.signalCode === null) {
    for (let probe = 0; probe < 50; probe += 1) isDataDirectoryLocked(directory);
    await new Promise(setImmediate);
  }
  expect((await exited)[0]).toBe(0);
});

test.runIf(process.getuid?.() === 0)('the lock of a directory that this user cannot open is an error, not a free lock', async () => {
  const directory = createDirectory();
  const held = lockDataDirectory(directory);
  onTestFinished(() => held?.release());
  // The ids of users have no names here: 65534 is any other user than the owner.
  const code = `
    import { isDataDirectoryLocked } from ${JSON.stringify(LOCK)};
    process.setuid(65534);
    try { console.log(isDataDirectoryLocked(${JSON.stringify(directory)})); } catch (error) { console.log(error.code, error.exit); }
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  expect(output.toString().trim()).toBe('DATA_DIRECTORY 7');
});
