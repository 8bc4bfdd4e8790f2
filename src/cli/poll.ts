/** Deliveries of a service that is only reachable through its public API: asked for again and again, at a pace that leaves the key half of its requests. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Reply } from '../client/client.ts';
import { Foreign, Unreachable } from '../client/errors.ts';
import { pagesOf } from '../client/pages.ts';
import { RATE_LIMIT } from '../contract/headers.ts';
import { DEFAULT_TIER, RATE_WINDOW_S, TIERS } from '../contract/limits.ts';
import { type Delivery, type Webhook, listDeliveries, listWebhooks } from '../contract/webhooks.ts';
import { overlapped, seenStates } from './follow.ts';

export interface PollOptions {
  readonly client: Client;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly since: string | undefined;
  readonly note: (text: string) => void;
}

/** What the public API tells of a delivery, and of which endpoint it is. */
export type PolledDelivery = Delivery & { readonly webhookId: string };

const LEAST_MS = 1_000;

/** Milliseconds between two requests, so that they are at most half of `limit` a window. */
export const paceMs = (limit: number): number => (2 * RATE_WINDOW_S * 1_000) / Math.max(1, limit);

export async function* pollDeliveries({ client, query, since, note }: PollOptions): AsyncGenerator<PolledDelivery> {
  const seen = seenStates();
  const { webhook_id: only, status, event_type, tenant: _tenant } = query;
  const paced = pacedClient(client);
  let from = since;
  let isFirst = true;
  let isLost = false;
  for (;;) {
    const began = performance.now();
    try {
      const ids = only === undefined ? await endpointsOf(paced) : [only];
      const rows: PolledDelivery[] = [];
      for (const webhookId of ids) {
        const updatedSince = from === undefined ? undefined : overlapped(from, since);
        const parts = { params: { webhook_id: webhookId }, query: { status, event_type, updated_since: updatedSince } };
        for await (const { data } of pagesOf(paced, listDeliveries, parts))
          for (const row of data as readonly Delivery[]) rows.push({ ...row, webhookId });
      }
      const isNew = rows.filter((row) => seen.isNews(row)).toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
      for (const { updatedAt } of isNew) if (from === undefined || updatedAt > from) from = updatedAt;
      // What was there before is no news, unless it was asked for.
      if (!isFirst || since !== undefined) yield* isNew;
      from ??= new Date(0).toISOString();
      if (isFirst) note('this service is asked over its public API, at most with half of what the key may; Ctrl-C ends it');
      isFirst = false;
      if (isLost) note('the service answers again');
      isLost = false;
    } catch (error) {
      if (!(error instanceof Unreachable) || error instanceof Foreign) throw error;
      if (!isLost) note('the service does not answer; trying again');
      isLost = true;
    }
    await sleep(Math.max(0, LEAST_MS - (performance.now() - began)));
  }
}

async function endpointsOf(client: Client): Promise<string[]> {
  const ids: string[] = [];
  for await (const { data } of pagesOf(client, listWebhooks, {})) ids.push(...(data as readonly Webhook[]).map(({ id }) => id));
  return ids;
}

/** Waits before each request until its turn has come; the service says in every answer how many the key may. */
function pacedClient(client: Client): Client {
  let limit: number = TIERS[DEFAULT_TIER];
  let next = 0;
  return {
    ...client,
    async send(request, options): Promise<Reply> {
      await sleep(Math.max(0, next - performance.now()));
      next = performance.now() + paceMs(limit);
      const reply = await client.send(request, options);
      limit = Number(reply.headers[RATE_LIMIT.limit.toLowerCase()] ?? limit);
      next = performance.now() + paceMs(limit);
      return reply;
    },
  };
}
