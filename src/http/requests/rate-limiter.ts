/** The rate limits of API keys: their tiers, and the state of their windows for responses. The windows are in `RateWindows`. A-4. */
import { DEFAULT_TIER, RATE_WINDOW_S, TIERS } from '../../contract/limits.ts';
import { RATE_LIMIT } from '../../contract/headers.ts';
import type { MaybePromise, RateWindow, RateWindows } from '../../domain/kernel/shared-state.ts';
import type { ApiKeyRecord } from '../../domain/tenancy/records.ts';

export interface RateLimitState {
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
  /** Seconds since the epoch. */
  readonly resetAt: number;
}

export interface RateLimiter {
  /** Counts a request of the key, unless the limit is reached. `now`: milliseconds since the epoch. */
  count(key: ApiKeyRecord, now: number): MaybePromise<RateLimitState>;
  /** The window as of the last request that this daemon counted, without counting one. */
  peek(key: ApiKeyRecord, now: number): RateLimitState;
  /** Requests per minute by tier name. */
  listTiers(): ReadonlyMap<string, number>;
  /** Creates or updates a tier. Open windows continue with the new limit. */
  setTier(name: string, requestsPerMinute: number): void;
  /** Replaces all tiers but the built-in ones. */
  replaceTiers(tiers: Readonly<Record<string, number>>): void;
}

const WINDOW_MS = RATE_WINDOW_S * 1_000;

/** `tiers`: requests per minute by tier name, in addition to the built-in ones. */
export function createRateLimiter(windows: RateWindows, tiers: Readonly<Record<string, number>>): RateLimiter {
  const limits = new Map<string, number>(Object.entries({ ...TIERS, ...tiers }));
  const getLimit = ({ rateLimitTier }: ApiKeyRecord) => limits.get(rateLimitTier) ?? limits.get(DEFAULT_TIER) ?? TIERS[DEFAULT_TIER];
  return {
    count(key, now) {
      const limit = getLimit(key);
      const counted = windows.count(key.id, limit, now);
      if (counted instanceof Promise) return counted.then((window) => toState(window, limit, now, window.isAllowed));
      return toState(counted, limit, now, counted.isAllowed);
    },
    peek: (key, now) => toState(windows.peek(key.id, now) ?? { startedAt: now, used: 0 }, getLimit(key), now, true),
    listTiers: () => limits,
    setTier: (name, requestsPerMinute) => void limits.set(name, requestsPerMinute),
    replaceTiers(newTiers) {
      limits.clear();
      for (const [name, limit] of Object.entries({ ...TIERS, ...newTiers })) limits.set(name, limit);
    },
  };
}

function toState({ startedAt, used }: RateWindow, limit: number, now: number, isAllowed: boolean): RateLimitState {
  const endsAt = startedAt + WINDOW_MS;
  return {
    isAllowed,
    limit,
    remaining: Math.max(0, limit - used),
    resetSeconds: Math.max(1, Math.ceil((endsAt - now) / 1000)),
    resetAt: Math.ceil(endsAt / 1000),
  };
}

/** The rate limit headers of every authenticated response. */
export const toRateLimitHeaders = ({ limit, remaining, resetSeconds, resetAt }: RateLimitState): Readonly<Record<string, string>> => ({
  [RATE_LIMIT.policy]: `"default";q=${String(limit)};w=${String(RATE_WINDOW_S)}`,
  [RATE_LIMIT.state]: `"default";r=${String(remaining)};t=${String(resetSeconds)}`,
  [RATE_LIMIT.limit]: String(limit),
  [RATE_LIMIT.remaining]: String(remaining),
  [RATE_LIMIT.reset]: String(resetAt),
});
