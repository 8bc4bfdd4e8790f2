/** What the servers need from the running daemon. */
import type { Logger } from 'pino';
import type { DeliveryTools, DemoData, Snapshots } from '../api/admin/call.ts';
import type { Meters } from '../api/call.ts';
import type { Faults } from '../domain/faults.ts';
import type { Clock, NewId } from '../domain/ports.ts';
import type { StockroomStore } from '../domain/tables.ts';
import type { TargetPolicy } from '../domain/targets.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { UsageMeter } from './usage.ts';

export interface FeedMessage {
  /** Grows by one with every message of this start of the daemon. */
  readonly id: string;
  readonly type: 'delivery' | 'event' | 'request' | 'limit' | 'faults' | 'gap';
  /** Null: of no tenant. */
  readonly tenantId: string | null;
  readonly data: unknown;
}

export interface Feed {
  /** Whether anybody listens; what is dear to tell need not be told otherwise. */
  readonly watched: boolean;
  publish(type: FeedMessage['type'], tenantId: string | null, data: unknown): void;
  /** Everything after the message `lastId` that is still known, then what comes. Returns the function that ends it. */
  follow(lastId: string | undefined, listener: (message: FeedMessage) => void): () => void;
}

export interface Service {
  readonly store: StockroomStore;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Logger;
  readonly limiter: RateLimiter;
  readonly usage: UsageMeter;
  readonly demo: DemoData;
  readonly targets: TargetPolicy;
  readonly deliveries: DeliveryTools;
  readonly faults: Faults;
  readonly snapshots: Snapshots;
  readonly feed: Feed;
  readonly version: string;
  /** Fresh at every start; `/healthz` and the state file agree on it. */
  readonly instanceId: string;
  /** Idempotent requests being executed now: `<tenant> <reply id>`. */
  readonly running: Set<string>;
  /** True from the first moment of a graceful stop. */
  readonly isClosing: () => boolean;
}

export function metersOf(service: Service): Meters {
  return {
    rateOf: (key) => service.limiter.peek(key, service.clock.now().getTime()),
    unsavedUsage: (tenantId) => service.usage.unsaved(tenantId),
  };
}
