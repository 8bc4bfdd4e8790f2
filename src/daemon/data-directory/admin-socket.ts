/** The place of the admin socket, which is outside the data directory when the path of that is too long for a socket. */
import { lstatSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createPrivateDirectory } from '../../platform/create-directory.ts';
import { DaemonError } from '../errors.ts';

/** Creates the directory of the socket. One outside the data directory is in a shared place, so it must belong to this user alone. */
export function prepareSocketDirectory(socketPath: string, dataDir: string): void {
  const directory = dirname(socketPath);
  if (process.platform === 'win32' || directory === dataDir) return;
  createPrivateDirectory(directory);
  const stat = lstatSync(directory);
  if (!stat.isDirectory() || stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0) {
    throw new DaemonError('DATA_DIRECTORY', `Cannot put the admin socket in ${directory}: other users own it or have access to it`, {
      hint: 'Remove it, or use a data directory with a shorter path',
    });
  }
}

/** Removes the socket of a daemon that was killed. Call it only while holding the lock of the data directory. */
export function removeStaleSocket(socketPath: string): void {
  if (process.platform !== 'win32') rmSync(socketPath, { force: true });
}
