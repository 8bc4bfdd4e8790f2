/**
 * Gives requests of the API precedence over deliveries when the processor is busy.
 *
 * Each commit of a request delays the next batch of deliveries a little. The delays add up, but only to a limit, and one small batch
 * per interval is sent in any case. Where starting a batch takes long, the interval is longer, so that deliveries get the same share of
 * a slow machine: about a fortieth to start requests, and as much again for responses and outcomes.
 */
import { performance as nodePerformance } from 'node:perf_hooks';

const DELAY_PER_COMMIT_MS = 1;
const MAX_DELAY_MS = 15;
/** The interval of small batches is this many times as long as the start of the last batch took, within these limits. */
const INTERVAL_FACTOR = 40;
const MIN_INTERVAL_MS = 40;
const MAX_INTERVAL_MS = 160;
/** The event loop is busy when it was idle for less than a tenth of this window. */
const UTILIZATION_WINDOW_MS = 10;
const BUSY_UTILIZATION = 0.9;
/** Requests started in one turn of the event loop, without and with concurrent API requests. A batch costs less than single starts. */
const BATCH_SIZE = 16;
const SMALL_BATCH_SIZE = 10;

export type Performance = Pick<typeof nodePerformance, 'now' | 'eventLoopUtilization'>;

export class CpuThrottle {
  readonly #performance: Performance;
  #delayedUntil = 0;
  #lastBatchAt = 0;
  #intervalMs = MIN_INTERVAL_MS;
  /** Start of the current utilization window. */
  #windowStart: ReturnType<Performance['eventLoopUtilization']>;

  constructor(performance: Performance = nodePerformance) {
    this.#performance = performance;
    this.#windowStart = performance.eventLoopUtilization();
  }

  /** Delays the next batch, because a commit other than the engine's own shows that there are API requests. */
  onApiCommit(): void {
    const now = this.#performance.now();
    this.#delayedUntil = Math.min(Math.max(this.#delayedUntil, now) + DELAY_PER_COMMIT_MS, now + MAX_DELAY_MS);
  }

  /** Milliseconds until the next batch may start; not positive when it may start now. */
  getDelayMs(): number {
    return Math.min(this.#delayedUntil, this.#lastBatchAt + this.#intervalMs) - this.#performance.now();
  }

  /** The largest batch that may start now, 0 for none. `hasApiTransactions`: whether transactions of API requests are in progress. */
  getBatchSize(hasApiTransactions: boolean): number {
    const now = this.#performance.now();
    // A request whose commit takes longer than the delay would otherwise lose its precedence.
    if (now >= this.#delayedUntil && hasApiTransactions && this.#isEventLoopBusy()) this.#delayedUntil = now + DELAY_PER_COMMIT_MS;
    if (now >= this.#delayedUntil) return BATCH_SIZE;
    return now >= this.#lastBatchAt + this.#intervalMs ? SMALL_BATCH_SIZE : 0;
  }

  /** Call it after starting the requests of a batch; `startedAt` is the time of `now()` before that. */
  onBatchStarted(startedAt: number): void {
    this.#lastBatchAt = startedAt;
    const tookMs = this.#performance.now() - startedAt;
    this.#intervalMs = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, tookMs * INTERVAL_FACTOR));
  }

  now(): number {
    return this.#performance.now();
  }

  /** False while transactions only wait for the disk: then the event loop is idle. */
  #isEventLoopBusy(): boolean {
    const usage = this.#performance.eventLoopUtilization(this.#windowStart);
    if (usage.active + usage.idle > UTILIZATION_WINDOW_MS) this.#windowStart = this.#performance.eventLoopUtilization();
    return usage.utilization > BUSY_UTILIZATION;
  }
}
