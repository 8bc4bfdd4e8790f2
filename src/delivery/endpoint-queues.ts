/** One queue per endpoint: its deliveries in memory and its attempts in progress. Queues take turns, so that none starves another. */
import type { KeyObject } from 'node:crypto';
import { DELIVERY_CONCURRENCY, ENDPOINT_DELIVERY_CONCURRENCY } from '../contract/limits.ts';
import type { DeliveryRecord } from '../domain/events/records.ts';
import { listActiveSecrets } from '../domain/webhooks/signing-secrets.ts';
import type { WebhookRecord } from '../domain/webhooks/records.ts';
import { InFlightDeliveries } from './in-flight.ts';
import { createSigningKey } from './signing.ts';

export interface ReadyDelivery {
  readonly delivery: DeliveryRecord;
  /** The exact body, shared by the deliveries of an event; undefined when the event is no longer in the change log. */
  readonly body: Buffer | undefined;
  /** The position of the change in a trace. */
  readonly traceparent?: string | undefined;
}

/** Values of `nextPollAt`, in milliseconds of the tenant's clock. */
export const NOW = 0;
export const NEVER = Infinity;
/** A queue with fewer deliveries in memory is filled by the next poll. */
const LOW_WATERMARK = 64;
/** Failing endpoints may hang: together they leave half of all slots to the others. */
const FAILING_CONCURRENCY = DELIVERY_CONCURRENCY / 2;

export class EndpointQueue {
  readonly tenantId: string;
  webhook: WebhookRecord;
  /** Deliveries in the state `queued`, the first due one first. */
  ready: ReadyDelivery[] = [];
  readonly inFlight = new InFlightDeliveries();
  /** Attempts in progress. */
  sending = 0;
  /** When to read due deliveries from the store. */
  nextPollAt = NOW;
  /** The next poll starts here: all open rows due before are in flight. New rows are never due before; an earlier retry resets the cursor. */
  cursor = '';
  /** Lets a poll notice that the cursor was reset while it was reading. */
  cursorResets = 0;
  /** Whether the last attempt failed. */
  isFailing = false;
  readonly #keys = new Map<string, KeyObject>();

  constructor(tenantId: string, webhook: WebhookRecord) {
    this.tenantId = tenantId;
    this.webhook = webhook;
  }

  get isPaused(): boolean {
    return this.webhook.status !== 'active';
  }

  get isLow(): boolean {
    return this.ready.length < LOW_WATERMARK;
  }

  /** The active signing keys, the newest first. */
  getKeys(now: Date): readonly KeyObject[] {
    const secrets = listActiveSecrets(this.webhook, now);
    for (const secret of this.#keys.keys()) if (!secrets.includes(secret)) this.#keys.delete(secret);
    return secrets.map((secret) => {
      let key = this.#keys.get(secret);
      if (!key) this.#keys.set(secret, (key = createSigningKey(secret)));
      return key;
    });
  }

  enqueue(ready: ReadyDelivery): void {
    this.inFlight.add(ready.delivery.id);
    this.ready.push(ready);
  }

  /** Releases all queued deliveries; the next poll reads them again. */
  releaseReady(): void {
    for (const { delivery } of this.ready) this.inFlight.release(delivery.id);
    this.ready = [];
    this.resetCursor();
  }

  /**
   * Releases a queued delivery whose row was changed by another transaction. One in a later state stays: its outcome is applied to the new
   * row.
   */
  releaseChanged(deliveryId: string): void {
    if (this.inFlight.getState(deliveryId) !== 'queued') return;
    this.ready.splice(
      this.ready.findIndex(({ delivery }) => delivery.id === deliveryId),
      1,
    );
    this.inFlight.release(deliveryId);
    this.resetCursor();
  }

  /** Lets the next poll, which is due now, start with the first open row. */
  resetCursor(): void {
    this.cursor = '';
    this.cursorResets += 1;
    this.nextPollAt = NOW;
  }
}

/** A delivery that `EndpointQueues.take` has given a slot. */
export interface TakenDelivery {
  readonly queue: EndpointQueue;
  readonly ready: ReadyDelivery;
  /** Whether it uses one of the slots for failing endpoints. */
  readonly wasFailing: boolean;
}

export class EndpointQueues {
  /** Whether this daemon has the lease of an endpoint. */
  readonly #isOwned: (webhookId: string) => boolean;
  readonly #byWebhookId = new Map<string, EndpointQueue>();
  /** Removed queues with attempts in progress. An endpoint that is added again gets its queue back, and with it its used slots. */
  readonly #removed = new Map<string, EndpointQueue>();
  #queues: EndpointQueue[] = [];
  #lastTurn = 0;
  /** Attempts in progress, of all endpoints. */
  sending = 0;
  #sendingToFailing = 0;

  constructor(isOwned: (webhookId: string) => boolean) {
    this.#isOwned = isOwned;
  }

  get all(): readonly EndpointQueue[] {
    return this.#queues;
  }

  /** Whether this daemon may send to the endpoint now. */
  isActive(queue: EndpointQueue): boolean {
    return !queue.isPaused && this.#isOwned(queue.webhook.id);
  }

  get(webhookId: string): EndpointQueue | undefined {
    return this.#byWebhookId.get(webhookId);
  }

  /** Like `get`, but also finds a removed queue with attempts in progress. */
  getOrRemoved(webhookId: string): EndpointQueue | undefined {
    return this.#byWebhookId.get(webhookId) ?? this.#removed.get(webhookId);
  }

  listByTenant(tenantId: string): readonly EndpointQueue[] {
    return this.#queues.filter((queue) => queue.tenantId === tenantId);
  }

  /** Adds the queue of an endpoint that has none. */
  add(tenantId: string, webhook: WebhookRecord): void {
    const queue = this.#removed.get(webhook.id) ?? new EndpointQueue(tenantId, webhook);
    this.#removed.delete(webhook.id);
    queue.webhook = webhook;
    this.#byWebhookId.set(webhook.id, queue);
    this.#queues.push(queue);
  }

  remove(queue: EndpointQueue): void {
    this.#byWebhookId.delete(queue.webhook.id);
    if (queue.sending > 0) this.#removed.set(queue.webhook.id, queue);
    this.#queues = this.#queues.filter((other) => other !== queue);
  }

  /** Takes the next delivery in turn and gives it a slot; undefined when no queue has one or all slots are in use. */
  take(): TakenDelivery | undefined {
    if (this.sending >= DELIVERY_CONCURRENCY) return undefined;
    for (let tried = 0; tried < this.#queues.length; tried += 1) {
      this.#lastTurn = (this.#lastTurn + 1) % this.#queues.length;
      const queue = this.#queues[this.#lastTurn];
      if (!queue || queue.ready.length === 0 || queue.sending >= ENDPOINT_DELIVERY_CONCURRENCY || !this.isActive(queue)) continue;
      if (queue.isFailing && this.#sendingToFailing >= FAILING_CONCURRENCY) continue;
      const ready = queue.ready.shift();
      if (!ready) continue;
      queue.inFlight.startSending(ready.delivery.id);
      queue.sending += 1;
      this.sending += 1;
      if (queue.isFailing) this.#sendingToFailing += 1;
      return { queue, ready, wasFailing: queue.isFailing };
    }
    return undefined;
  }

  /** Frees the slot of an attempt that has ended. */
  freeSlot({ queue, wasFailing }: TakenDelivery): void {
    queue.sending -= 1;
    this.sending -= 1;
    if (wasFailing) this.#sendingToFailing -= 1;
    if (queue.sending === 0 && this.#removed.get(queue.webhook.id) === queue) this.#removed.delete(queue.webhook.id);
  }
}
