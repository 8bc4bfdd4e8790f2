/** The start page at /, for people who open the address of the service in a browser. It contains nothing that needs a key to read. */
import type { Request, ResponseObject, ResponseToolkit, Server } from '@hapi/hapi';
import type { DemoTenantSummary } from '../api/admin/handler.ts';
import { DOCUMENT_PATHS } from '../contract/openapi/document-paths.ts';
import { getBaseUrl } from './base-url.ts';
import { Markup, markup, renderPage } from './html-page.ts';
import type { Service } from './service.ts';
import { createUnknownPathError } from './routing-errors.ts';

const PATH = '/';
const VARY = { vary: 'accept' } as const;

export function addStartPage(server: Server, service: Service, hasConsole: boolean): void {
  server.route({ method: 'GET', path: PATH, handler: (request, h) => handleStartPage(request, h, service, hasConsole) });
}

async function handleStartPage(request: Request, h: ResponseToolkit, service: Service, hasConsole: boolean): Promise<ResponseObject> {
  if (!prefersHtml(request.headers['accept'] as string | undefined)) throw createUnknownPathError(VARY);
  const content = renderStartPage(getBaseUrl(request), service.version, await service.demo.list(), hasConsole);
  return renderPage(h, { title: 'Running', content }).header('vary', VARY.vary);
}

/** Browsers name text/html. curl and API clients send a wildcard for all types, or JSON. */
function prefersHtml(accept = ''): boolean {
  const ranges = accept.toLowerCase().split(',').map(parseRange);
  const getWeight = (...types: readonly string[]): number =>
    Math.max(0, ...ranges.flatMap(({ type, q }) => (types.includes(type) ? [q] : [])));
  const html = getWeight('text/html', 'text/*');
  return html > 0 && html >= getWeight('application/json', 'application/*');
}

function parseRange(range: string): { type: string; q: number } {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
  const q = parameters.find((parameter) => parameter.startsWith('q='));
  return { type, q: q === undefined ? 1 : Number(q.slice(2)) || 0 };
}

function renderStartPage(base: string, version: string, tenants: readonly DemoTenantSummary[], hasConsole: boolean): Markup {
  const [tenant] = tenants;
  const forTenant = tenant === undefined ? '' : ` --tenant ${tenant.slug}`;
  const createKey = `npx stockroom keys create --all-scopes${forTenant} --columns secret | tail -n 1`;
  return markup`${[
    markup`<h1>stockroom is running</h1><p class="soft">Version ${version} on ${base}</p>`,
    renderDemo(tenants),
    hasConsole
      ? markup`<section><h2>Console</h2><p><a href="/console">Items, orders, stock and deliveries</a> in the browser. This command opens it, signed in:</p><kbd>npx stockroom console${forTenant}</kbd></section>`
      : new Markup(''),
    markup`<section><h2>API</h2><p><a href="${DOCUMENT_PATHS.reference}">API reference</a>, with requests to try</p>`,
    markup`<p><a href="${DOCUMENT_PATHS.api}">openapi.json</a> and <a href="${DOCUMENT_PATHS.webhooks}">webhooks.openapi.json</a></p></section>`,
    markup`<section><h2>Commands</h2><p class="soft">List the items of the current tenant, or watch its orders, stock and deliveries:</p>`,
    markup`<kbd>npx stockroom items list</kbd><kbd>npx stockroom dashboard</kbd></section>`,
    markup`<section><h2>Requests</h2><p class="soft">Create a key, then send a request with it:</p>`,
    markup`<kbd>export STOCKROOM_API_KEY="$(${createKey})"</kbd>`,
    markup`<kbd>curl -H "X-API-Key: $STOCKROOM_API_KEY" "${base}/v1/items?page_size=5"</kbd></section>`,
    markup`<footer>Click a command to select it. Run <code>npx</code> in the checkout, or where stockroom is installed.</footer>`,
  ]}`;
}

function renderDemo(tenants: readonly DemoTenantSummary[]): Markup {
  if (tenants.length === 0)
    return markup`<section><h2>Demo</h2><p class="soft">Not loaded. This command creates the demo tenants:</p><kbd>npx stockroom demo</kbd></section>`;
  const rows = tenants.map(
    ({ slug, plan, keyPrefix }) =>
      markup`<dt>${slug}</dt><dd>${plan}${keyPrefix === null ? undefined : markup`, key <code>${keyPrefix}…</code>`}</dd>`,
  );
  return markup`<section><h2>Demo tenants</h2><dl>${rows}</dl></section>`;
}
