/**
 * The settings plane: a second server on a unix socket (a named pipe on Windows) that only the owner of the daemon can open.
 * Steps 1, 2, 6, 8, 9 and 10 of `server.ts`; who can open the socket may do everything, so there are no keys, scopes and rate windows.
 * ours: an Idempotency-Key is accepted and ignored. The socket loses no replies, and unique slugs, codes and addresses stop doubles.
 */
import { chmod } from 'node:fs/promises';
import type { Request, ResponseToolkit, Server } from '@hapi/hapi';
import type { AnyAdminHandler, Plane } from '../api/admin/call.ts';
import { adminHandlers } from '../api/admin/index.ts';
import { ADMIN_OPERATIONS } from '../contract/admin.ts';
import type { Operation } from '../contract/operation.ts';
import { StockroomError } from '../domain/errors.ts';
import { jsonBody } from './body.ts';
import { OperationRoutes } from './operation-routes.ts';
import { type Checks, checkedParts, checksOf } from './parts.ts';
import { planeServer } from './plane.ts';
import { addFeed } from './feed.ts';
import { receive } from './receive.ts';
import { replyOf, send } from './reply.ts';
import type { Service } from './service.ts';

export interface AdminOptions {
  /** Whoever calls holds the lock of the data directory and has removed the socket of an earlier daemon. */
  readonly socketPath: string;
  /** Begins the graceful stop of the daemon. */
  readonly shutdown?: () => unknown;
  /** For `status`. */
  readonly url?: string;
  readonly dataDir?: string;
  readonly journalBytes?: () => number;
}

const OWNER_ONLY = 0o600;

/** Listens on the socket after `start()`. The directory keeps others out until the socket has its mode. */
export function adminServer(service: Service, options: AdminOptions): Server {
  const { socketPath } = options;
  const routes = new OperationRoutes('/admin', ADMIN_OPERATIONS);
  const server = planeServer(service, { port: socketPath }, routes, { begin: refuseOrigin });
  server.ext('onPostStart', async () => {
    if (process.platform !== 'win32') await chmod(socketPath, OWNER_ONLY);
  });
  const plane = planeOf(service, options);
  routes.addTo(server, answered(plane));
  addFeed(server, service, plane);
  return server;
}

function planeOf(service: Service, { shutdown, url, dataDir, journalBytes }: AdminOptions): Plane {
  const { store, clock, newId, limiter, demo, deliveries, oauth, faults, snapshots, version, instanceId } = service;
  const startedAt = new Date();
  return {
    store,
    clock,
    newId,
    limiter,
    demo,
    deliveries,
    consents: oauth.desk,
    faults,
    snapshots,
    version,
    instanceId,
    saveCounters: () => service.usage.save(store),
    about: { startedAt, url: url ?? null, dataDir: dataDir ?? null, journalBytes: () => journalBytes?.() ?? null },
    shutdown: shutdown && (() => void shutdown()),
  };
}

/** Answers requests for any operation. */
function answered(plane: Plane) {
  const checked = new Map<Operation, Checks>();
  return async (request: Request, h: ResponseToolkit) => {
    await receive(request);
    const { app, path, query, headers, payload, raw } = request;
    const { operation: op, params = {}, requestId } = app;
    if (!op) throw new Error('a request got past routing');
    let checks = checked.get(op);
    if (!checks) checked.set(op, (checks = checksOf(op)));
    const parts = checkedParts(checks, { path, params, query }, op.body ? jsonBody({ headers, payload }) : undefined);
    const afterReply = (work: () => void) => void raw.res.once('close', work);
    const handler = adminHandlers[op.id as keyof typeof adminHandlers] as unknown as AnyAdminHandler;
    const result = await handler({ ...parts, plane, requestId, afterReply });
    // A reply may hold a secret that is shown once.
    return send(h, replyOf(op, result)).header('cache-control', 'no-store');
  };
}

/** No program on this machine sends an Origin; a page in a browser does. */
function refuseOrigin({ headers }: Request): void {
  if (headers['origin'] !== undefined) throw new StockroomError('ORIGIN_NOT_ALLOWED', 'Pages may not call the settings plane.');
}
