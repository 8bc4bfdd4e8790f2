/** One lane per endpoint: what is ready to be sent to it and what is under way. Lanes take turns, so that none starves another. */
import type { KeyObject } from 'node:crypto';
import { DELIVERIES_AT_ONCE, DELIVERIES_AT_ONCE_PER_ENDPOINT } from '../contract/limits.ts';
import type { DeliveryRecord } from '../domain/deliveries.ts';
import { secretsInForce } from '../domain/webhook-secrets.ts';
import type { WebhookRecord } from '../domain/webhooks.ts';
import { keyOf } from './sign.ts';

export interface Ready {
  readonly delivery: DeliveryRecord;
  /** The exact body, shared by the deliveries of its event; undefined when the event is no longer in the change log. */
  readonly body: Buffer | undefined;
}

/** When to look into the store for a lane, in milliseconds of the service's clock. */
export const AT_ONCE = 0;
export const NEVER = Infinity;
/** Receivers that fail may hang, too: together they leave half of all places to the others. */
const TROUBLED_AT_ONCE = DELIVERIES_AT_ONCE / 2;

export class Lane {
  readonly tenantId: string;
  webhook: WebhookRecord;
  ready: Ready[] = [];
  /** Rows that are ready, under way, or whose result is not stored yet: they are not taken a second time. */
  readonly claimed = new Set<string>();
  /** Attempts under way. */
  sending = 0;
  lookAt = AT_ONCE;
  /** Open rows that are due before this are all claimed: the next look begins here. New rows are never before it; a retry that is rewinds. */
  cursor = '';
  /** Counts how often the cursor went back. */
  rewinds = 0;
  /** The last attempt failed. */
  troubled = false;
  readonly #keys = new Map<string, KeyObject>();

  constructor(tenantId: string, webhook: WebhookRecord) {
    this.tenantId = tenantId;
    this.webhook = webhook;
  }

  /** The keys that sign now, the newest first. */
  keys(now: Date): readonly KeyObject[] {
    return secretsInForce(this.webhook, now).map((secret) => {
      let key = this.#keys.get(secret);
      if (!key) this.#keys.set(secret, (key = keyOf(secret)));
      return key;
    });
  }

  get isHeld(): boolean {
    return this.webhook.status !== 'active';
  }

  /** Forgets what was only ready: it stands in the store as before. */
  putBack(): void {
    for (const { delivery } of this.ready) this.claimed.delete(delivery.id);
    this.ready = [];
    this.rewind();
  }

  /** The next look begins with the first open row again. */
  rewind(): void {
    this.cursor = '';
    this.rewinds += 1;
    this.lookAt = AT_ONCE;
  }
}

export class Lanes {
  readonly #byId = new Map<string, Lane>();
  /** Removed, with attempts under way: whoever adds the endpoint again goes on with its lane, and its places. */
  readonly #ending = new Map<string, Lane>();
  #order: Lane[] = [];
  #turn = 0;
  sending = 0;
  #troubledSending = 0;

  get all(): readonly Lane[] {
    return this.#order;
  }

  get(webhookId: string): Lane | undefined {
    return this.#byId.get(webhookId);
  }

  /** The same, also while it only ends what is under way. */
  holding(webhookId: string): Lane | undefined {
    return this.#byId.get(webhookId) ?? this.#ending.get(webhookId);
  }

  of(tenantId: string): readonly Lane[] {
    return this.#order.filter((lane) => lane.tenantId === tenantId);
  }

  /** The lane of an endpoint that has none. */
  add(tenantId: string, webhook: WebhookRecord): void {
    const lane = this.#ending.get(webhook.id) ?? new Lane(tenantId, webhook);
    this.#ending.delete(webhook.id);
    lane.webhook = webhook;
    this.#byId.set(webhook.id, lane);
    this.#order.push(lane);
  }

  remove(lane: Lane): void {
    this.#byId.delete(lane.webhook.id);
    if (lane.sending > 0) this.#ending.set(lane.webhook.id, lane);
    this.#order = this.#order.filter((other) => other !== lane);
  }

  /** The next delivery in turn, counted as under way; undefined when no lane has one or all places are taken. */
  take(): { lane: Lane; ready: Ready; troubled: boolean } | undefined {
    if (this.sending >= DELIVERIES_AT_ONCE) return undefined;
    for (let tried = 0; tried < this.#order.length; tried += 1) {
      this.#turn = (this.#turn + 1) % this.#order.length;
      const lane = this.#order[this.#turn];
      if (!lane || lane.isHeld || lane.ready.length === 0 || lane.sending >= DELIVERIES_AT_ONCE_PER_ENDPOINT) continue;
      if (lane.troubled && this.#troubledSending >= TROUBLED_AT_ONCE) continue;
      const ready = lane.ready.shift();
      if (!ready) continue;
      lane.sending += 1;
      this.sending += 1;
      const { troubled } = lane;
      if (troubled) this.#troubledSending += 1;
      return { lane, ready, troubled };
    }
    return undefined;
  }

  /** The attempt is over. */
  release(lane: Lane, troubled: boolean): void {
    lane.sending -= 1;
    this.sending -= 1;
    if (troubled) this.#troubledSending -= 1;
    if (lane.sending === 0 && this.#ending.get(lane.webhook.id) === lane) this.#ending.delete(lane.webhook.id);
  }
}
