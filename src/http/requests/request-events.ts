/** Publishes requests, and the rate windows that they use, to the feed, and counts them by key and for the metrics. */
import type { Request } from '@hapi/hapi';
import { MCP_PATH } from '../../contract/mcp-tools.ts';
import { DOCUMENT_PATHS } from '../../contract/openapi/document-paths.ts';
import { type Span, parseTraceparent } from '../../domain/kernel/tracing.ts';
import type { ApiKeyRecord } from '../../domain/tenancy/records.ts';
import { isHealthCheck } from '../health-path.ts';
import type { RequestServices } from '../request-services.ts';

/** Rate windows are published together, at most this often. */
const RATE_LIMIT_INTERVAL_MS = 250;

/** Health checks and the files of the reference page say nothing about the use of the API. */
const isBackground = (path: string): boolean => isHealthCheck(path) || path.startsWith(`${DOCUMENT_PATHS.reference}/`);

/** Returns a function to be called at the start of each request; the event is published when its response has been sent. */
export function createRequestPublisher({
  feed,
  limiter,
  clock,
  requestCounts,
  metrics,
  tracing,
  recorder,
}: RequestServices): (request: Request) => undefined {
  const keys = new Map<string, ApiKeyRecord>();
  const publishRateLimits = (): void => {
    for (const key of keys.values()) {
      const { limit, remaining, resetAt } = limiter.peek(key, clock.now(key.tenantId).getTime());
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
  const scheduleRateLimit = (key: ApiKeyRecord): void => {
    if (keys.size === 0) setTimeout(publishRateLimits, RATE_LIMIT_INTERVAL_MS).unref();
    keys.set(key.id, key);
  };
  const publishRequest = (request: Request, span: Span, at: Date, milliseconds: number): void => {
    const { caller, operation, error } = request.app;
    const { res } = request.raw;
    const status = res.writableFinished ? res.statusCode : null;
    endSpan(span, request, status);
    metrics.requests.observe(operation?.id ?? (request.path === MCP_PATH ? 'mcp' : 'other'), status, milliseconds);
    if (caller && feed.hasSubscribers('limit')) scheduleRateLimit(caller.key);
    if (caller) requestCounts.count(caller.key.id, caller.tenant.id, status);
    const isPublished = feed.hasSubscribers('request');
    if (!isPublished && !recorder) return;
    const facts = toFacts(request, at, milliseconds, status);
    const key = getKnownKey(request);
    const tenantId = key?.tenantId ?? null;
    recorder?.record(request, { ...facts, tenantId });
    if (!isPublished) return;
    feed.publish('request', tenantId, {
      ...facts,
      path: request.path,
      errorCode: error?.code ?? null,
      errorMessage: error?.message ?? null,
      keyId: key?.id ?? null,
    });
  };
  return (request): undefined => {
    if (isBackground(request.path)) return;
    const [at, startedAt] = [clock.now(), performance.now()];
    const span = tracing.start('request', 'server', parseTraceparent(request.headers['traceparent'] as string | undefined));
    request.app.traceparent = span.traceparent;
    request.raw.res.once('close', () => publishRequest(request, span, at, performance.now() - startedAt));
  };
}

function endSpan(span: Span, { app, method, path }: Request, status: number | null): void {
  span.end({
    ...(app.operation && { name: app.operation.id }),
    attributes: { 'http.request.method': method.toUpperCase(), 'http.response.status_code': status ?? 0, 'url.path': path },
    error: status === null || status >= 500 ? (app.error?.code ?? 'aborted') : undefined,
  });
}

/** The key of a request, also if it is no longer valid: then the request is logged with it, but not counted. */
const getKnownKey = ({ app: { caller, endedKey } }: Request): Pick<ApiKeyRecord, 'id' | 'prefix' | 'tenantId'> | undefined =>
  caller?.key ?? endedKey;

/** What the feed and the recorder have of a request. */
function toFacts(request: Request, at: Date, milliseconds: number, status: number | null) {
  const { app, method } = request;
  const { operation, requestId } = app;
  return {
    at: at.toISOString(),
    requestId,
    operationId: operation?.id ?? null,
    method: method.toUpperCase(),
    status,
    milliseconds: Math.round(milliseconds * 10) / 10,
    keyPrefix: getKnownKey(request)?.prefix ?? null,
  };
}
