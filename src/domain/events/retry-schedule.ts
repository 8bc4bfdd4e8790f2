/** When a failed delivery is attempted again. W-2, W-3. */
import { RETRY_AFTER_MAX_H } from '../../contract/limits.ts';
import type { DeliveryError } from '../../contract/resources/webhooks.ts';

export interface RetryRules {
  /** Delays before the second and each later attempt. */
  readonly scheduleSeconds: readonly number[];
  /** Below this no attempt is retried. Default: a second. */
  readonly minimumMs?: number;
  /** Minimum delay after a response that indicates overload. */
  readonly overloadSeconds: number;
}

const JITTER = 0.2;
const MIN_DELAY_MS = 1_000;
const OVERLOAD_ERRORS: ReadonlySet<DeliveryError> = new Set(['timeout', 'http_429', 'http_502', 'http_504']);

/** The scheduled delay with jitter, or a longer one if the receiver requests it or is overloaded. */
export function getRetryDelayMs(
  seconds: number,
  { error, retryAfterSeconds }: { readonly error: DeliveryError | null; readonly retryAfterSeconds: number | null },
  rules: RetryRules,
  random: number,
): number {
  const scheduledMs = Math.max(rules.minimumMs ?? MIN_DELAY_MS, Math.round(seconds * 1_000 * (1 - JITTER + 2 * JITTER * random)));
  const requestedMs = Math.min(retryAfterSeconds ?? 0, RETRY_AFTER_MAX_H * 3_600) * 1_000;
  const overloadMs = error !== null && OVERLOAD_ERRORS.has(error) ? rules.overloadSeconds * 1_000 : 0;
  return Math.max(scheduledMs, requestedMs, overloadMs);
}
