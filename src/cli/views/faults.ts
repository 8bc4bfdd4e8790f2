/** Injected faults at a terminal. */
import type { Fault } from '../../contract/admin/faults.ts';
import { toDisplayText } from '../output/fields.ts';

export const FAULT_COLUMNS = [
  'target',
  'status',
  'drop',
  'latencyMs',
  'slowBodyMs',
  'retryAfter',
  'after',
  'rate',
  'hits',
  'met',
  'remaining',
  'expiresAt',
] as const;
/** Special columns of the list. */
export const FAULT_LIST = { hiddenIfEmpty: FAULT_COLUMNS.slice(1), neverTruncated: ['expiresAt'] };

/** `POST /v1/items: 503 after 200 ms, 10 % of the time, hit 3 of 31`. */
export function formatFault({ target, status, drop, latencyMs, rate, remaining, expiresAt, met, hits }: Fault): string {
  const what = status === null ? (drop === null ? undefined : `connection dropped ${drop} the work`) : String(status);
  const late =
    latencyMs === 0 ? undefined : `${what === undefined ? '' : 'after '}${String(latencyMs)} ms${what === undefined ? ' later' : ''}`;
  return [
    `${target}: ${[what, late].filter((part) => part !== undefined).join(' ')}`,
    ...(rate < 1 ? [`${String(Math.round(rate * 1000) / 10)} % of the time`] : []),
    ...(remaining === null ? [] : [`${String(remaining)} more`]),
    ...(expiresAt === null ? [] : [`until ${toDisplayText(expiresAt)}`]),
    `hit ${String(hits)} of ${String(met)}`,
  ].join(', ');
}
