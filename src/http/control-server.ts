/**
 * The admin API on a port, for test suites that cannot use its socket. Every request needs the token. Browsers are rejected by their Origin
 * and, after DNS rebinding, by the Host, so that no website can use it.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Request, Server } from '@hapi/hapi';
import { CONTROL_DOCUMENT_PATH, toControlPath } from '../contract/admin/control.ts';
import { StockroomError } from '../domain/kernel/errors.ts';
import { isLoopbackHost } from '../platform/loopback.ts';
import { type AdminRouteOptions, createRouteAdder } from './admin-routes.ts';
import { rejectOrigin } from './admin-server.ts';
import { createBaseServer } from './base-server.ts';
import { getBaseUrl } from './base-url.ts';
import { JSON_TYPE } from './response/reply.ts';
import type { Service } from './service.ts';
import { checkHost } from './steps/check-host.ts';

export interface ControlOptions extends AdminRouteOptions {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

/** Where a test suite finds the control port. */
export interface ControlAccess {
  readonly url: string;
  readonly token: string;
}

/** Listens on `host:port` after `start()`; port 0 takes a free one. */
export function createControlServer(service: Service, { host, port, token, ...options }: ControlOptions): Server {
  const addRoutes = createRouteAdder(service, options, toControlPath);
  const isLoopback = isLoopbackHost(host);
  const digest = hash(token);
  const server = createBaseServer({ host, port }, service, (request) => {
    checkHost(request, { isLoopback, publicUrl: undefined }); // 400, 403
    rejectOrigin(request); // 403
    checkToken(request, digest); // 401
    addRoutes(server);
    return undefined;
  });
  server.route({
    method: 'GET',
    path: CONTROL_DOCUMENT_PATH,
    async handler(request, h) {
      const { buildControlDocument } = await import('../contract/openapi/control-document.ts');
      return h.response(JSON.stringify(buildControlDocument(getBaseUrl(request)))).type(JSON_TYPE);
    },
  });
  return server;
}

/** Equal lengths, as the comparison needs. */
const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

function checkToken({ headers }: Request, expected: Buffer): void {
  const given = /^Bearer +(\S+) *$/iu.exec((headers['authorization'] as string | undefined) ?? '')?.[1];
  if (given !== undefined && timingSafeEqual(hash(given), expected)) return;
  const message = given === undefined ? 'Missing control token. Send it as Authorization: Bearer.' : 'Invalid control token.';
  throw new StockroomError('UNAUTHENTICATED', message, { headers: { 'www-authenticate': 'Bearer realm="stockroom control"' } });
}
