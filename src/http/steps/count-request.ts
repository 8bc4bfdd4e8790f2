/** Counts a request against the rate limit of its key, and as usage. */
import type { Request } from '@hapi/hapi';
import type { Caller } from '../../api/handler.ts';
import type { Operation } from '../../contract/operation.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import type { RateLimitState } from '../requests/rate-limiter.ts';
import type { RequestServices } from '../request-services.ts';

/** Throws RATE_LIMITED. The state of the rate window stays on the request, for the headers of its response. */
export async function countRequest(request: Request, caller: Caller, op: Operation, service: RequestServices): Promise<void> {
  const now = service.clock.now(caller.tenant.id);
  const rate = await service.limiter.count(caller.key, now.getTime());
  request.app.rate = rate;
  if (!rate.isAllowed) {
    service.metrics.rateLimited.add('key');
    throw createRateLimitError(rate);
  }
  service.usage.count(caller.key, op.id, now);
}

const createRateLimitError = ({ limit, resetSeconds }: RateLimitState): StockroomError =>
  new StockroomError('RATE_LIMITED', `Rate limit of ${String(limit)} requests per minute exceeded. Retry in ${String(resetSeconds)} s.`, {
    headers: { 'retry-after': String(resetSeconds) },
    details: { limit, retryAfterSeconds: resetSeconds },
  });
