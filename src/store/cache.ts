/** Bounded caches that share one budget. Each has a young and an old generation; an entry that is used moves to the young one. */

export class CacheBudget {
  readonly #maxWeight: number;
  #young = 0;
  readonly #caches = new Set<{ evictOld(): void }>();

  constructor(maxWeight: number) {
    this.#maxWeight = maxWeight;
  }

  register(cache: { evictOld(): void }): void {
    this.#caches.add(cache);
  }

  /** Counts an entry that joined a young generation. Once half the budget is young, all old generations are dropped. */
  charge(weight: number): void {
    this.#young += weight;
    if (this.#young <= this.#maxWeight / 2) return;
    this.#young = 0;
    for (const cache of this.#caches) cache.evictOld();
  }
}

/** Caches what was derived from rows: parsed records or view results. */
export class GenerationalCache<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  readonly #budget: CacheBudget;
  readonly #estimateWeight: (value: V, key: K) => number;

  constructor(allowance: CacheBudget, weigh: (value: V, key: K) => number) {
    this.#budget = allowance;
    this.#estimateWeight = weigh;
    allowance.register(this);
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    this.#young.set(key, value);
    this.#budget.charge(this.#estimateWeight(value, key));
  }

  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }

  evictOld(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }
}
