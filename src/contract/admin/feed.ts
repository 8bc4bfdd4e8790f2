/** The feed of the daemon on the admin socket: server-sent events, resumed by `Last-Event-ID`. What the data of each type looks like. */
import type { AuditEvent } from '../audit.ts';
import type { Fault } from './faults.ts';
import type { OwnedDelivery } from './webhooks.ts';

/** `gap` says that messages are lost between the last one seen and this one: read the logs instead. */
export const FEED_TYPES = ['delivery', 'event', 'audit', 'request', 'limit', 'faults', 'gap'] as const;
export type FeedType = (typeof FEED_TYPES)[number];

/** One entry of a tenant's change log, in the commit order of its position. */
export interface FeedEvent {
  readonly position: number;
  /** The JSON text that receivers get. */
  readonly body: string;
}

/** One request to the public API, told when its answer has been sent. Never a query, a header or a body: they may hold secrets. */
export interface FeedRequest {
  /** When it arrived. */
  readonly at: string;
  readonly requestId: string;
  /** Null: no operation of the API, for example a path that does not exist. */
  readonly operationId: string | null;
  readonly method: string;
  readonly path: string;
  /** Null: the caller went away before an answer. */
  readonly status: number | null;
  readonly milliseconds: number;
  readonly keyId: string | null;
  /** The public beginning of the key. */
  readonly keyPrefix: string | null;
}

/** The rate window of a key after its latest requests; at most a few times a second for each key. */
export interface FeedLimit {
  readonly keyId: string;
  readonly keyPrefix: string;
  readonly tier: string;
  /** Requests in a window. */
  readonly limit: number;
  readonly remaining: number;
  /** Epoch seconds. */
  readonly resetAt: number;
}

export interface FeedData {
  readonly delivery: OwnedDelivery;
  readonly event: FeedEvent;
  readonly audit: AuditEvent;
  readonly request: FeedRequest;
  readonly limit: FeedLimit;
  /** All that are in force after a change. */
  readonly faults: { readonly faults: readonly Fault[] };
  /** `dataReplaced`: other data have taken the place of those that were told of, as a snapshot does. */
  readonly gap: { readonly dataReplaced?: true };
}
