/** Limits requests that no API key accounts for, by IP address. A-4. */
import type { Request } from '@hapi/hapi';
import { ADDRESS_REQUESTS_PER_MIN } from '../../contract/limits.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { getClientAddress } from '../forwarded.ts';
import type { RequestServices } from '../request-services.ts';

/** Counts a request by its address. Throws RATE_LIMITED if the limit is reached. */
export function countByAddress(request: Request, { addressRequests, clock, metrics }: RequestServices): undefined {
  const seconds = addressRequests.consume(getClientAddress(request), clock.now());
  if (seconds === 0) return;
  metrics.rateLimited.add('address');
  const limit = ADDRESS_REQUESTS_PER_MIN;
  throw new StockroomError(
    'RATE_LIMITED',
    `Rate limit of ${String(limit)} requests per minute and address without a valid API key exceeded. Retry in ${String(seconds)} s.`,
    { headers: { 'retry-after': String(seconds) }, details: { limit, retryAfterSeconds: seconds } },
  );
}
