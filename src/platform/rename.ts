/** Renames a file over another one, also on Windows, where that fails while a third program, such as a virus scanner, has either open. */
import { renameSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

/** What Windows answers for a file in use, and for one that this user must never replace. */
const IN_USE = new Set<string | undefined>(['EPERM', 'EACCES', 'EBUSY']);
/** A scan of a small file takes some milliseconds. */
const ATTEMPTS = 40;
const PAUSE_MS = 25;

export interface Retries {
  readonly platform: NodeJS.Platform;
  readonly attempts: number;
}

const DEFAULT: Retries = { platform: process.platform, attempts: ATTEMPTS };

export const renameFile = (from: string, to: string): Promise<void> => retryWhileInUse(() => rename(from, to));

export async function retryWhileInUse(work: () => Promise<void>, retries = DEFAULT): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isWorthRetrying(error, attempt, retries)) throw error;
    }
    await setTimeout(PAUSE_MS);
  }
}

export const renameFileSync = (from: string, to: string): void => retryWhileInUseSync(() => renameSync(from, to));

export function retryWhileInUseSync(work: () => void, retries = DEFAULT): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return work();
    } catch (error) {
      if (!isWorthRetrying(error, attempt, retries)) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, PAUSE_MS);
  }
}

const isWorthRetrying = (error: unknown, attempt: number, { platform, attempts }: Retries): boolean =>
  platform === 'win32' && attempt < attempts && IN_USE.has((error as NodeJS.ErrnoException).code);
