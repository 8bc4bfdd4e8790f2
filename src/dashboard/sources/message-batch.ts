/** Collects feed messages for a moment, so that many of them cost one frame. */
import type { StreamMessage } from '../../client/event-stream.ts';
import type { FeedData, FeedType } from '../../contract/admin/feed.ts';
import { type Updates, NO_UPDATES } from '../state/reduce.ts';
import { toEventRow } from './event-rows.ts';
import type { Dispatch } from './source.ts';

/** The message types that a batch collects. */
export const FEED_TYPES = ['delivery', 'event', 'audit', 'request', 'limit'] as const satisfies readonly FeedType[];

export class MessageBatch {
  readonly #dispatch: Dispatch;
  readonly #batchMs: number;
  #messages: StreamMessage[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(dispatch: Dispatch, batchMs: number) {
    this.#dispatch = dispatch;
    this.#batchMs = batchMs;
  }

  add(message: StreamMessage): void {
    this.#messages.push(message);
    this.#timer ??= setTimeout(() => this.flush(), this.#batchMs);
  }

  /** Dispatches what has been collected, if anything. */
  flush(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const updates = toUpdates(this.#messages);
    this.#messages = [];
    this.#dispatch({ type: 'updates', at: Date.now(), updates });
  }
}

function toUpdates(messages: readonly StreamMessage[]): Updates {
  // The daemon keeps the contract of its feed.
  const list = <T extends (typeof FEED_TYPES)[number]>(type: T) =>
    messages.filter(({ event }) => event === type).map(({ id, data }) => ({ id, data: data as FeedData[T] }));
  return {
    ...NO_UPDATES,
    deliveries: list('delivery').map(({ data }) => data),
    events: list('event').map(({ data }) => toEventRow(data)),
    audit: list('audit').map(({ data }) => data),
    requests: list('request').map(({ id, data }) => ({ ...data, id })),
    limits: list('limit').map(({ data }) => data),
  };
}
