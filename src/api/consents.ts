/** Allows and denies pending OAuth consents, for the consent page and the admin API alike.. */
import { CONSENT_LIFETIME_MIN } from '../contract/limits.ts';
import type { OAuthErrorCode } from '../contract/oauth.ts';
import type { ChangeOrigin } from '../domain/kernel/context.ts';
import { StockroomError } from '../domain/kernel/errors.ts';
import { createAuthorizationCode } from '../domain/oauth/authorization-codes.ts';
import type { AuthorizationRequest } from '../domain/oauth/authorization-requests.ts';
import { findConsent } from '../domain/oauth/pending-consents.ts';
import type { ConsentDecision, PendingConsentRecord } from '../domain/oauth/records.ts';
import { appendParameters } from '../domain/oauth/redirect-uris.ts';
import type { StockroomStore, Tx } from '../domain/tables.ts';
import type { TenantRecord } from '../domain/kernel/tenant.ts';

export interface DecidedConsent {
  readonly request: PendingConsentRecord;
  readonly decision: ConsentDecision;
}

/** Allows a pending consent in a tenant. The authorization code appears in the redirect only. */
export function allowConsent(store: StockroomStore, id: string, tenant: TenantRecord, origin: ChangeOrigin): Promise<DecidedConsent> {
  return store.transact(tenant.id, (tx) =>
    decide(tx, id, async (request) => {
      const { now, newId } = tx;
      const current = (await tx.tenants.get(tenant.id)) ?? tenant;
      const { code, expiresAt } = await createAuthorizationCode(tx, { ...origin, tenant: current, now, newId }, request);
      return { tenant: tenant.slug, redirectTo: buildRedirect(request, { code }), usableUntil: expiresAt };
    }),
  );
}

export function denyConsent(store: StockroomStore, id: string): Promise<DecidedConsent> {
  return store.transact('', (tx) =>
    decide(tx, id, (request) => {
      const redirectTo = buildErrorRedirect(request, 'access_denied', 'The request was denied.');
      return Promise.resolve({ tenant: null, redirectTo, usableUntil: request.expiresAt });
    }),
  );
}

/** The redirect URI that reports an OAuth error to the application. */
export const buildErrorRedirect = (
  request: Pick<AuthorizationRequest, 'redirectUri' | 'state' | 'issuer'>,
  error: OAuthErrorCode,
  description: string,
): string => buildRedirect(request, { error, error_description: description });

const buildRedirect = (
  { redirectUri, state, issuer }: Pick<AuthorizationRequest, 'redirectUri' | 'state' | 'issuer'>,
  result: Readonly<Record<string, string>>,
): string => appendParameters(redirectUri, { ...result, state, iss: issuer });

/** Decides a waiting request in the commit of what the decision changes, so that it is decided once. */
async function decide(
  tx: Tx,
  id: string,
  createDecision: (request: PendingConsentRecord) => Promise<ConsentDecision>,
): Promise<DecidedConsent> {
  const found = await findConsent(tx, id, tx.now);
  if (!found || found.state === 'expired') {
    throw new StockroomError(
      'NOT_FOUND',
      `No pending authorization request ${id}. Requests expire after ${String(CONSENT_LIFETIME_MIN)} minutes; start again from the application.`,
    );
  }
  if (found.state !== 'waiting') {
    throw new StockroomError(
      'INVALID_STATE',
      `Authorization request ${id} was already allowed or denied. Start again from the application.`,
    );
  }
  const decision = await createDecision(found.request);
  await tx.pendingConsents.put({ ...found.request, decision });
  return { request: found.request, decision };
}
