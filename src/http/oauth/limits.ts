/** Attempt limits of the OAuth endpoints, in memory: each daemon counts for itself. A-4. */
import { OAUTH_FAILURES_PER_MIN, OAUTH_REQUESTS_PER_MIN } from '../../contract/limits.ts';
import { type AttemptLimiter, createAttemptLimiter } from '../requests/attempt-limiter.ts';

export interface OAuthLimits {
  /** Token and revocation requests, by client and IP address. */
  readonly requests: AttemptLimiter;
  /** Failed client authentications, by client and IP address, and wrong login codes, by authorization request. */
  readonly failedAttempts: AttemptLimiter;
}

export const createOAuthLimits = (): OAuthLimits => ({
  requests: createAttemptLimiter(OAUTH_REQUESTS_PER_MIN),
  failedAttempts: createAttemptLimiter(OAUTH_FAILURES_PER_MIN),
});
