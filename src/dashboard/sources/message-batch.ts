/** Collects feed messages for a moment, so that many of them cost one frame. */
import type { StreamMessage } from '../../client/event-stream.ts';
import type { FeedData, FeedType } from '../../contract/admin/feed.ts';
import { type Updates, NO_UPDATES } from '../state/reduce.ts';
import { toEventRow } from './event-rows.ts';
import type { Dispatch } from './source.ts';

/** The message types that a batch collects. */
export const FEED_TYPES = ['delivery', 'event', 'audit', 'request', 'limit'] as const satisfies readonly FeedType[];

type MutableUpdates = { -readonly [K in keyof Updates]: Updates[K] extends readonly (infer T)[] ? T[] : Updates[K] };

const emptyUpdates = (): MutableUpdates => ({ ...NO_UPDATES, deliveries: [], requests: [], audit: [], events: [], limits: [] });

export class MessageBatch {
  readonly #dispatch: Dispatch;
  readonly #batchMs: number;
  #updates = emptyUpdates();
  #timer: NodeJS.Timeout | undefined;

  constructor(dispatch: Dispatch, batchMs: number) {
    this.#dispatch = dispatch;
    this.#batchMs = batchMs;
  }

  add({ id, event, data }: StreamMessage): void {
    // The daemon keeps the contract of its feed.
    switch (event as (typeof FEED_TYPES)[number]) {
      case 'delivery':
        this.#updates.deliveries.push(data as FeedData['delivery']);
        break;
      case 'event':
        this.#updates.events.push(toEventRow(data as FeedData['event']));
        break;
      case 'audit':
        this.#updates.audit.push(data as FeedData['audit']);
        break;
      case 'request':
        this.#updates.requests.push({ ...(data as FeedData['request']), id });
        break;
      case 'limit':
        this.#updates.limits.push(data as FeedData['limit']);
        break;
    }
    this.#timer ??= setTimeout(() => this.flush(), this.#batchMs);
  }

  /** Dispatches what has been collected, if anything. */
  flush(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const updates = this.#updates;
    this.#updates = emptyUpdates();
    this.#dispatch({ type: 'updates', at: Date.now(), updates });
  }
}
