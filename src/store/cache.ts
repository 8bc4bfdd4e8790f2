/**
 * Bounded caches that share one budget. When it is exceeded, each of them drops its oldest entries. Some of the hits make their entry the
 * newest, so entries that are often used stay.
 */

/** Share of each cache that is evicted at once. */
const EVICTED_SHARE = 1 / 16;

/** One hit in so many makes its entry the newest. A prime number, so that reading the same page again reaches each of its rows. */
const HITS_PER_MOVE = 13;

export class CacheBudget {
  readonly #maxWeight: number;
  #weight = 0;
  /** Those that have entries: one that nobody needs any more is not kept. */
  readonly #caches = new Set<{ dropOldest(): void }>();

  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  get cacheCount(): number {
    return this.#caches.size;
  }

  register(cache: { dropOldest(): void }): void {
    this.#caches.add(cache);
  }

  unregister(cache: { dropOldest(): void }): void {
    this.#caches.delete(cache);
  }

  /** Counts an entry that was added. Ends, because each cache with entries drops at least one. */
  charge(weight: number): void {
    this.#weight += weight;
    while (this.#weight > this.#maxWeight) for (const cache of this.#caches) cache.dropOldest();
  }

  /** Counts an entry that was removed. */
  release(weight: number): void {
    this.#weight -= weight;
  }
}

/** Caches what was derived from rows: parsed records, results of queries. */
export class BoundedCache<K, V> {
  /** Oldest first. */
  readonly #entries = new Map<K, V>();
  readonly #budget: CacheBudget;
  readonly #estimateWeight: (value: V, key: K) => number;
  #hits = 0;

  /** `estimateWeight` must return the same number for an entry as long as it is cached. */
  constructor(budget: CacheBudget, estimateWeight: (value: V, key: K) => number) {
    this.#budget = budget;
    this.#estimateWeight = estimateWeight;
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined && (this.#hits = (this.#hits + 1) % HITS_PER_MOVE) === 0) {
      this.#entries.delete(key);
      this.#entries.set(key, value);
    }
    return value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    if (this.#entries.size === 0) this.#budget.register(this);
    this.#entries.set(key, value);
    this.#budget.charge(this.#estimateWeight(value, key));
  }

  delete(key: K): void {
    const value = this.#entries.get(key);
    if (value !== undefined) this.#drop(key, value);
  }

  clear(): void {
    for (const [key, value] of this.#entries) this.#drop(key, value);
  }

  dropOldest(): void {
    let dropped = Math.ceil(this.#entries.size * EVICTED_SHARE);
    for (const [key, value] of this.#entries) {
      if ((dropped -= 1) < 0) return;
      this.#drop(key, value);
    }
  }

  #drop(key: K, value: V): void {
    this.#entries.delete(key);
    this.#budget.release(this.#estimateWeight(value, key));
    if (this.#entries.size === 0) this.#budget.unregister(this);
  }
}
