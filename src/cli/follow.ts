/** Deliveries as they change, without a gap: first what the store has since some time, then what the daemon tells, again after each break. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client/client.ts';
import { Unreachable } from '../client/errors.ts';
import { queryText } from '../client/request.ts';
import { openStream } from '../client/stream.ts';
import { FEED_PATH, type OwnedDelivery, tailDeliveries } from '../contract/admin/webhooks.ts';
import type { DaemonState } from '../contract/places.ts';

export interface FollowOptions {
  /** The daemon as it is now; throws while there is none. */
  daemon(): DaemonState;
  connect(): Promise<Client>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly since: string | undefined;
  readonly note: (text: string) => void;
}

const AGAIN_MS = 500;
const BACKFILL_MAX = 10_000;

export async function* followDeliveries({ daemon, connect, query, since, note }: FollowOptions): AsyncGenerator<OwnedDelivery> {
  const seen = new Map<string, string>();
  let from = since;
  let lost = false;
  for (;;) {
    try {
      const { adminSocket } = daemon();
      const stream = await openStream(adminSocket, FEED_PATH + queryText({ tenant: query['tenant'], types: 'delivery' }));
      if (lost) note('connected again');
      lost = false;
      // The stream is open by now, so between it and this list nothing can fall.
      if (from !== undefined) {
        const asked = { query: { ...query, since: from, limit: BACKFILL_MAX } };
        const { data } = (await (await connect()).perform(tailDeliveries, asked)).body;
        for (const row of data) if (isNews(seen, row)) yield row;
      }
      for await (const { event, data } of stream.messages) {
        if (event !== 'delivery') continue;
        const row = data as OwnedDelivery;
        from = row.updatedAt > (from ?? '') ? row.updatedAt : from;
        if (matches(row, query) && isNews(seen, row)) yield row;
      }
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
    from ??= new Date().toISOString();
    if (!lost) note('the daemon is gone; waiting for it');
    lost = true;
    await sleep(AGAIN_MS);
  }
}

function isNews(seen: Map<string, string>, { id, status, attempts, updatedAt }: OwnedDelivery): boolean {
  const state = `${status} ${String(attempts)} ${updatedAt}`;
  if (seen.get(id) === state) return false;
  seen.set(id, state);
  return true;
}

const matches = (row: OwnedDelivery, query: FollowOptions['query']): boolean =>
  (query['webhook_id'] ?? row.webhookId) === row.webhookId &&
  (query['status'] ?? row.status) === row.status &&
  (query['event_type'] ?? row.eventType) === row.eventType;
