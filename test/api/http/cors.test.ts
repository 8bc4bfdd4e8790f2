/** Pages of other origins: which may use the API, and the headers that a browser needs. The browser itself: test/browser/other-origins.test.ts. */
import { expect, test } from 'vitest';
import { request } from 'undici';
import { startOAuth } from '../../support/service/oauth.ts';
import { getCode, startService } from '../../support/service/service.ts';

const LISTED = 'https://app.example';
const PREFLIGHT = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type,idempotency-key,x-api-key' };

async function send(
  url: string,
  origin: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
) {
  const reply = await request(url, { method: method as 'GET', headers: { origin, ...headers } });
  return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() };
}

test('a listed origin may read responses and all their headers, also of errors, and no other origin may', async () => {
  await using s = await startService({ cors: [LISTED, 'http://localhost:*'] });
  for (const origin of [LISTED, 'http://localhost', 'http://localhost:5173']) {
    const reply = await s.get('/v1/items', { headers: { origin } });
    expect([reply.status, reply.headers['access-control-allow-origin'], reply.headers['vary']]).toEqual([200, origin, 'origin']);
    expect(String(reply.headers['access-control-expose-headers']).split(', ')).toEqual(
      expect.arrayContaining(['Etag', 'Location', 'Retry-After', 'RateLimit', 'X-Request-Id', 'Idempotent-Replayed']),
    );
    expect(reply.headers).not.toHaveProperty('access-control-allow-credentials');
    expect((await send(`${s.url}/v1/items`, origin)).headers['access-control-allow-origin']).toBe(origin);
  }
  for (const origin of [
    'null',
    'https://app.example:8443',
    'http://app.example',
    'https://localhost:5173',
    'http://localhost.example:1',
    'http://localhost:5173:1',
  ]) {
    const reply = await s.get('/v1/items', { headers: { origin } });
    expect([origin, reply.status, getCode(reply)]).toEqual([origin, 403, 'ORIGIN_NOT_ALLOWED']);
    expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
    expect(reply.text).toContain(`--cors ${origin}`);
  }
});

test('a preflight is answered before credentials and rate limits, and not counted', async () => {
  await using s = await startService({ cors: [LISTED] });
  for (const path of ['/v1/items', '/v1/orders/x', '/mcp', '/oauth/token', '/.well-known/oauth-protected-resource/mcp', '/openapi.json']) {
    const reply = await send(s.url + path, LISTED, {
      method: 'OPTIONS',
      headers: { ...PREFLIGHT, 'access-control-request-private-network': 'true' },
    });
    expect([path, reply.status, reply.text]).toEqual([path, 204, '']);
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': LISTED,
      'access-control-allow-methods': expect.stringContaining('PATCH') as string,
      'access-control-allow-headers': PREFLIGHT['access-control-request-headers'],
      'access-control-allow-private-network': 'true',
      'access-control-max-age': '7200',
    });
    expect(reply.headers).not.toHaveProperty('ratelimit');
  }
  expect((await send(`${s.url}/v1/items`, 'https://other.example', { method: 'OPTIONS', headers: PREFLIGHT })).status).toBe(403);
});

test('pages with forms and cookies are for their own origin only', async () => {
  await using s = await startService({ cors: [LISTED] });
  for (const path of ['/', '/docs', '/oauth/authorize', '/oauth/consent', '/healthz'])
    expect([path, (await send(s.url + path, LISTED)).status]).toEqual([path, 403]);
});

test('the origins of the redirect URIs of approved applications are allowed', async () => {
  await using o = await startOAuth();
  const ask = async (origin: string) => (await o.a.s.get('/v1/items', { headers: { origin } })).status;
  expect(await ask('https://shop.example')).toBe(403);
  await o.app({ type: 'public', redirectUris: ['https://shop.example/callback'] });
  expect(await ask('https://shop.example')).toBe(200);
  await o.app({ redirectUris: ['https://pending.example/callback'], approve: false });
  expect(await ask('https://pending.example')).toBe(403);
});
