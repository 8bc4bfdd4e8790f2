/**
 * Caches the slots that recent queries matched, as long as nothing they depend on changes: paging through a long result runs the same query
 * again and again.
 */

const MAX_RESULTS = 512;
const MAX_SLOTS = 1 << 21;
/** So many characters of a query's key take as much memory as one slot. */
const CHARACTERS_PER_SLOT = 4;
/** Memory for slots is allocated in chunks, each twice as long as the last, up to this many slots: most partitions see few queries. */
const MAX_CHUNK_SLOTS = 1 << 16;
/** The longest chunk that is kept when the cache is cleared. */
const MAX_KEPT_CHUNK_SLOTS = 1 << 18;

interface Result {
  readonly slots: Uint32Array;
  /** Version of the partition when the query ran. */
  readonly version: number;
}

/** The memory of a result and its key, in slots. */
const toCost = (key: string, { slots }: Result): number => slots.length + key.length / CHARACTERS_PER_SLOT;

export class ResultCache {
  readonly #results = new Map<string, Result>();
  #newestVersion = -1;
  #totalCost = 0;
  /** The chunk that holds the next results one after another, and how much of it is used. */
  #chunk = new Uint32Array(0);
  #chunkUsed = 0;

  /** Whether there is a current result. `since` is the version of the last change the query depends on. */
  has(key: string, since: number): boolean {
    const result = this.#results.get(key);
    return result !== undefined && result.version >= since;
  }

  /** The cached result, or a copy of what `find` returns. It is valid until the next query of another version. */
  get(key: string, since: number, version: number, find: () => Uint32Array): Uint32Array {
    // Results that depend on other columns may still be valid, but none of them is recent.
    if (this.#newestVersion < since) this.#clear();
    const cached = this.#results.get(key);
    if (cached !== undefined) {
      this.#results.delete(key);
      if (cached.version >= since) {
        // Used again: moves to the end, to be evicted last.
        this.#results.set(key, cached);
        return cached.slots;
      }
      this.#totalCost -= toCost(key, cached);
    }
    const slots = this.#store(find());
    const result = { slots, version };
    this.#results.set(key, result);
    this.#newestVersion = version;
    this.#totalCost += toCost(key, result);
    for (const [oldest, dropped] of this.#results) {
      if (this.#results.size <= MAX_RESULTS && this.#totalCost <= MAX_SLOTS) break;
      this.#results.delete(oldest);
      this.#totalCost -= toCost(oldest, dropped);
    }
    return slots;
  }

  #clear(): void {
    this.#results.clear();
    this.#totalCost = 0;
    this.#chunkUsed = 0;
    if (this.#chunk.length > MAX_KEPT_CHUNK_SLOTS) this.#chunk = new Uint32Array(0);
  }

  #store(found: Uint32Array): Uint32Array {
    // Earlier chunks stay in memory as long as the cache holds results in them.
    if (this.#chunkUsed + found.length > this.#chunk.length) {
      this.#chunk = new Uint32Array(Math.max(found.length, Math.min(MAX_CHUNK_SLOTS, this.#chunk.length * 2)));
      this.#chunkUsed = 0;
    }
    const copy = this.#chunk.subarray(this.#chunkUsed, (this.#chunkUsed += found.length));
    copy.set(found);
    return copy;
  }
}
