/** The published documents and the reference page over real HTTP: open to everybody, about this very address, and closed to everything else. */
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiDocument } from '../../src/contract/openapi/document.ts';
import { webhooksDocument } from '../../src/contract/openapi/webhooks.ts';
import { type TestService, codeOf, startService } from '../support/service.ts';

let s: TestService;
beforeAll(async () => {
  s = await startService({ tiers: { single: 1 } });
});
afterAll(() => s[Symbol.asyncDispose]());

const fetched = async (path: string, headers: Record<string, string> = {}) => {
  const { statusCode, headers: answered, body } = await request(s.url + path, { headers });
  return { status: statusCode, headers: answered, text: await body.text() };
};

describe('the documents', () => {
  test('are served without a key, as the contract makes them', async () => {
    const api = await s.get('/openapi.json', { key: '' });
    expect([api.status, api.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(api.body).toEqual(JSON.parse(JSON.stringify(apiDocument(s.url))));
    expect((api.body as { openapi: string }).openapi).toBe('3.0.3');
    const webhooks = await s.get('/webhooks.openapi.json', { key: '' });
    expect(webhooks.body).toEqual(JSON.parse(JSON.stringify(webhooksDocument())));
  });

  test('name the address that was called, so that a page of this origin may use it', async () => {
    const { port } = new URL(s.url);
    const { body } = await s.get('/openapi.json', { headers: { host: `localhost:${port}` } });
    expect(body.servers).toEqual([{ url: `http://localhost:${port}` }]);
    expect(body.components.securitySchemes.oauth2.flows.authorizationCode.authorizationUrl).toBe(
      `http://localhost:${port}/oauth/authorize`,
    );
    expect((await s.get('/openapi.json')).body.servers).toEqual([{ url: s.url }]);
  });

  test('are refused under a foreign name, and to a foreign page', async () => {
    for (const path of ['/openapi.json', '/webhooks.openapi.json', '/docs', '/docs/page.js']) {
      expect(codeOf(await s.get(path, { headers: { host: 'stock.example' } }))).toBe('ORIGIN_NOT_ALLOWED');
      expect(codeOf(await s.get(path, { headers: { origin: 'http://stock.example' } }))).toBe('ORIGIN_NOT_ALLOWED');
    }
  });

  test('cost nothing of the rate window, and take no other method', async () => {
    const key = await s.addKey({ tier: 'single' });
    for (const path of ['/openapi.json', '/webhooks.openapi.json', '/openapi.json']) {
      const reply = await s.get(path, { key });
      expect(reply.status).toBe(200);
      expect(reply.headers).not.toHaveProperty('x-ratelimit-limit');
    }
    expect((await s.get('/v1', { key })).status).toBe(200);
    const reply = await s.post('/openapi.json', {});
    expect([reply.status, reply.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the reference page', () => {
  const PARTS = ['/docs', '/docs/page.js', '/docs/page.css', '/docs/viewer.js', '/docs/viewer.css', '/docs/icon.svg'];

  test.each(PARTS)('%s comes from this machine, under a policy that allows nothing inline and no other origin', async (path) => {
    const { status, headers, text } = await fetched(path);
    expect(status).toBe(200);
    expect(text.length).toBeGreaterThan(0);
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toContain("default-src 'none'");
    const sources = policy.flatMap((directive) => directive.split(' ').slice(1));
    expect(new Set(sources)).toEqual(new Set(["'none'", "'self'", 'data:']));
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test('has nothing inline itself, and asks for its own parts only', async () => {
    const { text } = await fetched('/docs');
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/u);
    const asked = [...text.matchAll(/(?:src|href)="([^"]+)"/gu)].map(([, url]) => url);
    expect(asked.length).toBeGreaterThan(4);
    for (const url of asked) expect([...PARTS, '/openapi.json']).toContain(url);
  });

  test('is not sent again to a browser that has it', async () => {
    const { headers } = await fetched('/docs/viewer.js');
    const again = await fetched('/docs/viewer.js', { 'if-none-match': String(headers['etag']) });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await fetched('/docs/page.js', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('has no other parts', async () => {
    for (const path of ['/docs/', '/docs/index.html', '/docs/../package.json', '/docs/%2e%2e/page.js', '/docs/tsconfig.json'])
      expect([path, codeOf(await s.get(path, { key: '' }))]).toEqual([path, 'NOT_FOUND']);
  });
});
