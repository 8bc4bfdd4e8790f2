/** Faults as a person reads them. */
import type { Fault } from '../contract/admin/faults.ts';

export const FAULT_COLUMNS = [
  'target',
  'status',
  'drop',
  'latencyMs',
  'retryAfter',
  'rate',
  'remaining',
  'expiresAt',
  'met',
  'hits',
] as const;

/** `POST /v1/items: 503 after 200 ms, 10 % of the time, hit 3 of 31`. */
export function faultText({ target, status, drop, latencyMs, rate, remaining, expiresAt, met, hits }: Fault): string {
  const what = status === null ? (drop === null ? undefined : `connection dropped ${drop} the work`) : String(status);
  const late =
    latencyMs === 0 ? undefined : `${what === undefined ? '' : 'after '}${String(latencyMs)} ms${what === undefined ? ' later' : ''}`;
  return [
    `${target}: ${[what, late].filter((part) => part !== undefined).join(' ')}`,
    ...(rate < 1 ? [`${String(Math.round(rate * 1000) / 10)} % of the time`] : []),
    ...(remaining === null ? [] : [`${String(remaining)} more`]),
    ...(expiresAt === null ? [] : [`until ${expiresAt}`]),
    `hit ${String(hits)} of ${String(met)}`,
  ].join(', ');
}
