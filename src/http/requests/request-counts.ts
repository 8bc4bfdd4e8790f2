/** Counts the requests of each API key by minute over the last hour. In memory only. */

/** Minutes that are kept. */
const COUNTED_MINUTES = 60;
const MINUTE_MS = 60_000;

interface KeyCounts {
  readonly tenantId: string;
  /** Requests by minute. */
  readonly minutes: Map<number, number>;
}

export class RequestCounts {
  readonly #keys = new Map<string, KeyCounts>();
  readonly #now: () => number;
  #prunedAt = 0;

  /** `now` in milliseconds, not affected by changes of a clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  count(keyId: string, tenantId: string): void {
    const minute = this.#startMinute();
    let counts = this.#keys.get(keyId);
    if (!counts) this.#keys.set(keyId, (counts = { tenantId, minutes: new Map() }));
    counts.minutes.set(minute, (counts.minutes.get(minute) ?? 0) + 1);
  }

  /** The counts of a tenant's keys, the current minute last. */
  list(tenantId: string): { readonly keyId: string; readonly perMinute: number[] }[] {
    const first = this.#startMinute() - COUNTED_MINUTES + 1;
    const own = [...this.#keys].filter(([, counts]) => counts.tenantId === tenantId);
    return own.map(([keyId, { minutes }]) => ({
      keyId,
      perMinute: Array.from({ length: COUNTED_MINUTES }, (_, at) => minutes.get(first + at) ?? 0),
    }));
  }

  /** Returns the current minute, and forgets what is older than an hour when it has changed. */
  #startMinute(): number {
    const minute = Math.floor(this.#now() / MINUTE_MS);
    if (this.#prunedAt === minute) return minute;
    this.#prunedAt = minute;
    for (const [keyId, { minutes }] of this.#keys) {
      for (const at of minutes.keys()) if (minute - at >= COUNTED_MINUTES) minutes.delete(at);
      if (minutes.size === 0) this.#keys.delete(keyId);
    }
    return minute;
  }
}
