/** Allows and denies pending OAuth consents, for the consent page and the admin API alike.. */
import { CONSENT_LIFETIME_MIN, PENDING_CONSENTS_MAX } from '../contract/limits.ts';
import type { OAuthErrorCode } from '../contract/oauth.ts';
import type { ChangeOrigin } from '../domain/kernel/context.ts';
import { StockroomError } from '../domain/kernel/errors.ts';
import type { Clock } from '../domain/kernel/ports.ts';
import { createAuthorizationCode, replaceAuthorizationCode } from '../domain/oauth/authorization-codes.ts';
import type { AuthorizationRequest } from '../domain/oauth/records.ts';
import { findConsent } from '../domain/oauth/pending-consents.ts';
import { approveRegisteredClient } from '../domain/oauth/self-registration.ts';
import type { ConsentDecision, PendingConsentRecord } from '../domain/oauth/records.ts';
import { appendParameters } from '../domain/oauth/redirect-uris.ts';
import type { StockroomStore, Tx } from '../domain/tables.ts';
import type { TenantRecord } from '../domain/kernel/tenant.ts';

export interface DecidedConsent {
  readonly request: PendingConsentRecord;
  readonly decision: ConsentDecision;
  /** Where the browser continues: after a consent with an authorization code, which is stored nowhere. */
  readonly redirectTo: string;
}

/** Allows a pending consent in a tenant. The authorization code appears in the redirect only. */
export function allowConsent(store: StockroomStore, id: string, tenant: TenantRecord, origin: ChangeOrigin): Promise<DecidedConsent> {
  const deciding = store.transact(tenant.id, (tx) =>
    decide(tx, id, async (request) => {
      const { now, newId } = tx;
      const current = (await tx.tenants.get(tenant.id)) ?? tenant;
      const context = { ...origin, tenant: current, now, newId };
      await approveRegisteredClient(tx, context, request.applicationId);
      const { code, id: codeId, expiresAt } = await createAuthorizationCode(tx, context, request);
      const decision = { tenant: tenant.slug, tenantId: tenant.id, codeId, usableUntil: expiresAt };
      return { decision, redirectTo: buildRedirect(request, { code }) };
    }),
  );
  return rememberRedirect(store, deciding);
}

export function denyConsent(store: StockroomStore, id: string): Promise<DecidedConsent> {
  const deciding = store.transact('', (tx) =>
    decide(tx, id, (request) => {
      const decision = { tenant: null, tenantId: null, codeId: null, usableUntil: request.expiresAt };
      return Promise.resolve({ decision, redirectTo: buildDenial(request) });
    }),
  );
  return rememberRedirect(store, deciding);
}

/** A code has the time of its tenant. */
export const isUsable = ({ usableUntil, tenantId }: ConsentDecision, clock: Clock): boolean =>
  Date.parse(usableUntil) > clock.now(tenantId ?? undefined).getTime();

/**
 * Where a browser continues that shows the page of a decided request. At another daemon than that of the decision, or after a restart, it
 * gets a new code in place of the first. Undefined when the code has expired, or was used before it could be replaced.
 */
export async function followConsent(store: StockroomStore, request: PendingConsentRecord, clock: Clock): Promise<string | undefined> {
  const { id, decision } = request;
  if (decision === null || !isUsable(decision, clock)) return undefined;
  const known = recentRedirects.get(store)?.get(id);
  if (known !== undefined) return known;
  if (decision.tenantId === null) return buildDenial(request);
  return store.transact(decision.tenantId, async (tx) => {
    const current = await tx.pendingConsents.get(id);
    const replacement = current?.decision?.codeId && (await replaceAuthorizationCode(tx, current.decision.codeId));
    if (!replacement) return undefined;
    await tx.pendingConsents.put({ ...current, decision: { ...decision, codeId: replacement.id } });
    return buildRedirect(request, { code: replacement.code });
  });
}

/** Redirects of the latest decisions by request, of each store in this process. Only in memory: codes are secrets, and stored as hashes. */
const recentRedirects = new WeakMap<StockroomStore, Map<string, string>>();

async function rememberRedirect(store: StockroomStore, deciding: Promise<DecidedConsent>): Promise<DecidedConsent> {
  const decided = await deciding;
  const redirects = recentRedirects.get(store) ?? new Map<string, string>();
  recentRedirects.set(store, redirects.set(decided.request.id, decided.redirectTo));
  const [oldest] = redirects.keys();
  if (redirects.size > PENDING_CONSENTS_MAX && oldest !== undefined) redirects.delete(oldest);
  return decided;
}

const buildDenial = (request: PendingConsentRecord): string => buildErrorRedirect(request, 'access_denied', 'The request was denied.');

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
  createDecision: (request: PendingConsentRecord) => Promise<Omit<DecidedConsent, 'request'>>,
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
  const { decision, redirectTo } = await createDecision(found.request);
  await tx.pendingConsents.put({ ...found.request, decision });
  return { request: found.request, decision, redirectTo };
}
