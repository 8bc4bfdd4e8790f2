/**
 * The daemon of this machine, live over its owner-only socket.
 *
 *   connect   reads what the daemon is, opens the stream, reads what changed meanwhile. Leaves to follow.
 *   follow    dispatches messages in batches. Leaves when the stream ends: the daemon stopped, restarted, or dropped a slow reader.
 *   lost      reports it once and looks every half second for the daemon that its state file names.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { ApiError, Unreachable } from '../../client/errors.ts';
import { type EventStream, type StreamMessage, openEventStream } from '../../client/event-stream.ts';
import { toQueryString } from '../../client/request.ts';
import type { FeedData } from '../../contract/admin/feed.ts';
import { FEED_PATH } from '../../contract/admin/webhooks.ts';
import { formatCount, formatInterval } from '../tables/format.ts';
import type { LocalConnection } from './local-connection.ts';
import { LocalPolls } from './local-polls.ts';
import { LocalReads } from './local-reads.ts';
import { FEED_TYPES, MessageBatch } from './message-batch.ts';
import { createOwnerActions } from './owner-actions.ts';
import type { Dispatch, Source } from './source.ts';

const RECONNECT_MS = 500;
/** A change of these may change what has to be reordered. */
const STOCK_RESOURCES: ReadonlySet<string> = new Set(['contact', 'item', 'order', 'site', 'stock_document']);

export function createLocalSource(connection: LocalConnection): Source {
  return {
    actions: createOwnerActions(connection),
    api: () => connection.api(),
    run: (dispatch, signal) => new LocalFollower(connection, dispatch, signal).run(),
  };
}

class LocalFollower {
  readonly #connection: LocalConnection;
  readonly #dispatch: Dispatch;
  readonly #signal: AbortSignal;
  readonly #reads: LocalReads;
  /** The last message received, and the daemon that sent it. */
  #last: { readonly instanceId: string; readonly id: string } | null = null;
  #lostAt: number | null = null;

  constructor(connection: LocalConnection, dispatch: Dispatch, signal: AbortSignal) {
    this.#connection = connection;
    this.#dispatch = dispatch;
    this.#signal = signal;
    this.#reads = new LocalReads(connection, dispatch);
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      let reason = 'Daemon stopped; reconnecting…';
      try {
        await this.#follow();
      } catch (error) {
        if (error instanceof ApiError) reason = `Daemon rejected the request: ${error.message}`;
        else if (!(error instanceof Unreachable)) throw error;
      }
      if (this.#signal.aborted) return;
      this.#lostAt ??= Date.now();
      this.#dispatch({ type: 'lost', at: Date.now(), reason });
      await sleep(RECONNECT_MS, undefined, { signal: this.#signal }).catch(() => undefined);
    }
  }

  async #follow(): Promise<void> {
    const daemon = this.#connection.daemon();
    const client = this.#connection.admin(daemon);
    await this.#reads.readAbout();
    const query = toQueryString({ tenant: this.#connection.tenant, types: [...FEED_TYPES, 'store'] });
    const lastId = this.#last?.instanceId === daemon.instanceId ? this.#last.id : undefined;
    using stream = await openEventStream(daemon.adminSocket, FEED_PATH + query, { lastId, signal: this.#signal });
    const isRestarted = lastId === undefined;
    const missed = await this.#reads.readHistory(client, isRestarted);
    this.#dispatch({ type: 'connected', at: Date.now() });
    if (this.#lostAt !== null) reportReconnect(this.#dispatch, this.#lostAt, isRestarted, missed);
    this.#lostAt = null;
    using polls = new LocalPolls(client, this.#reads, this.#dispatch);
    await this.#listen(stream, daemon.instanceId, client, polls);
  }

  /** Ends when the stream does. */
  async #listen({ messages }: EventStream, instanceId: string, client: Client, polls: LocalPolls): Promise<void> {
    const dispatch: Dispatch = (action) => {
      if (action.type === 'updates' && this.#reads.addEvents(action.updates.events ?? [])) polls.markStale('levelNames');
      this.#dispatch(action);
    };
    const batch = new MessageBatch(dispatch, this.#connection.batchMs);
    try {
      for await (const message of messages) {
        this.#last = { instanceId, id: message.id };
        if (message.event === 'gap') {
          batch.flush();
          await this.#handleGap(message.data as FeedData['gap'], client);
        } else if (message.event === 'store') {
          // The path of the socket may be gone, so that no poll reports it.
          this.#dispatch({ type: 'about', about: { storeProblem: (message.data as FeedData['store']).problem } });
        } else {
          batch.add(message);
          this.#markStale(message, polls);
        }
      }
    } finally {
      batch.flush();
    }
  }

  #markStale({ event, data }: StreamMessage, polls: LocalPolls): void {
    if (event === 'delivery') {
      this.#reads.advanceChangedSince((data as FeedData['delivery']).updatedAt);
      polls.markStale('endpoints');
    }
    // Only the audit trail reports changes of endpoints and keys before their next use.
    if (event === 'audit') {
      polls.markStale('audit');
      const { resourceType } = data as FeedData['audit'];
      if (resourceType === 'webhook') polls.markStale('endpoints');
      if (resourceType === 'api_key') polls.markStale('keys');
      if (STOCK_RESOURCES.has(resourceType)) polls.markStale('stock');
    }
  }

  async #handleGap({ dataReplaced }: FeedData['gap'], client: Client): Promise<void> {
    if (dataReplaced) this.#dispatch({ type: 'replaced' });
    await this.#reads.readAbout();
    await this.#reads.readHistory(client, true);
    const reason = dataReplaced ? 'The data of the daemon were replaced' : 'Some messages were missed';
    this.#dispatch({ type: 'notice', at: Date.now(), text: `${reason}; everything was reloaded`, tone: 'info' });
  }
}

function reportReconnect(dispatch: Dispatch, lostAt: number, isRestarted: boolean, missed: number): void {
  const duration = formatInterval(Date.now() - lostAt);
  const reason = isRestarted ? `Daemon restarted after ${duration}` : `Reconnected after ${duration}`;
  const deliveries = missed === 0 ? 'no delivery was missed' : `${formatCount(missed, 'delivery', 'deliveries')} caught up`;
  const requests = isRestarted ? '; requests in that time are not shown' : '';
  dispatch({ type: 'notice', at: Date.now(), text: `${reason}; ${deliveries}${requests}`, tone: 'good' });
}
