/** Fixed 60-second windows per key, starting with a request of the key. A-4. In memory only: a restart starts new windows. */
import { DEFAULT_TIER, RATE_WINDOW_S, TIERS } from '../contract/limits.ts';
import { RATE_LIMIT } from '../contract/headers.ts';
import type { ApiKeyRecord } from '../domain/tenancy/records.ts';

interface RateWindow {
  /** Milliseconds since the epoch. */
  startedAt: number;
  used: number;
}

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
  count(key: ApiKeyRecord, now: number): RateLimitState;
  /** The current window, without counting a request. */
  peek(key: ApiKeyRecord, now: number): RateLimitState;
  /** Requests per minute by tier name. */
  tiers(): ReadonlyMap<string, number>;
  /** Creates or updates a tier. Open windows continue with the new limit. */
  setTier(name: string, requestsPerMinute: number): void;
  /** Replaces all tiers but the built-in ones. */
  replaceTiers(tiers: Readonly<Record<string, number>>): void;
}

/** `tiers`: requests per minute by tier name, in addition to the built-in ones. */
export function createRateLimiter(tiers: Readonly<Record<string, number>>): RateLimiter {
  const limits = new Map<string, number>(Object.entries({ ...TIERS, ...tiers }));
  const getLimit = ({ rateLimitTier }: ApiKeyRecord) => limits.get(rateLimitTier) ?? limits.get(DEFAULT_TIER) ?? TIERS[DEFAULT_TIER];
  const windows = new Map<string, RateWindow>();
  const windowMs = RATE_WINDOW_S * 1000;

  function openWindow(key: ApiKeyRecord, now: number): RateWindow {
    let window = windows.get(key.id);
    if (!window || now >= window.startedAt + windowMs || now < window.startedAt) {
      window = { startedAt: now, used: 0 };
      windows.set(key.id, window);
    }
    return window;
  }
  function toState(key: ApiKeyRecord, window: RateWindow, now: number, isAllowed: boolean): RateLimitState {
    const limit = getLimit(key);
    const endsAt = window.startedAt + windowMs;
    return {
      isAllowed,
      limit,
      remaining: Math.max(0, limit - window.used),
      resetSeconds: Math.max(1, Math.ceil((endsAt - now) / 1000)),
      resetAt: Math.ceil(endsAt / 1000),
    };
  }
  return {
    count(key, now) {
      const window = openWindow(key, now);
      const isAllowed = window.used < getLimit(key);
      if (isAllowed) window.used += 1;
      return toState(key, window, now, isAllowed);
    },
    peek: (key, now) => toState(key, windows.get(key.id) ?? { startedAt: now, used: 0 }, now, true),
    tiers: () => limits,
    setTier: (name, requestsPerMinute) => void limits.set(name, requestsPerMinute),
    replaceTiers(newTiers) {
      limits.clear();
      for (const [name, limit] of Object.entries({ ...TIERS, ...newTiers })) limits.set(name, limit);
    },
  };
}

/** The rate limit headers of every authenticated response, as alternating names and values. */
export const toRateLimitHeaders = ({ limit, remaining, resetSeconds, resetAt }: RateLimitState): readonly string[] => [
  RATE_LIMIT.policy,
  `"default";q=${String(limit)};w=${String(RATE_WINDOW_S)}`,
  RATE_LIMIT.state,
  `"default";r=${String(remaining)};t=${String(resetSeconds)}`,
  RATE_LIMIT.limit,
  String(limit),
  RATE_LIMIT.remaining,
  String(remaining),
  RATE_LIMIT.reset,
  String(resetAt),
];
