/** Counts attempts of deliveries and failed requests, for the header and the charts of the overview. */
import { PROBLEM_STATUSES } from '../../contract/admin/webhooks.ts';
import { type Meter, addPastToMeter, addToMeter } from './meter.ts';
import type { Counts, Rows } from './model.ts';

const CLIENT_ERROR = 400;
const SERVER_ERROR = 500;

/** Adds rows that have just changed or, if `clockAheadMs` is given, each at the time of the service's clock when it changed. */
export function addToCounts(
  counts: Counts,
  at: number,
  { deliveries = [], requests = [] }: Partial<Pick<Rows, 'deliveries' | 'requests'>>,
  clockAheadMs?: number,
): Counts {
  const add = (meter: Meter, times: readonly string[]): Meter =>
    clockAheadMs === undefined
      ? addToMeter(meter, at, times.length)
      : times.reduce((sum, time) => addPastToMeter(sum, Date.parse(time) - clockAheadMs), addToMeter(meter, at, 0));
  const getAttempts = (statuses: readonly string[]): readonly string[] =>
    deliveries.filter(({ status }) => statuses.includes(status)).map(({ updatedAt }) => updatedAt);
  /** Without a status, the client did not get a response. */
  const getErrors = (from: number, before: number): readonly string[] =>
    requests.filter(({ status }) => (status ?? SERVER_ERROR) >= from && (status ?? SERVER_ERROR) < before).map((row) => row.at);
  const attempts = getAttempts(['delivered', ...PROBLEM_STATUSES]);
  return {
    attemptsBySecond: add(counts.attemptsBySecond, attempts),
    attempts: add(counts.attempts, attempts),
    failedAttempts: add(counts.failedAttempts, getAttempts(PROBLEM_STATUSES)),
    clientErrors: add(counts.clientErrors, getErrors(CLIENT_ERROR, SERVER_ERROR)),
    serverErrors: add(counts.serverErrors, getErrors(SERVER_ERROR, Infinity)),
  };
}
