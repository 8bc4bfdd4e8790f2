/** Bounded caches that share one allowance. Each keeps a young and an old generation; what is used moves to the young one. */

export class Allowance {
  readonly #limit: number;
  #young = 0;
  readonly #caches = new Set<{ age(): void }>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  join(cache: { age(): void }): void {
    this.#caches.add(cache);
  }

  /** Takes note of what entered a young generation; when half of the limit is young, the old generations go. */
  spend(weight: number): void {
    this.#young += weight;
    if (this.#young <= this.#limit / 2) return;
    this.#young = 0;
    for (const cache of this.#caches) cache.age();
  }
}

/** What was made of a row, parsed or through a view. */
export class Cache<K, V> {
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  readonly #allowance: Allowance;
  readonly #weigh: (value: V, key: K) => number;

  constructor(allowance: Allowance, weigh: (value: V, key: K) => number) {
    this.#allowance = allowance;
    this.#weigh = weigh;
    allowance.join(this);
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
    this.#allowance.spend(this.#weigh(value, key));
  }

  drop(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  age(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }
}
