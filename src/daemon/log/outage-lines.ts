/**
 * Limits the lines that an outage of the store causes: background work fails several times a second then. The notices of the store name the
 * beginning and the end; between them, a failure is logged at most once a minute, with the number of those that were not.
 */
import { StoreUnavailable } from '../../domain/kernel/ports.ts';

const INTERVAL_MS = 60_000;

/** Returns the facts to log, or undefined if the line is to be left out. */
export type OutageFilter = (facts: unknown) => unknown;

export function createOutageFilter(now: () => number = () => performance.now()): OutageFilter {
  let nextAt = -Infinity;
  let omitted = 0;
  return (facts) => {
    const { err, kind } = (facts ?? {}) as { readonly err?: unknown; readonly kind?: unknown };
    if (kind === 'unavailable') nextAt = now() + INTERVAL_MS;
    if (!(err instanceof StoreUnavailable)) return facts;
    if (now() < nextAt) {
      omitted += 1;
      return undefined;
    }
    nextAt = now() + INTERVAL_MS;
    const limited = { ...(facts as object), ...(omitted > 0 && { omittedLines: omitted }) };
    omitted = 0;
    return limited;
  };
}
