/**
 * Reads due deliveries from the store into the endpoint queues. For each endpoint an index gives the open rows in the order in which they
 * are due, so rows that are not due yet cost nothing, however many there are.
 */
import { WEBHOOKS_CEILING } from '../contract/limits.ts';
import { whereOpen } from '../domain/events/deliveries.ts';
import type { DeliveryRecord } from '../domain/events/records.ts';
import type { Clock } from '../domain/kernel/ports.ts';
import type { ReadTx, StockroomStore } from '../domain/tables.ts';
import { canUseWebhooks } from '../domain/webhooks/endpoints.ts';
import { deleteRemaining, discardRemaining } from './cleanup.ts';
import { type EndpointQueue, type EndpointQueues, NEVER, NOW } from './endpoint-queues.ts';

/** Rows that one poll reads for an endpoint. */
const BATCH_SIZE = 256;
/** Endpoints with overdue deliveries at the start are polled one after the other within this time. */
const STARTUP_SPREAD_MS = 5_000;

export interface PollerOptions {
  readonly store: StockroomStore;
  readonly clock: Clock;
  readonly queues: EndpointQueues;
  /** Transforms a stored body before it is sent. Default: unchanged. */
  readonly toBody?: ((body: string) => string) | undefined;
  /** Called when endpoints were added or removed. */
  readonly onEndpointsChanged: () => void;
  /** Called with the errors of work that the next poll repeats. */
  readonly onError: (error: unknown) => void;
}

interface DueRows {
  readonly queue: EndpointQueue;
  readonly due: readonly DeliveryRecord[];
  readonly nextPollAt: number;
  /** `cursorResets` of the queue when reading started. */
  readonly cursorResets: number;
}

export class Poller {
  readonly #options: PollerOptions;
  /** Tenants whose endpoints or plan changed since their queues were loaded. */
  readonly #changedTenants = new Set<string>();
  /** Deleted endpoints that may still have deliveries. */
  #deletedEndpoints: { readonly tenantId: string; readonly webhookId: string }[] = [];

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  onTenantChanged(tenantId: string): void {
    this.#changedTenants.add(tenantId);
  }

  onEndpointDeleted(tenantId: string, webhookId: string): void {
    this.#deletedEndpoints.push({ tenantId, webhookId });
  }

  /** Applies the changes since the last poll, then fills the queues that are low. */
  async poll(): Promise<void> {
    const changed = [...this.#changedTenants];
    this.#changedTenants.clear();
    for (const tenantId of changed) await this.#tryNow(this.loadTenant(tenantId), () => this.#changedTenants.add(tenantId));
    if (changed.length > 0) this.#options.onEndpointsChanged();
    const deleted = this.#deletedEndpoints;
    this.#deletedEndpoints = [];
    for (const endpoint of deleted) {
      const work = deleteRemaining(this.#options.store, endpoint.tenantId, endpoint.webhookId);
      await this.#tryNow(work, () => this.#deletedEndpoints.push(endpoint));
    }
    await this.#fillQueues();
  }

  /** Updates the queues of a tenant to its endpoints. */
  async loadTenant(tenantId: string): Promise<void> {
    const { store, queues } = this.#options;
    const { tenant, webhooks } = await store.read(tenantId, async (tx) => ({
      tenant: await tx.tenants.get(tenantId),
      webhooks: (await tx.webhooks.listAfter({ limit: WEBHOOKS_CEILING })).rows,
    }));
    const isAllowed = tenant !== undefined && canUseWebhooks(tenant);
    const webhookIds = new Set(webhooks.map(({ id }) => id));
    for (const queue of queues.listByTenant(tenantId)) {
      queue.releaseReady();
      if (!webhookIds.has(queue.webhook.id)) queues.remove(queue);
    }
    for (const webhook of webhooks) {
      const queue = queues.get(webhook.id);
      if (!isAllowed || webhook.status === 'disabled') {
        if (queue) queues.remove(queue);
        await discardRemaining(this.#options.store, tenantId, webhook.id);
      } else if (queue) queue.webhook = webhook;
      else queues.add(tenantId, webhook);
    }
  }

  /** Spreads the first polls of endpoints with overdue deliveries. Endpoints are spread, not rows; the first starts immediately. */
  async spreadOverdue(): Promise<void> {
    const { store, clock, queues } = this.#options;
    const overdue: EndpointQueue[] = [];
    for (const queue of queues.all) {
      const now = clock.now(queue.tenantId).toISOString();
      const where = [whereOpen(queue.webhook.id), { field: 'dueAt', to: now }];
      if ((await store.read(queue.tenantId, (tx) => tx.deliveries.count({ where }))) > 0) overdue.push(queue);
    }
    for (const [index, queue] of overdue.entries())
      queue.nextPollAt = clock.now(queue.tenantId).getTime() + Math.floor((index * STARTUP_SPREAD_MS) / overdue.length);
  }

  async #fillQueues(): Promise<void> {
    const { clock, queues } = this.#options;
    const isDue = (queue: EndpointQueue): boolean => queue.nextPollAt <= clock.now(queue.tenantId).getTime();
    const low = queues.all.filter((queue) => queue.isLow && isDue(queue) && queues.isActive(queue));
    for (const tenantId of new Set(low.map((queue) => queue.tenantId)))
      await this.#fillTenantQueues(
        tenantId,
        low.filter((queue) => queue.tenantId === tenantId),
      );
  }

  async #fillTenantQueues(tenantId: string, low: readonly EndpointQueue[]): Promise<void> {
    const { store, queues, toBody = (body) => body } = this.#options;
    // Before the read: a commit during the read sets it back to now.
    for (const queue of low) queue.nextPollAt = NEVER;
    // Also before the read: it may see the rows as they were before an outcome was stored, and its delivery is released before they arrive.
    const inFlight = new Map(low.map((queue) => [queue, queue.inFlight.copyIds()]));
    const { dueRows, events } = await store.read(tenantId, async (tx) => {
      const all = await Promise.all(low.map((queue) => this.#readDueRows(tx, queue, inFlight.get(queue)!)));
      // The endpoints of a tenant mostly receive the same events: each event is read once.
      const eventIds = [...new Set(all.flatMap(({ due }) => due.map(({ eventId }) => eventId)))];
      const found = (await tx.events.getMany(eventIds)).filter((event) => event !== undefined);
      return {
        dueRows: all,
        events: new Map(found.map(({ id, body, traceparent }) => [id, { body: Buffer.from(toBody(body)), traceparent }])),
      };
    });
    for (const { queue, due, nextPollAt, cursorResets } of dueRows) {
      // Changed endpoints are loaded again before anything is sent to them.
      if (this.#changedTenants.has(tenantId) || queues.get(queue.webhook.id) !== queue) continue;
      for (const delivery of due) queue.enqueue({ delivery, body: undefined, ...events.get(delivery.eventId) });
      if (queue.cursorResets === cursorResets) queue.cursor = due.at(-1)?.dueAt ?? queue.cursor;
      queue.nextPollAt = Math.min(queue.nextPollAt, nextPollAt);
    }
  }

  async #readDueRows(tx: ReadTx, queue: EndpointQueue, inFlight: ReadonlySet<string>): Promise<DueRows> {
    const { cursorResets, cursor, webhook, tenantId } = queue;
    const { rows, more } = await tx.deliveries.listAfter({
      orderBy: 'queue',
      where: cursor === '' ? [whereOpen(webhook.id)] : [whereOpen(webhook.id), { field: 'dueAt', from: cursor }],
      limit: BATCH_SIZE + inFlight.size,
    });
    const now = this.#options.clock.now(tenantId).toISOString();
    const found = rows.filter(({ id }) => !inFlight.has(id));
    const due = found.filter(({ dueAt }) => dueAt <= now);
    const firstLater = found[due.length];
    const nextPollAt = firstLater ? Date.parse(firstLater.dueAt) : more ? NOW : NEVER;
    return { queue, due, nextPollAt, cursorResets };
  }

  /** Work that fails, because the store is unavailable for example, is repeated by the next poll, and does not stop this one. */
  async #tryNow(work: Promise<void>, repeatLater: () => void): Promise<void> {
    try {
      await work;
    } catch (error) {
      repeatLater();
      this.#options.onError(error);
    }
  }
}
