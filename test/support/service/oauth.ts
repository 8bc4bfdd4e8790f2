/** Partner applications against a real service: registering, consenting over the page's own forms, and fetching keys. */
import { createHash, randomBytes } from 'node:crypto';
import { request } from 'undici';
import type { Scope } from '../../../src/contract/scopes.ts';
import { type TestAdmin, startAdmin } from './admin.ts';
import type { Reply } from './service.ts';

export const REDIRECT = 'http://127.0.0.1:4567/callback';

export interface App {
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret: string | null;
}

/** A PKCE pair. */
export function pkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** A reply that is no JSON, such as a page. */
export type Page = Omit<Reply, 'body'>;

export interface TestOAuth extends AsyncDisposable {
  readonly a: TestAdmin;
  readonly base: string;
  app(more?: { type?: string; redirectUris?: string[]; scopes?: readonly Scope[]; approve?: boolean }): Promise<App>;
  /** Asks for a page, or sends a form, as a browser would, without following where it leads. */
  page(path: string, form?: Record<string, string>, headers?: Record<string, string>): Promise<Page>;
  /** `GET /oauth/authorize` with everything right but for what is given; undefined leaves a parameter out. */
  authorize(app: App, more?: Record<string, string | undefined>, headers?: Record<string, string>): Promise<Page>;
  /** Through the page to its answer: the redirect's parameters. */
  allow(app: App, more?: Record<string, string | undefined>): Promise<URLSearchParams>;
  /** `POST /oauth/token` or another endpoint. */
  send(path: string, form: Record<string, string> | string, headers?: Record<string, string>): Promise<Reply>;
  /** The token reply for a code. */
  exchange(app: App, code: string, verifier: string, more?: Record<string, string>): Promise<Reply>;
}

export async function startOAuth(options: Parameters<typeof startAdmin>[0] = {}): Promise<TestOAuth> {
  const a = await startAdmin(options);
  const base = a.s.url;
  const send: TestOAuth['send'] = async (path, form, headers = {}) => {
    const reply = await request(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    });
    const text = await reply.body.text();
    return { status: reply.statusCode, headers: reply.headers, text, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  };
  const page: TestOAuth['page'] = async (path, form, headers = {}) => {
    const reply = await request(`${base}${path}`, {
      method: form ? 'POST' : 'GET',
      headers: { ...(form ? { 'content-type': 'application/x-www-form-urlencoded', origin: base } : {}), ...headers },
      ...(form ? { body: new URLSearchParams(form).toString() } : {}),
    });
    return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() };
  };
  const authorize: TestOAuth['authorize'] = (app, more, headers) => page(toAuthorizationPath(app, more), undefined, headers);
  return {
    a,
    base,
    send,
    page,
    authorize,
    async app({ approve = true, ...more } = {}) {
      const body = { name: 'Shop sync', type: 'confidential', redirectUris: [REDIRECT], scopes: ['items:read', 'items:write'], ...more };
      const made = await a.post('/admin/apps', body);
      if (made.status !== 201) throw new Error(made.text);
      const { id, clientId } = made.body.data as App;
      if (approve) await a.post(`/admin/apps/${id}/approve?tenant=first`, {});
      return { id, clientId, clientSecret: made.body.clientSecret as string | null };
    },
    async allow(app, more) {
      const id = requestIn(await authorize(app, more));
      const { code } = (await a.post('/admin/oauth/login', {})).body as { code: string };
      const cookie = getCookie(await page('/oauth/consent', { request: id, decision: 'login', code }));
      return getParameters(await page('/oauth/consent', { request: id, decision: 'allow', tenant: 'first' }, { cookie }));
    },
    async exchange({ clientId, clientSecret }, code, verifier, more = {}) {
      return send('/oauth/token', {
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT,
        code_verifier: verifier,
        client_id: clientId,
        ...(clientSecret === null ? {} : { client_secret: clientSecret }),
        ...more,
      });
    },
    [Symbol.asyncDispose]: () => a[Symbol.asyncDispose](),
  };
}

/** `more` replaces parameters; undefined leaves one out. */
function toAuthorizationPath({ clientId }: App, more: Record<string, string | undefined> = {}): string {
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: REDIRECT,
    state: 'a b&c',
    code_challenge: pkce().challenge,
    code_challenge_method: 'S256',
    ...more,
  };
  const present = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(present).toString()}`;
}

/** The id of the request that a page is about. */
export function requestIn(page: Page): string {
  const id = /name="request" value="([^"]+)"/u.exec(page.text)?.[1];
  if (id === undefined) throw new Error(`no request in ${String(page.status)} ${page.text}`);
  return id;
}

/** The cookie that a reply sets, as a request sends it. */
export const getCookie = (page: Page): string => String(page.headers['set-cookie']).split(';')[0] ?? '';

/** Where a reply leads, and with what. */
export function getParameters(page: Page): URLSearchParams {
  const { location } = page.headers;
  if (typeof location !== 'string') throw new Error(`no redirect: ${String(page.status)} ${page.text}`);
  return new URL(location).searchParams;
}
