/**
 * One connection that listens for notifications, and a new one after each that was lost. A connection that does not answer for some seconds
 * is lost: packets may be dropped without a word.
 */
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { createListenClient, destroyClient } from '../database.ts';

const RECONNECT_MS = 1_000;
const HEARTBEAT_MS = 5_000;

export interface ListenerOptions {
  readonly url: string;
  readonly channel: string;
  readonly onPayload: (payload: string) => void;
  /** Called when it listens, again: what was sent before has not arrived. */
  readonly onListening: () => void;
  /** Called with the error when it does not listen any more, and without one when it listens again. */
  readonly onChange: (error?: unknown) => void;
  readonly heartbeatMs?: number;
}

export class Listener {
  readonly #options: ListenerOptions;
  readonly #abort = new AbortController();
  #client: pg.Client | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Resolves when the first attempt to listen has ended. */
  async start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#loop = this.#run(resolve);
    await promise;
  }

  async close(): Promise<void> {
    this.#abort.abort();
    if (this.#client !== undefined) destroyClient(this.#client);
    await this.#loop;
  }

  get #isClosed(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Never rejects. */
  async #run(onAttempt: () => void): Promise<void> {
    let isReported = false;
    while (!this.#isClosed) {
      const error = await this.#listen(() => {
        onAttempt();
        if (isReported) this.#options.onChange();
        isReported = false;
      });
      onAttempt();
      if (this.#isClosed) return;
      if (!isReported) this.#options.onChange(error);
      isReported = true;
      await this.#wait(RECONNECT_MS);
    }
  }

  /** Listens until the connection is lost, and returns the reason. */
  async #listen(onListening: () => void): Promise<unknown> {
    const { url, channel, onPayload, heartbeatMs = HEARTBEAT_MS } = this.#options;
    const client = createListenClient(url);
    this.#client = client;
    const lost = new AbortController();
    client.once('end', () => lost.abort());
    client.on('error', () => undefined);
    client.on('notification', ({ payload = '' }) => onPayload(payload));
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      onListening();
      this.#options.onListening();
      while (!this.#isClosed) {
        await client.query('SELECT 1');
        await this.#wait(heartbeatMs, lost.signal);
      }
      return undefined;
    } catch (error) {
      return error;
    } finally {
      this.#client = undefined;
      destroyClient(client);
    }
  }

  /** Ends early when it is closed, or the connection is lost. */
  async #wait(milliseconds: number, lost?: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([this.#abort.signal, ...(lost ? [lost] : [])]);
    await setTimeout(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
