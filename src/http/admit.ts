/** Steps 4 and 5 of `server.ts`: the request is counted, and the caller may use the operation. */
import type { Request } from '@hapi/hapi';
import type { Caller } from '../api/call.ts';
import type { Operation } from '../contract/operation.ts';
import { StockroomError } from '../domain/errors.ts';
import { permit } from './permit.ts';
import type { Service } from './service.ts';

/** Throws RATE_LIMITED, APPLICATION_DISABLED, SCOPE_REQUIRED or PLAN_REQUIRED; the state of the window stays on the request for its headers. */
export function admit(service: Service, request: Request, caller: Caller, op: Operation): void {
  const now = service.clock.now();
  const rate = service.limiter.count(caller.key, now.getTime());
  request.app.rate = rate;
  if (!rate.allowed) {
    throw new StockroomError(
      'RATE_LIMITED',
      `This key may send ${String(rate.limit)} requests a minute; the next is possible in ${String(rate.resetSeconds)} s.`,
      {
        headers: { 'retry-after': String(rate.resetSeconds) },
        details: { limit: rate.limit, retryAfterSeconds: rate.resetSeconds },
      },
    );
  }
  service.usage.count(caller.key, op.id, now);
  permit(caller, op, request);
}
