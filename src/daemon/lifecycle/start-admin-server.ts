/** Starts the admin server on its socket, which is outside the data directory when the path of that is too long for a socket. */
import { lstatSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Server } from '@hapi/hapi';
import { createPrivateDirectory } from '../../platform/create-directory.ts';
import { getAdminSocketPath } from '../../platform/local-paths.ts';
import type { AdminRouteOptions } from '../../http/admin-routes.ts';
import { createAdminServer } from '../../http/admin-server.ts';
import { DaemonError } from '../errors.ts';
import type { RunningService } from '../service/open-service.ts';

export async function startAdminServer(service: RunningService, dataDir: string, options: AdminRouteOptions): Promise<Server> {
  const socketPath = getAdminSocketPath(dataDir);
  if (process.platform !== 'win32') {
    prepareSocketDirectory(dirname(socketPath), dataDir);
    // A daemon that was killed may have left its socket. This one holds the lock of the data directory.
    rmSync(socketPath, { force: true });
  }
  const server = createAdminServer(service, { ...options, socketPath });
  await server.start();
  return server;
}

/** A directory outside the data directory is in a shared place, so it must belong to this user alone. */
function prepareSocketDirectory(directory: string, dataDir: string): void {
  if (directory === dataDir) return;
  createPrivateDirectory(directory);
  const stat = lstatSync(directory);
  if (!stat.isDirectory() || stat.uid !== process.getuid?.() || (stat.mode & 0o077) !== 0) {
    throw new DaemonError('DATA_DIRECTORY', `Cannot put the admin socket in ${directory}: other users own it or have access to it`, {
      hint: 'Remove it, or use a data directory with a shorter path',
    });
  }
}
