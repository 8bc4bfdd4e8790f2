/** Whether something that is shown changes every second: a countdown, a time of the last minute, or a count of it. */
import type { State } from './model.ts';

/** A time further away is shown in minutes. */
const SECONDS_MS = 60_000;

export function showsSeconds({ rows, about, connection }: State, now: number): boolean {
  const { deliveries, requests, audit, events, endpoints, limits } = rows;
  const serviceNow = now + about.clockAheadMs;
  const times = [
    deliveries.at(-1)?.updatedAt,
    requests.at(-1)?.at,
    audit.at(-1)?.createdAt,
    events.at(-1)?.occurredAt,
    ...deliveries.map(({ nextAttemptAt }) => nextAttemptAt),
    ...endpoints.flatMap(({ oldestQueuedAt, failingSince, nextAttemptAt }) => [oldestQueuedAt, failingSince, nextAttemptAt]),
  ];
  return (
    connection.state !== 'live' ||
    times.some((time) => typeof time === 'string' && Math.abs(Date.parse(time) - serviceNow) <= SECONDS_MS + 1_000) ||
    limits.some(({ resetsAt }) => resetsAt !== null && resetsAt > now - 1_000 && resetsAt <= now + SECONDS_MS)
  );
}
