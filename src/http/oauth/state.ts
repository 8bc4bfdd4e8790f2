/** What the OAuth endpoints remember while the daemon runs. */
import { OAUTH_FAILURES_PER_MIN, OAUTH_REQUESTS_PER_MIN } from '../../contract/limits.ts';
import { type Allowance, allowance } from './allowance.ts';
import { type PageDesk, consentDesk } from './desk.ts';

export interface OAuthState {
  readonly desk: PageDesk;
  /** Requests of clients, by client and address. */
  readonly requests: Allowance;
  /** Failed proofs of clients and wrong login codes, by address. */
  readonly failures: Allowance;
}

export const oauthState = (): OAuthState => ({
  desk: consentDesk(),
  requests: allowance(OAUTH_REQUESTS_PER_MIN),
  failures: allowance(OAUTH_FAILURES_PER_MIN),
});
