/** The live feed of the daemon: what requests, deliveries and commits publish, and subscribers receive. */
import type { FeedData, FeedType } from '../contract/admin/feed.ts';

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
