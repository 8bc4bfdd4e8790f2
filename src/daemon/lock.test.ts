import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isLocked, takeLock } from './lock.ts';

/** Its name has what an address would have to escape. */
function fresh(): string {
  const directory = mkdtempSync(join(tmpdir(), 'lock %20#ü'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}
const LOCK = new URL('lock.ts', import.meta.url).href;

/** A process that takes the lock, says whether it got it, and lives until it is killed. */
async function holder(directory: string) {
  const code = `import { takeLock } from ${JSON.stringify(LOCK)}; console.log(takeLock(${JSON.stringify(directory)}) ? 'got' : 'busy'); gc(); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    said: said.toString().trim(),
    child,
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

test('one at a time, within a process too; a released lock is free', () => {
  const directory = fresh();
  expect(isLocked(directory)).toBe(false);
  const lock = takeLock(directory);
  expect(lock).toBeDefined();
  expect(isLocked(directory)).toBe(true);
  expect(takeLock(directory)).toBeUndefined();
  lock?.release();
  expect(isLocked(directory)).toBe(false);
  const again = takeLock(directory);
  expect(again).toBeDefined();
  again?.release();
});

test('of many processes exactly one gets it, whether it keeps the lock in hand or not, and kill -9 frees it without cleaning', async () => {
  const directory = fresh();
  const rivals = await Promise.all(Array.from({ length: 6 }, () => holder(directory)));
  onTestFinished(() => rivals.forEach(({ child }) => child.kill('SIGKILL')));
  expect(rivals.map(({ said }) => said).toSorted()).toEqual(['busy', 'busy', 'busy', 'busy', 'busy', 'got']);
  for (const { said, kill } of rivals) if (said === 'busy') await kill();
  expect(isLocked(directory)).toBe(true);
  await rivals.find(({ said }) => said === 'got')?.kill();
  expect(isLocked(directory)).toBe(false);
  expect(readdirSync(directory)).toEqual(['daemon.lock']);
  const lock = takeLock(directory);
  expect(lock).toBeDefined();
  lock?.release();
});

test('being looked at all the time does not cost a process its lock', () => {
  const directory = fresh();
  for (let times = 0; times < 50; times += 1) {
    const lock = takeLock(directory);
    expect(lock).toBeDefined();
    lock?.release();
    expect(isLocked(directory)).toBe(false);
  }
});

test('a look at the lock of a directory that is just being removed neither fails nor puts anything there', async () => {
  const parent = fresh();
  const directory = join(parent, 'ephemeral');
  const code = `
    import { mkdirSync, readdirSync, rmSync } from 'node:fs';
    import { takeLock } from ${JSON.stringify(LOCK)};
    for (let round = 0; round < 1_500; round += 1) {
      mkdirSync(${JSON.stringify(directory)});
      takeLock(${JSON.stringify(directory)})?.release();
      rmSync(${JSON.stringify(directory)}, { recursive: true });
      if (readdirSync(${JSON.stringify(parent)}).length > 0) throw new Error('it is there again');
    }
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'inherit', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  while (child.exitCode === null && child.signalCode === null) {
    for (let look = 0; look < 50; look += 1) isLocked(directory);
    await new Promise(setImmediate);
  }
  expect((await ended)[0]).toBe(0);
});
