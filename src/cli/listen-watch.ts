/**
 * What becomes of the endpoint of `webhooks listen` while it listens. A listener that hears nothing looks like one to which nothing
 * happens, so everything that silences it is said: its endpoint is disabled, paused or deleted, the daemon is gone, its data are others.
 *
 *   connect   open the stream, look at the endpoint; make another one when the data no longer have it. Leaves to follow.
 *   follow    look again after each change of an endpoint and after a gap. Leaves when the stream ends, or the endpoint was deleted.
 *   lost      said once; looked for again every half second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { ApiError, Unreachable } from '../client/errors.ts';
import { queryText } from '../client/request.ts';
import { openStream } from '../client/stream.ts';
import type { FeedData } from '../contract/admin/feed.ts';
import { FEED_PATH, listHealth } from '../contract/admin/webhooks.ts';
import type { DaemonState } from '../contract/places.ts';
import type { WebhookStatus } from '../contract/webhooks.ts';

/** The daemon of this machine, and the tenant of the key. */
export interface Local {
  /** As it is now; throws while there is none. */
  daemon(): DaemonState;
  /** A client of its settings plane. */
  admin(): Client;
  readonly tenant: string;
}

export interface WatchOptions {
  readonly local: Local;
  /** Of the endpoint, as it is at this moment. */
  id(): string;
  /** Makes another endpoint. */
  renew(): Promise<void>;
  /** The status with which the receiver answered last; null: none yet. */
  answered(): number | null;
  readonly note: (text: string) => void;
  readonly signal: AbortSignal;
}

const AGAIN_MS = 500;
/** The audit trail's word for it; nobody tells us the new secret. */
const ROTATED = 'webhook.secret_rotated';
const ROTATED_WORDS =
  'the secret of the endpoint was rotated: what comes after the overlap cannot be verified here; start the command again for another endpoint';

/** Resolves with the reason when nothing can come any more; with nothing some time after `signal`, when it changes nothing any more. */
export async function watchEndpoint({ local, id, renew, answered, note, signal }: WatchOptions): Promise<string | undefined> {
  let last: WebhookStatus = 'active';
  let isLost = false;
  /** Says what has changed; undefined: there is no such endpoint. */
  const look = async (): Promise<WebhookStatus | undefined> => {
    const { data } = (await local.admin().perform(listHealth, { query: { tenant: local.tenant } })).body;
    const status = data.find((each) => each.id === id())?.status;
    if (status !== undefined && status !== last) note(wordsOf(status, id(), answered()));
    last = status ?? last;
    return status;
  };
  const lookAnew = async (why: string): Promise<void> => {
    if ((await look()) !== undefined || signal.aborted) return;
    await renew();
    last = 'active';
    note(`${why}; listening with another endpoint`);
  };
  /** Returns the reason of the end, undefined when the connection ended. */
  const follow = async (): Promise<string | undefined> => {
    // Refuses a tenant that the daemon does not have, in words.
    await look();
    const query = queryText({ tenant: local.tenant, types: 'audit' });
    const stream = await openStream(local.daemon().adminSocket, FEED_PATH + query);
    const stop = (): void => stream.close();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      await lookAnew('the endpoint is not in the data of this daemon');
      if (isLost) note('connected again');
      isLost = false;
      for await (const { event, data } of stream.messages) {
        if (event === 'gap') await lookAnew('the data of the daemon were replaced');
        if (event !== 'audit') continue;
        const { resourceId, action } = data as FeedData['audit'];
        if (resourceId !== id()) continue;
        if (action === ROTATED) note(ROTATED_WORDS);
        if ((await look()) === undefined) return 'the endpoint was deleted: nothing more comes';
      }
    } finally {
      signal.removeEventListener('abort', stop);
      stream.close();
    }
    return undefined;
  };
  while (!signal.aborted) {
    try {
      const reason = await follow();
      if (reason !== undefined) return reason;
    } catch (error) {
      // Without its key the listener has no endpoint any more, and cannot have another one.
      if (error instanceof ApiError && error.status < 500) return `${error.message.replace(/\.$/u, '')}: nothing more comes`;
      if (!(error instanceof ApiError || error instanceof Unreachable)) throw error;
    }
    if (signal.aborted) break;
    if (!isLost) note('the daemon does not answer; waiting for it');
    isLost = true;
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

const GONE = 410;

function wordsOf(status: WebhookStatus, id: string, answered: number | null): string {
  const again = `\`stockroom webhooks update ${id} --status active\``;
  switch (status) {
    case 'active':
      return 'the endpoint is active again';
    case 'paused':
      return `the endpoint is paused: what happens waits until ${again}`;
    case 'disabled':
      return `${answered === GONE ? 'the receiver answered 410 (gone), so ' : ''}the endpoint is disabled: nothing more comes until ${again}`;
  }
}
