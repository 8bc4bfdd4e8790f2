/** Disks that are full when a test says so. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, statfsSync, writeSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isLongRun } from '../long-run.ts';

export interface Disk extends AsyncDisposable {
  /** An empty directory on it. */
  readonly directory: string;
  /** From now on the process can store no more. */
  fill(pid: number): void;
  /** Gives the space back; 0: the process is no more. */
  empty(pid: number): void;
}

export interface DiskKind {
  readonly name: string;
  make(directory: string): Promise<Disk>;
}

const SIZE = '24m';

/** A small file system of its own: what a full disk is. Only root may mount one. */
const smallFileSystem: DiskKind = {
  name: 'a small file system, filled to the last byte',
  async make(directory) {
    await mkdir(directory);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=700`, 'tmpfs', directory], { stdio: 'pipe' });
    const filler = join(directory, 'filler');
    return {
      directory,
      fill: () => fillUp(filler),
      empty: () => execFileSync('rm', [filler]),
      async [Symbol.asyncDispose]() {
        execFileSync('umount', ['--lazy', directory], { stdio: 'pipe' });
        await rm(directory, { recursive: true, force: true });
      },
    };
  },
};

function fillUp(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (const size of [65_536, 4_096]) {
      const block = Buffer.alloc(size);
      try {
        while (statfsSync(path).bavail > 0) writeSync(file, block);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    closeSync(file);
  }
}

/** Put before a command, it finds every disk full. */
export const WITHOUT_ROOM = ['prlimit', '--fsize=100'] as const;

/** A limit on the size of files that the kernel holds the process to, and that anybody may set: no file can grow beyond it. */
const fileSizeLimit: DiskKind = {
  name: 'a limit on the size of files',
  async make(directory) {
    await mkdir(directory, { mode: 0o700 });
    const limit = (pid: number, bytes: string) => execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`], { stdio: 'pipe' });
    return {
      directory,
      fill: (pid) => void limit(pid, '100'),
      empty: (pid) => void (pid === 0 || limit(pid, 'unlimited')),
      [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
    };
  },
};

function mayMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp'], { stdio: 'pipe' });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}

/** The limit works everywhere; the file system where this user may mount one. Both in the long run, otherwise the one that is nearest to a real disk. */
export const DISKS: readonly DiskKind[] = mayMount() ? (isLongRun ? [smallFileSystem, fileSizeLimit] : [smallFileSystem]) : [fileSizeLimit];
