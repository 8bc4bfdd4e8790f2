/**
 * `GET /oauth/authorize` and the pages behind it. RFC 6749 §4.1, RFC 9207, RFC 9700; decisions-api §6.2.
 * Unknown clients and addresses get a page and never a redirect; every other problem travels back to the client. Deciding needs a proof in
 * a cookie that is good for this one request, because cookies do not tell the ports of a machine apart.
 */
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { type FoundConsent, type ConsentRequest, allowRequest, denyRequest, refusalOf } from '../../api/consents.ts';
import { CONSENT_MIN } from '../../contract/limits.ts';
import type { ApplicationRecord } from '../../domain/applications.ts';
import { StockroomError } from '../../domain/errors.ts';
import { OAuthError } from '../../domain/oauth-errors.ts';
import { type Parameters, consentFacts, single } from '../../domain/oauth-requests.ts';
import { isRegistered } from '../../domain/redirects.ts';
import type { TenantRecord } from '../../domain/tenants.ts';
import { baseOf } from '../challenge.ts';
import { toStockroomError } from '../envelope.ts';
import type { Service } from '../service.ts';
import { CONSENT_PATH, answeredPage, consentPage, expiredPage, loginPage, problemPage, refusedPage } from './consent-pages.ts';
import { formOf, parametersOf } from './form.ts';
import { leave, page } from './page.ts';

const COOKIE = 'stockroom_consent';
const ORGANIZATIONS_SHOWN = 1_000;

type Handler = (service: Service, request: Request, h: ResponseToolkit) => Promise<ResponseObject>;

export const authorize: Handler = async (service, request, h) => {
  const parameters = parametersOf(request.url.searchParams);
  let application: ApplicationRecord;
  let redirectUri: string;
  try {
    ({ application, redirectUri } = await clientAndRedirect(service, parameters));
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown;
    return page(h, { title: 'Not possible', status: 400, content: refusedPage(thrown.message) });
  }
  const issuer = baseOf(request);
  let state: string | undefined;
  try {
    state = single(parameters, 'state');
    const facts = consentFacts(parameters, application, redirectUri, issuer);
    const opened = service.oauth.desk.open({ ...facts, state }, service.clock.now());
    return await show(service, request, h, { request: opened, state: 'waiting' });
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown;
    return leave(h, refusalOf({ redirectUri, state, issuer }, thrown.code, thrown.message)).code(302);
  }
};

async function clientAndRedirect(service: Service, parameters: Parameters) {
  const clientId = single(parameters, 'client_id');
  if (clientId === undefined) throw new OAuthError('invalid_request', 'It names no application (client_id is missing).');
  const application = await service.store.read('', (tx) => tx.applications.find('clientId', clientId));
  if (!application) throw new OAuthError('invalid_request', 'It names an application that is not registered here.');
  const redirectUri = single(parameters, 'redirect_uri');
  if (redirectUri === undefined) throw new OAuthError('invalid_request', 'It does not say where to go back to (redirect_uri is missing).');
  if (!isRegistered(application, redirectUri)) {
    throw new OAuthError('invalid_request', `It wants to go back to an address that is not registered for ${application.name}.`);
  }
  return { application, redirectUri };
}

/** The page of a request again; when it has been answered, on to the application. */
export const consent: Handler = async (service, request, h) => {
  const found = service.oauth.desk.find(request.url.searchParams.get('request') ?? '', service.clock.now());
  if (typeof found?.state === 'object' && isUsable(found.state, service)) return leave(h, found.state.redirectTo);
  return show(service, request, h, found);
};

/** A form of the page: login, allow or deny. */
export const decide: Handler = async (service, request, h) => {
  const form = formOf(request);
  if (request.headers['origin'] !== baseOf(request)) {
    throw new StockroomError('ORIGIN_NOT_ALLOWED', 'The answer did not come from the consent page.');
  }
  const { desk, failures } = service.oauth;
  const now = service.clock.now();
  const found = desk.find(single(form, 'request') ?? '', now);
  if (found?.state !== 'waiting') return show(service, request, h, found);
  const { id } = found.request;
  const place = { desk, store: service.store, now: () => service.clock.now() };
  switch (single(form, 'decision')) {
    case 'deny':
      return leave(h, (await denyRequest(place, id)).redirectTo);
    case 'login': {
      const who = `login ${request.info.remoteAddress}`;
      const proof = failures.wait(who, now) > 0 ? undefined : desk.login(single(form, 'code') ?? '', id, now);
      if (proof !== undefined) return leave(h, `${CONSENT_PATH}?request=${id}`).header('set-cookie', cookieOf(proof));
      const seconds = failures.spend(who, now);
      const problem =
        seconds > 0 ? `Too many wrong codes. Wait ${String(seconds)} seconds.` : 'This code is wrong or used up. Get a new one.';
      const content = loginPage(found.request, now, problem);
      return framed(h, found.request, content, seconds > 0 ? 429 : 403);
    }
    case 'allow': {
      if (!desk.isProven(proofOf(request), id, now)) return show(service, request, h, found, 403);
      const slug = single(form, 'tenant');
      const tenant = (await activeTenants(service)).find((each) => each.slug === slug);
      if (!tenant) return show(service, request, h, found, 400);
      const context = {
        actor: { type: 'user', id: 'local' },
        requestId: request.app.requestId,
        ipAddress: request.info.remoteAddress,
        now,
        newId: service.newId,
      } as const;
      return leave(h, (await allowRequest(place, id, tenant, context)).redirectTo);
    }
    default:
      return show(service, request, h, found, 400);
  }
};

/** The page that fits the state of a request. */
async function show(
  service: Service,
  request: Request,
  h: ResponseToolkit,
  found: FoundConsent | undefined,
  status = 200,
): Promise<ResponseObject> {
  if (!found || found.state === 'expired') return page(h, { title: 'No longer open', status: 410, content: expiredPage() });
  const now = service.clock.now();
  const isProven = service.oauth.desk.isProven(proofOf(request), found.request.id, now);
  if (found.state === 'waiting') {
    const content = isProven ? consentPage(found.request, await activeTenants(service), now) : loginPage(found.request, now);
    return framed(h, found.request, content, status);
  }
  const answer = found.state === 'busy' ? undefined : found.state;
  const goOn = isProven && (answer === undefined || isUsable(answer, service));
  const content = answeredPage(found.request, { isAllowed: answer?.tenant !== null, goOn });
  return page(h, { title: 'Answered', status: 409, content });
}

const framed = (
  h: ResponseToolkit,
  { applicationName, redirectUri }: ConsentRequest,
  content: ReturnType<typeof loginPage>,
  status: number,
) => page(h, { title: `Connect ${applicationName}`, content, status, leadsTo: redirectUri });

/** Refusals inside the pages, as a page. */
export const asPage =
  (service: Service, handler: Handler) =>
  async (request: Request, h: ResponseToolkit): Promise<ResponseObject> => {
    try {
      return await handler(service, request, h);
    } catch (thrown) {
      const { status, message } = thrown instanceof OAuthError ? { status: 400, message: thrown.message } : toStockroomError(thrown);
      // A bug, for the log.
      if (status === 500) throw thrown;
      return page(h, { title: 'Not possible', status, content: problemPage('That did not work', message) });
    }
  };

const isUsable = ({ usableUntil }: { readonly usableUntil: string }, service: Service): boolean =>
  Date.parse(usableUntil) > service.clock.now().getTime();

async function activeTenants({ store }: Service): Promise<readonly TenantRecord[]> {
  const where = [{ field: 'isActive', equals: true }];
  return (await store.read('', (tx) => tx.tenants.after({ where, orderBy: 'name', limit: ORGANIZATIONS_SHOWN }))).rows;
}

const cookieOf = (proof: string): string =>
  `${COOKIE}=${proof}; HttpOnly; SameSite=Strict; Path=/oauth; Max-Age=${String(CONSENT_MIN * 60)}`;

const proofOf = ({ headers }: Request): string | undefined =>
  new RegExp(`(?:^|; *)${COOKIE}=([\\w-]+)`, 'u').exec(String(headers['cookie']))?.[1];
