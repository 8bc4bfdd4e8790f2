/** Counts a request against the rate limit of its key, and as usage. */
import type { Request } from '@hapi/hapi';
import type { Caller } from '../../api/handler.ts';
import type { Operation } from '../../contract/operation.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import type { Service } from '../service.ts';

/** Throws RATE_LIMITED. The state of the rate window stays on the request, for the headers of its response. */
export function countRequest(request: Request, caller: Caller, op: Operation, service: Service): undefined {
  const now = service.clock.now();
  const rate = service.limiter.count(caller.key, now.getTime());
  request.app.rate = rate;
  if (!rate.isAllowed) {
    throw new StockroomError(
      'RATE_LIMITED',
      `Rate limit of ${String(rate.limit)} requests per minute exceeded. Retry in ${String(rate.resetSeconds)} s.`,
      {
        headers: { 'retry-after': String(rate.resetSeconds) },
        details: { limit: rate.limit, retryAfterSeconds: rate.resetSeconds },
      },
    );
  }
  service.usage.count(caller.key, op.id, now);
}
