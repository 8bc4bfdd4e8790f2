/**
 * Which pages of other origins may use the API in a browser. Fetch Standard (CORS), Private Network Access; A-5.
 * Allowed are the origins of `--cors` and those of the redirect URIs of approved applications, at the API, the tokens, MCP and the documents.
 * No cookies are accepted there, so no credentials are allowed.
 */
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { IDEMPOTENT_REPLAYED, RATE_LIMIT, REQUEST_ID, formatHeaderName } from '../contract/headers.ts';
import { OAUTH, WELL_KNOWN } from '../contract/oauth.ts';
import { DOCUMENT_PATHS } from '../contract/openapi/document-paths.ts';
import { METHODS } from '../contract/operation.ts';
import { StockroomError } from '../domain/kernel/errors.ts';
import { getRequestHost } from './forwarded.ts';
import type { RequestServices } from './request-services.ts';

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    /** Another origin whose page may read the response. */
    allowedOrigin?: string;
  }
}

const PREFIXES = ['/v1/', '/mcp', ...Object.values(WELL_KNOWN)];
const PATHS: ReadonlySet<string> = new Set(['/v1', OAUTH.token, OAUTH.revoke, OAUTH.register, DOCUMENT_PATHS.api, DOCUMENT_PATHS.webhooks]);
/** Chromium keeps a preflight for no longer. */
const MAX_AGE_S = 7_200;
const EXPOSED = ['etag', 'location', 'retry-after', 'www-authenticate', REQUEST_ID, IDEMPOTENT_REPLAYED, ...Object.values(RATE_LIMIT)]
  .map(formatHeaderName)
  .join(', ');
const APPLICATIONS_MAX = 1_000;

/** Whether a page of another origin sends the request, which `checkOrigin` must allow. */
export function isOfOtherOrigin(request: Request, publicUrl: string | undefined): boolean {
  const origin = request.headers['origin'] as string | undefined;
  if (origin === undefined || origin === publicUrl) return false;
  const host = getRequestHost(request) ?? '';
  return origin !== `http://${host}` && origin !== `https://${host}`;
}

/** Rejects a request of another origin with 403, unless it is allowed. `cors`: origins, or a scheme and host with `:*` for every port. */
export async function checkOrigin(request: Request, service: RequestServices, cors: readonly string[]): Promise<void> {
  const origin = String(request.headers['origin']);
  if (!isSharedPath(request.path) || !(isListed(origin, cors) || (await isOfApplication(origin, service)))) {
    throw new StockroomError(
      'ORIGIN_NOT_ALLOWED',
      `Requests from the origin ${origin} are not allowed. Start the daemon with --cors ${origin}, or register an application with a redirect URI there.`,
    );
  }
  request.app.allowedOrigin = origin;
}

const isSharedPath = (path: string): boolean => PATHS.has(path) || PREFIXES.some((prefix) => path.startsWith(prefix));

const isListed = (origin: string, cors: readonly string[]): boolean =>
  cors.some((allowed) => allowed === origin || (allowed.endsWith(':*') && origin.replace(/(?<=\w|\]):\d+$/u, '') === allowed.slice(0, -2)));

async function isOfApplication(origin: string, { store }: RequestServices): Promise<boolean> {
  const { rows } = await store.read('', (tx) => tx.applications.listAfter({ limit: APPLICATIONS_MAX }));
  return rows.some(
    ({ status, redirectUris }) => status === 'approved' && redirectUris.some((uri) => URL.canParse(uri) && new URL(uri).origin === origin),
  );
}

/** Answers the question whether a page may send a request; undefined for other requests. */
export function answerPreflight({ method, headers, app }: Request, h: ResponseToolkit): ResponseObject | undefined {
  if (method !== 'options' || app.allowedOrigin === undefined || headers['access-control-request-method'] === undefined) return undefined;
  const reply = h
    .response()
    .code(204)
    .header('access-control-allow-methods', METHODS.join(', '))
    .header('access-control-max-age', String(MAX_AGE_S));
  const requested = headers['access-control-request-headers'] as string | undefined;
  if (requested !== undefined) reply.header('access-control-allow-headers', requested).vary('access-control-request-headers');
  if (headers['access-control-request-private-network'] === 'true') reply.header('access-control-allow-private-network', 'true');
  return reply;
}

/** Lets the page read the response. */
export function addCorsHeaders({ app }: Request, reply: ResponseObject): void {
  if (app.allowedOrigin === undefined) return;
  reply.header('access-control-allow-origin', app.allowedOrigin).header('access-control-expose-headers', EXPOSED).vary('origin');
}
