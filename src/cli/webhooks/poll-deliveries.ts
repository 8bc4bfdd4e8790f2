/** Polls the deliveries of a service through its public API, with at most half of the rate limit of the key. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Reply } from '../../client/client.ts';
import { Unreachable, isOutage } from '../../client/errors.ts';
import { iteratePages, readAllRows } from '../../client/lists/pages.ts';
import { RATE_LIMIT } from '../../contract/headers.ts';
import { DEFAULT_TIER, RATE_WINDOW_S, TIERS } from '../../contract/limits.ts';
import { type Delivery, type Webhook, listDeliveries, listWebhooks } from '../../contract/resources/webhooks.ts';
import { describeOutage } from '../session/outage.ts';
import { subtractOverlap, createSeenStates } from './follow-deliveries.ts';

export interface PollOptions {
  readonly client: Client;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly since: string | undefined;
  /** Ends after the recorded deliveries; a service that does not respond is an error then. */
  readonly isOnce?: boolean;
  readonly printNote: (text: string) => void;
}

/** A delivery of the public API with the id of its endpoint. */
export type PolledDelivery = Delivery & { readonly webhookId: string };

const MIN_POLL_MS = 1_000;

/** Returns the milliseconds between two requests, so that they use at most half of `limit`. */
export const getRequestIntervalMs = (limit: number): number => (2 * RATE_WINDOW_S * 1_000) / Math.max(1, limit);

export async function* pollDeliveries({ client, query, since, isOnce = false, printNote }: PollOptions): AsyncGenerator<PolledDelivery> {
  const seen = createSeenStates();
  const { webhook_id: only, status, event_type, tenant: _tenant } = query;
  const pacedClient = createPacedClient(client);
  let from = since;
  let isFirst = true;
  let isLost = false;
  for (;;) {
    const startedAt = performance.now();
    try {
      const ids = only === undefined ? (await listEndpoints(pacedClient)).map(({ id }) => id) : [only];
      const rows: PolledDelivery[] = [];
      for (const webhookId of ids) {
        const updatedSince = from === undefined ? undefined : subtractOverlap(from, since);
        const parts = { params: { webhook_id: webhookId }, query: { status, event_type, updated_since: updatedSince } };
        for await (const { data } of iteratePages(pacedClient, listDeliveries, parts))
          for (const row of data as readonly Delivery[]) rows.push({ ...row, webhookId });
      }
      const isNew = rows.filter((row) => seen.isNew(row)).toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1));
      for (const { updatedAt } of isNew) if (from === undefined || updatedAt > from) from = updatedAt;
      // Existing deliveries are reported only with --since.
      if (!isFirst || since !== undefined) yield* isNew;
      if (isOnce) return;
      from ??= new Date(0).toISOString();
      if (isFirst) printNote("Polling the API with at most half of the key's rate limit. Press Ctrl-C to stop");
      isFirst = false;
      if (isLost) printNote('The service responds again');
      isLost = false;
    } catch (error) {
      if (isOnce || (isFirst && error instanceof Unreachable) || !isOutage(error)) throw error;
      if (!isLost) printNote(`${describeOutage(error)}; retrying`);
      isLost = true;
    }
    await sleep(Math.max(0, MIN_POLL_MS - (performance.now() - startedAt)));
  }
}

export const listEndpoints = (client: Client): Promise<readonly Webhook[]> => readAllRows(client, listWebhooks, {});

/** Spaces requests evenly; every response contains the rate limit of the key. */
export function createPacedClient(client: Client): Client {
  let limit: number = TIERS[DEFAULT_TIER];
  let next = 0;
  return {
    ...client,
    async send(request, options): Promise<Reply> {
      await sleep(Math.max(0, next - performance.now()));
      next = performance.now() + getRequestIntervalMs(limit);
      const reply = await client.send(request, options);
      limit = Number(reply.headers[RATE_LIMIT.limit.toLowerCase()] ?? limit);
      next = performance.now() + getRequestIntervalMs(limit);
      return reply;
    },
  };
}
