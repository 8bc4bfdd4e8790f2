/** Counts attempts of deliveries and failed requests by minute, for the charts of the overview. */
import { addPastToMeter, addToMeter, type Meter } from './meter.ts';
import type { DeliveryRow, HourCounts, RequestRow } from './model.ts';

/** Statuses after an attempt, and those after a failed one. */
const ATTEMPTED: ReadonlySet<string> = new Set(['delivered', 'failed', 'retrying']);
const FAILED: ReadonlySet<string> = new Set(['failed', 'retrying']);
const CLIENT_ERROR = 400;
const SERVER_ERROR = 500;

export const isAttempted = ({ status }: DeliveryRow): boolean => ATTEMPTED.has(status);
const isFailed = ({ status }: DeliveryRow): boolean => FAILED.has(status);
/** Without a status, the client did not get a response. */
const isServerError = ({ status }: RequestRow): boolean => status === null || status >= SERVER_ERROR;
const isClientError = (row: RequestRow): boolean => !isServerError(row) && (row.status ?? 0) >= CLIENT_ERROR;

const count = <R>(rows: readonly R[], matches: (row: R) => boolean): number => rows.filter((row) => matches(row)).length;

/** Adds what has just happened. */
export const countNews = (
  hour: HourCounts,
  at: number,
  deliveries: readonly DeliveryRow[],
  requests: readonly RequestRow[],
): HourCounts => ({
  attempts: addToMeter(hour.attempts, at, count(deliveries, isAttempted)),
  failedAttempts: addToMeter(hour.failedAttempts, at, count(deliveries, isFailed)),
  clientErrors: addToMeter(hour.clientErrors, at, count(requests, isClientError)),
  serverErrors: addToMeter(hour.serverErrors, at, count(requests, isServerError)),
});

/** Adds what happened before. `aheadMs`: by how much the clock of the service is ahead. */
export function countPast(
  hour: HourCounts,
  at: number,
  aheadMs: number,
  { deliveries = [], requests = [] }: { readonly deliveries?: readonly DeliveryRow[]; readonly requests?: readonly RequestRow[] },
): HourCounts {
  const add = <R>(meter: Meter, rows: readonly R[], getTime: (row: R) => string, matches: (row: R) => boolean): Meter =>
    rows
      .filter((row) => matches(row))
      .reduce((sum, row) => addPastToMeter(sum, Date.parse(getTime(row)) - aheadMs, 1), addToMeter(meter, at, 0));
  const changedAt = ({ updatedAt }: DeliveryRow): string => updatedAt;
  const requestedAt = (row: RequestRow): string => row.at;
  return {
    attempts: add(hour.attempts, deliveries, changedAt, isAttempted),
    failedAttempts: add(hour.failedAttempts, deliveries, changedAt, isFailed),
    clientErrors: add(hour.clientErrors, requests, requestedAt, isClientError),
    serverErrors: add(hour.serverErrors, requests, requestedAt, isServerError),
  };
}
