/** Bounded caches that share one allowance. Each keeps a young and an old generation; what is used moves to the young one. */

export class Allowance {
  readonly #limit: number;
  #young = 0;
  readonly #caches = new Set<Cache<unknown>>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  join(cache: Cache<unknown>): void {
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

/** What a slot's record looks like, parsed or through a view. */
export class Cache<V> {
  #young = new Map<number, V>();
  #old = new Map<number, V>();
  readonly #allowance: Allowance;
  readonly #weigh: (value: V) => number;

  constructor(allowance: Allowance, weigh: (value: V) => number) {
    this.#allowance = allowance;
    this.#weigh = weigh;
    allowance.join(this as Cache<unknown>);
  }

  get(slot: number): V | undefined {
    const young = this.#young.get(slot);
    if (young !== undefined) return young;
    const old = this.#old.get(slot);
    if (old !== undefined) this.set(slot, old);
    return old;
  }

  set(slot: number, value: V): void {
    this.#young.set(slot, value);
    this.#allowance.spend(this.#weigh(value));
  }

  drop(slot: number): void {
    this.#young.delete(slot);
    this.#old.delete(slot);
  }

  age(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }
}
