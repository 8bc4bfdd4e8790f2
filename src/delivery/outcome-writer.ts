/** Stores the outcomes of attempts, many of a tenant in one commit, and updates the endpoint queues accordingly. */
import { setImmediate } from 'node:timers';
import type { Logger } from 'pino';
import type { EndpointQueues } from './endpoint-queues.ts';
import { type AttemptResult, type RecordOptions, type RecordedDelivery, recordResults } from './record-results.ts';

export interface OutcomeWriterOptions extends RecordOptions {
  readonly log: Pick<Logger, 'error'>;
  /** How long to wait before outcomes that could not be stored are stored again. */
  readonly outcomeRetryMs?: number;
  /**
   * Called for every attempt once its outcome is durable. Also called, without an outcome, for a delivery that someone else changed
   * while its outcome was being stored.
   */
  readonly onRecorded?: (recorded: RecordedDelivery) => void;
}

/** The part of the engine that polls. */
interface PollScheduler {
  /** Polls now. */
  wake(): void;
  /** Adjusts the timer of the next poll to the queues. */
  armTimer(): void;
}

export const OUTCOME_RETRY_MS = 1_000;
/**
 * While at least this many attempts are in progress, outcomes are collected for a while before they are stored: a commit with its sync
 * costs about as much as a delivery, however many outcomes it contains.
 */
const COLLECT_MIN_SENDING = 4;
const COLLECT_MS = 25;

export class OutcomeWriter {
  readonly #options: OutcomeWriterOptions;
  readonly #queues: EndpointQueues;
  readonly #polls: PollScheduler;
  /** By tenant: results that wait for the next commit. */
  readonly #pending = new Map<string, AttemptResult[]>();
  /** By tenant: the commit in progress. */
  readonly #commits = new Map<string, Promise<void>>();
  /** Deliveries in a commit in progress, with the number of commits that reported them so far: the first is our own. */
  readonly #committing = new Map<string, number>();
  /** Transactions of this writer that have not ended. */
  pendingTransactions = 0;
  #isDraining = false;

  constructor(options: OutcomeWriterOptions, queues: EndpointQueues, polls: PollScheduler) {
    this.#options = options;
    this.#queues = queues;
    this.#polls = polls;
  }

  add(result: AttemptResult): void {
    const pending = this.#pending.get(result.tenantId);
    if (pending) pending.push(result);
    else this.#pending.set(result.tenantId, [result]);
    this.#startCommit(result.tenantId);
  }

  /** From now on outcomes are stored immediately and without retries: the next start sends deliveries without an outcome again. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Resolves when all outcomes are stored. */
  async flush(): Promise<void> {
    for (const tenantId of this.#pending.keys()) this.#startCommit(tenantId);
    while (this.#commits.size > 0) await Promise.all(this.#commits.values());
  }

  /** Whether a commit with the outcome of this delivery is in progress. */
  isRecording(deliveryId: string): boolean {
    return this.#committing.has(deliveryId);
  }

  /** Whether a change reported by the store is from a commit of this writer. Call it exactly once per change. */
  isOwnChange(deliveryId: string): boolean {
    const reports = this.#committing.size > 0 ? this.#committing.get(deliveryId) : undefined;
    if (reports !== undefined) this.#committing.set(deliveryId, reports + 1);
    return reports === 0;
  }

  /** Commits the pending results of a tenant. Results that are added meanwhile share the next commit. */
  #startCommit(tenantId: string): void {
    if (this.#commits.has(tenantId) || !this.#pending.has(tenantId)) return;
    const work = this.#commit(tenantId).finally(() => {
      this.#commits.delete(tenantId);
      this.#startCommit(tenantId);
    });
    this.#commits.set(tenantId, work);
  }

  async #commit(tenantId: string): Promise<void> {
    const { log, outcomeRetryMs = OUTCOME_RETRY_MS } = this.#options;
    if (this.#queues.sending < COLLECT_MIN_SENDING || this.#isDraining) await new Promise((resolve) => setImmediate(resolve));
    else await new Promise((resolve) => setTimeout(resolve, COLLECT_MS));
    const results = this.#pending.get(tenantId) ?? [];
    this.#pending.delete(tenantId);
    for (const { deliveryId } of results) this.#committing.set(deliveryId, 0);
    try {
      this.pendingTransactions += 1;
      const work = recordResults(this.#options, tenantId, results);
      const recorded = await work.finally(() => (this.pendingTransactions -= 1));
      const changedByOthers = this.#release(results, recorded);
      this.#schedule(recorded);
      if (changedByOthers.length > 0) {
        this.#reportCurrent(tenantId, changedByOthers).catch((error: unknown) => log.error({ err: error }, 'could not report deliveries'));
        this.#polls.wake();
      } else this.#polls.armTimer();
    } catch (error) {
      for (const { deliveryId } of results) this.#committing.delete(deliveryId);
      // The rows are still due, so the next start sends them again.
      if (this.#isDraining) return;
      log.error({ err: error, count: results.length }, 'could not store delivery outcomes; trying again');
      await new Promise((resolve) => setTimeout(resolve, outcomeRetryMs));
      this.#pending.set(tenantId, [...results, ...(this.#pending.get(tenantId) ?? [])]);
    }
  }

  /** Releases the deliveries of results. Returns those that someone else changed while they were in flight. */
  #release(results: readonly AttemptResult[], recorded: readonly RecordedDelivery[]): string[] {
    const changedByOthers: string[] = [];
    const recordedIds = recorded.length === results.length ? undefined : new Set(recorded.map(({ delivery }) => delivery.id));
    for (const { webhookId, deliveryId } of results) {
      const queue = this.#queues.getOrRemoved(webhookId);
      queue?.inFlight.release(deliveryId);
      if ((this.#committing.get(deliveryId) ?? 0) > 1 || recordedIds?.has(deliveryId) === false) {
        queue?.resetCursor();
        changedByOthers.push(deliveryId);
      }
      this.#committing.delete(deliveryId);
    }
    return changedByOthers;
  }

  /** Makes the queues poll when the retries are due. */
  #schedule(recorded: readonly RecordedDelivery[]): void {
    for (const each of recorded) {
      const queue = each.delivery.status === 'retrying' ? this.#queues.get(each.delivery.webhookId) : undefined;
      // After a long attempt, or a large step of the clock, the cursor may have passed the due time of the retry.
      if (queue && each.delivery.dueAt < queue.cursor) queue.resetCursor();
      else if (queue) queue.nextPollAt = Math.min(queue.nextPollAt, Date.parse(each.delivery.dueAt));
      this.#options.onRecorded?.(each);
    }
  }

  /** Reports the current rows of deliveries: changes by others were not reported while our commit was in progress. */
  async #reportCurrent(tenantId: string, ids: readonly string[]): Promise<void> {
    const { store, onRecorded } = this.#options;
    // The store may be closing; then there is nothing to report.
    const rows = await store.read(tenantId, (tx) => tx.deliveries.getMany(ids)).catch(() => []);
    for (const delivery of rows) if (delivery) onRecorded?.({ tenantId, delivery, outcome: null });
  }
}
