/** How many connections the API server accepts: at most those for which the process may open files. */
import { readFileSync } from 'node:fs';
import { CONNECTIONS_MAX } from '../../contract/limits.ts';
import type { ConnectionLimits } from '../../http/listener.ts';

/** For the store, the log, deliveries and the admin API. Without them an accepted connection would be reset. */
const RESERVED_FILES = 128;
const EXCESS_MAX = 4 * CONNECTIONS_MAX;

/** `maxFiles`: open files that the process may have. */
export function toConnectionLimits(maxFiles: number): ConnectionLimits {
  const available = maxFiles - Math.min(RESERVED_FILES, Math.floor(maxFiles / 2));
  const max = Math.min(CONNECTIONS_MAX, Math.floor((available * 3) / 4));
  return { max, excess: Math.min(EXCESS_MAX, available - max) };
}

/** Read from /proc; infinite where there is none. Node raises the soft limit to the hard one when it starts. */
export function readMaxFiles(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/mu.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}
