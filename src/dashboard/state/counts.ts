/** Counts requests and those that failed, for the charts of the overview. */
import { type Meter, addPastToMeter, addToMeter } from './meter.ts';
import type { Counts, RequestRow } from './model.ts';

const CLIENT_ERROR = 400;
const SERVER_ERROR = 500;

/** Adds requests that have just been answered or, if `clockAheadMs` is given, each at its time of the service's clock. */
export function addToCounts(counts: Counts, at: number, requests: readonly RequestRow[], clockAheadMs?: number): Counts {
  const add = (meter: Meter, times: readonly string[]): Meter =>
    clockAheadMs === undefined
      ? addToMeter(meter, at, times.length)
      : times.reduce((sum, time) => addPastToMeter(sum, Date.parse(time) - clockAheadMs), addToMeter(meter, at, 0));
  /** A request without a status is none of the service's: its client disconnected before the response. */
  const getErrors = (from: number, before: number): readonly string[] =>
    requests.filter(({ status }) => status !== null && status >= from && status < before).map((row) => row.at);
  return {
    all: add(
      counts.all,
      requests.map((row) => row.at),
    ),
    clientErrors: add(counts.clientErrors, getErrors(CLIENT_ERROR, SERVER_ERROR)),
    serverErrors: add(counts.serverErrors, getErrors(SERVER_ERROR, Infinity)),
  };
}
