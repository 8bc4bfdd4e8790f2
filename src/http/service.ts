/** What the servers need of the running daemon. */
import type { Logger } from 'pino';
import type { DeliveryTools, DemoData, Snapshots, StoreHistory } from '../api/admin/handler.ts';
import type { UsageMeters } from '../api/handler.ts';
import type { FeedData, FeedType } from '../contract/admin/feed.ts';
import type { FaultRegistry } from '../domain/kernel/fault-registry.ts';
import type { Clock, NewId } from '../domain/kernel/ports.ts';
import type { Members } from '../domain/kernel/shared-state.ts';
import type { StockroomStore } from '../domain/tables.ts';
import type { TargetPolicy } from '../domain/webhooks/target-policy.ts';
import type { AttemptLimiter } from './attempt-limiter.ts';
import type { OAuthLimits } from './oauth/limits.ts';
import type { ServiceMetrics } from './metrics/service-metrics.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { ReadinessCondition } from './readiness.ts';
import type { RequestCounts } from './request-counts.ts';
import type { UsageMeter } from './usage-meter.ts';

export interface FeedMessage {
  /** Increases by one with every message; starts again with the daemon. */
  readonly id: string;
  readonly type: FeedType;
  /** Null if the message belongs to no tenant. */
  readonly tenantId: string | null;
  readonly data: unknown;
}

export interface Feed {
  /** Whether there is a subscriber now or was one in the last minute. Callers check this first and publish nothing otherwise; later subscribers learn of the gap. */
  hasSubscribers(type: FeedType): boolean;
  /** The latest messages of a tenant, and of no tenant, oldest first. Complete only for requests, which are always published. */
  listRecent<T extends FeedType>(type: T, tenantId: string, limit: number): (FeedData[T] & { readonly id: string })[];
  publish<T extends FeedType>(type: T, tenantId: string | null, data: FeedData[T]): void;
  /** Sends the stored messages after `lastId`, then all new ones. Returns a function that ends the subscription. */
  subscribe(lastId: string | undefined, listener: (message: FeedMessage) => void, types?: readonly FeedType[]): () => void;
}

/** In milliseconds. */
export interface RequestTimeouts {
  /** For the header of a request to arrive. */
  readonly requestHeaderMs: number;
  /** For the body of a request to arrive. */
  readonly requestBodyMs: number;
  /** For the next request on a connection. Node waits a second longer than it announces. */
  readonly idleConnectionMs: number;
}

export interface Service {
  readonly store: StockroomStore;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Logger;
  readonly limiter: RateLimiter;
  readonly members: Members;
  readonly usage: UsageMeter;
  readonly requestCounts: RequestCounts;
  readonly metrics: ServiceMetrics;
  readonly demo: DemoData;
  readonly targets: TargetPolicy;
  readonly deliveries: DeliveryTools;
  readonly faults: FaultRegistry;
  readonly snapshots: Snapshots;
  readonly history: StoreHistory;
  readonly feed: Feed;
  readonly oauthLimits: OAuthLimits;
  /** Requests without a valid API key, by IP address. */
  readonly addressRequests: AttemptLimiter;
  readonly version: string;
  /** New at every start; also in `/healthz` and in the state file. */
  readonly instanceId: string;
  /** Idempotency keys of the requests that are running now, as `<tenant id> <reply id>`. */
  readonly activeIdempotencyKeys: Set<string>;
  readonly timeouts: RequestTimeouts;
  /** When requests should be sent to this daemon. The store and the lifecycle add theirs. */
  readonly readinessConditions: readonly ReadinessCondition[];
  /** Whether a graceful shutdown has started. */
  readonly isClosing: () => boolean;
}

export function createUsageMeters(service: Service): UsageMeters {
  return {
    getRateWindow: (key) => service.limiter.peek(key, service.clock.now().getTime()),
    getUnsavedUsage: (tenantId, period) => service.usage.getUnsaved(tenantId, period),
  };
}
