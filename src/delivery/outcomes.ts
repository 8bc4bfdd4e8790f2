/** From finished attempts to rows: outcomes are gathered, those of a tenant are stored together, and the lanes learn what that changed. */
import { setImmediate as nextTurn } from 'node:timers';
import type { Logger } from 'pino';
import type { Clock } from '../domain/ports.ts';
import type { Lanes } from './lanes.ts';
import { type Recorded, type Recorder, type Result, record } from './results.ts';

export interface OutcomesOptions extends Omit<Recorder, 'now'> {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
  /** Told of every attempt once its result is durable, and of what others changed meanwhile: then without an outcome. */
  readonly onRecorded?: (recorded: Recorded) => void;
}

/** What follows from a commit for whoever looks for work: there may be some now, or at another time than thought. */
interface Looker {
  wake(): void;
  armTimer(): void;
}

const STORE_RETRY_MS = 1_000;
/**
 * While at least so many requests are under way, outcomes are gathered for so long before they are stored: a commit with its sync
 * costs about as much as a delivery, however many outcomes it holds.
 */
const BUSY = 4;
const GATHERED_MS = 25;

export class Outcomes {
  readonly #options: OutcomesOptions;
  readonly #lanes: Lanes;
  readonly #looker: Looker;
  /** By tenant: what waits for its commit, and the commit that is on its way. */
  readonly #waiting = new Map<string, Result[]>();
  readonly #recording = new Map<string, Promise<void>>();
  /** Rows in a commit of ours that is on its way, and how often we heard of them: its echo is no news, but it comes only once. */
  readonly #committing = new Map<string, number>();
  /** Transactions of ours under way. */
  storing = 0;
  #ending = false;

  constructor(options: OutcomesOptions, lanes: Lanes, looker: Looker) {
    this.#options = options;
    this.#lanes = lanes;
    this.#looker = looker;
  }

  add(result: Result): void {
    const waiting = this.#waiting.get(result.tenantId);
    if (waiting) waiting.push(result);
    else this.#waiting.set(result.tenantId, [result]);
    this.#record(result.tenantId);
  }

  /** From now on nothing is gathered, and what cannot be stored is given up. */
  end(): void {
    this.#ending = true;
  }

  /** Resolves when everything that was added is stored. */
  async flush(): Promise<void> {
    for (const tenantId of this.#waiting.keys()) this.#record(tenantId);
    while (this.#recording.size > 0) await Promise.all(this.#recording.values());
  }

  /** Whether a commit of ours with this delivery is on its way. */
  isRecording(deliveryId: string): boolean {
    return this.#committing.has(deliveryId);
  }

  /** Whether a row that somebody has committed is the echo of a commit of ours. To be asked once for each. */
  isEcho(deliveryId: string): boolean {
    const heard = this.#committing.size > 0 ? this.#committing.get(deliveryId) : undefined;
    if (heard !== undefined) this.#committing.set(deliveryId, heard + 1);
    return heard === 0;
  }

  /** Stores the outcomes of a tenant; those that come meanwhile share the next commit. */
  #record(tenantId: string): void {
    if (this.#recording.has(tenantId) || !this.#waiting.has(tenantId)) return;
    const work = this.#commit(tenantId).finally(() => {
      this.#recording.delete(tenantId);
      this.#record(tenantId);
    });
    this.#recording.set(tenantId, work);
  }

  async #commit(tenantId: string): Promise<void> {
    const { store, clock, log } = this.#options;
    if (this.#lanes.sending < BUSY || this.#ending) await new Promise((resolve) => nextTurn(resolve));
    else await new Promise((resolve) => setTimeout(resolve, GATHERED_MS));
    const results = this.#waiting.get(tenantId) ?? [];
    this.#waiting.delete(tenantId);
    for (const { deliveryId } of results) this.#committing.set(deliveryId, 0);
    try {
      this.storing += 1;
      const work = record({ ...this.#options, store, now: () => clock.now() }, tenantId, results);
      const recorded = await work.finally(() => (this.storing -= 1));
      const overlooked = this.#release(results);
      this.#schedule(recorded);
      if (overlooked.length > 0) {
        void this.#tellAgain(tenantId, overlooked);
        this.#looker.wake();
      } else this.#looker.armTimer();
    } catch (error) {
      for (const { deliveryId } of results) this.#committing.delete(deliveryId);
      // At the stop there is no later: the rows are due, and the next start sends them again.
      if (this.#ending) return;
      log.error({ err: error, count: results.length }, 'outcomes of deliveries could not be stored; trying again');
      await new Promise((resolve) => setTimeout(resolve, STORE_RETRY_MS));
      this.#waiting.set(tenantId, [...results, ...(this.#waiting.get(tenantId) ?? [])]);
    }
  }

  /** Lets go of rows whose outcome is durable; returns those that somebody else changed beside our commit, while they were claimed. */
  #release(results: readonly Result[]): string[] {
    const overlooked: string[] = [];
    for (const { webhookId, deliveryId } of results) {
      const lane = this.#lanes.holding(webhookId);
      lane?.claimed.delete(deliveryId);
      if ((this.#committing.get(deliveryId) ?? 0) > 1) {
        lane?.rewind();
        overlooked.push(deliveryId);
      }
      this.#committing.delete(deliveryId);
    }
    return overlooked;
  }

  #schedule(recorded: readonly Recorded[]): void {
    for (const each of recorded) {
      const lane = each.delivery.status === 'retrying' ? this.#lanes.get(each.delivery.webhookId) : undefined;
      // Its attempt may have taken so long, or the clock so large a step, that rows which are due later are claimed already.
      if (lane && each.delivery.dueAt < lane.cursor) lane.rewind();
      else if (lane) lane.lookAt = Math.min(lane.lookAt, Date.parse(each.delivery.dueAt));
      this.#options.onRecorded?.(each);
    }
  }

  /** Deliveries as they are by now: while our commit was on its way, nobody told what others made of them. */
  async #tellAgain(tenantId: string, ids: readonly string[]): Promise<void> {
    const { store, onRecorded } = this.#options;
    // When the store is closing, nobody is left to tell.
    const rows = await store.read(tenantId, (tx) => tx.deliveries.getMany(ids)).catch(() => []);
    for (const delivery of rows) if (delivery) onRecorded?.({ tenantId, delivery, outcome: null });
  }
}
