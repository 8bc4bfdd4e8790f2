/** What the pages of a consent say. decisions-api §6.2: who asks, where the answer goes, for which organization, what for, how long. */
import type { ConsentRequest } from '../../api/consents.ts';
import { CODE_GRANT_KEY_DAYS, CONSENT_MIN } from '../../contract/limits.ts';
import { scopes as meanings } from '../../contract/scopes.ts';
import { isLoopback } from '../../domain/redirects.ts';
import type { TenantRecord } from '../../domain/tenants.ts';
import { Markup, html } from './page.ts';

/** Where the forms of the pages go, and where a page is asked for again. */
export const CONSENT_PATH = '/oauth/consent';

const icon = (path: string): Markup =>
  new Markup(
    `<svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>`,
  );
const LOOK = icon(
  'M1.8 10S4.8 4.5 10 4.5 18.2 10 18.2 10 15.2 15.5 10 15.5 1.8 10 1.8 10Zm8.2 2.4a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8Z',
);
const CHANGE = icon('m3 17 .9-3.7L13.6 3.6a1.6 1.6 0 0 1 2.3 0l.5.5a1.6 1.6 0 0 1 0 2.3L6.7 16.1Z');

/** Who asks for what. */
function about({ applicationName, scopes }: ConsentRequest): Markup {
  return html`<h1><bdi>${applicationName}</bdi> wants to connect</h1>
    <p class="soft">If you allow it, it can</p>
    <ul class="scopes">
      ${scopes.map(
        (scope) =>
          html`<li>
            ${scope.endsWith(':read') ? LOOK : CHANGE}<span>${meanings[scope]}<code>${scope}</code></span>
          </li>`,
      )}
    </ul>`;
}

function facts({ redirectUri }: ConsentRequest, now: Date, organization?: string): Markup {
  const ends = new Date(now.getTime() + CODE_GRANT_KEY_DAYS * 86_400_000);
  const warning = isLoopback(redirectUri)
    ? html`<p class="note">The answer goes to a program on this machine. Allow it only if you have just started it yourself.</p>`
    : undefined;
  const tenant =
    organization === undefined
      ? undefined
      : html`<dt>Organization</dt>
          <dd><bdi>${organization}</bdi></dd>`;
  return html`<dl>
      ${tenant}
      <dt>Answer goes to</dt>
      <dd><b>${new URL(redirectUri).host}</b></dd>
      <dt>Access ends</dt>
      <dd>${dayOf(ends)}, after ${String(CODE_GRANT_KEY_DAYS)} days</dd>
    </dl>
    ${warning}`;
}

const dayOf = (date: Date): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(date);

const hidden = (request: ConsentRequest): Markup => html`<input type="hidden" name="request" value="${request.id}" />`;
const DENY = html`<button name="decision" value="deny" formnovalidate>Deny</button>`;

/** Before anybody has shown that the daemon is theirs. */
export function loginPage(request: ConsentRequest, now: Date, problem?: string): Markup {
  return html`${about(request)}${facts(request, now)}
    <form method="post" action="${CONSENT_PATH}">
      ${hidden(request)}
      <h2>First show that this stockroom is yours</h2>
      <p>Run this in a terminal and enter the code that it prints:</p>
      <kbd>stockroom oauth login</kbd><label class="field" for="code">Code</label
      ><input
        type="text"
        id="code"
        name="code"
        autocomplete="one-time-code"
        autocapitalize="characters"
        spellcheck="false"
        maxlength="20"
        placeholder="ABCD-2345"
        required${problem === undefined ? undefined : html` aria-invalid="true" aria-describedby="problem"`}
      />${problem === undefined ? undefined : html`<p class="bad" id="problem" role="alert">${problem}</p>`}
      <div class="row"><button class="main" name="decision" value="login">Continue</button>${DENY}</div>
    </form>
    <details>
      <summary>Answer in the terminal instead</summary>
      <kbd>stockroom oauth approve ${request.id}</kbd>
      <p><a href="${again(request)}">I have answered there: go on</a></p>
    </details>`;
}

/** The question itself. */
export function consentPage(request: ConsentRequest, tenants: readonly TenantRecord[], now: Date, chosen?: string): Markup {
  const [only] = tenants;
  if (!only)
    return html`<h1>There is no organization to connect</h1>
      <p>Make one with</p>
      <kbd>stockroom tenants create --name NAME</kbd>`;
  const choice =
    tenants.length === 1
      ? html`<input type="hidden" name="tenant" value="${only.slug}" />`
      : html`<fieldset>
          <legend>With which organization?</legend>
          ${tenants.map(
            ({ slug, name }) =>
              html`<label class="choice"
                ><input type="radio" name="tenant" value="${slug}" required${slug === chosen ? html` checked` : undefined} /><bdi
                  >${name}</bdi
                ></label
              >`,
          )}
        </fieldset>`;
  return html`${about(request)}${facts(request, now, tenants.length === 1 ? only.name : undefined)}
    <form method="post" action="${CONSENT_PATH}">
      ${hidden(request)}${choice}
      <div class="row"><button class="main" name="decision" value="allow">Allow</button>${DENY}</div>
    </form>
    <footer>You can take this back at any time: <code>stockroom apps disconnect</code></footer>`;
}

/** The request has its answer; `goOn` is there while the answer can still be delivered. */
export function answeredPage(request: ConsentRequest, { isAllowed, goOn }: { isAllowed: boolean; goOn: boolean }): Markup {
  const result = isAllowed ? 'It was allowed.' : 'It was denied.';
  const rest = goOn
    ? html`<p>If nothing happens, go on to the application yourself.</p>
        <div class="row">
          <a class="button main" href="${again(request)}">Go on to <bdi>${request.applicationName}</bdi></a>
        </div>`
    : html`<p class="soft">You can close this page.</p>`;
  return html`<h1>This request has been answered</h1>
    <p>${result}</p>
    ${rest}`;
}

export const expiredPage = (): Markup =>
  html`<h1>This request is no longer open</h1>
    <p>A request waits ${String(CONSENT_MIN)} minutes for its answer, and not longer than stockroom runs.</p>
    <p class="soft">Start again from the application; nothing was allowed.</p>`;

/** Something is wrong with the request itself, so that it may lead nowhere. */
export const refusedPage = (reason: string): Markup =>
  html`<h1>This link does not work</h1>
    <p>${reason}</p>
    <p class="soft">Nothing was allowed, and nothing was sent to anybody. Whoever makes the application can mend it.</p>`;

export const problemPage = (title: string, reason: string): Markup =>
  html`<h1>${title}</h1>
    <p>${reason}</p>`;

const again = ({ id }: ConsentRequest): string => `${CONSENT_PATH}?request=${encodeURIComponent(id)}`;
