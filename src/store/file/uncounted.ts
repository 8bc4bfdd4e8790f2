/**
 * Memory of rows, which V8 does not count: it does not count what could be shared between threads. What it counts makes it look for garbage,
 * and rows are none: it looked through all of its heap for every 20,000 items made, and at a start for 40 ms. What is given up is counted
 * from then on, so that it is looked for when there is enough of it.
 */

export const uncounted = (bytes: number): Buffer => Buffer.from(new SharedArrayBuffer(bytes));

/** Holds memory of the same size, which nobody touches and V8 counts, for what has been given up and not been collected yet. */
const owed = new FinalizationRegistry<ArrayBuffer>((debt) => debt.resize(0));

/** Nothing of it will be used any more. */
export function giveUp({ buffer, length }: Buffer): void {
  if (buffer instanceof SharedArrayBuffer) owed.register(buffer, new ArrayBuffer(length, { maxByteLength: length }));
}
