/**
 * The route of an API request. A-2 fixes the order of its steps; the comments are the statuses with which they reject.
 * `server.ts` has the steps before these, which all routes share.
 */
import { setImmediate } from 'node:timers/promises';
import type { Request, ResponseObject, ResponseToolkit, ServerRoute } from '@hapi/hapi';
import type { Operation } from '../../contract/operation.ts';
import { createResponse } from '../response/reply.ts';
import type { RequestServices } from '../request-services.ts';
import { authenticate } from './authenticate.ts';
import { authorize } from './authorize.ts';
import { countRequest } from './count-request.ts';
import { destroyConnection, injectFault } from './inject-fault.ts';
import { drainBody, receiveBody } from './receive-body.ts';
import { createOperationRunner } from './run-operation.ts';

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    /** Unless the request is for another route. */
    operation?: Operation;
  }
}

export function createOperationRoute(service: RequestServices, operation: Operation): ServerRoute {
  const runOperation = createOperationRunner(service, operation);

  /** Before the body is received: a client that waits for `100 Continue` need not send it. */
  async function admit(request: Request, h: ResponseToolkit): Promise<ResponseObject | symbol> {
    request.app.operation = operation;
    try {
      const caller = await authenticate(request, service); // 400, 401, 429
      await countRequest(request, caller, operation, service); // 429
      authorize(request, caller, operation); // 401, 403
      return (await injectFault(service, request, h)) ?? h.continue;
    } catch (error) {
      await drainBody(service, request);
      throw error;
    }
  }

  async function handle(request: Request, h: ResponseToolkit): Promise<ResponseObject | symbol> {
    await receiveBody(service, request); // 408, 413
    const reply = await runOperation(request, request.app.caller!);
    // Replies that wait for the next turn of the event loop are written together and wake their clients once instead of one by one, which
    // saves more than half of the cost of a read under load. Replies to writes already come in groups, with their commits.
    if (operation.method === 'GET') await setImmediate();
    if (request.app.injectedFault?.drop === 'after') return destroyConnection(request, h);
    return createResponse(h, reply);
  }

  return { method: operation.method, path: operation.path, options: { ext: { onPreAuth: { method: admit } } }, handler: handle };
}
