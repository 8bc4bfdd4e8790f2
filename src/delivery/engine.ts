/**
 * The delivery engine: sends due deliveries and stores their outcomes. W-1. `in-flight.ts` describes the states of a delivery in memory.
 *
 * The engine polls the store after a commit that wrote deliveries, when a slot becomes free, when the next delivery is due (one timer for
 * all endpoints), when the clock was moved, when a lease was obtained, and every half minute in case one of these was missed. A poll fills
 * the endpoint queues; batches of requests are started from them, in turns of the event loop and rarely while API requests are waiting.
 *
 * Daemons of one database share the endpoints by leases: the engine polls and starts attempts only for endpoints whose lease it has. An
 * attempt in progress when a lease ends is finished, and its outcome is dropped if the next owner has made the attempt again
 * (`record-results.ts`).
 */
import { setImmediate } from 'node:timers';
import type { AttemptOutcome } from '../domain/events/delivery-state.ts';
import type { Clock, Commit } from '../domain/kernel/ports.ts';
import type { LeaseGroup, Leases } from '../domain/kernel/shared-state.ts';
import type { Tracing } from '../domain/kernel/tracing.ts';
import { deleteOrphans } from './cleanup.ts';
import { EndpointQueues, NOW, type TakenDelivery } from './endpoint-queues.ts';
import { OutcomeWriter, type OutcomeWriterOptions } from './outcome-writer.ts';
import { Poller } from './poller.ts';
import type { Sender } from './sender.ts';
import { createDeliveryHeaders } from './signing.ts';

export interface EngineOptions extends OutcomeWriterOptions {
  readonly clock: Clock & { onChange(listener: () => void): () => void };
  readonly sender: Sender;
  readonly leases: Leases;
  readonly userAgent: string;
  readonly tracing: Tracing;
  /** Total time of one attempt. */
  readonly timeoutMs: number;
  /** Between two polls of all endpoints without a reason. Default: half a minute. */
  readonly safetyPollMs?: number;
  /** Transforms a stored body before it is sent. Default: unchanged. */
  readonly toBody?: (body: string) => string;
}

/**
 *   idle      Waits for one of the reasons to poll: polling.
 *   polling   Reads due deliveries. Polls again when there was a reason in the meantime, then: idle.
 *   draining  Final, from any state: finishes the attempts in progress and starts nothing new.
 */
type EngineState = 'idle' | 'polling' | 'draining';

/** Requests started in one turn of the event loop: API requests and responses come between batches. */
const BATCH_SIZE = 16;
/**
 * Between batches while transactions of API requests are in progress, which come first. Without it, creates with ten subscribed endpoints
 * reached 0.23 of the rate of creates with none, with it 0.76 (2026-11-25, the target is 0.65): each create was followed by 3.6 deliveries
 * instead of 1.2, and a delivery costs half as much as a create.
 */
const BATCH_INTERVAL_MS = 40;
/** Polls all endpoints, although there was no reason. */
export const SAFETY_POLL_MS = 30_000;

export class DeliveryEngine {
  readonly #options: EngineOptions;
  readonly #queues = new EndpointQueues((webhookId) => this.#leases?.isOwned(webhookId) ?? false);
  readonly #poller: Poller;
  readonly #outcomes: OutcomeWriter;
  /** The leases of the endpoints, from the start to the end. */
  #leases: LeaseGroup | undefined;
  #state: EngineState = 'idle';
  #pollAgain = false;
  #isBatchScheduled = false;
  #lastBatchAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void)[] = [];
  /** Called when no attempt is in progress any more, while draining. */
  #onAllSent: (() => void) | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
    const { store, clock, toBody } = options;
    this.#poller = new Poller({
      store,
      clock,
      toBody,
      queues: this.#queues,
      onEndpointsChanged: () => this.#updateLeaseNames(),
      onError: (error) => this.#logPollError(error),
    });
    this.#outcomes = new OutcomeWriter(options, this.#queues, { wake: () => this.#wake(), armTimer: () => this.#armTimer() });
  }

  /** Loads the endpoints of all tenants and starts to send their open deliveries. */
  async start(): Promise<void> {
    const { store, clock, leases } = this.#options;
    this.#unsubscribe = [store.onCommit((commit) => this.#onCommit(commit)), clock.onChange(() => this.#pollEverything())];
    for (const { tenant } of await store.readFirstRows('webhooks')) await this.#poller.loadTenant(tenant);
    for (const { tenant } of await store.readFirstRows('deliveries')) await deleteOrphans(store, tenant);
    this.#leases = leases.openGroup('endpoints', {
      onAcquired: (webhookId) => this.#onLeaseAcquired(webhookId),
      isBusy: (webhookId) => this.#queues.getOrRemoved(webhookId)?.inFlight.hasAttempts ?? false,
    });
    this.#updateLeaseNames();
    await this.#poller.spreadOverdue();
    this.#wake();
  }

  /** Starts nothing new, waits for the attempts in progress, aborts those that take longer than `graceMs`, and stores every outcome. */
  async drain(graceMs: number): Promise<void> {
    this.#state = 'draining';
    this.#outcomes.drain();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    clearTimeout(this.#timer);
    if (this.#queues.sending > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, graceMs);
        this.#onAllSent = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    await this.#options.sender.close();
    await this.#outcomes.flush();
    await this.#leases?.close();
  }

  /** Whether the engine is committing the outcome of this delivery. */
  isRecording(deliveryId: string): boolean {
    return this.#outcomes.isRecording(deliveryId);
  }

  #onCommit({ tenant, changes }: Commit): void {
    let hasNews = false;
    /** Rows that existed before may be queued, also those that were removed; new ones cannot be. */
    const changedIds: string[] = [];
    let hasUnknownIds = false;
    for (const { table, id, added, removed } of changes) {
      const isOwn = id !== undefined && this.#outcomes.isOwnChange(id);
      if (table === 'webhooks' || table === 'tenants') {
        // Another daemon changed a tenant, and it is unknown which one.
        if (table === 'tenants' && id === undefined) for (const queue of this.#queues.all) this.#poller.onTenantChanged(queue.tenantId);
        else this.#poller.onTenantChanged(tenant);
        // The daemon that deleted an endpoint deletes its deliveries.
        if (table === 'webhooks' && removed && id !== undefined) this.#poller.onEndpointDeleted(tenant, id);
        hasNews = true;
      } else if (table === 'deliveries' && !isOwn) {
        hasNews = true;
        if (id === undefined) hasUnknownIds = true;
        else if (!added) changedIds.push(id);
      }
    }
    if (!hasNews) return;
    for (const queue of this.#queues.all) {
      if (queue.tenantId !== tenant) continue;
      if (hasUnknownIds) queue.releaseReady();
      for (const id of changedIds) queue.releaseChanged(id);
      queue.nextPollAt = NOW;
    }
    this.#wake();
  }

  #updateLeaseNames(): void {
    this.#leases?.setNames(this.#queues.all.map(({ webhook }) => webhook.id));
  }

  /** Reads the deliveries again: another daemon may have sent those in memory. */
  #onLeaseAcquired(webhookId: string): void {
    this.#queues.get(webhookId)?.releaseReady();
    this.#wake();
  }

  #pollEverything(): void {
    for (const queue of this.#queues.all) queue.resetCursor();
    this.#wake();
  }

  /** Polls now, or once more after the poll in progress. */
  #wake(): void {
    if (this.#state === 'draining') return;
    if (this.#state === 'polling') {
      this.#pollAgain = true;
      return;
    }
    this.#state = 'polling';
    void this.#poll().finally(() => {
      if (this.#state === 'polling') this.#state = 'idle';
      if (this.#pollAgain) this.#wake();
      else this.#armTimer();
    });
  }

  /** Never rejects: logs its errors. */
  async #poll(): Promise<void> {
    try {
      do {
        this.#pollAgain = false;
        await this.#poller.poll();
        this.#scheduleBatch();
      } while (this.#pollAgain && this.#state === 'polling');
    } catch (error) {
      this.#logPollError(error);
    }
  }

  #logPollError(error: unknown): void {
    if (this.#state !== 'draining') this.#options.log.error({ err: error }, 'delivery poll failed; retrying');
  }

  #scheduleBatch(): void {
    if (this.#isBatchScheduled || this.#state === 'draining') return;
    this.#isBatchScheduled = true;
    setImmediate(() => this.#startBatch());
  }

  /** Starts as many requests as slots and API requests allow, and schedules the next batch when this one was full. */
  #startBatch(): void {
    const waitMs = this.#lastBatchAt + BATCH_INTERVAL_MS - performance.now();
    if (waitMs > 0 && this.#hasApiTransactions()) return void setTimeout(() => this.#startBatch(), waitMs);
    this.#isBatchScheduled = false;
    let started = 0;
    for (; started < BATCH_SIZE; started += 1) {
      const taken = this.#state === 'draining' ? undefined : this.#queues.take();
      if (!taken) break;
      void this.#attempt(taken);
    }
    if (started > 0) this.#lastBatchAt = performance.now();
    if (started === BATCH_SIZE) this.#scheduleBatch();
  }

  #hasApiTransactions(): boolean {
    return this.#options.store.pendingTransactions > this.#outcomes.pendingTransactions;
  }

  async #attempt(taken: TakenDelivery): Promise<void> {
    const { clock, log } = this.#options;
    const { queue, ready } = taken;
    const { webhook, tenantId } = queue;
    const { id: deliveryId, attempts } = ready.delivery;
    const result = { tenantId, webhookId: webhook.id, deliveryId, attempts, targetUrl: webhook.targetUrl };
    try {
      const outcome = ready.body === undefined ? null : await this.#send(taken, ready.body);
      if (outcome === undefined) queue.inFlight.release(deliveryId);
      else {
        if (outcome) queue.isFailing = outcome.error !== null;
        queue.inFlight.finish(deliveryId);
        this.#outcomes.add({ ...result, outcome });
      }
    } catch (error) {
      queue.inFlight.markStuck(deliveryId);
      log.error({ err: error, deliveryId }, 'delivery attempt failed with an unexpected error');
    } finally {
      this.#queues.freeSlot(taken);
      if (this.#queues.sending === 0) this.#onAllSent?.();
      this.#scheduleBatch();
      if (queue.isLow && queue.nextPollAt <= clock.now(tenantId).getTime()) this.#wake();
    }
  }

  /** Undefined when the sender was closed during the request. */
  async #send({ queue, ready }: TakenDelivery, body: Buffer): Promise<AttemptOutcome | undefined> {
    const { sender, clock, userAgent, timeoutMs, tracing } = this.#options;
    const { delivery, traceparent } = ready;
    const startedAt = clock.now(queue.tenantId);
    const signed = createDeliveryHeaders(delivery, delivery.attempts + 1, body, queue.getKeys(startedAt), startedAt, userAgent);
    const span = tracing.start('delivery', 'client', traceparent);
    const headers = span.traceparent === undefined ? signed : { ...signed, traceparent: span.traceparent };
    const outcome = await sender.send({ url: queue.webhook.targetUrl, headers, body, timeoutMs, startedAt });
    span.end({
      attributes: { 'stockroom.event': delivery.eventType, 'http.response.status_code': outcome?.httpStatus ?? 0 },
      error: outcome?.error ?? undefined,
    });
    return outcome;
  }

  /** Sets the timer to the earliest poll of all queues. */
  #armTimer(): void {
    if (this.#state === 'draining') return;
    clearTimeout(this.#timer);
    const { clock, safetyPollMs = SAFETY_POLL_MS } = this.#options;
    let waitMs = safetyPollMs;
    for (const queue of this.#queues.all)
      if (queue.isLow && this.#queues.isActive(queue)) waitMs = Math.min(waitMs, queue.nextPollAt - clock.now(queue.tenantId).getTime());
    const isSafetyPoll = waitMs === safetyPollMs;
    this.#timer = setTimeout(() => (isSafetyPoll ? this.#pollEverything() : this.#wake()), Math.max(1, waitMs));
  }
}
