/** Authorization codes: bound to everything that the consent was about, used once. decisions-api §6.3. */
import type { Resource } from '../contract/oauth.ts';
import type { Scope } from '../contract/scopes.ts';

export interface CodeRecord {
  /** SHA-256 of the code, hex. */
  readonly id: string;
  readonly applicationId: string;
  readonly installationId: string;
  readonly tenantId: string;
  readonly redirectUri: string;
  /** RFC 7636: base64url of the SHA-256 of the verifier. */
  readonly challenge: string;
  readonly scopes: readonly Scope[];
  readonly audience: readonly Resource[];
  readonly expiresAt: string;
  readonly usedAt: string | null;
  /** The key that the code produced. */
  readonly keyId: string | null;
  /** Until then a replay is recognised. */
  readonly forgetAt: string;
}
