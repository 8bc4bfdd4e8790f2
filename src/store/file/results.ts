/** Remembers what the last queries matched, as long as nothing of it changes: paging through a long result asks again and again. */

const MOST_RESULTS = 512;
const MOST_SLOTS = 1 << 21;
/** So much of a query's text takes the memory of a slot. */
const SLOT_CHARACTERS = 4;
/** Room for slots is made in pieces, each twice as large as the last up to this many: most partitions are asked little. */
const PIECE = 1 << 16;
/** What is kept of it for the next results. */
const KEPT = 1 << 18;

interface Result {
  readonly slots: Uint32Array;
  /** Of the partition, when it was found. */
  readonly version: number;
}

/** How many slots take as much memory as a result and its key. */
const slotsOf = (key: string, { slots }: Result): number => slots.length + key.length / SLOT_CHARACTERS;

export class Results {
  readonly #known = new Map<string, Result>();
  #newest = -1;
  #slots = 0;
  /** Where results lie one behind another, and how far it is full. */
  #room = new Uint32Array(0);
  #used = 0;

  /** `since`: the version at which last changed what the query looks at. */
  has(key: string, since: number): boolean {
    const known = this.#known.get(key);
    return known !== undefined && known.version >= since;
  }

  /** What `find` answers at this version, copied: it is good until the next query of another version. */
  get(key: string, since: number, version: number, find: () => Uint32Array): Uint32Array {
    // There may be some that look at other things and are still good, but none is new.
    if (this.#newest < since) this.#forgetAll();
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#known.delete(key);
      if (known.version >= since) {
        // Asked for again: the last to go.
        this.#known.set(key, known);
        return known.slots;
      }
      this.#slots -= slotsOf(key, known);
    }
    const slots = this.#keep(find());
    const result = { slots, version };
    this.#known.set(key, result);
    this.#newest = version;
    this.#slots += slotsOf(key, result);
    for (const [oldest, dropped] of this.#known) {
      if (this.#known.size <= MOST_RESULTS && this.#slots <= MOST_SLOTS) break;
      this.#known.delete(oldest);
      this.#slots -= slotsOf(oldest, dropped);
    }
    return slots;
  }

  #forgetAll(): void {
    this.#known.clear();
    this.#slots = 0;
    this.#used = 0;
    if (this.#room.length > KEPT) this.#room = new Uint32Array(0);
  }

  #keep(found: Uint32Array): Uint32Array {
    // Results that lie in earlier pieces hold them as long as they are known.
    if (this.#used + found.length > this.#room.length) {
      this.#room = new Uint32Array(Math.max(found.length, Math.min(PIECE, this.#room.length * 2)));
      this.#used = 0;
    }
    const kept = this.#room.subarray(this.#used, (this.#used += found.length));
    kept.set(found);
    return kept;
  }
}
