/**
 * The admin API: a second server on a unix socket (a named pipe on Windows) that only the owner of the daemon can open. There are no keys,
 * scopes or rate limits: every process that can open the socket has full access.
 */
import { chmod } from 'node:fs/promises';
import type { Request, Server } from '@hapi/hapi';
import { StockroomError } from '../domain/kernel/errors.ts';
import { type AdminRouteOptions, createRouteAdder } from './admin-routes.ts';
import { createBaseServer } from './base-server.ts';
import type { Service } from './service.ts';

export interface AdminOptions extends AdminRouteOptions {
  /** The caller holds the lock of the data directory and has removed the socket of an earlier daemon. */
  readonly socketPath: string;
}

const OWNER_ONLY = 0o600;

/** Listens on the socket after `start()`. Until the socket has its mode, the mode of its directory keeps other users out. */
export function createAdminServer(service: Service, { socketPath, ...options }: AdminOptions): Server {
  const addRoutes = createRouteAdder(service, options);
  const server = createBaseServer({ port: socketPath }, service, (request) => {
    rejectOrigin(request);
    addRoutes(server);
    return undefined;
  });
  server.ext('onPostStart', async () => {
    if (process.platform !== 'win32') await chmod(socketPath, OWNER_ONLY);
  });
  return server;
}

/** Browsers send an Origin, other programs on this machine do not. */
export function rejectOrigin({ headers }: Request): void {
  if (headers['origin'] !== undefined) throw new StockroomError('ORIGIN_NOT_ALLOWED', 'Browsers cannot call the admin API.');
}
