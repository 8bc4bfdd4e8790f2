/** The OpenAPI documents and the API reference page over real HTTP: public, with the base URL of the request, and only for the own origin. */
import { execa } from 'execa';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApiDocument } from '../../../src/contract/openapi/api-document.ts';
import { buildCodeSamples } from '../../../src/contract/openapi/code-samples.ts';
import { DOCUMENT_PATHS } from '../../../src/contract/openapi/document-paths.ts';
import { buildWebhooksDocument } from '../../../src/contract/openapi/webhooks-document.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { createContact } from '../../../src/contract/resources/contacts.ts';
import { listItems } from '../../../src/contract/resources/items.ts';
import { type TestService, getCode, startService } from '../../support/service/service.ts';

let s: TestService;
beforeAll(async () => {
  s = await startService({ tiers: { single: 1 } });
});
afterAll(() => s[Symbol.asyncDispose]());

const fetched = async (path: string, headers: Record<string, string> = {}) => {
  const { statusCode, headers: answered, body } = await request(s.url + path, { headers });
  return { status: statusCode, headers: answered, text: await body.text() };
};

describe('OpenAPI documents', () => {
  test('are served without a key, as built from the contract', async () => {
    const api = await s.get('/openapi.json', { key: '' });
    expect([api.status, api.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(api.body).toEqual(JSON.parse(JSON.stringify(buildApiDocument(s.url))));
    expect((api.body as { openapi: string }).openapi).toBe('3.0.3');
    const webhooks = await s.get('/webhooks.openapi.json', { key: '' });
    expect(webhooks.body).toEqual(JSON.parse(JSON.stringify(buildWebhooksDocument())));
  });

  test('contain the base URL of the request, so that pages of this origin can use them', async () => {
    const { port } = new URL(s.url);
    const { body } = await s.get('/openapi.json', { headers: { host: `localhost:${port}` } });
    expect(body.servers).toEqual([{ url: `http://localhost:${port}` }]);
    expect(body.components.securitySchemes.oauth2.flows.authorizationCode.authorizationUrl).toBe(
      `http://localhost:${port}/oauth/authorize`,
    );
    expect((await s.get('/openapi.json')).body.servers).toEqual([{ url: s.url }]);
  });

  test('are not served under a foreign Host or to a foreign Origin', async () => {
    for (const path of ['/openapi.json', '/webhooks.openapi.json', '/docs', '/docs/page.js']) {
      expect(getCode(await s.get(path, { headers: { host: 'stock.example' } }))).toBe('ORIGIN_NOT_ALLOWED');
      expect(getCode(await s.get(path, { headers: { origin: 'http://stock.example' } }))).toBe('ORIGIN_NOT_ALLOWED');
    }
  });

  test('do not count in the rate window, and allow GET only', async () => {
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

describe('samples', () => {
  test.each([
    ['curl', 'sh', '-c'],
    ['JavaScript', 'node', '--input-type=module', '-e'],
  ])('in %s run as written', async (label, program, ...flags) => {
    const run = (op: Operation) => {
      const source = buildCodeSamples(op, s.url).find((sample) => sample.label === label)!.source;
      return execa(program, [...flags, source], { env: { STOCKROOM_API_KEY: s.key } });
    };
    const body = { ...createContact.example.body, name: `It's "${label}" $HOME \\ \`x\`` };
    expect((await run({ ...createContact, example: { body } })).stdout).toContain(label);
    const { data } = (await s.get('/v1/contacts?page_size=200')).body as { data: { name: string }[] };
    expect(data.map(({ name }) => name)).toContain(body.name);
    expect((await run(listItems)).stdout).toContain('pagination');
  });

  test('in Python use the constants of Python, and leave texts unchanged', () => {
    const body = { name: 'is: true', isActive: true, contacts: [null, false, 1.5] };
    const python = buildCodeSamples({ ...createContact, example: { body } }, s.url).at(-1)!.source;
    for (const part of ['"name": "is: true"', '"isActive": True', ' None,', ' False,', ' 1.5']) expect(python).toContain(part);
  });
});

test.each(['/docs', '/openapi.json', '/healthz'])('%s with a slash at the end is redirected, paths of the API are not', async (path) => {
  const { status, headers } = await fetched(`${path}/?a=b`);
  expect([status, headers['location']]).toEqual([301, `${path}?a=b`]);
  for (const other of ['/v1/items/', '/v1/', '/nope/', '/']) expect((await fetched(other)).status).toBe(404);
});

describe('API reference page', () => {
  const FILES = [
    '/docs',
    '/docs/page.js',
    '/docs/contents.js',
    '/docs/page.css',
    '/docs/operations.css',
    '/docs/viewer.js',
    '/docs/viewer.css',
    '/docs/icon.svg',
  ];

  test.each(FILES)('%s is served with a policy that allows no inline content and no other origin', async (path) => {
    const { status, headers, text } = await fetched(path);
    expect(status).toBe(200);
    expect(text.length).toBeGreaterThan(0);
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toContain("default-src 'none'");
    const sources = policy.flatMap((directive) => directive.split(' ').slice(1));
    expect(new Set(sources)).toEqual(new Set(["'none'", "'self'", 'data:']));
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  test('has no inline content and loads only its own files', async () => {
    const { text } = await fetched('/docs');
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/u);
    const asked = [...text.matchAll(/(?:src|href)="([^"#]+)"/gu)].map(([, url]) => url);
    expect(asked.length).toBeGreaterThan(4);
    for (const url of asked) expect([...FILES, DOCUMENT_PATHS.api, DOCUMENT_PATHS.webhooks]).toContain(url);
  });

  test('returns 304 to a browser that has cached it', async () => {
    const { headers } = await fetched('/docs/viewer.js');
    const again = await fetched('/docs/viewer.js', { 'if-none-match': String(headers['etag']) });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await fetched('/docs/page.js', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  test('returns 404 for other files', async () => {
    for (const path of ['/docs/page.js/x', '/docs/index.html', '/docs/../package.json', '/docs/%2e%2e/page.js', '/docs/tsconfig.json'])
      expect([path, getCode(await s.get(path, { key: '' }))]).toEqual([path, 'NOT_FOUND']);
  });
});
