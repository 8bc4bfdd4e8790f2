/** Collects feed messages for a moment, so that many of them cost one frame. */
import type { StreamMessage } from '../../client/event-stream.ts';
import type { FeedData, FeedType } from '../../contract/admin/feed.ts';
import type { Updates } from '../state/reduce.ts';
import { toEventRow } from './event-rows.ts';
import type { Dispatch } from './source.ts';

/** The message types that a batch collects. */
export const FEED_TYPES = ['delivery', 'event', 'audit', 'request', 'limit'] as const satisfies readonly FeedType[];

export class MessageBatch {
  readonly #dispatch: Dispatch;
  readonly #batchMs: number;
  readonly #messages: StreamMessage[] = [];
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const messages = this.#messages.splice(0);
    if (messages.length > 0) this.#dispatch({ type: 'updates', at: Date.now(), updates: toUpdates(messages) });
  }
}

function toUpdates(messages: readonly StreamMessage[]): Partial<Updates> {
  // The daemon keeps the contract of its feed.
  const select = <T extends (typeof FEED_TYPES)[number]>(type: T) =>
    messages.filter(({ event }) => event === type) as readonly (StreamMessage & { readonly data: FeedData[T] })[];
  return {
    deliveries: select('delivery').map(({ data }) => data),
    events: select('event').map(({ data }) => toEventRow(data)),
    audit: select('audit').map(({ data }) => data),
    requests: select('request').map(({ id, data }) => ({ ...data, id })),
    limits: select('limit').map(({ data }) => data),
  };
}
