/** Allows and denies pending OAuth consents, for the consent page and the admin API alike.. */
import { CONSENT_LIFETIME_MIN } from '../contract/limits.ts';
import type { OAuthErrorCode } from '../contract/oauth.ts';
import type { ChangeOrigin } from '../domain/kernel/context.ts';
import { StockroomError } from '../domain/kernel/errors.ts';
import { createAuthorizationCode } from '../domain/oauth/authorization-codes.ts';
import type { AuthorizationRequest } from '../domain/oauth/authorization-requests.ts';
import { appendParameters } from '../domain/oauth/redirect-uris.ts';
import type { StockroomStore } from '../domain/tables.ts';
import type { TenantRecord } from '../domain/kernel/tenant.ts';

/** An authorization request that waits for a decision, or was decided a short while ago. */
export interface PendingConsent extends AuthorizationRequest {
  /** `req_` and 32 hex digits. Knowing it lets a browser follow the request, but not decide it. */
  readonly id: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export interface ConsentDecision {
  /** Slug of the tenant that allowed it; null when denied. */
  readonly tenant: string | null;
  readonly redirectTo: string;
  /** When the authorization code in the redirect expires. */
  readonly usableUntil: string;
}

export type ConsentLookup = { readonly request: PendingConsent; readonly state: 'waiting' | 'busy' | 'expired' | ConsentDecision };

/** Pending consents and the login codes for their pages. In memory only: a restart clears both. */
export interface PendingConsents {
  /** Undefined if too many consents are waiting. */
  open(request: AuthorizationRequest, now: Date): PendingConsent | undefined;
  /** Waiting consents, oldest first. */
  listWaiting(now: Date): readonly PendingConsent[];
  find(id: string, now: Date): ConsentLookup | undefined;
  /** Reserves a waiting consent, so that no one else can decide it. Undefined when it is not waiting. */
  claim(id: string, now: Date): PendingConsent | undefined;
  /** Stores the decision on a claimed consent; without a decision the consent waits again. */
  finish(id: string, decision: ConsentDecision | undefined): void;
  /** Creates a one-time code that proves to a consent page that the person in front of it owns the daemon. */
  createLoginCode(now: Date): { code: string; expiresAt: string };
}

interface ConsentServices {
  readonly consents: PendingConsents;
  readonly store: StockroomStore;
  readonly now: () => Date;
}

/** Allows a pending consent in a tenant. The authorization code appears in the redirect only. */
export async function allowConsent(
  services: ConsentServices,
  id: string,
  tenant: TenantRecord,
  origin: ChangeOrigin,
): Promise<ConsentDecision> {
  return decide(services, id, async (request) => {
    const { code, expiresAt } = await services.store.transact(tenant.id, async (tx) => {
      const { now, newId } = tx;
      const current = (await tx.tenants.get(tenant.id)) ?? tenant;
      return createAuthorizationCode(tx, { ...origin, tenant: current, now, newId }, request);
    });
    return { tenant: tenant.slug, redirectTo: buildRedirect(request, { code }), usableUntil: expiresAt };
  });
}

export function denyConsent(services: ConsentServices, id: string): Promise<ConsentDecision> {
  return decide(services, id, (request) => {
    const redirectTo = buildErrorRedirect(request, 'access_denied', 'The request was denied.');
    return Promise.resolve({ tenant: null, redirectTo, usableUntil: request.expiresAt });
  });
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

async function decide(
  { consents, now }: ConsentServices,
  id: string,
  createDecision: (request: PendingConsent) => Promise<ConsentDecision>,
): Promise<ConsentDecision> {
  const request = consents.claim(id, now());
  if (!request) throw toUnavailableError(consents.find(id, now()), id);
  let decision: ConsentDecision | undefined;
  try {
    decision = await createDecision(request);
  } finally {
    consents.finish(id, decision);
  }
  return decision;
}

function toUnavailableError(found: ConsentLookup | undefined, id: string): StockroomError {
  if (!found || found.state === 'expired') {
    return new StockroomError(
      'NOT_FOUND',
      `No pending authorization request ${id}. Requests expire after ${String(CONSENT_LIFETIME_MIN)} minutes; start again from the application.`,
    );
  }
  return new StockroomError(
    'INVALID_STATE',
    `Authorization request ${id} was already allowed or denied. Start again from the application.`,
  );
}
