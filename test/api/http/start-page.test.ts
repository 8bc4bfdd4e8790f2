/** GET / answers browsers with a start page, and programs as before. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getDemoTenantId } from '../../../src/demo/apply-scenario.ts';
import { type TestService, startService } from '../../support/service/service.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

let s: TestService;
beforeAll(async () => {
  s = await startService();
  await s.addTenant('acme-private');
});
afterAll(() => s[Symbol.asyncDispose]());

const open = (accept: string | undefined = BROWSER, method = 'GET') => fetch(`${s.url}/`, { method, headers: { accept } });

test.each(['*/*', 'application/json', 'application/json, text/html;q=0.9', 'text/html;q=0', 'text/plain'])(
  'a client that accepts %s gets the JSON error of an unknown path',
  async (accept) => {
    const reply = await open(accept);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    expect(reply.headers.get('vary')).toBe('accept');
    expect(await reply.json()).toMatchObject({ error: { code: 'NOT_FOUND', message: 'Unknown path. GET /v1 lists all operations.' } });
  },
);

test.each([BROWSER, 'text/html', 'TEXT/HTML; charset=utf-8', 'text/*', 'application/json;q=0.5, text/html', 'application/json, text/html'])(
  'a client that prefers HTML (%s) gets the start page, which loads nothing and is not stored',
  async (accept) => {
    const reply = await open(accept);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(reply.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; /u);
    expect([reply.headers.get('cache-control'), reply.headers.get('vary')]).toEqual(['no-store', 'accept']);
    expect(await reply.text()).toContain('0.0.0-test');
  },
);

test('the start page names only unchanged demo tenants, and of their keys only the public prefix of a valid one', async () => {
  expect(await (await open()).text()).not.toMatch(/acme-private|kestrel/u);
  const loaded = await s.service.demo.load();
  await s.service.store.transact(getDemoTenantId('sandbox'), async (tx) => {
    const tenant = (await tx.tenants.get(getDemoTenantId('sandbox')))!;
    await tx.tenants.put({ ...tenant, name: 'Real Company' });
    const [key] = (await tx.apiKeys.listAfter({ limit: 10, where: [{ field: 'tenantId', equals: getDemoTenantId('spoke-chain') }] })).rows;
    await tx.apiKeys.put({ ...key!, revokedAt: s.clock.now().toISOString() });
  });
  const text = await (await open()).text();
  expect(text).not.toMatch(/acme-private|Real Company|sandbox/u);
  expect(text).toContain('kestrel-coffee');
  expect(text).toContain('spoke-chain');
  const [kestrel, spoke] = loaded;
  expect(text).toContain(`${kestrel!.keyPrefix!}…`);
  expect(text).not.toContain(spoke!.keyPrefix!);
  for (const { secret } of loaded) expect(text).not.toContain(secret!.slice(16, 24));
});

test('other methods on / are rejected with the allowed ones, and HEAD has no body', async () => {
  const reply = await open(BROWSER, 'POST');
  expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  const head = await open(BROWSER, 'HEAD');
  expect([head.status, await head.text()]).toEqual([200, '']);
});
