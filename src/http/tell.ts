/** Tells the feed of requests and of the rate windows they use up. While nobody listens a request costs two comparisons. */
import type { Request } from '@hapi/hapi';
import type { ApiKeyRecord } from '../domain/keys.ts';
import type { Service } from './service.ts';

/** Windows are told together, so often at most. */
const LIMITS_MS = 250;

/** Called at the beginning of each request. */
export function requestTeller({ feed, limiter, clock }: Service): (request: Request) => void {
  const keys = new Map<string, ApiKeyRecord>();
  const tellLimits = (): void => {
    for (const key of keys.values()) {
      const { limit, remaining, resetAt } = limiter.peek(key, clock.now().getTime());
      feed.publish('limit', key.tenantId, {
        keyId: key.id,
        keyPrefix: key.prefix,
        tier: key.rateLimitTier,
        limit,
        remaining,
        resetAt,
      });
    }
    keys.clear();
  };
  const tellLimitOf = (key: ApiKeyRecord): void => {
    if (keys.size === 0) setTimeout(tellLimits, LIMITS_MS).unref();
    keys.set(key.id, key);
  };
  const tell = (request: Request, at: Date, milliseconds: number): void => {
    const { caller, requestId } = request.app;
    const { res } = request.raw;
    if (caller && feed.wants('limit')) tellLimitOf(caller.key);
    if (!feed.wants('request')) return;
    feed.publish('request', caller?.tenant.id ?? null, {
      at: at.toISOString(),
      requestId,
      operationId: request.app.operation?.id ?? null,
      method: request.method.toUpperCase(),
      path: request.path,
      status: res.writableFinished ? res.statusCode : null,
      milliseconds: Math.round(milliseconds * 10) / 10,
      keyId: caller?.key.id ?? null,
      keyPrefix: caller?.key.prefix ?? null,
    });
  };
  return (request) => {
    if (!feed.wants('request') && !feed.wants('limit')) return;
    const [at, began] = [clock.now(), performance.now()];
    request.raw.res.once('close', () => tell(request, at, performance.now() - began));
  };
}
