/** Finds values again with only 12 bytes of memory per value: duplicates in a file, and records by their key. */

const FIRST_CAPACITY = 4_096;

export type SeenValues = ReturnType<typeof createSeenValues>;

/** Compares 64 bits of SHA-256: the probability of a collision among ten million values is below 1 in 100,000. */
export function createSeenValues() {
  const { hash } = process.getBuiltinModule('node:crypto');
  let capacity = FIRST_CAPACITY;
  let count = 0;
  let prints = new Uint32Array(capacity * 2);
  let lines = new Uint32Array(capacity);

  /** Finds the slot of a value, or the free slot for it. Line 0 marks a free slot. */
  function findSlot(high: number, low: number): number {
    let slot = low % capacity;
    while (lines[slot] !== 0 && (prints[slot * 2] !== high || prints[slot * 2 + 1] !== low)) slot = (slot + 1) % capacity;
    return slot;
  }
  function put(high: number, low: number, line: number): void {
    const slot = findSlot(high, low);
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
  function toPrint(value: string): readonly [high: number, low: number] {
    const print = hash('sha256', value, 'buffer');
    return [print.readUInt32LE(0), print.readUInt32LE(4)];
  }
  return {
    /** Returns the line of the value, or null. */
    find(value: string): number | null {
      const line = lines[findSlot(...toPrint(value))] ?? 0;
      return line === 0 ? null : line;
    },
    /** Returns the line of an earlier occurrence of the value, or null and records the line. */
    add(value: string, line: number): number | null {
      const [high, low] = toPrint(value);
      const before = lines[findSlot(high, low)] ?? 0;
      if (before !== 0) return before;
      if (count * 2 >= capacity) grow();
      put(high, low, line);
      count += 1;
      return null;
    },
  };
}
