/** How fast a remote service is asked: at most half of what the key may, whoever else uses it, and not at all while little is left. */
import { RATE_WINDOW_S } from '../contract/limits.ts';

/** The rest is for those who work with the key. */
const SHARE = 0.5;
/** Below this part of the limit the dashboard waits for the next window. */
const RESERVE = 0.25;
const WINDOW_MS = RATE_WINDOW_S * 1_000;
const FASTEST_MS = 1_000;

export interface Pace {
  /** Requests that were made, epoch milliseconds, of the last window. */
  readonly asked: readonly number[];
  /** Requests a minute; null before the first answer. */
  readonly limit: number | null;
  /** Nothing is asked before. */
  readonly notBefore: number;
}

export const newPace: Pace = { asked: [], limit: null, notBefore: 0 };

/** How many requests a minute the dashboard makes at most. At least one, or it could show nothing. */
export const shareOf = (limit: number): number => Math.max(1, Math.floor(limit * SHARE));

/** The pace after a request, with what its answer said about the limit. */
export function afterRequest(pace: Pace, at: number, answer: { limit: number; remaining: number; resetSeconds: number } | null): Pace {
  const asked = [...pace.asked.filter((one) => one > at - WINDOW_MS), at];
  if (answer === null) return { ...pace, asked };
  const isScarce = answer.remaining < answer.limit * RESERVE;
  return { asked, limit: answer.limit, notBefore: isScarce ? at + answer.resetSeconds * 1_000 : pace.notBefore };
}

/** The pace after a refusal for now, in seconds to wait. */
export const afterRefusal = (pace: Pace, at: number, seconds: number): Pace => ({ ...pace, notBefore: at + seconds * 1_000 });

/** Milliseconds until the next request. `hurry`: the first round, which fills the screen, may use its share at once. */
export function waitOf({ asked, limit, notBefore }: Pace, now: number, hurry: boolean): number {
  const share = limit === null ? null : shareOf(limit);
  const recent = asked.filter((one) => one > now - WINDOW_MS);
  const spent = share !== null && recent.length >= share ? (recent[recent.length - share] ?? now) + WINDOW_MS - now : 0;
  const gap = hurry || share === null ? 0 : Math.max(FASTEST_MS, WINDOW_MS / share);
  const steady = (recent.at(-1) ?? 0) + gap - now;
  return Math.max(0, Math.ceil(Math.max(spent, steady, notBefore - now)));
}

/** For the header. */
export const paceText = ({ limit }: Pace): string =>
  limit === null ? 'asking from time to time' : `asking at most ${String(shareOf(limit))} of ${String(limit)} requests/min`;
