/** What the steps of a request need of the running daemon. */
import type { Logger } from 'pino';
import type { EventRetention } from '../domain/events/event-log.ts';
import type { FaultRegistry } from '../domain/faults/fault-registry.ts';
import type { Clock } from '../domain/kernel/ports.ts';
import type { Tracing } from '../domain/kernel/tracing.ts';
import type { StockroomStore } from '../domain/tables.ts';
import type { TargetPolicy } from '../domain/webhooks/target-policy.ts';
import type { AttemptLimiter } from './requests/attempt-limiter.ts';
import type { Feed } from './feed.ts';
import type { ServiceMetrics } from './metrics/service-metrics.ts';
import type { OAuthLimits } from './oauth/limits.ts';
import type { RateLimiter } from './requests/rate-limiter.ts';
import type { RequestRecorder } from './requests/request-recorder.ts';
import type { RequestCounts } from './requests/request-counts.ts';
import type { UsageMeter } from './requests/usage-meter.ts';

/** In milliseconds. */
export interface RequestTimeouts {
  /** For the header of a request to arrive. */
  readonly requestHeaderMs: number;
  /** For the body of a request to arrive. */
  readonly requestBodyMs: number;
  /** For the next request on a connection. Node waits a second longer than it announces. */
  readonly idleConnectionMs: number;
}

export interface RequestServices {
  readonly store: StockroomStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limiter: RateLimiter;
  readonly usage: UsageMeter;
  readonly requestCounts: RequestCounts;
  readonly metrics: ServiceMetrics;
  /** Undefined if requests are not recorded. */
  readonly recorder: RequestRecorder | undefined;
  readonly targets: TargetPolicy;
  readonly faults: FaultRegistry;
  readonly feed: Feed;
  readonly oauthLimits: OAuthLimits;
  /** Reads the JSON document at an https URL; rejects with the reason. */
  readonly readDocument: (url: string) => Promise<unknown>;
  /** Requests without a valid API key, by IP address. */
  readonly addressRequests: AttemptLimiter;
  /** Idempotency keys of the requests that are running now, as `<tenant id> <reply id>`. */
  readonly activeIdempotencyKeys: Set<string>;
  readonly timeouts: RequestTimeouts;
  readonly tracing: Tracing;
  readonly eventRetention: EventRetention;
  /** Whether it has the given contract only, without extensions. */
  readonly isStrict: boolean;
  /** Whether a graceful shutdown has started. */
  readonly isClosing: () => boolean;
  /** Aborts when it starts. */
  readonly closing: AbortSignal;
}
