/**
 * Counts deliveries of the last hour by the time of their latest attempt; rows do not have earlier ones. Only the latest rows count, which
 * the dashboard knows no matter how long it has been open.
 */
import { PAGE_SIZE_MAX } from '../../contract/limits.ts';
import { MINUTE_MS, type Meter, SLOTS, addPastToMeter, emptyMeter } from '../state/meter.ts';
import type { DeliveryRow, State } from '../state/model.ts';
import { type ProblemCounts, countProblems, isDeliveryProblem } from './deliveries.ts';
import { formatCount, formatInterval } from './format.ts';

/** As many as are read when the dashboard opens. */
export const COUNTED_DELIVERIES = 1_000;
const HOUR_MS = SLOTS * MINUTE_MS;

export const listLatestDeliveries = ({ rows }: State): readonly DeliveryRow[] => rows.deliveries.slice(-COUNTED_DELIVERIES);

const isAttempted = (row: DeliveryRow): boolean => row.status === 'delivered' || isDeliveryProblem(row);

interface DeliveryCounts {
  readonly attempted: Meter;
  readonly problems: Meter;
  readonly counts: ProblemCounts;
  /** `3 deliveries in the last hour`. */
  readonly text: string;
}

/** Of the last hour, by minute. */
export function countDeliveries(state: State, now: number): DeliveryCounts {
  const latest = listLatestDeliveries(state);
  const serviceNow = now + state.about.clockAheadMs;
  const attempted = latest.filter((row) => isAttempted(row) && Date.parse(row.updatedAt) > serviceNow - HOUR_MS);
  const problems = attempted.filter(isDeliveryProblem);
  const toMeter = (rows: readonly DeliveryRow[]): Meter =>
    rows.reduce(
      (meter, { updatedAt }) => addPastToMeter(meter, Math.min(now, Date.parse(updatedAt) - state.about.clockAheadMs)),
      emptyMeter(now, MINUTE_MS),
    );
  return {
    attempted: toMeter(attempted),
    problems: toMeter(problems),
    counts: countProblems(attempted),
    text: describe(state, attempted.length, serviceNow),
  };
}

function describe(state: State, count: number, serviceNow: number): string {
  const deliveries = formatCount(count, 'delivery', 'deliveries');
  const age = getLatestAge(state, serviceNow);
  if (age !== null && age < HOUR_MS) return `${deliveries} in the last ${formatInterval(age)}`;
  return `${isPartlyRead(state) ? 'at least ' : ''}${deliveries} in the last hour`;
}

/** The age of the oldest of the latest rows; null if they are all that there are. */
function getLatestAge(state: State, serviceNow: number): number | null {
  const latest = listLatestDeliveries(state);
  const [oldest] = latest;
  return oldest === undefined || latest.length < COUNTED_DELIVERIES ? null : serviceNow - Date.parse(oldest.updatedAt);
}

/** Of a remote service, the latest page of each endpoint is read. */
export const isPartlyRead = ({ about, rows }: State): boolean =>
  !about.isLocal && rows.endpoints.some((row) => row.delivered + row.failed + row.discarded >= PAGE_SIZE_MAX);

/** Over the last minute or, if the latest rows took less, over their time. */
export function getDeliveriesPerMinute(state: State, now: number): number {
  const serviceNow = now + state.about.clockAheadMs;
  const recent = listLatestDeliveries(state).filter((row) => isAttempted(row) && Date.parse(row.updatedAt) > serviceNow - MINUTE_MS);
  const age = getLatestAge(state, serviceNow) ?? MINUTE_MS;
  return age >= MINUTE_MS ? recent.length : Math.round((recent.length * MINUTE_MS) / Math.max(1_000, age));
}
