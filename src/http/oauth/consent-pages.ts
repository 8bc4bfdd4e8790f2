/** What the pages of a consent say. decisions-api §6.2: who asks, where the answer goes, for which organization, what for, how long. */
import type { ConsentRequest } from '../../api/consents.ts';
import { CODE_GRANT_KEY_DAYS, CONSENT_MIN } from '../../contract/limits.ts';
import { scopes as meanings } from '../../contract/scopes.ts';
import { isLoopback } from '../../domain/redirects.ts';
import type { TenantRecord } from '../../domain/tenants.ts';
import { Markup, markup } from './page.ts';

/** Where the forms of the pages go, and where a page is asked for again. */
export const CONSENT_PATH = '/oauth/consent';

const icon = (path: string): Markup =>
  new Markup(
    `<svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>`,
  );
const LOOK = icon(
  'M1.8 10S4.8 4.5 10 4.5 18.2 10 18.2 10 15.2 15.5 10 15.5 1.8 10 1.8 10Zm8.2 2.4a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8Z',
);
const CHANGE = icon('m3 17 .9-3.7L13.6 3.6a1.6 1.6 0 0 1 2.3 0l.5.5a1.6 1.6 0 0 1 0 2.3L6.7 16.1Z');

const DENY = markup`<button name="decision" value="deny" formnovalidate>Deny</button>`;

/** Before anybody has shown that the daemon is theirs. */
export function loginPage(request: ConsentRequest, now: Date, problem?: string): Markup {
  // The field takes the focus only then: before, it would scroll past what is asked for.
  const described = problem === undefined ? undefined : markup` autofocus aria-invalid="true" aria-describedby="problem"`;
  const told = problem === undefined ? undefined : markup`<p class="bad" id="problem" role="alert">${problem}</p>`;
  const input = markup`<input type="text" id="code" name="code" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="20" placeholder="ABCD-2345" required${described}>`;
  return lines(
    about(request),
    facts(request, now),
    markup`<form class="proof" method="post" action="${CONSENT_PATH}">${hidden(request)}`,
    markup`<h2>Show that this stockroom is yours</h2>`,
    markup`<p class="soft">Run this in a terminal and enter the code that it prints.</p><kbd>stockroom oauth login</kbd>`,
    markup`<label class="field" for="code">Code</label>${input}${told}`,
    markup`<div class="row"><button class="main" name="decision" value="login">Continue</button>${DENY}</div></form>`,
    markup`<details><summary>Answer in the terminal instead</summary><kbd>stockroom oauth approve ${request.id}</kbd>`,
    markup`<p><a href="${again(request)}">I have answered there: go on</a></p></details>`,
  );
}

/** The question itself. */
export function consentPage(request: ConsentRequest, tenants: readonly TenantRecord[], now: Date): Markup {
  const [only, ...more] = tenants;
  if (!only) {
    return problemPage('There is no organization to connect', 'Make one with stockroom tenants create.');
  }
  const isOnly = more.length === 0;
  return lines(
    about(request),
    facts(request, now, isOnly ? only.name : undefined),
    markup`<form method="post" action="${CONSENT_PATH}">${hidden(request)}`,
    isOnly ? markup`<input type="hidden" name="tenant" value="${only.slug}">` : choice(tenants),
    markup`<div class="row"><button class="main" name="decision" value="allow">Allow</button>${DENY}</div></form>`,
    markup`<footer>You can take this back at any time: <code>stockroom apps disconnect</code></footer>`,
  );
}

/** The request has its answer; `goOn` is there while the answer can still be delivered. */
export function answeredPage(request: ConsentRequest, { isAllowed, goOn }: { isAllowed: boolean; goOn: boolean }): Markup {
  return lines(
    markup`<h1>This request has been answered</h1>`,
    markup`<p>${isAllowed ? 'It was allowed.' : 'It was denied.'}</p>`,
    goOn
      ? markup`<p>If you are not back in the application yet:</p><div class="row"><a class="button main" href="${again(request)}">Go on to <bdi>${request.applicationName}</bdi></a></div>`
      : markup`<p class="soft">You can close this page.</p>`,
  );
}

export const expiredPage = (): Markup =>
  lines(
    markup`<h1>This request is no longer open</h1>`,
    markup`<p>A request waits ${String(CONSENT_MIN)} minutes for its answer, and not longer than stockroom runs.</p>`,
    markup`<p class="soft">Start again from the application. Nothing was allowed.</p>`,
  );

/** Something is wrong with the request itself, so that it may lead nowhere. */
export const refusedPage = (reason: string): Markup =>
  lines(
    markup`<h1>This link does not work</h1><p>${reason}</p>`,
    markup`<p class="soft">Nothing was allowed, and nothing was sent to anybody. Whoever makes the application can mend it.</p>`,
  );

export const problemPage = (title: string, reason: string): Markup => markup`<h1>${title}</h1><p>${reason}</p>`;

const lines = (...parts: readonly Markup[]): Markup => markup`${parts}`;

/** Who asks for what. */
function about({ applicationName, scopes }: ConsentRequest): Markup {
  const rows = scopes.map(
    (scope) => markup`<li>${scope.endsWith(':read') ? LOOK : CHANGE}<span>${meanings[scope]}<code>${scope}</code></span></li>`,
  );
  return markup`<h1><bdi>${applicationName}</bdi> wants to connect</h1><p class="soft">If you allow it, it can</p><ul class="scopes">${rows}</ul>`;
}

function facts({ redirectUri }: ConsentRequest, now: Date, organization?: string): Markup {
  const ends = new Date(now.getTime() + CODE_GRANT_KEY_DAYS * 86_400_000);
  const tenant = organization === undefined ? undefined : markup`<dt>Organization</dt><dd><bdi>${organization}</bdi></dd>`;
  const host = markup`<dt>Answer goes to</dt><dd><b>${new URL(redirectUri).host}</b></dd>`;
  const end = markup`<dt>Access ends</dt><dd>${dayOf(ends)} (${String(CODE_GRANT_KEY_DAYS)} days)</dd>`;
  const warning = isLoopback(redirectUri)
    ? markup`<p class="note">The answer goes to a program on this machine. Allow it only if you have just started it yourself.</p>`
    : undefined;
  return markup`<dl>${tenant}${host}${end}</dl>${warning}`;
}

function choice(tenants: readonly TenantRecord[]): Markup {
  const rows = tenants.map(
    ({ slug, name }) => markup`<label class="choice"><input type="radio" name="tenant" value="${slug}" required><bdi>${name}</bdi></label>`,
  );
  return markup`<fieldset><legend>With which organization?</legend>${rows}</fieldset>`;
}

const dayOf = (date: Date): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(date);

const hidden = ({ id }: ConsentRequest): Markup => markup`<input type="hidden" name="request" value="${id}">`;

const again = ({ id }: ConsentRequest): string => `${CONSENT_PATH}?request=${encodeURIComponent(id)}`;
