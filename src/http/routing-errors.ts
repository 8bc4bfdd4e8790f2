/** Errors for requests that no route handles: 404, or 405 if the path has routes for other methods. */
import type { Request, Server } from '@hapi/hapi';
import { METHODS, type Method } from '../contract/operation.ts';
import { StockroomError } from '../domain/kernel/errors.ts';

export const createUnknownPathError = (headers: Readonly<Record<string, string>> = {}): StockroomError =>
  new StockroomError('NOT_FOUND', 'Unknown path. GET /v1 lists all operations.', { headers });

export function createRoutingError({ server, path }: Request): StockroomError {
  const allowed = METHODS.filter((method) => hasRoute(server, method, path));
  if (allowed.length === 0) return createUnknownPathError();
  const withHead = allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed;
  const allow = withHead.join(', ');
  return new StockroomError('METHOD_NOT_ALLOWED', `Method not allowed. Allowed methods: ${allow}.`, {
    headers: { allow },
    details: { allowed: withHead },
  });
}

/** `/docs/` → `/docs`: pages and documents are found with a slash at the end, too. Undefined for other requests; paths of the API are exact. */
export function findPage({ method, path, server, url }: Request): string | undefined {
  const page = path.replace(/\/+$/u, '');
  const isPage =
    ['get', 'head'].includes(method) && page !== path && !/^\/(?:v1|admin)(?:\/|$)/u.test(page) && hasRoute(server, 'get', page);
  return isPage ? page + url.search : undefined;
}

export function hasRoute(server: Server, method: string, path: string): boolean {
  try {
    return server.match(method as Lowercase<Method>, path) !== null;
  } catch {
    // A parameter that cannot be decoded.
    return false;
  }
}
