/** Starts the admin server on its socket, which a daemon that was killed may have left behind. */
import type { Server } from '@hapi/hapi';
import { getAdminSocketPath } from '../../platform/local-paths.ts';
import { createAdminServer } from '../../http/admin-server.ts';
import { prepareSocketDirectory, removeStaleSocket } from '../data-directory/admin-socket.ts';
import type { RunningService } from '../service/open-service.ts';

interface AdminServerOptions {
  readonly dataDir: string;
  readonly url: string;
  readonly logFile: string | undefined;
  readonly stop: () => Promise<void>;
}

export async function startAdminServer(service: RunningService, { dataDir, url, logFile, stop }: AdminServerOptions): Promise<Server> {
  const socketPath = getAdminSocketPath(dataDir);
  prepareSocketDirectory(socketPath, dataDir);
  removeStaleSocket(socketPath);
  const server = createAdminServer(service, {
    socketPath,
    // Called after the reply was sent. The daemon's `ended` reports errors.
    shutdown: () => void stop().catch(() => undefined),
    url,
    dataDir,
    logFile: logFile ?? null,
    journalBytes: () => service.files?.getStats().journalBytes ?? 0,
    findStoreProblem: () => service.findStoreProblem(),
  });
  await server.start();
  return server;
}
