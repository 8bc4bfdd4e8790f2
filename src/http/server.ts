/**
 * The server for /v1. The steps of a request, in the order of decisions-api §2:
 *  1. request id, Host and Origin, shutting down?       (onRequest)
 *  2. route and method                                   `operation-routes`; 404, 405
 *  3. credentials                                        `authenticate`; 401
 *  4. rate window of the key                             `rate-limit`; 429
 *  5. application, then scope, then plan                 `permit`; 403
 *     what was set to go wrong on purpose                 `faults`
 *  6. size, media type, JSON                             `body`; 413, 415, 400
 *  7. Idempotency-Key, stored reply                      `idempotency`; 400, 409
 *  8. query, body, path against the contract             `validate`; 400, 404
 *  9. the handler, in one read or one transaction        404, 409, 412
 * 10. one form for every error, headers for every reply  (onPreResponse)
 * Steps 1 to 5 are taken in onRequest, before hapi looks at what else came; the others by the handler.
 */
import type { Lifecycle, Request, ResponseToolkit, Server } from '@hapi/hapi';
import { OPERATIONS } from '../contract/index.ts';
import { admit } from './admit.ts';
import { authenticate } from './authenticate.ts';
import { goWrong } from './faults.ts';
import { checkHost } from './hosts.ts';
import { addDocuments } from './documents.ts';
import { addReference } from './reference.ts';
import { addOAuth } from './oauth/routes.ts';
import { planeServer } from './plane.ts';
import { OperationRoutes } from './operation-routes.ts';
import { performed } from './perform.ts';
import { refuse } from './receive.ts';
import { JSON_TYPE } from './reply.ts';
import type { Service } from './service.ts';
import { requestTeller } from './tell.ts';
import { addTools } from './tools.ts';

const UNDER = '/v1';
const HEALTH = '/healthz';

/** Listens on `host:port` after `start()`; port 0 takes a free one. */
export function apiServer(service: Service, { host, port }: { host: string; port: number }): Server {
  const routes = new OperationRoutes(UNDER, OPERATIONS);
  let isWhole = false;
  /** Documents, pages, OAuth and tools: added when something else than the API is first asked for, so that a start does not wait for them. */
  const addOthers = (): void => {
    isWhole = true;
    addDocuments(server);
    addReference(server);
    addOAuth(server, service);
    addTools(server, service);
  };
  const tell = requestTeller(service);
  const begin = (request: Request): void => {
    const { headers } = request;
    checkHost(host, headers['host'] as string | undefined, headers['origin'] as string | undefined);
    tell(request);
    if (!isWhole && !request.path.startsWith(UNDER) && request.path !== HEALTH) addOthers();
  };
  const server = planeServer(service, { host, port }, routes, { begin, admit: (request, h) => admitted(service, request, h) });
  routes.addTo(server, performed(service));
  server.route({
    method: 'GET',
    path: HEALTH,
    handler: (_request, h) => h.response({ status: 'ok', version: service.version, instanceId: service.instanceId }).type(JSON_TYPE),
  });
  return server;
}

/** Steps 3 to 5. */
async function admitted(service: Service, request: Request, h: ResponseToolkit): Promise<Lifecycle.ReturnValue> {
  try {
    const caller = await authenticate(service, request);
    request.app.caller = caller;
    admit(service, request, caller, request.app.operation!);
    return (service.faults.any ? await goWrong(service, request, h) : undefined) ?? h.continue;
  } catch (refusal) {
    return refuse(request, refusal);
  }
}
