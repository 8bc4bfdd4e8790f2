/** The layout of the HTML pages of the service: HTML, styles and security headers. The pages have no scripts and load nothing. */
import { hash } from 'node:crypto';
import type { ResponseObject, ResponseToolkit } from '@hapi/hapi';

/** HTML that needs no escaping. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type TemplateValue = string | Markup | undefined | readonly Markup[];

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/gu, (char) => ESCAPES[char] ?? char);

/** Escapes all values but markup. Not called `html`, because formatters would change the text, and the hash of the styles would not match. */
export function markup(strings: TemplateStringsArray, ...values: readonly TemplateValue[]): Markup {
  const toText = (value: TemplateValue): string => {
    if (value === undefined) return '';
    if (typeof value === 'string') return escapeHtml(value);
    return value instanceof Markup ? value.text : value.map(({ text }) => text).join('');
  };
  return new Markup(strings.reduce((all, string, at) => all + toText(values[at - 1]) + string));
}

const STYLE = `
:root{color-scheme:light dark;--back:#f3f1ec;--card:#fff;--ink:#22201c;--soft:#6b665d;--line:#e4e0d8;--brand:#1f6f54;--press:#18573f;--on:#fff;--warn:#fbf3df;--edge:#e6d3a0;--bad:#a3352a}
@media (prefers-color-scheme:dark){:root{--back:#16171a;--card:#1f2124;--ink:#ecebe8;--soft:#a3a19b;--line:#34373c;--brand:#4fb48c;--press:#6cc5a2;--on:#0f1512;--warn:#2c2818;--edge:#5a4d22;--bad:#f0978c}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.25rem;background:var(--back);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main{width:100%;max-width:29rem;padding:1.75rem;background:var(--card);border:1px solid var(--line);border-radius:14px;box-shadow:0 1px 2px rgb(0 0 0/.04),0 12px 32px rgb(0 0 0/.06)}
.brand{display:flex;align-items:center;gap:.5rem;margin:0 0 1.25rem;color:var(--soft);font-size:.875rem;letter-spacing:.01em}
.brand svg{width:1.25rem;height:1.25rem;color:var(--brand)}
h1{margin:0 0 .5rem;font-size:1.375rem;line-height:1.3;font-weight:650;overflow-wrap:anywhere;text-wrap:balance}
h2{margin:0 0 .25rem;font-size:1.0625rem;font-weight:650}
p{margin:.5rem 0;text-wrap:pretty}
a{color:var(--brand)}
.soft{color:var(--soft);font-size:.9375rem}
ul{margin:0;padding:0;list-style:none}
.scopes li{display:flex;gap:.625rem;padding:.5rem 0;border-top:1px solid var(--line)}
.scopes li:first-child{border-top:0}
.scopes svg{flex:none;width:1.125rem;height:1.125rem;margin-top:.1875rem;color:var(--brand)}
.scopes code{display:block;color:var(--soft);font-size:.8125rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.375rem 1rem;margin:1.25rem 0 0;padding:1rem 0 0;border-top:1px solid var(--line);font-size:.9375rem}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
section{margin-top:1.5rem}
section p{margin:.25rem 0}
section dl{margin:0;padding:.25rem 0 0;border:0}
code,kbd{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.875em}
kbd{display:block;margin:.375rem 0;padding:.5rem .75rem;background:var(--back);border:1px solid var(--line);border-radius:8px;overflow-wrap:anywhere;user-select:all}
.note{margin:1.25rem 0 0;padding:.75rem .875rem;background:var(--warn);border:1px solid var(--edge);border-radius:10px;font-size:.9375rem}
.bad{color:var(--bad);font-size:.9375rem}
[aria-invalid]{border-color:var(--bad)!important}
form{margin:1.5rem 0 0}
.proof{padding-top:1.25rem;border-top:1px solid var(--line)}
fieldset{margin:0 0 1.25rem;padding:0;border:0}
legend{padding:0;margin-bottom:.375rem;font-weight:600}
.choice{display:flex;align-items:center;gap:.625rem;padding:.625rem .75rem;border:1px solid var(--line);border-radius:10px;margin-bottom:.375rem;overflow-wrap:anywhere}
.choice:has(:checked){border-color:var(--brand)}
.choice input{accent-color:var(--brand);width:1.125rem;height:1.125rem;margin:0;flex:none}
label.field{display:block;margin:1rem 0 .375rem;font-weight:600}
input[type=text]{width:100%;padding:.625rem .75rem;border:1px solid var(--line);border-radius:10px;background:var(--card);color:inherit;font:600 1.125rem/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;letter-spacing:.12em;text-transform:uppercase}
.row{display:flex;flex-direction:row-reverse;gap:.625rem;margin-top:1rem}
button,a.button{flex:1;padding:.6875rem 1rem;border:1px solid var(--line);border-radius:10px;background:var(--card);color:var(--ink);font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
button.main,a.main{background:var(--brand);border-color:var(--brand);color:var(--on)}
button:hover,a.button:hover{border-color:var(--soft)}
button.main:hover,a.main:hover{background:var(--press);border-color:var(--press)}
:focus-visible{outline:3px solid var(--brand);outline-offset:2px}
footer{margin-top:1.25rem;color:var(--soft);font-size:.8125rem}
@media (max-width:30rem){body{padding:0;place-items:start stretch;background:var(--card)}main{min-height:100vh;border:0;border-radius:0;box-shadow:none;padding:1.25rem}}
`;
const STYLE_HASH = hash('sha256', STYLE, 'base64');

const LOGO = new Markup(
  '<svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round" aria-hidden="true"><path d="M2.5 6 10 2.5 17.5 6v8L10 17.5 2.5 14Z"/><path d="M2.5 6 10 9.5 17.5 6M10 9.5v8"/></svg>',
);

interface PageOptions {
  readonly title: string;
  readonly content: Markup;
  readonly status?: number;
  /**
   * Whether the forms of the page redirect to another site. `form-action` also applies to that redirect and to all that follow, which may
   * lead anywhere: a callback often ends at a page of the vendor.
   */
  readonly hasForeignRedirect?: boolean;
}

export function renderPage(h: ResponseToolkit, { title, content, status = 200, hasForeignRedirect = false }: PageOptions): ResponseObject {
  const head = markup`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${title} · stockroom</title><style>${new Markup(STYLE)}</style>`;
  const document = markup`<!doctype html><html lang="en"><head>${head}</head><body><main><p class="brand">${LOGO}stockroom</p>${content}</main></body></html>`;
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self'${hasForeignRedirect ? ' http: https:' : ''}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
  return addSecurityHeaders(h.response(document.text).type('text/html; charset=utf-8').code(status)).header(
    'content-security-policy',
    policy,
  );
}

/** Redirects with 303. */
export const redirect = (h: ResponseToolkit, url: string): ResponseObject =>
  addSecurityHeaders(h.response('').code(303)).header('location', url);

const addSecurityHeaders = (reply: ResponseObject): ResponseObject =>
  reply
    .header('x-frame-options', 'DENY')
    // With no-referrer, browsers would not send the Origin of the page's own form.
    .header('referrer-policy', 'same-origin')
    .header('cache-control', 'no-store');
