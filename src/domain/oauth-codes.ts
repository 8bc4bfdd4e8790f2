/** Authorization codes: bound to everything that the consent was about, used once. RFC 6749 §4.1, RFC 7636; decisions-api §6.2, §6.3. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { CODE_GRANT_KEY_DAYS, OAUTH_CODE_MEMORY_H, OAUTH_CODE_S } from '../contract/limits.ts';
import type { Resource } from '../contract/oauth.ts';
import type { Scope } from '../contract/scopes.ts';
import type { ApplicationRecord } from './applications.ts';
import type { Context } from './context.ts';
import { StockroomError } from './errors.ts';
import { connect } from './installations.ts';
import { issueKey, revokeToken } from './issued-keys.ts';
import type { ApiKeyRecord } from './keys.ts';
import { OAuthError } from './oauth-errors.ts';
import type { ConsentFacts } from './oauth-requests.ts';
import { isRegistered } from './redirects.ts';
import type { ReadTx, Tx } from './tables.ts';

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
  /** Empty: everything. */
  readonly audience: readonly Resource[];
  readonly expiresAt: string;
  readonly usedAt: string | null;
  /** The key that the code produced. */
  readonly keyId: string | null;
  /** Until then a replay is recognised. */
  readonly forgetAt: string;
}

const CODE_BYTES = 32;
const DAY_MS = 86_400_000;
const GRANTED_MS = CODE_GRANT_KEY_DAYS * DAY_MS;

/** Somebody allows a request in the tenant of the context: the application is connected, and gets a code to fetch its key with. */
export async function allow(tx: Tx, context: Context, facts: ConsentFacts): Promise<string> {
  const application = await tx.applications.get(facts.applicationId);
  // It waited for minutes: what was checked then may have changed.
  if (application?.status !== 'approved' || !isRegistered(application, facts.redirectUri)) {
    throw new StockroomError('APPLICATION_DISABLED', `${facts.applicationName} is no longer approved for what it asked.`);
  }
  const scopes = facts.scopes.filter((scope) => application.allowedScopes.includes(scope));
  if (scopes.length < facts.scopes.length) {
    throw new StockroomError('APPLICATION_DISABLED', `${facts.applicationName} may no longer be granted all that it asked for.`);
  }
  const installation = await connect(tx, context, application, { scopes, exactly: false });
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const now = context.now.getTime();
  await tx.oauthCodes.put({
    id: hash('sha256', code),
    applicationId: application.id,
    installationId: installation.id,
    tenantId: context.tenant.id,
    redirectUri: facts.redirectUri,
    challenge: facts.challenge,
    scopes,
    audience: facts.audience,
    expiresAt: new Date(now + OAUTH_CODE_S * 1_000).toISOString(),
    usedAt: null,
    keyId: null,
    forgetAt: new Date(now + OAUTH_CODE_MEMORY_H * 3_600_000).toISOString(),
  });
  return code;
}

export const findCode = (tx: ReadTx, code: string): Promise<CodeRecord | undefined> => tx.oauthCodes.get(hash('sha256', code));

export interface CodeUse {
  readonly application: ApplicationRecord;
  readonly code: string;
  readonly redirectUri: string;
  readonly verifier: string;
  /** What the token request names; empty: all that the code is for. */
  readonly audience: readonly Resource[];
}

/**
 * Exchanges a code for a key, in the tenant of the code. A refusal is returned, not thrown, because a replay changes something: the key
 * that the code had produced is revoked, for one of the two who hold the code stole it (RFC 6749 §4.1.2).
 */
export async function useCode(
  tx: Tx,
  context: Context,
  { application, code, redirectUri, verifier, audience }: CodeUse,
): Promise<{ key: ApiKeyRecord; secret: string } | OAuthError> {
  const record = await findCode(tx, code);
  const invalid = new OAuthError('invalid_grant', 'The code is unknown, expired, used, or not for this client, address and verifier.');
  if (!record) return invalid;
  if (record.usedAt !== null) {
    const key = record.keyId === null ? undefined : await tx.apiKeys.get(record.keyId);
    if (key) await revokeToken(tx, context, key, 'code replayed');
    return invalid;
  }
  const isOwn = record.applicationId === application.id && record.redirectUri === redirectUri;
  if (!isOwn || Date.parse(record.expiresAt) <= context.now.getTime() || !proves(verifier, record.challenge)) return invalid;
  if (application.status !== 'approved') return new OAuthError('unauthorized_client', `The application is ${application.status}.`);
  const installation = await tx.installations.get(record.installationId);
  if (installation?.status !== 'active' || !context.tenant.isActive) return invalid;
  const isGranted = (resource: Resource) =>
    record.audience.length === 0 || record.audience.includes('') || record.audience.includes(resource);
  if (!audience.every(isGranted)) return new OAuthError('invalid_target', 'The consent was for other resources.');
  const issue = { grantType: 'authorization_code', scopes: record.scopes, lifetimeMs: GRANTED_MS } as const;
  const issued = await issueKey(tx, context, {
    ...issue,
    application,
    installation,
    audience: audience.length === 0 ? record.audience : audience,
  });
  await tx.oauthCodes.put({ ...record, usedAt: context.now.toISOString(), keyId: issued.key.id });
  return issued;
}

/** RFC 7636 §4.1: 43 to 128 unreserved characters. */
const VERIFIER = /^[\w.~-]{43,128}$/u;

function proves(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false;
  return timingSafeEqual(Buffer.from(hash('sha256', verifier, 'base64url')), Buffer.from(challenge));
}
