/**
 * The clock of a program as it would be on a machine whose system time is wrong, set or corrected, with libfaketime. The monotonic clock
 * and the times of files stay right, as they do when somebody sets the time.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canInstallPackages, installPackage } from './system-package.ts';

export interface SettableClock extends AsyncDisposable {
  /** Variables with which a program is started that shall have this clock. */
  readonly env: Readonly<Record<string, string>>;
  /** Lets the clock be so many seconds ahead of the right time; behind it if the number is negative. */
  set(secondsAhead: number): Promise<void>;
}

const NAME = 'libfaketimeMT.so.1';
const FOLDERS = [
  `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime`,
  '/usr/lib64/faketime',
  '/usr/lib/faketime',
];

const findLibrary = (): string | undefined => FOLDERS.map((folder) => join(folder, NAME)).find((path) => existsSync(path));

function provideLibrary(): string {
  if (findLibrary() === undefined && canInstallPackages()) installPackage('libfaketime', 'libfaketime');
  const path = findLibrary();
  if (path === undefined)
    throw new Error('the tests of clocks need libfaketime: apt-get install libfaketime, or your system’s way to get it');
  return path;
}

export async function createSettableClock(): Promise<SettableClock> {
  const library = provideLibrary();
  const directory = await mkdtemp(join(tmpdir(), 'stockroom-clock-'));
  // PostgreSQL runs as another user.
  await chmod(directory, 0o755);
  const file = join(directory, 'offset');
  const set = async (secondsAhead: number): Promise<void> => {
    // Replaced at once: a program must not find an empty file.
    await writeFile(`${file}.new`, `${secondsAhead < 0 ? '-' : '+'}${String(Math.abs(secondsAhead))}\n`);
    await rename(`${file}.new`, file);
  };
  await set(0);
  return {
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    },
    set,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
