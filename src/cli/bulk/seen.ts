/** Values that were there already, without keeping them: 12 bytes each, so that a long file needs no more memory than a short one. */

const FIRST_CAPACITY = 4_096;

export interface Seen {
  /** The line where the same value stood before; null: this is the first. */
  add(value: string, line: number): number | null;
}

/** Compares 64 bits of SHA-256: two different values of ten million meet with a chance below one in a hundred thousand. */
export function newSeen(): Seen {
  const { hash } = process.getBuiltinModule('node:crypto');
  let capacity = FIRST_CAPACITY;
  let count = 0;
  let prints = new Uint32Array(capacity * 2);
  let lines = new Uint32Array(capacity);

  /** The slot of this value, or the free one where it belongs. A line of 0 is a free slot. */
  function slotOf(high: number, low: number): number {
    let slot = low % capacity;
    while (lines[slot] !== 0 && (prints[slot * 2] !== high || prints[slot * 2 + 1] !== low)) slot = (slot + 1) % capacity;
    return slot;
  }
  function put(high: number, low: number, line: number): void {
    const slot = slotOf(high, low);
    prints[slot * 2] = high;
    prints[slot * 2 + 1] = low;
    lines[slot] = line;
  }
  function grow(): void {
    const [oldPrints, oldLines] = [prints, lines];
    capacity *= 2;
    prints = new Uint32Array(capacity * 2);
    lines = new Uint32Array(capacity);
    for (const [slot, line] of oldLines.entries()) if (line !== 0) put(oldPrints[slot * 2] ?? 0, oldPrints[slot * 2 + 1] ?? 0, line);
  }
  return {
    add(value, line) {
      const print = hash('sha256', value, 'buffer');
      const [high, low] = [print.readUInt32LE(0), print.readUInt32LE(4)];
      const before = lines[slotOf(high, low)] ?? 0;
      if (before !== 0) return before;
      if (count * 2 >= capacity) grow();
      put(high, low, line);
      count += 1;
      return null;
    },
  };
}
