/** Polls what the stream does not carry: endpoint health soon after a delivery, stock, orders and names in the audit trail and in events soon after a change, keys, tiers, faults and the clock from time to time. */
import type { Client } from '../../client/client.ts';
import type { LocalReads } from './local-reads.ts';
import type { Dispatch } from './source.ts';

const STATUS_INTERVAL_MS = 5_000;
export const ROWS_INTERVAL_MS = 2_000;
export const ROWS_IDLE_INTERVAL_MS = 20_000;
/** What is polled, and how often without a change. */
const IDLE_INTERVALS_MS = {
  endpoints: ROWS_IDLE_INTERVAL_MS,
  stock: ROWS_IDLE_INTERVAL_MS,
  audit: Infinity,
  levelNames: Infinity,
  keys: 30_000,
} as const;
type Polled = keyof typeof IDLE_INTERVALS_MS;
/** A daemon that does not answer for this long is shown as disconnected, although its stream is open. */
const ANSWER_TIMEOUT_MS = 5_000;

type PolledReads = Pick<
  LocalReads,
  'readDaemon' | 'readAudit' | 'readLevelNames' | 'readEndpoints' | 'readItems' | 'readOrders' | 'readKeys' | 'haveTiersChanged'
>;

export class LocalPolls implements Disposable {
  readonly #client: Client;
  readonly #reads: PolledReads;
  readonly #dispatch: Dispatch;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #startedAt = performance.now();
  readonly #readAt = new Map<Polled, number>();
  readonly #stale = new Set<Polled>();
  #pendingSince: number | undefined;
  #isUnresponsive = false;
  #isStopped = false;

  constructor(client: Client, reads: PolledReads, dispatch: Dispatch) {
    this.#client = client;
    this.#reads = reads;
    this.#dispatch = dispatch;
    this.#timers = [
      setInterval(() => this.#run(() => this.#pollRows()), ROWS_INTERVAL_MS),
      setInterval(() => this.#run(() => this.#pollStatus()), STATUS_INTERVAL_MS),
    ];
  }

  /** It is read again at the next poll. */
  markStale(polled: Polled): void {
    this.#stale.add(polled);
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** One poll at a time; the next one reports a daemon that does not answer. */
  #run(poll: () => Promise<void>): void {
    if (this.#isStopped) return;
    if (this.#pendingSince !== undefined) {
      if (!this.#isUnresponsive && performance.now() - this.#pendingSince >= ANSWER_TIMEOUT_MS) {
        this.#isUnresponsive = true;
        this.#dispatch({ type: 'lost', at: Date.now(), reason: 'Daemon does not respond; waiting…' });
      }
      return;
    }
    this.#pendingSince = performance.now();
    // A daemon that stops ends the stream too, which reports it.
    void poll()
      .then(
        () => this.#reportAnswer(),
        () => undefined,
      )
      .finally(() => (this.#pendingSince = undefined));
  }

  #reportAnswer(): void {
    if (this.#isUnresponsive && !this.#isStopped) this.#dispatch({ type: 'connected', at: Date.now() });
    this.#isUnresponsive = false;
  }

  async #pollRows(): Promise<void> {
    const now = performance.now();
    if (this.#startReading('endpoints', now)) await this.#reads.readEndpoints(this.#client);
    if (this.#startReading('stock', now)) {
      await this.#reads.readItems(this.#client);
      await this.#reads.readOrders(this.#client);
    }
    if (this.#startReading('audit', now)) await this.#reads.readAudit(this.#client);
    if (this.#startReading('levelNames', now)) await this.#reads.readLevelNames(this.#client);
    if (this.#startReading('keys', now)) await this.#reads.readKeys(this.#client);
  }

  /** Whether it is due; then it is not stale any more. */
  #startReading(polled: Polled, now: number): boolean {
    const age = now - (this.#readAt.get(polled) ?? this.#startedAt);
    if (!this.#stale.delete(polled) && age < IDLE_INTERVALS_MS[polled]) return false;
    this.#readAt.set(polled, now);
    return true;
  }

  async #pollStatus(): Promise<void> {
    await this.#reads.readDaemon(this.#client);
    if (await this.#reads.haveTiersChanged(this.#client)) this.markStale('keys');
  }
}
