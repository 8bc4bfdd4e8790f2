/** The state of the OAuth endpoints. In memory only. */
import { OAUTH_FAILURES_PER_MIN, OAUTH_REQUESTS_PER_MIN } from '../../contract/limits.ts';
import { type AttemptLimiter, createAttemptLimiter } from '../attempt-limiter.ts';
import { type ConsentStore, createConsentStore } from './pending-consents.ts';

export interface OAuthState {
  readonly consents: ConsentStore;
  /** Token and revocation requests, by client and IP address. */
  readonly requests: AttemptLimiter;
  /** Failed client authentications, by client and IP address, and wrong login codes, by authorization request. */
  readonly failedAttempts: AttemptLimiter;
}

export const createOAuthState = (): OAuthState => ({
  consents: createConsentStore(),
  requests: createAttemptLimiter(OAUTH_REQUESTS_PER_MIN),
  failedAttempts: createAttemptLimiter(OAUTH_FAILURES_PER_MIN),
});
