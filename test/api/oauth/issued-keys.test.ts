/** Keys of partner applications: the checks of every request, and the metadata from which clients learn how to get a key. */
import { expect, test, vi } from 'vitest';
import type { ApplicationRecord, InstallationRecord } from '../../../src/domain/oauth/records.ts';
import type { Resource } from '../../../src/contract/oauth.ts';
import { SCOPES } from '../../../src/contract/scopes.ts';
import { TOOL_SCOPES } from '../../../src/contract/mcp-tools.ts';
import type { StockroomError } from '../../../src/domain/kernel/errors.ts';
import { createKey } from '../../../src/domain/tenancy/api-keys.ts';
import { authenticate } from '../../../src/http/steps/authenticate.ts';
import { type TestService, getCode, startService } from '../../support/service/service.ts';

/** Creates a key of an installed application, without an OAuth flow. */
async function partnerKey(s: TestService, audience?: readonly Resource[]) {
  const at = s.clock.now().toISOString();
  const application: ApplicationRecord = {
    id: s.service.newId(),
    clientId: `app_${s.service.newId()}`,
    name: 'Shop sync',
    type: 'public',
    redirectUris: ['http://127.0.0.1/callback'],
    allowedScopes: ['items:read', 'items:write'],
    grantTypes: ['authorization_code'],
    status: 'approved',
    secrets: [],
    createdAt: at,
    updatedAt: at,
  };
  const installation: InstallationRecord = {
    id: s.service.newId(),
    applicationId: application.id,
    tenantId: s.tenant.id,
    grantedScopes: ['items:read', 'items:write'],
    environment: null,
    status: 'active',
    approvedBy: 'local',
    createdAt: at,
    updatedAt: at,
  };
  const secret = await s.service.store.transact(s.tenant.id, async (tx) => {
    await tx.applications.put(application);
    await tx.installations.put(installation);
    const made = await createKey(tx, s.clock.now(), s.service.newId, {
      tenantId: s.tenant.id,
      name: 'Shop sync',
      scopes: ['items:read', 'items:write'],
      environment: null,
      rateLimitTier: 'test',
      applicationId: application.id,
      installationId: installation.id,
      ...(audience ? { audience } : {}),
    });
    return made.secret;
  });
  const change = (app: Partial<ApplicationRecord>, inst: Partial<InstallationRecord> = {}) =>
    s.service.store.transact(s.tenant.id, async (tx) => {
      await tx.applications.put({ ...application, ...app });
      await tx.installations.put({ ...installation, ...inst });
    });
  return { secret, change };
}

test('every request of every operation requires an active application and installation, which may be reactivated', async () => {
  await using s = await startService();
  const { secret: key, change } = await partnerKey(s);
  expect((await s.get('/v1/items', { key })).status).toBe(200);
  for (const [app, inst] of [
    [{ status: 'suspended' }, {}],
    [{ status: 'pending' }, {}],
    [{}, { status: 'revoked' }],
  ] as const) {
    await change(app, inst);
    for (const [path, status, code] of [
      ['/v1/items', 403, 'APPLICATION_DISABLED'],
      ['/v1', 403, 'APPLICATION_DISABLED'],
      // The contract allows only 200 and 401.
      ['/v1/auth/context', 401, 'UNAUTHENTICATED'],
      ['/v1/organization', 403, 'APPLICATION_DISABLED'],
    ] as const) {
      const reply = await s.get(path, { key });
      expect([path, reply.status, getCode(reply)]).toEqual([path, status, code]);
      // A rejected request counts in the rate window, too; a 401 does not state it.
      expect(reply.headers['ratelimit'] !== undefined).toBe(status === 403);
    }
    await change({});
    expect((await s.get('/v1/items', { key })).status).toBe(200);
  }
});

test('effective scopes are those that key, application and installation have in common', async () => {
  await using s = await startService();
  const { secret: key, change } = await partnerKey(s);
  const scopes = async () => (await s.get('/v1/auth/context', { key })).body.data.api_key.scopes;
  expect(await scopes()).toEqual(['items:read', 'items:write']);
  await change({ allowedScopes: ['items:read', 'orders:read'] });
  expect(await scopes()).toEqual(['items:read']);
  const refused = await s.post('/v1/items', { name: 'Bolt' }, { key });
  expect([refused.status, getCode(refused)]).toEqual([403, 'SCOPE_REQUIRED']);
  expect((await s.get('/v1', { key })).body.capabilities.map(({ id }: { id: string }) => id)).not.toContain('items.create');
  await change({}, { grantedScopes: ['items:write'] });
  expect(await scopes()).toEqual(['items:write']);
  expect((await s.get('/v1/items', { key })).status).toBe(403);
});

test('metadata documents contain the base URL of the request', async () => {
  await using s = await startService();
  const port = new URL(s.url).port;
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
    const base = `http://${host}`;
    const ask = (path: string) => s.get(path, { key: '', headers: { host } });
    const server = await ask('/.well-known/oauth-authorization-server');
    expect(server.status).toBe(200);
    expect(server.body).toMatchObject({
      issuer: base,
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      revocation_endpoint: `${base}/oauth/revoke`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'client_credentials'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: SCOPES,
    });
    for (const resource of ['', '/v1', '/mcp']) {
      const { body } = await ask(`/.well-known/oauth-protected-resource${resource}`);
      expect(body).toMatchObject({
        resource: base + resource,
        authorization_servers: [base],
        scopes_supported: resource === '/mcp' ? TOOL_SCOPES : SCOPES,
        bearer_methods_supported: ['header'],
      });
    }
  }
  expect((await s.call('POST', '/.well-known/oauth-authorization-server')).status).toBe(405);
  expect((await s.get('/.well-known/oauth-authorization-server', { headers: { host: 'evil.example' } })).status).toBe(403);
  expect((await s.get('/.well-known/oauth-authorization-server', { headers: { origin: 'https://evil.example' } })).status).toBe(403);
});

test('challenges contain the metadata URL of the requested resource', async () => {
  await using s = await startService();
  const metadata = `resource_metadata="${s.url}/.well-known/oauth-protected-resource"`;
  const none = await s.get('/v1/items', { key: '' });
  expect(none.headers['www-authenticate']).toBe(`Bearer realm="stockroom", ${metadata}`);
  const bad = await s.get('/v1/items', { key: 'pk_test_x' });
  expect(bad.headers['www-authenticate']).toBe(`Bearer realm="stockroom", error="invalid_token", ${metadata}`);
  const narrow = await s.get('/v1/items', { key: await s.addKey({ scopes: ['orders:read'] }) });
  expect(narrow.headers['www-authenticate']).toBe(
    `Bearer realm="stockroom", error="insufficient_scope", scope="orders:read items:read", ${metadata}`,
  );
});

test('a key works at /mcp only if it was requested for it, and at the API in any case', async () => {
  await using s = await startService();
  const request = { query: {}, info: {}, app: { requestId: '1' }, server: { settings: {} } };
  const at = async (secret: string) =>
    authenticate({ ...request, headers: { host: 'here:1', 'x-api-key': secret } } as never, s.service, '/mcp').then(
      () => 'admitted',
      (error: unknown) => (error as StockroomError).headers?.['www-authenticate'],
    );
  const refused =
    'Bearer realm="stockroom", error="invalid_token", resource_metadata="http://here:1/.well-known/oauth-protected-resource/mcp"';
  const debug = vi.spyOn(s.service.log, 'debug');
  for (const [audience, outcome] of [
    [undefined, 'admitted'],
    [[''], 'admitted'],
    [['/mcp'], 'admitted'],
    [['/v1', '/mcp'], 'admitted'],
    [['/v1'], refused],
  ] as const) {
    const { secret } = await partnerKey(s, audience);
    expect([audience, await at(secret)]).toEqual([audience, outcome]);
    expect((await s.get('/v1/items', { key: secret })).status).toBe(200);
  }
  expect(debug.mock.calls).toEqual([[{ reason: 'another audience', requestId: '1' }, 'key rejected']]);
});
