/** Paces requests to a remote service: at most half of the key's rate limit, and none while little of it remains. */
import { RATE_WINDOW_S } from '../../contract/limits.ts';

/** The rest is for other users of the key. */
const MAX_SHARE = 0.5;
/** Below this fraction of the limit the dashboard waits for the next window. */
const RESERVE = 0.25;
const WINDOW_MS = RATE_WINDOW_S * 1_000;
const MIN_INTERVAL_MS = 1_000;

export interface Pacing {
  /** Times of the requests in the last window, in epoch milliseconds. */
  readonly sentAt: readonly number[];
  /** Requests per minute; null before the first response. */
  readonly limit: number | null;
  /** No request before this time, in epoch milliseconds. */
  readonly notBefore: number;
}

export const INITIAL_PACING: Pacing = { sentAt: [], limit: null, notBefore: 0 };

/** The dashboard's share of the limit: at least one request per minute. */
export const maxRequestsPerMinute = (limit: number): number => Math.max(1, Math.floor(limit * MAX_SHARE));

/** The pacing after a request and the rate limit that its response reported. */
export function afterRequest(
  pacing: Pacing,
  at: number,
  answer: { limit: number; remaining: number; resetSeconds: number } | null,
): Pacing {
  const sentAt = [...pacing.sentAt.filter((one) => one > at - WINDOW_MS), at];
  if (answer === null) return { ...pacing, sentAt };
  const isScarce = answer.remaining < answer.limit * RESERVE;
  return { sentAt, limit: answer.limit, notBefore: isScarce ? at + answer.resetSeconds * 1_000 : pacing.notBefore };
}

/** The pacing after a 429 with `Retry-After` in seconds. */
export const afterRateLimited = (pacing: Pacing, at: number, seconds: number): Pacing => ({ ...pacing, notBefore: at + seconds * 1_000 });

/** Milliseconds until the next request. The first round (`isFirstRound`) fills the screen and may use the share without gaps. */
export function getDelay({ sentAt, limit, notBefore }: Pacing, now: number, isFirstRound: boolean): number {
  const share = limit === null ? null : maxRequestsPerMinute(limit);
  const recent = sentAt.filter((one) => one > now - WINDOW_MS);
  const spent = share !== null && recent.length >= share ? (recent[recent.length - share] ?? now) + WINDOW_MS - now : 0;
  const gap = isFirstRound || share === null ? 0 : Math.max(MIN_INTERVAL_MS, WINDOW_MS / share);
  const steady = (recent.at(-1) ?? 0) + gap - now;
  return Math.max(0, Math.ceil(Math.max(spent, steady, notBefore - now)));
}

/** Text for the header. */
export const formatPacing = ({ limit }: Pacing): string =>
  limit === null ? 'polling' : `polling, at most ${String(maxRequestsPerMinute(limit))} of ${String(limit)} requests/min`;
