/** Errors of the OAuth endpoints, which respond with OAuth error codes instead of the error envelope of /v1. */
import type { OAuthErrorCode } from '../../contract/oauth.ts';

export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;
  constructor(code: OAuthErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
