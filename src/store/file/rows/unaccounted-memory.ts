/**
 * Memory for rows that V8 does not account as external memory, because it could be shared between threads. Accounted memory triggers
 * garbage collections that rows cannot satisfy: one over the whole heap for every 20,000 created items, and 40 ms at a start. Freed memory
 * is accounted from then on, so that it is collected once there is enough of it.
 */

/** Allocates memory that V8 does not account. */
export const allocateUnaccounted = (bytes: number): Buffer => Buffer.from(new SharedArrayBuffer(bytes));

/** For each freed buffer, holds an untouched buffer of the same size, which V8 does account, until the freed one has been collected. */
const freedBuffers = new FinalizationRegistry<ArrayBuffer>((ballast) => ballast.resize(0));

/** Marks a buffer as garbage: from now on V8 accounts its size. */
export function freeUnaccounted({ buffer, length }: Buffer): void {
  if (buffer instanceof SharedArrayBuffer) freedBuffers.register(buffer, new ArrayBuffer(length, { maxByteLength: length }));
}
