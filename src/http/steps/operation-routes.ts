/**
 * Routes requests to operations. hapi gets only two wildcard routes, one for GET and one for all other methods, and its router package is
 * used directly: hapi validates the settings of each route, see docs/adr/0006.
 */
import { Router } from '@hapi/call';
import type { Lifecycle, Request, ResponseToolkit, Server } from '@hapi/hapi';
import type { Method, Operation } from '../../contract/operation.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    /** Set by 'find operation', unless another route handles the request. */
    operation?: Operation;
    /** The path parameters of the operation. */
    params?: Readonly<Record<string, string>>;
  }
}

const METHODS: readonly Method[] = ['GET', 'POST', 'PATCH', 'DELETE'];

export class OperationRoutes {
  readonly #prefix: string;
  readonly #wildcard: string;
  readonly #router = new Router<Operation>();

  /** All paths of the operations start with `prefix`. */
  constructor(prefix: string, operations: readonly Operation[]) {
    this.#prefix = prefix;
    this.#wildcard = `${prefix}/{rest*}`;
    this.#router.special('notFound', undefined);
    this.#router.special('badRequest', undefined);
    for (const op of operations) this.#router.add(op, op);
  }

  /** Registers the wildcard routes; `handler` reads the operation and its parameters from `request.app`. */
  addTo(server: Server, handler: Lifecycle.Method): void {
    for (const method of ['GET', '*'] as const) server.route({ method, path: this.#wildcard, options: { auth: false, handler } });
  }

  /** Sets `app.operation` and `app.params`. False if another route handles the request; throws NOT_FOUND or METHOD_NOT_ALLOWED if none does. */
  setOperation(request: Request): boolean {
    const { method, path, app } = request;
    const { route, params = {} } = this.#router.route(method, path);
    if (route === undefined) {
      if (path.startsWith(this.#prefix) && !this.#isOtherRoute(request.server, method, path)) throw this.toRoutingError(request);
      return false;
    }
    app.operation = route;
    app.params = params;
    return true;
  }

  /** Whether an operation or another route handles the request. */
  isRouted({ app, server, method, path }: Request): boolean {
    return app.operation !== undefined || this.#isOtherRoute(server, method === 'head' ? 'get' : method, path);
  }

  /** METHOD_NOT_ALLOWED if the path has routes for other methods, else NOT_FOUND. */
  toRoutingError({ server, path }: Request): StockroomError {
    const allowed = METHODS.filter((method) => {
      const lower = method.toLowerCase();
      return this.#router.route(lower, path).route !== undefined || this.#isOtherRoute(server, lower, path);
    });
    if (allowed.length === 0) return createUnknownPathError();
    const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', ');
    return new StockroomError('METHOD_NOT_ALLOWED', `Method not allowed. Allowed methods: ${allow}.`, {
      headers: { allow },
      details: { allowed },
    });
  }

  /** Whether a route other than those of the operations handles the path. */
  #isOtherRoute(server: Server, method: string, path: string): boolean {
    try {
      const route = server.match(method as Lowercase<Method>, path);
      return route !== null && route.path !== this.#wildcard;
    } catch {
      // A parameter that cannot be decoded.
      return false;
    }
  }
}

export const createUnknownPathError = (headers: Readonly<Record<string, string>> = {}): StockroomError =>
  new StockroomError('NOT_FOUND', 'Unknown path. GET /v1 lists all operations.', { headers });

/** Ends the steps of a request that another route handles: those routes check credentials themselves, if they need any. */
export function findOperation(
  request: Request,
  { routes }: { readonly routes: OperationRoutes },
  h: ResponseToolkit,
): typeof h.continue | undefined {
  return routes.setOperation(request) ? undefined : h.continue;
}
