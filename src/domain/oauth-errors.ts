/** Refusals in the words of the OAuth standards; the OAuth endpoints answer with them instead of our envelope. */
import type { OAuthErrorCode } from '../contract/oauth.ts';

export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;
  constructor(code: OAuthErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
