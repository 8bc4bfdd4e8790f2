/** Fixed 60-second windows per key, anchored at the key's first request. decisions-api §4. Kept in memory: a restart begins a fresh window. */
import { DEFAULT_TIER, RATE_WINDOW_S, TIERS } from '../contract/limits.ts';
import { RATE_LIMIT } from '../contract/headers.ts';
import type { ApiKeyRecord } from '../domain/keys.ts';

interface Window {
  /** Milliseconds since the epoch. */
  startedAt: number;
  used: number;
}

export interface RateState {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
  /** Epoch seconds. */
  readonly resetAt: number;
}

export interface RateLimiter {
  /** Counts one request of the key, unless it is over the limit. */
  count(key: ApiKeyRecord, now: number): RateState;
  /** The window as it stands, counting nothing. */
  peek(key: ApiKeyRecord, now: number): RateState;
  /** Requests per minute of every tier, by name. */
  tiers(): ReadonlyMap<string, number>;
  /** Makes or changes a tier; windows that are open go on under the new limit. */
  setTier(name: string, requestsPerMinute: number): void;
  /** Other tiers beside the built-in ones instead of those there were. */
  replaceTiers(tiers: Readonly<Record<string, number>>): void;
}

/** `tiers`: requests per minute by tier name, beside the built-in ones. */
export function rateLimiter(tiers: Readonly<Record<string, number>>): RateLimiter {
  const limits = new Map<string, number>(Object.entries({ ...TIERS, ...tiers }));
  const limitOf = ({ rateLimitTier }: ApiKeyRecord) => limits.get(rateLimitTier) ?? limits.get(DEFAULT_TIER) ?? TIERS[DEFAULT_TIER];
  const windows = new Map<string, Window>();
  const length = RATE_WINDOW_S * 1000;

  function windowOf(key: ApiKeyRecord, now: number): Window {
    let window = windows.get(key.id);
    if (!window || now >= window.startedAt + length || now < window.startedAt) {
      window = { startedAt: now, used: 0 };
      windows.set(key.id, window);
    }
    return window;
  }
  function state(key: ApiKeyRecord, window: Window, now: number, allowed: boolean): RateState {
    const limit = limitOf(key);
    const endsAt = window.startedAt + length;
    return {
      allowed,
      limit,
      remaining: Math.max(0, limit - window.used),
      resetSeconds: Math.max(1, Math.ceil((endsAt - now) / 1000)),
      resetAt: Math.ceil(endsAt / 1000),
    };
  }
  return {
    count(key, now) {
      const window = windowOf(key, now);
      const allowed = window.used < limitOf(key);
      if (allowed) window.used += 1;
      return state(key, window, now, allowed);
    },
    peek: (key, now) => state(key, windows.get(key.id) ?? { startedAt: now, used: 0 }, now, true),
    tiers: () => limits,
    setTier: (name, requestsPerMinute) => void limits.set(name, requestsPerMinute),
    replaceTiers(others) {
      limits.clear();
      for (const [name, limit] of Object.entries({ ...TIERS, ...others })) limits.set(name, limit);
    },
  };
}

/** The headers of a state, on every authenticated response: names and values in turn. */
export const rateHeaders = ({ limit, remaining, resetSeconds, resetAt }: RateState): readonly string[] => [
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
