/**
 * The operations of a plane behind two routes of hapi, for GET and for all else. Which operation a request asks for is told by hapi's router,
 * filled by ourselves: hapi checks the settings of each route at length, and for 150 of them a start took a third longer.
 */
import { Router } from '@hapi/call';
import type { Lifecycle, Request, Server } from '@hapi/hapi';
import type { Method, Operation } from '../contract/operation.ts';
import { StockroomError } from '../domain/errors.ts';

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    /** Of every request whose path and method the contract knows, with the parameters in its path. */
    operation?: Operation;
    params?: Readonly<Record<string, string>>;
  }
}

const METHODS: readonly Method[] = ['GET', 'POST', 'PATCH', 'DELETE'];

export class OperationRoutes {
  readonly #under: string;
  readonly #wildcard: string;
  readonly #router = new Router<Operation>();
  /** Those whose path has no parameters, by method and path: looked up in a tenth of the time. */
  readonly #plain = new Map<string, ReadonlyMap<string, Operation>>();

  /** All paths of the operations begin with `under`. */
  constructor(under: string, operations: readonly Operation[]) {
    this.#under = under;
    this.#wildcard = `${under}/{rest*}`;
    this.#router.special('notFound', undefined);
    this.#router.special('badRequest', undefined);
    for (const op of operations) this.#router.add(op, op);
    const plain = operations.filter(({ path }) => !path.includes('{'));
    for (const [method, group] of Map.groupBy(plain, (op) => op.method.toLowerCase()))
      this.#plain.set(method, new Map(group.map((op) => [op.path, op])));
  }

  /** Lets the server answer them; `handler` finds the operation and its parameters in `request.app`. */
  addTo(server: Server, handler: Lifecycle.Method): void {
    for (const method of ['GET', '*'] as const) server.route({ method, path: this.#wildcard, options: { auth: false, handler } });
  }

  /** Step 2 of `server.ts`, for what begins with `under`: notes the operation, or says why there is none: NOT_FOUND or METHOD_NOT_ALLOWED. */
  find(request: Request): StockroomError | undefined {
    const { method, path, app } = request;
    const plain = this.#plain.get(method)?.get(path);
    if (plain !== undefined) {
      app.operation = plain;
      app.params = {};
      return undefined;
    }
    const { route, params = {} } = this.#router.route(method, path);
    if (route === undefined)
      return path.startsWith(this.#under) && !this.#isPlain(request.server, method, path) ? this.unrouted(request) : undefined;
    app.operation = route;
    app.params = params;
    return undefined;
  }

  /** Whether there is an answer at the path for the method, an operation or another. */
  takes({ app, server, method, path }: Request): boolean {
    return app.operation !== undefined || this.#isPlain(server, method === 'head' ? 'get' : method, path);
  }

  /** The path is taken by other methods, or by none. */
  unrouted({ server, path }: Request): StockroomError {
    const allowed = METHODS.filter((method) => {
      const lower = method.toLowerCase();
      return this.#router.route(lower, path).route !== undefined || this.#isPlain(server, lower, path);
    });
    if (allowed.length === 0) return new StockroomError('NOT_FOUND', 'There is no such path; GET /v1 lists what there is.');
    const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', ');
    return new StockroomError('METHOD_NOT_ALLOWED', `This path takes ${allow}.`, { headers: { allow }, details: { allowed } });
  }

  /** Whether a route of the server itself takes it. */
  #isPlain(server: Server, method: string, path: string): boolean {
    try {
      const route = server.match(method as Lowercase<Method>, path);
      return route !== null && route.path !== this.#wildcard;
    } catch {
      // A parameter that cannot be decoded.
      return false;
    }
  }
}
