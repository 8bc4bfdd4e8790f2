/** Starts the admin server on its socket, which a daemon that was killed may have left behind. */
import type { Server } from '@hapi/hapi';
import { getAdminSocketPath } from '../../platform/local-paths.ts';
import type { AdminRouteOptions } from '../../http/admin-routes.ts';
import { createAdminServer } from '../../http/admin-server.ts';
import { prepareSocketDirectory, removeStaleSocket } from '../data-directory/admin-socket.ts';
import type { RunningService } from '../service/open-service.ts';

export async function startAdminServer(service: RunningService, dataDir: string, options: AdminRouteOptions): Promise<Server> {
  const socketPath = getAdminSocketPath(dataDir);
  prepareSocketDirectory(socketPath, dataDir);
  removeStaleSocket(socketPath);
  const server = createAdminServer(service, { ...options, socketPath });
  await server.start();
  return server;
}
