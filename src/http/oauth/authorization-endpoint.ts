/**
 * `GET /oauth/authorize` and the consent pages. RFC 6749 §4.1, RFC 9207, RFC 9700.
 * Unknown clients and redirect URIs get an error page and never a redirect; all other errors are sent to the client. Allowing a
 * request needs a proof in a cookie that the user owns this service, which a login code of the command line gives; denying one needs only
 * its random id. The proof is valid for one request only, because cookies are shared between the ports of a machine.
 */
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { type DecidedConsent, allowConsent, denyConsent, followConsent, buildErrorRedirect, isUsable } from '../../api/consents.ts';
import { CONSENT_LIFETIME_MIN } from '../../contract/limits.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { OAuthError } from '../../domain/oauth/errors.ts';
import { type RequestParameters, parseAuthorizationRequest, getSingleValue } from '../../domain/oauth/authorization-requests.ts';
import { isProofValid, redeemLoginCode } from '../../domain/oauth/login-codes.ts';
import { type ConsentLookup, findConsent, openConsent } from '../../domain/oauth/pending-consents.ts';
import type { ApplicationRecord, PendingConsentRecord } from '../../domain/oauth/records.ts';
import { isRegisteredRedirectUri } from '../../domain/oauth/redirect-uris.ts';
import { isAbandoned } from '../../domain/oauth/self-registration.ts';
import type { TenantRecord } from '../../domain/kernel/tenant.ts';
import { getBaseUrl } from '../base-url.ts';
import { createOrigin } from '../change-origin.ts';
import { buildCookie, readCookie } from '../cookies.ts';
import { toStockroomError } from '../response/error-envelope.ts';
import type { RequestServices } from '../request-services.ts';
import { readQuery } from '../steps/validate-request.ts';
import {
  CONSENT_PATH,
  WAIT_PARAMETER,
  renderDecidedPage,
  renderConsentPage,
  renderExpiredPage,
  renderLoginPage,
  renderWaitingPage,
  renderProblemPage,
  renderInvalidRequestPage,
} from './consent-pages.ts';
import type { FindClient } from './client-documents.ts';
import { readFormBody, toParameters } from './form-body.ts';
import { redirect, renderPage } from '../html-page.ts';
import { isTopLevelNavigation } from './navigation.ts';

const PROOF_COOKIE = 'stockroom_consent';
/** Tenants to choose from. */
const TENANTS_MAX = 1_000;
const RELOAD_AFTER_S = 2;

interface PageCall {
  readonly service: RequestServices;
  readonly request: Request;
  readonly h: ResponseToolkit;
}

type Handler = (call: PageCall) => Promise<ResponseObject>;

export const createAuthorizeHandler =
  (findClient: FindClient): Handler =>
  async (call) => {
    const { service, request, h } = call;
    if (!isTopLevelNavigation(request)) {
      const content = renderProblemPage('Open this page in a tab', 'It cannot be loaded in the background or inside another page.');
      return renderPage(h, { title: 'Request rejected', status: 403, content });
    }
    const parameters = toParameters(readQuery(request));
    let application: ApplicationRecord;
    let redirectUri: string;
    try {
      ({ application, redirectUri } = await resolveClientAndRedirect(service, findClient, parameters));
    } catch (thrown) {
      if (!(thrown instanceof OAuthError)) throw thrown;
      return renderPage(h, { title: 'Invalid request', status: 400, content: renderInvalidRequestPage(thrown.message) });
    }
    const issuer = getBaseUrl(request);
    let state: string | undefined;
    try {
      state = getSingleValue(parameters, 'state');
      const authorizationRequest = parseAuthorizationRequest(parameters, application, redirectUri, issuer);
      const pending = await service.store.transact('', (tx) => openConsent(tx, { ...authorizationRequest, state }));
      if (!pending)
        throw new OAuthError('temporarily_unavailable', 'Too many authorization requests are waiting. Try again in a few minutes.');
      return await renderConsent(call, { request: pending, state: 'waiting' });
    } catch (thrown) {
      if (!(thrown instanceof OAuthError)) throw thrown;
      return redirect(h, buildErrorRedirect({ redirectUri, state, issuer }, thrown.code, thrown.message)).code(302);
    }
  };

async function resolveClientAndRedirect({ clock }: RequestServices, findClient: FindClient, parameters: RequestParameters) {
  const clientId = getSingleValue(parameters, 'client_id');
  if (clientId === undefined) throw new OAuthError('invalid_request', 'The parameter client_id is missing.');
  const application = await findClient(clientId);
  if (!application || isAbandoned(application, clock.now()))
    throw new OAuthError('invalid_request', 'The client_id does not belong to a registered application.');
  const redirectUri = getSingleValue(parameters, 'redirect_uri');
  if (redirectUri === undefined) throw new OAuthError('invalid_request', 'The parameter redirect_uri is missing.');
  if (!isRegisteredRedirectUri(application, redirectUri)) {
    throw new OAuthError('invalid_request', `The redirect_uri is not registered for ${application.name}.`);
  }
  return { application, redirectUri };
}

/** Shows the page of a request again, or redirects to the application if the request has been decided. */
export const handleConsentPage: Handler = async (call) => {
  const { service, request, h } = call;
  const query = readQuery(request);
  const found = await readConsent(service, query.get('request') ?? undefined);
  const redirectTo = found && (await followConsent(service.store, found.request, service.clock));
  if (redirectTo !== undefined) return redirect(h, redirectTo);
  if (found?.state === 'waiting' && query.has(WAIT_PARAMETER)) {
    const content = renderWaitingPage(found.request, service.clock.now());
    return renderPage(h, { title: 'Waiting for approval', content }).header('refresh', String(RELOAD_AFTER_S));
  }
  return renderConsent(call, found);
};

/** Handles the forms of the page: login, allow and deny. */
export const handleDecision: Handler = async (call) => {
  const { service, request, h } = call;
  const form = await readFormBody(service, request);
  if (request.headers['origin'] !== getBaseUrl(request)) {
    throw new StockroomError('ORIGIN_NOT_ALLOWED', 'The form was not submitted from the consent page.');
  }
  const { store, clock, oauthLimits } = service;
  const { failedAttempts } = oauthLimits;
  const now = clock.now();
  const found = await readConsent(service, getSingleValue(form, 'request'));
  if (found?.state !== 'waiting') return renderConsent(call, found);
  const { id } = found.request;
  switch (getSingleValue(form, 'decision')) {
    case 'deny':
      return followDecision(call, id, denyConsent(store, id));
    case 'login': {
      // Counted per request: its id is known to one browser only, so no other program can use up its attempts.
      const client = `login ${id}`;
      const code = getSingleValue(form, 'code') ?? '';
      const isBlocked = failedAttempts.getWaitSeconds(client, now) > 0;
      const proof = isBlocked ? undefined : await store.transact('', (tx) => redeemLoginCode(tx, code, id));
      if (proof !== undefined) {
        const cookie = buildCookie(request, PROOF_COOKIE, proof, { path: '/oauth', seconds: CONSENT_LIFETIME_MIN * 60 });
        return redirect(h, `${CONSENT_PATH}?request=${id}`).header('set-cookie', cookie);
      }
      const seconds = failedAttempts.consume(client, now);
      const problem =
        seconds > 0 ? `Too many failed attempts. Try again in ${String(seconds)} s.` : 'Invalid or used code. Generate a new one.';
      const content = renderLoginPage(found.request, now, problem);
      return renderForm(h, found.request, content, seconds > 0 ? 429 : 403);
    }
    case 'allow': {
      if (!isProofValid(found.request, readCookie(request, PROOF_COOKIE), now)) return renderConsent(call, found, 403);
      const slug = getSingleValue(form, 'tenant');
      const tenant = (await listActiveTenants(service)).find((active) => active.slug === slug);
      if (!tenant) return renderConsent(call, found, 400);
      return followDecision(call, id, allowConsent(store, id, tenant, createOrigin(request, 'user', 'local')));
    }
    default:
      return renderConsent(call, found, 400);
  }
};

/** Redirects to the application, or renders the page if the request was decided or has expired since it was read. */
async function followDecision(call: PageCall, id: string, deciding: Promise<DecidedConsent>): Promise<ResponseObject> {
  try {
    return redirect(call.h, (await deciding).redirectTo);
  } catch (thrown) {
    const found = await readConsent(call.service, id);
    if (found?.state === 'waiting') throw thrown;
    return renderConsent(call, found);
  }
}

async function readConsent({ store, clock }: RequestServices, id: string | undefined): Promise<ConsentLookup | undefined> {
  return id === undefined ? undefined : store.read('', (tx) => findConsent(tx, id, clock.now()));
}

/** Renders the page for the state of a request. */
async function renderConsent({ service, request, h }: PageCall, found: ConsentLookup | undefined, status = 200): Promise<ResponseObject> {
  if (!found || found.state === 'expired') return renderPage(h, { title: 'Request expired', status: 410, content: renderExpiredPage() });
  const now = service.clock.now();
  const isProven = isProofValid(found.request, readCookie(request, PROOF_COOKIE), now);
  if (found.state === 'waiting') {
    const content = isProven
      ? renderConsentPage(found.request, await listActiveTenants(service), now)
      : renderLoginPage(found.request, now);
    return renderForm(h, found.request, content, status);
  }
  const canContinue = isProven && isUsable(found.state, service.clock);
  const content = renderDecidedPage(found.request, { isAllowed: found.state.tenant !== null, canContinue });
  return renderPage(h, { title: 'Request completed', status: 409, content });
}

const renderForm = (
  h: ResponseToolkit,
  { applicationName }: PendingConsentRecord,
  content: ReturnType<typeof renderLoginPage>,
  status: number,
) => renderPage(h, { title: `Connect ${applicationName}`, content, status, hasForeignRedirect: true });

/** Wraps a handler, so that its errors become a page. */
export const withErrorPage =
  (service: RequestServices, handler: Handler) =>
  async (request: Request, h: ResponseToolkit): Promise<ResponseObject> => {
    try {
      return await handler({ service, request, h });
    } catch (thrown) {
      const { status, message } = thrown instanceof OAuthError ? { status: 400, message: thrown.message } : toStockroomError(thrown);
      // A bug, which is logged.
      if (status === 500) throw thrown;
      return renderPage(h, { title: 'Request failed', status, content: renderProblemPage('Request failed', message) });
    }
  };

async function listActiveTenants({ store }: RequestServices): Promise<readonly TenantRecord[]> {
  const where = [{ field: 'isActive', equals: true }];
  return (await store.read('', (tx) => tx.tenants.listAfter({ where, orderBy: 'name', limit: TENANTS_MAX }))).rows;
}
