/** The contents of the consent pages.: application, scopes, redirect host, organization, expiry. */
import { AUTHORIZATION_CODE_KEY_DAYS, CONSENT_LIFETIME_MIN } from '../../contract/limits.ts';
import { type Scope, scopes as scopeDescriptions } from '../../contract/scopes.ts';
import { isLoopbackUri } from '../../domain/oauth/redirect-uris.ts';
import type { PendingConsentRecord } from '../../domain/oauth/records.ts';
import type { TenantRecord } from '../../domain/kernel/tenant.ts';
import { Markup, markup } from '../html-page.ts';

/** The path to which the forms are posted, and under which a page can be loaded again. */
export const CONSENT_PATH = '/oauth/consent';
/** Asks for the page that waits for an approval in the terminal. */
export const WAIT_PARAMETER = 'wait';

const createIcon = (path: string): Markup =>
  new Markup(
    `<svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>`,
  );
const READ_ICON = createIcon(
  'M1.8 10S4.8 4.5 10 4.5 18.2 10 18.2 10 15.2 15.5 10 15.5 1.8 10 1.8 10Zm8.2 2.4a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8Z',
);
const WRITE_ICON = createIcon('m3 17 .9-3.7L13.6 3.6a1.6 1.6 0 0 1 2.3 0l.5.5a1.6 1.6 0 0 1 0 2.3L6.7 16.1Z');

const DENY_BUTTON = markup`<button name="decision" value="deny" formnovalidate>Deny</button>`;

/** Asks for a login code, which proves that the user owns the daemon. */
export function renderLoginPage(request: PendingConsentRecord, now: Date, problem?: string): Markup {
  // Focused only after an error: on the first view, focus would scroll past the requested scopes.
  const attributes = problem === undefined ? undefined : markup` autofocus aria-invalid="true" aria-describedby="problem"`;
  const message = problem === undefined ? undefined : markup`<p class="bad" id="problem" role="alert">${problem}</p>`;
  const input = markup`<input type="text" id="code" name="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="20" placeholder="ABCD-2345" required${attributes}>`;
  return joinMarkup(
    renderScopes(request),
    renderDetails(request, now),
    markup`<form class="proof" method="post" action="${CONSENT_PATH}">${renderRequestField(request)}`,
    markup`<h2>Confirm that you own this stockroom</h2>`,
    markup`<p class="soft">Run this command in a terminal and enter the code that it prints.</p><kbd>npx stockroom oauth login</kbd>`,
    markup`<label class="field" for="code">Code</label>${input}${message}`,
    markup`<div class="row"><button class="main" name="decision" value="login">Continue</button>${DENY_BUTTON}</div></form>`,
    markup`<p class="soft">Or <a href="${toConsentUrl(request)}&amp;${WAIT_PARAMETER}=1">approve in the terminal</a>.</p>`,
  );
}

/** Has no input that a reload could clear: it is loaded again until the request is decided. */
export function renderWaitingPage(request: PendingConsentRecord, now: Date): Markup {
  return joinMarkup(
    renderScopes(request),
    renderDetails(request, now),
    markup`<h2>Waiting for your approval in the terminal</h2>`,
    markup`<p class="soft">Run this command. This page then continues by itself.</p><kbd>npx stockroom oauth approve ${request.id}</kbd>`,
    markup`<p class="soft">Or <a href="${toConsentUrl(request)}">enter a code</a> here.</p>`,
  );
}

/** Asks to allow or deny the request. */
export function renderConsentPage(request: PendingConsentRecord, tenants: readonly TenantRecord[], now: Date): Markup {
  const [only, ...more] = tenants;
  if (!only) {
    return renderProblemPage('No active organization', 'Create one with stockroom tenants create, then reload this page.');
  }
  const isOnly = more.length === 0;
  return joinMarkup(
    renderScopes(request),
    renderDetails(request, now, isOnly ? only.name : undefined),
    markup`<form method="post" action="${CONSENT_PATH}">${renderRequestField(request)}`,
    isOnly ? markup`<input type="hidden" name="tenant" value="${only.slug}">` : renderTenantChoice(tenants),
    markup`<div class="row"><button class="main" name="decision" value="allow">Allow</button>${DENY_BUTTON}</div></form>`,
    markup`<footer>Revoke access at any time: <code>stockroom apps disconnect</code></footer>`,
  );
}

/** The request has been decided. `canContinue`: the redirect to the application still works. */
export function renderDecidedPage(
  request: PendingConsentRecord,
  { isAllowed, canContinue }: { isAllowed: boolean; canContinue: boolean },
): Markup {
  return joinMarkup(
    markup`<h1>This request is already completed</h1>`,
    markup`<p>${isAllowed ? 'Access was allowed.' : 'Access was denied.'}</p>`,
    canContinue
      ? markup`<p>Not redirected yet?</p><div class="row"><a class="button main" href="${toConsentUrl(request)}">Continue to <bdi>${request.applicationName}</bdi></a></div>`
      : markup`<p class="soft">You can close this page.</p>`,
  );
}

export const renderExpiredPage = (): Markup =>
  joinMarkup(
    markup`<h1>This request has expired</h1>`,
    markup`<p>Requests expire after ${String(CONSENT_LIFETIME_MIN)} minutes, or when their application sends many others.</p>`,
    markup`<p class="soft">No access was granted. Start again from the application.</p>`,
  );

/** For requests whose client or redirect URI is invalid, so there is no redirect. */
export const renderInvalidRequestPage = (reason: string): Markup =>
  joinMarkup(
    markup`<h1>Invalid authorization request</h1><p>${reason}</p>`,
    markup`<p class="soft">No access was granted. The application's developer must fix this.</p>`,
  );

export const renderProblemPage = (title: string, reason: string): Markup => markup`<h1>${title}</h1><p>${reason}</p>`;

const joinMarkup = (...parts: readonly Markup[]): Markup => markup`${parts}`;

function renderScopes({ applicationName, scopes, notGranted = [] }: PendingConsentRecord): Markup {
  const rows = scopes.map(
    (scope) =>
      markup`<li>${scope.endsWith(':read') ? READ_ICON : WRITE_ICON}<span>${scopeDescriptions[scope]}<code>${scope}</code></span></li>`,
  );
  return markup`<h1><bdi>${applicationName}</bdi> wants to connect</h1><p class="soft">This application will be able to:</p><ul class="scopes">${rows}</ul>${renderNotGranted(notGranted)}`;
}

/** What the application asked for and does not get. */
function renderNotGranted(scopes: readonly Scope[]): Markup | undefined {
  if (scopes.length === 0) return undefined;
  const codes = scopes.map((scope, at) => markup`${at === 0 ? '' : ', '}<code>${scope}</code>`);
  return markup`<p class="soft">It also asked for ${codes}, which it is not registered for and does not get.</p>`;
}

function renderDetails({ redirectUri, clientHost, isUnverified = false }: PendingConsentRecord, now: Date, organization?: string): Markup {
  const expiresAt = new Date(now.getTime() + AUTHORIZATION_CODE_KEY_DAYS * 86_400_000);
  const tenant = organization === undefined ? undefined : markup`<dt>Organization</dt><dd><bdi>${organization}</bdi></dd>`;
  const client = clientHost === undefined ? undefined : markup`<dt>Described by</dt><dd><b>${clientHost}</b></dd>`;
  const host = markup`<dt>Redirects to</dt><dd><b>${new URL(redirectUri).host}</b></dd>`;
  const expiry = markup`<dt>Access expires</dt><dd>${formatDay(expiresAt)} (${String(AUTHORIZATION_CODE_KEY_DAYS)} days)</dd>`;
  const warning = isLoopbackUri(redirectUri)
    ? markup`<p class="note">This redirects to a program on your machine. Allow access only if you have just started it yourself.</p>`
    : undefined;
  const unverified = isUnverified
    ? markup`<p class="note">This application is new here and registered itself: nobody has verified its name. Allow access only if you have just started it.</p>`
    : undefined;
  return markup`<dl>${tenant}${client}${host}${expiry}</dl>${unverified ?? warning}`;
}

function renderTenantChoice(tenants: readonly TenantRecord[]): Markup {
  const rows = tenants.map(
    ({ slug, name }) => markup`<label class="choice"><input type="radio" name="tenant" value="${slug}" required><bdi>${name}</bdi></label>`,
  );
  return markup`<fieldset><legend>Organization</legend>${rows}</fieldset>`;
}

const formatDay = (date: Date): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(date);

const renderRequestField = ({ id }: PendingConsentRecord): Markup => markup`<input type="hidden" name="request" value="${id}">`;

const toConsentUrl = ({ id }: PendingConsentRecord): string => `${CONSENT_PATH}?request=${encodeURIComponent(id)}`;
