/**
 * Bounded caches that share one budget. When it is exceeded, each of them goes over its oldest entries: those that were used since become
 * its newest, and the others are dropped (second chance).
 */

/** Which part of the entries of each cache one pass goes over. */
const SWEPT_PART = 1 / 16;

export class CacheBudget {
  readonly #maxWeight: number;
  #weight = 0;
  readonly #caches = new Set<{ dropUnused(): void }>();

  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  register(cache: { dropUnused(): void }): void {
    this.#caches.add(cache);
  }

  /** Counts the weight of an entry that was added, or a negative one of entries that were removed. */
  charge(weight: number): void {
    this.#weight += weight;
    while (this.#weight > this.#maxWeight) for (const cache of this.#caches) cache.dropUnused();
  }
}

interface Entry<V> {
  readonly value: V;
  readonly weight: number;
  isUsed: boolean;
}

/** Caches what was derived from rows: parsed records, view results, results of queries. */
export class BoundedCache<K, V> {
  /** Oldest first. */
  readonly #entries = new Map<K, Entry<V>>();
  readonly #budget: CacheBudget;
  readonly #estimateWeight: (value: V, key: K) => number;

  constructor(budget: CacheBudget, estimateWeight: (value: V, key: K) => number) {
    this.#budget = budget;
    this.#estimateWeight = estimateWeight;
    budget.register(this);
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    const weight = this.#estimateWeight(value, key);
    this.#entries.set(key, { value, weight, isUsed: false });
    this.#budget.charge(weight);
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#budget.charge(-entry.weight);
  }

  clear(): void {
    let weight = 0;
    for (const entry of this.#entries.values()) weight += entry.weight;
    this.#entries.clear();
    this.#budget.charge(-weight);
  }

  dropUnused(): void {
    let swept = Math.ceil(this.#entries.size * SWEPT_PART);
    for (const [key, entry] of this.#entries) {
      if ((swept -= 1) < 0) return;
      this.#entries.delete(key);
      if (entry.isUsed) {
        entry.isUsed = false;
        this.#entries.set(key, entry);
      } else this.#budget.charge(-entry.weight);
    }
  }
}
