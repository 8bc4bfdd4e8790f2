/** The daemon's event feed on the admin socket: server-sent events, resumable with `Last-Event-ID`. Defines the data of each event type. */
import type { AuditEvent } from '../resources/audit.ts';
import type { Fault } from './faults.ts';
import type { OwnedDelivery } from './webhooks.ts';

/** `gap` means that messages between the previous one and this one are lost: read the logs instead. */
export const FEED_TYPES = ['delivery', 'event', 'audit', 'request', 'limit', 'faults', 'store', 'gap'] as const;
export type FeedType = (typeof FEED_TYPES)[number];

/** One entry of a tenant's change log. Positions follow the commit order. */
export interface FeedEvent {
  readonly position: number;
  /** The JSON text sent to webhook endpoints. */
  readonly body: string;
}

/** One request to the public API, published after its response was sent. Excludes query, headers and body, which may contain secrets. */
export interface FeedRequest {
  /** When it arrived. */
  readonly at: string;
  readonly requestId: string;
  /** Null when no operation matches, for example for an unknown path. */
  readonly operationId: string | null;
  readonly method: string;
  readonly path: string;
  /** Null when the client disconnected before the response. */
  readonly status: number | null;
  /** Code and message of the error in the response; null without one. */
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly milliseconds: number;
  readonly keyId: string | null;
  /** The public prefix of the key. */
  readonly keyPrefix: string | null;
}

/** The rate-limit window of a key after its latest requests. Published at most a few times a second per key. */
export interface FeedLimit {
  readonly keyId: string;
  readonly keyPrefix: string;
  readonly tier: string;
  /** Requests per window. */
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
  /** All active faults after a change. */
  readonly faults: { readonly faults: readonly Fault[] };
  /** Why the store rejects all changes from now on. */
  readonly store: { readonly problem: string };
  /** `dataReplaced`: all data was replaced, for example by restoring a snapshot. */
  readonly gap: { readonly dataReplaced?: true };
}
