/** Waits for a lock in short attempts. A waiting daemon keeps no place in the queue of the server, so none waits behind one that is gone. */
import { setTimeout } from 'node:timers/promises';
import { LockTimeout, TransactionConflict, UniqueViolation } from './errors.ts';

const RETRY_MS = 100;
/** A daemon that hangs in a transaction is disconnected by the server after some seconds; creating indexes may take longer. */
const TIMEOUT_MS = 30_000;

/** Runs `work` again as long as somebody else has the lock, or has just created what `work` creates. */
export async function tryRepeatedly<T>(work: () => Promise<T>): Promise<T> {
  for (const deadline = performance.now() + TIMEOUT_MS; ;) {
    try {
      return await work();
    } catch (error) {
      const isRepeated = error instanceof LockTimeout || error instanceof TransactionConflict || error instanceof UniqueViolation;
      if (!isRepeated || performance.now() > deadline) throw error;
    }
    await setTimeout(RETRY_MS);
  }
}
