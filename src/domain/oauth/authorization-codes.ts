/** Authorization codes: bound to the authorization request that was allowed, and valid for one use. RFC 6749 §4.1, RFC 7636. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { AUTHORIZATION_CODE_KEY_DAYS, OAUTH_CODE_RETENTION_H, OAUTH_CODE_LIFETIME_S } from '../../contract/limits.ts';
import type { Resource } from '../../contract/oauth.ts';
import type { ApplicationRecord, AuthorizationCodeRecord } from './records.ts';
import type { Context } from '../kernel/context.ts';
import { StockroomError } from '../kernel/errors.ts';
import { connectApplication } from './installations.ts';
import { issueKey, revokeToken } from './issued-keys.ts';
import type { ApiKeyRecord } from '../tenancy/records.ts';
import { OAuthError } from './errors.ts';
import type { AuthorizationRequest } from './records.ts';
import { isRegisteredRedirectUri } from './redirect-uris.ts';
import type { ReadTx, Tx } from '../tables.ts';

const CODE_BYTES = 32;
const DAY_MS = 86_400_000;
const KEY_LIFETIME_MS = AUTHORIZATION_CODE_KEY_DAYS * DAY_MS;

/** Connects the application to the tenant of the context and creates the authorization code for an allowed request. */
export async function createAuthorizationCode(
  tx: Tx,
  context: Context,
  request: AuthorizationRequest,
): Promise<{ code: string; id: string; expiresAt: string }> {
  const application = await tx.applications.get(request.applicationId);
  // The application may have changed while the request was pending.
  if (application?.status !== 'approved' || !isRegisteredRedirectUri(application, request.redirectUri)) {
    throw new StockroomError(
      'APPLICATION_DISABLED',
      `${request.applicationName} is no longer approved for this request. Start again from the application.`,
    );
  }
  const scopes = request.scopes.filter((scope) => application.allowedScopes.includes(scope));
  if (scopes.length < request.scopes.length) {
    throw new StockroomError(
      'APPLICATION_DISABLED',
      `${request.applicationName} is no longer allowed all requested scopes. Start again from the application.`,
    );
  }
  const installation = await connectApplication(tx, context, application, { scopes, replacesScopes: false });
  const { code, id } = generateCode();
  const now = context.now.getTime();
  const expiresAt = new Date(now + OAUTH_CODE_LIFETIME_S * 1_000).toISOString();
  await tx.oauthCodes.put({
    id,
    applicationId: application.id,
    installationId: installation.id,
    tenantId: context.tenant.id,
    redirectUri: request.redirectUri,
    challenge: request.challenge,
    scopes,
    audience: request.audience,
    expiresAt,
    usedAt: null,
    keyId: null,
    forgetAt: new Date(now + OAUTH_CODE_RETENTION_H * 3_600_000).toISOString(),
  });
  return { code, id, expiresAt };
}

/** Replaces a code that was not used by a new one, because only the hash of a code is stored. Undefined if it was used. */
export async function replaceAuthorizationCode(tx: Tx, id: string): Promise<{ code: string; id: string } | undefined> {
  const record = await tx.oauthCodes.get(id);
  if (!record || record.usedAt !== null) return undefined;
  const replacement = generateCode();
  await tx.oauthCodes.remove(id);
  await tx.oauthCodes.put({ ...record, id: replacement.id });
  return replacement;
}

function generateCode(): { code: string; id: string } {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  return { code, id: hash('sha256', code) };
}

/** The record of a code, also after its use or expiry. */
export const findCode = (tx: ReadTx, code: string): Promise<AuthorizationCodeRecord | undefined> => tx.oauthCodes.get(hash('sha256', code));

export interface CodeExchange {
  readonly application: ApplicationRecord;
  readonly code: string;
  readonly redirectUri: string;
  readonly verifier: string;
  /** The resources of the token request; empty for all resources of the code. */
  readonly audience: readonly Resource[];
}

/**
 * Exchanges a code for a key in the tenant of the code. Errors are returned instead of thrown, because a replay must commit: it revokes the
 * key that the code had produced, since one of its two holders stole it (RFC 6749 §4.1.2).
 */
export async function exchangeCode(
  tx: Tx,
  context: Context,
  { application, code, redirectUri, verifier, audience }: CodeExchange,
): Promise<{ key: ApiKeyRecord; secret: string } | OAuthError> {
  const record = await findCode(tx, code);
  const invalid = new OAuthError(
    'invalid_grant',
    'The code is unknown, expired or used, or does not match the client, redirect_uri or code_verifier.',
  );
  // A foreign client can do nothing with a code, not even have its key revoked.
  if (record?.applicationId !== application.id) return invalid;
  if (record.usedAt !== null) {
    const key = record.keyId === null ? undefined : await tx.apiKeys.get(record.keyId);
    if (key) await revokeToken(tx, context, key, 'code replayed');
    return invalid;
  }
  const isExpired = Date.parse(record.expiresAt) <= context.now.getTime();
  if (isExpired || record.redirectUri !== redirectUri || !verifyChallenge(verifier, record.challenge)) return invalid;
  if (application.status !== 'approved') return new OAuthError('unauthorized_client', `The application is ${application.status}.`);
  const installation = await tx.installations.get(record.installationId);
  if (installation?.status !== 'active' || !context.tenant.isActive) return invalid;
  const isGranted = (resource: Resource) =>
    record.audience.length === 0 || record.audience.includes('') || record.audience.includes(resource);
  if (!audience.every(isGranted)) return new OAuthError('invalid_target', 'The requested resource is not covered by the consent.');
  const issue = { grantType: 'authorization_code', scopes: record.scopes, lifetimeMs: KEY_LIFETIME_MS } as const;
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

function verifyChallenge(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false;
  return timingSafeEqual(Buffer.from(hash('sha256', verifier, 'base64url')), Buffer.from(challenge));
}
