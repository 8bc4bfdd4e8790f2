/** Optimistic concurrency: the version of a record is its `updatedAt`. */
import { StockroomError } from '../domain/kernel/errors.ts';

/** 412 when the caller's If-Match names another version, or any if there is no record. */
export function checkVersion(ifMatch: string | undefined, updatedAt: string | undefined): void {
  if (ifMatch !== undefined && updatedAt === undefined) throw new StockroomError('PRECONDITION_FAILED', 'There is no such record yet.');
  if (ifMatch === undefined || updatedAt === undefined || ifMatch === '*') return;
  const versions = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//u, ''));
  // Many send the field as it stands in the record; "it changed" would be wrong about that.
  if (!versions.includes(`"${updatedAt}"`) && !versions.includes(updatedAt)) {
    throw new StockroomError('PRECONDITION_FAILED', `The record changed at ${updatedAt}; read it again and repeat the change.`, {
      details: { updatedAt },
    });
  }
}
