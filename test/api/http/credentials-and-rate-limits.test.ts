/** API keys, Host and Origin headers, and rate limits. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { request } from 'undici';
import { RATE_WINDOW_S } from '../../../src/contract/limits.ts';
import { createApiServer } from '../../../src/http/server.ts';
import { sendBytes } from '../../support/service/raw-http.ts';
import { type TestService, getCode, startService } from '../../support/service/service.ts';

const TINY = 3;

let s: TestService;
beforeAll(async () => {
  s = await startService({ tiers: { tiny: TINY } });
});
afterAll(() => s[Symbol.asyncDispose]());

describe('credentials', () => {
  test('missing and invalid keys return 401 with a challenge, without the reason', async () => {
    const missing = await s.get('/v1/items', { key: '' });
    expect([missing.status, getCode(missing), missing.body.error.message]).toEqual([
      401,
      'UNAUTHENTICATED',
      'Missing API key. Send it as X-API-Key or as Authorization: Bearer.',
    ]);
    expect(missing.headers['www-authenticate']).toMatch(/^Bearer realm="stockroom"/u);
    expect(missing.headers['www-authenticate']).not.toContain('error=');
    const expired = await s.addKey({ expiresAt: new Date(s.clock.now().getTime() - 1).toISOString() });
    const texts = new Set<string>();
    for (const key of ['nonsense', expired, `${s.key.slice(0, -1)}${s.key.endsWith('0') ? '1' : '0'}`]) {
      const reply = await s.get('/v1/items', { key });
      expect([reply.status, getCode(reply)]).toEqual([401, 'UNAUTHENTICATED']);
      expect(reply.headers['www-authenticate']).toContain('error="invalid_token"');
      expect(reply.text).not.toContain(key);
      texts.add(reply.body.error.message as string);
    }
    expect([...texts]).toEqual(['Invalid API key.']);
  });
  test('the log has the reason for a rejected key, with the request id', async () => {
    const debug = vi.spyOn(s.service.log, 'debug');
    const expired = await s.addKey({ expiresAt: new Date(s.clock.now().getTime() - 1).toISOString() });
    const reply = await s.get('/v1/items', { key: expired });
    expect(debug.mock.calls).toEqual([[{ reason: 'expired', requestId: reply.headers['x-request-id'] }, 'key rejected']]);
    debug.mockRestore();
  });
  test('either header is accepted, or both if they are equal', async () => {
    const bearer = { authorization: `Bearer ${s.key}` };
    expect((await s.get('/v1', { key: '', headers: bearer })).status).toBe(200);
    expect((await s.get('/v1', { headers: bearer })).status).toBe(200);
    for (const authorization of [`Bearer ${await s.addKey()}`, 'Basic abc', 'Bearer']) {
      const { error } = (await s.get('/v1', { headers: { authorization } })).body;
      expect([authorization.slice(0, 6), error.code, error.message]).toEqual([
        authorization.slice(0, 6),
        'AMBIGUOUS_CREDENTIALS',
        'X-API-Key and Authorization have different values. Send one of them.',
      ]);
    }
  });
  test('Authorization is the scheme Bearer in any case, spaces, and one key without spaces (RFC 9110, 11.4)', async () => {
    for (const authorization of [`bearer ${s.key}`, `BEARER   ${s.key}  `])
      expect([authorization.slice(0, 10), (await s.get('/v1', { key: '', headers: { authorization } })).status]).toEqual([
        authorization.slice(0, 10),
        200,
      ]);
    for (const authorization of [
      `Bearer${s.key}`,
      `XBearer ${s.key}`,
      `Bearer ${s.key} x`,
      `Bearer ${s.key.slice(0, 8)} ${s.key.slice(8)}`,
    ]) {
      const { status, body } = await s.get('/v1', { key: '', headers: { authorization } });
      expect([authorization.slice(0, 8), status, body.error.message]).toEqual([
        authorization.slice(0, 8),
        401,
        'Missing API key. Send it as X-API-Key or as Authorization: Bearer.',
      ]);
    }
  });
  test('a key in the query string is rejected, and is not in the reply', async () => {
    for (const name of ['api_key', 'apikey', 'access_token', 'token', 'x-api-key']) {
      const reply = await s.get(`/v1/items?${name}=${s.key}`);
      expect([reply.status, reply.body.error]).toMatchObject([
        400,
        {
          code: 'AMBIGUOUS_CREDENTIALS',
          message: `API keys are not accepted in the query string (${name}). Send the header X-API-Key.`,
        },
      ]);
      expect(reply.text).not.toContain(s.key);
    }
  });
});

describe('Host and Origin', () => {
  test('Host must be a loopback name, with any port', async () => {
    for (const host of ['127.0.0.1', 'localhost:1', '[::1]:8625', 'LOCALHOST']) {
      expect([host, (await s.get('/healthz', { headers: { host } })).status]).toEqual([host, 200]);
    }
    for (const host of ['attacker.example', '127.0.0.1.attacker.example', 'localhost.attacker.example:8625', '169.254.169.254']) {
      const reply = await s.get('/v1/items', { headers: { host } });
      expect([host, reply.status, getCode(reply)]).toEqual([host, 403, 'ORIGIN_NOT_ALLOWED']);
      expect(reply.body.error.message).toBe(`Invalid Host header "${host}". Use 127.0.0.1 or localhost.`);
    }
  });
  test('Host must be sent once', async () => {
    const { host } = new URL(s.url);
    const lines = ['GET /v1/items HTTP/1.1', `Host: ${host}`, 'Host: attacker.example', `X-API-Key: ${s.key}`, 'Connection: close'];
    const reply = await sendBytes(s.url, `${lines.join('\r\n')}\r\n\r\n`);
    expect(reply).toMatch(/^HTTP\/1\.1 400 /u);
    const { error } = JSON.parse(reply.slice(reply.indexOf('{'))) as { error: unknown };
    expect(error).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: 'The header Host must be sent once.',
      fields: [{ in: 'header', path: '/host', code: 'not_allowed' }],
    });
  });
  // Only Linux has all of 127.0.0.0/8; elsewhere the address has to be added first.
  test.runIf(process.platform === 'linux').for(['127.0.0.2', 'localhost'])('Host is also checked by a server on %s', async (host) => {
    const server = createApiServer(s.service, { host, port: 0 });
    await server.start();
    try {
      const read = async (name: string) => {
        const { port } = server.info;
        const { statusCode, body } = await request(`http://${host}:${String(port)}/healthz`, {
          headers: { host: `${name}:${String(port)}` },
        });
        await body.dump();
        return statusCode;
      };
      for (const name of [host, '127.0.0.1', 'localhost', '[::1]']) expect([name, await read(name)]).toEqual([name, 200]);
      for (const name of ['attacker.example', `${host}.attacker.example`]) expect([name, await read(name)]).toEqual([name, 403]);
    } finally {
      await server.stop();
    }
  });
  test('Origin must be this service; foreign and null origins are rejected', async () => {
    const { host } = new URL(s.url);
    expect((await s.get('/v1/items', { headers: { origin: `http://${host}` } })).status).toBe(200);
    for (const origin of ['null', 'http://localhost:1', `http://${host}.example`, 'file://']) {
      const reply = await s.get('/v1/items', { headers: { origin } });
      expect([origin, reply.status, getCode(reply)]).toEqual([origin, 403, 'ORIGIN_NOT_ALLOWED']);
      expect(reply.headers).not.toHaveProperty('access-control-allow-origin');
    }
  });
});

describe('rate window', () => {
  const figures = (headers: Record<string, unknown>) =>
    ['ratelimit-policy', 'ratelimit', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'].map(
      (name) => headers[name],
    );

  test('starts with the first request, counts every reply but 429, and ends after 60 seconds', async () => {
    const key = await s.addKey({ tier: 'tiny', scopes: ['items:read'] });
    const start = s.clock.now().getTime();
    const reset = (headers: Record<string, unknown>) => Number(headers['x-ratelimit-reset']);
    const first = await s.get('/v1/items', { key });
    expect(figures(first.headers).slice(0, 4)).toEqual([
      `"default";q=${String(TINY)};w=${String(RATE_WINDOW_S)}`,
      `"default";r=2;t=60`,
      '3',
      '2',
    ]);
    expect(Math.abs(reset(first.headers) - start / 1000 - RATE_WINDOW_S)).toBeLessThan(5);
    expect((await s.get('/v1/items/nope', { key })).headers['x-ratelimit-remaining']).toBe('1');
    expect((await s.get('/v1/contacts', { key })).headers['x-ratelimit-remaining']).toBe('0');
    for (const _ of [1, 2]) {
      const over = await s.get('/v1/items', { key });
      expect([over.status, getCode(over)]).toEqual([429, 'RATE_LIMITED']);
      const [, state, , remaining, , retryAfter] = figures(over.headers);
      expect([remaining, over.body.error.message, over.body.error.details]).toEqual([
        '0',
        `Rate limit of ${String(TINY)} requests per minute exceeded. Retry in ${String(retryAfter)} s.`,
        { limit: TINY, retryAfterSeconds: Number(retryAfter) },
      ]);
      expect(state).toBe(`"default";r=0;t=${String(retryAfter)}`);
      expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
      expect(reset(over.headers)).toBe(reset(first.headers));
    }
    s.clock.advance(RATE_WINDOW_S);
    expect((await s.get('/v1/items', { key })).headers['x-ratelimit-remaining']).toBe('2');
  });
  test('is separate for each key', async () => {
    const [busy, idle] = [await s.addKey({ tier: 'tiny' }), await s.addKey({ tier: 'tiny' })];
    for (let sent = 0; sent <= TINY; sent += 1) await s.get('/v1', { key: busy });
    expect((await s.get('/v1', { key: busy })).status).toBe(429);
    expect((await s.get('/v1', { key: idle })).status).toBe(200);
  });
  test('counts only requests with a valid key, whose replies all have the rate limit headers', async () => {
    expect(figures((await s.get('/v1/items', { key: '' })).headers)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    const key = await s.addKey({ scopes: ['usage:read'] });
    for (const reply of [await s.get('/v1', { key }), await s.get('/v1/items', { key }), await s.get('/v1/usage?x=1', { key })])
      expect(figures(reply.headers).slice(0, 5)).not.toContain(undefined);
  });
});
