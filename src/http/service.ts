/** What the servers need from the running daemon. */
import type { Logger } from 'pino';
import type { DeliveryTools, DemoData, Snapshots } from '../api/admin/call.ts';
import type { Meters } from '../api/call.ts';
import type { FeedData, FeedType } from '../contract/admin/feed.ts';
import type { Operation } from '../contract/operation.ts';
import type { Faults } from '../domain/faults.ts';
import type { Clock, NewId } from '../domain/ports.ts';
import type { StockroomStore } from '../domain/tables.ts';
import type { TargetPolicy } from '../domain/targets.ts';
import type { OAuthState } from './oauth/state.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { UsageMeter } from './usage.ts';

export interface FeedMessage {
  /** Grows by one with every message of this start of the daemon. */
  readonly id: string;
  readonly type: FeedType;
  /** Null: of no tenant. */
  readonly tenantId: string | null;
  readonly data: unknown;
}

export interface Feed {
  /** Whether anybody listens, or did a minute ago: ask before you tell. Whoever comes later learns that there is a gap. */
  wants(type: FeedType): boolean;
  publish<T extends FeedType>(type: T, tenantId: string | null, data: FeedData[T]): void;
  /** Everything after the message `lastId` that is still known, then what comes. Returns the function that ends it. */
  follow(lastId: string | undefined, listener: (message: FeedMessage) => void, types?: readonly FeedType[]): () => void;
}

/** The tools for assistants: what is needed of `src/mcp`, which the daemon puts behind `/mcp`. */
export interface ToolEndpoint {
  /** Answers one POST of streamable HTTP; a stream is for what goes on until `signal()` fires. */
  answer(exchange: ToolExchange): Promise<{
    readonly status: number;
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly body: string | Uint8Array | ReadableStream<Uint8Array>;
  }>;
}

export interface ToolExchange {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
  /** Made when it is asked for. */
  readonly signal: () => AbortSignal;
  readonly caller: {
    readonly requestId: string;
    /** Counts one call of an operation with the key of the exchange and returns the refusal, if it is refused. */
    admit(op: Operation): ToolAnswer | undefined;
    /** Performs an operation that was admitted, exactly as if the request for it had come by itself. */
    perform(
      op: Operation,
      parts: {
        readonly params?: Readonly<Record<string, string>>;
        readonly query?: Readonly<Record<string, unknown>>;
        readonly body?: unknown;
      },
      idempotencyKey: string | undefined,
    ): Promise<ToolAnswer>;
  };
}

export interface ToolAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
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
  readonly oauth: OAuthState;
  readonly tools: ToolEndpoint;
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
    unsavedUsage: (tenantId, period) => service.usage.unsaved(tenantId, period),
  };
}
