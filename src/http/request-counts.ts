/** Counts the requests of each API key by minute over the last hour. In memory only. */

/** Minutes that are kept. */
const COUNTED_MINUTES = 60;
const MINUTE_MS = 60_000;

interface KeyCounts {
  readonly tenantId: string;
  /** The minute of the last request. */
  usedAt: number;
  /** The minute of the last slot. */
  until: number;
  slots: number[];
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
    const minute = this.#getMinute();
    let counts = this.#keys.get(keyId);
    if (!counts) {
      this.#prune(minute);
      this.#keys.set(
        keyId,
        (counts = { tenantId, usedAt: minute, until: minute, slots: Array.from({ length: COUNTED_MINUTES }, () => 0) }),
      );
    }
    advance(counts, minute);
    counts.usedAt = minute;
    counts.slots[COUNTED_MINUTES - 1] = (counts.slots[COUNTED_MINUTES - 1] ?? 0) + 1;
  }

  /** The counts of a tenant's keys, the current minute last. */
  list(tenantId: string): { readonly keyId: string; readonly perMinute: number[] }[] {
    const minute = this.#getMinute();
    this.#prune(minute);
    return [...this.#keys].flatMap(([keyId, counts]) => {
      if (counts.tenantId !== tenantId) return [];
      advance(counts, minute);
      return [{ keyId, perMinute: [...counts.slots] }];
    });
  }

  /** Forgets keys that were not used for an hour, at most once a minute. */
  #prune(minute: number): void {
    if (this.#prunedAt === minute) return;
    this.#prunedAt = minute;
    for (const [keyId, { usedAt }] of this.#keys) if (minute - usedAt >= COUNTED_MINUTES) this.#keys.delete(keyId);
  }

  #getMinute(): number {
    return Math.floor(this.#now() / MINUTE_MS);
  }
}

function advance(counts: KeyCounts, minute: number): void {
  const passed = Math.min(COUNTED_MINUTES, minute - counts.until);
  if (passed <= 0) return;
  counts.slots = [...counts.slots.slice(passed), ...Array.from({ length: passed }, () => 0)];
  counts.until = minute;
}
