/** Counts the requests of each API key by minute over the last hour. In memory only. */
import { errors } from '../../contract/errors.ts';

/** Minutes that are kept. */
const COUNTED_MINUTES = 60;
const MINUTE_MS = 60_000;

interface KeyCounts {
  readonly tenantId: string;
  readonly minutes: Map<number, MinuteCounts>;
}

interface MinuteCounts {
  readonly all: number;
  /** Those among them that the rate limit rejected. */
  readonly rejected: number;
}

export interface ListedCounts {
  readonly keyId: string;
  readonly perMinute: number[];
  readonly rejectedPerMinute: number[];
}

const NONE: MinuteCounts = { all: 0, rejected: 0 };

export class RequestCounts {
  readonly #keys = new Map<string, KeyCounts>();
  readonly #now: () => number;
  #prunedAt = 0;

  /** `now` in milliseconds, not affected by changes of a clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** `status`: of the response; null if the client disconnected before it. */
  count(keyId: string, tenantId: string, status: number | null): void {
    const minute = this.#startMinute();
    let counts = this.#keys.get(keyId);
    if (!counts) this.#keys.set(keyId, (counts = { tenantId, minutes: new Map() }));
    const { all, rejected } = counts.minutes.get(minute) ?? NONE;
    counts.minutes.set(minute, { all: all + 1, rejected: rejected + (status === errors.RATE_LIMITED.status ? 1 : 0) });
  }

  /** The counts of a tenant's keys, the current minute last. */
  list(tenantId: string): ListedCounts[] {
    const first = this.#startMinute() - COUNTED_MINUTES + 1;
    const own = [...this.#keys].filter(([, counts]) => counts.tenantId === tenantId);
    return own.map(([keyId, { minutes }]) => {
      const counts = Array.from({ length: COUNTED_MINUTES }, (_, at) => minutes.get(first + at) ?? NONE);
      return { keyId, perMinute: counts.map(({ all }) => all), rejectedPerMinute: counts.map(({ rejected }) => rejected) };
    });
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
