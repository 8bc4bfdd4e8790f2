/** Faults as a person reads them. */
import type { Fault } from '../contract/admin/faults.ts';
import { displayText } from './fields.ts';

export const FAULT_COLUMNS = [
  'target',
  'status',
  'drop',
  'latencyMs',
  'retryAfter',
  'rate',
  'hits',
  'met',
  'remaining',
  'expiresAt',
] as const;
/** How the list is shown: what no fault has is left out. */
export const FAULT_LIST = { sparse: FAULT_COLUMNS.slice(1), whole: ['expiresAt'] };

/** `POST /v1/items: 503 after 200 ms, 10 % of the time, hit 3 of 31`. */
export function faultText({ target, status, drop, latencyMs, rate, remaining, expiresAt, met, hits }: Fault): string {
  const what = status === null ? (drop === null ? undefined : `connection dropped ${drop} the work`) : String(status);
  const late =
    latencyMs === 0 ? undefined : `${what === undefined ? '' : 'after '}${String(latencyMs)} ms${what === undefined ? ' later' : ''}`;
  return [
    `${target}: ${[what, late].filter((part) => part !== undefined).join(' ')}`,
    ...(rate < 1 ? [`${String(Math.round(rate * 1000) / 10)} % of the time`] : []),
    ...(remaining === null ? [] : [`${String(remaining)} more`]),
    ...(expiresAt === null ? [] : [`until ${displayText(expiresAt)}`]),
    `hit ${String(hits)} of ${String(met)}`,
  ].join(', ');
}
