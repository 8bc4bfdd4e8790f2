/** Answers to authorization requests, whether they come from the consent page or from the terminal. decisions-api §6.2. */
import { CONSENT_MIN, OAUTH_CODE_S } from '../contract/limits.ts';
import type { OAuthErrorCode } from '../contract/oauth.ts';
import type { Context } from '../domain/context.ts';
import { StockroomError } from '../domain/errors.ts';
import { allow } from '../domain/oauth-codes.ts';
import type { ConsentFacts } from '../domain/oauth-requests.ts';
import { withParameters } from '../domain/redirects.ts';
import type { StockroomStore } from '../domain/tables.ts';
import type { TenantRecord } from '../domain/tenants.ts';

/** A request that waits for somebody's answer, or has got it. */
export interface ConsentRequest extends ConsentFacts {
  /** `req_` and letters and digits; knowing it lets a browser go on, not decide. */
  readonly id: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export interface ConsentAnswer {
  /** Slug of the tenant that allowed it; null when denied. */
  readonly tenant: string | null;
  readonly redirectTo: string;
  /** The redirect is of no use afterwards, because its code has expired. */
  readonly usableUntil: string;
}

export type FoundConsent = { readonly request: ConsentRequest; readonly state: 'waiting' | 'busy' | 'expired' | ConsentAnswer };

/** Requests under way and codes that prove a person; kept in memory, gone with a restart. */
export interface ConsentDesk {
  open(facts: ConsentFacts, now: Date): ConsentRequest;
  /** Waiting requests, the oldest first. */
  waiting(now: Date): readonly ConsentRequest[];
  find(id: string, now: Date): FoundConsent | undefined;
  /** Takes a waiting request for answering, so that nobody else can. Undefined when it is not waiting. */
  take(id: string, now: Date): ConsentRequest | undefined;
  /** The answer of a taken request; without one it waits again. */
  settle(id: string, answer: ConsentAnswer | undefined): void;
  /** A code that proves to the page of one request that its reader owns the daemon. */
  loginCode(now: Date): { code: string; expiresAt: string };
}

interface Place {
  readonly desk: ConsentDesk;
  readonly store: StockroomStore;
  readonly now: () => Date;
}

/** Allows a request in a tenant; the code leaves only in the redirect. */
export async function allowRequest(
  place: Place,
  id: string,
  tenant: TenantRecord,
  context: Omit<Context, 'tenant'>,
): Promise<ConsentAnswer> {
  return answer(place, id, async (request) => {
    const code = await place.store.transact(tenant.id, async (tx) =>
      allow(tx, { ...context, tenant: (await tx.tenants.get(tenant.id)) ?? tenant }, request),
    );
    const usableUntil = new Date(place.now().getTime() + OAUTH_CODE_S * 1_000).toISOString();
    return { tenant: tenant.slug, redirectTo: redirectWith(request, { code }), usableUntil };
  });
}

export function denyRequest(place: Place, id: string): Promise<ConsentAnswer> {
  return answer(place, id, (request) => {
    const redirectTo = refusalOf(request, 'access_denied', 'The request was denied.');
    return Promise.resolve({ tenant: null, redirectTo, usableUntil: request.expiresAt });
  });
}

/** Where a request leads that is refused. */
export const refusalOf = (
  request: Pick<ConsentFacts, 'redirectUri' | 'state' | 'issuer'>,
  error: OAuthErrorCode,
  description: string,
): string => redirectWith(request, { error, error_description: description });

const redirectWith = (
  { redirectUri, state, issuer }: Pick<ConsentFacts, 'redirectUri' | 'state' | 'issuer'>,
  result: Readonly<Record<string, string>>,
): string => withParameters(redirectUri, { ...result, state, iss: issuer });

async function answer(
  { desk, now }: Place,
  id: string,
  decide: (request: ConsentRequest) => Promise<ConsentAnswer>,
): Promise<ConsentAnswer> {
  const request = desk.take(id, now());
  if (!request) throw unanswerable(desk.find(id, now()), id);
  let made: ConsentAnswer | undefined;
  try {
    made = await decide(request);
  } finally {
    desk.settle(id, made);
  }
  return made;
}

function unanswerable(found: FoundConsent | undefined, id: string): StockroomError {
  if (!found || found.state === 'expired') {
    return new StockroomError(
      'NOT_FOUND',
      `There is no request ${id} that waits; they expire after ${String(CONSENT_MIN)} minutes. Start again from the application.`,
    );
  }
  return new StockroomError('INVALID_STATE', `The request ${id} has been answered already.`);
}
