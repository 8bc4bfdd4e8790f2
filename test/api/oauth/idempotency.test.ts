/** Idempotency keys of partner applications: every API key of an application in a tenant finds the replies of the others. A-3. */
import { expect, test } from 'vitest';
import { CLIENT_CREDENTIALS_KEY_H } from '../../../src/contract/limits.ts';
import { toReplyId } from '../../../src/domain/idempotency/stored-replies.ts';
import { getCode } from '../../support/service/service.ts';
import { type App, type TestOAuth, startOAuth } from '../../support/service/oauth.ts';

async function getToken(o: TestOAuth, { clientId, clientSecret }: App, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: String(clientSecret), ...more };
  const reply = await o.send('/oauth/token', form);
  expect(reply.status, reply.text).toBe(200);
  return reply.body.access_token as string;
}

/** Creates an item, and returns what distinguishes a replay from a new change. */
async function create(o: TestOAuth, key: string, idempotencyKey: string) {
  const { status, headers, body } = await o.a.s.post('/v1/items', { name: 'Bolt' }, { key, idempotencyKey });
  expect(status).toBe(201);
  return { id: body.data.id as string, etag: headers['etag'], replayed: headers['idempotent-replayed'] };
}

test('a renewed client-credentials key finds the reply, also when the first key has expired or was revoked', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const old = await getToken(o, app);
  o.a.s.clock.advance(CLIENT_CREDENTIALS_KEY_H * 3_600 - 60);
  const first = await create(o, old, 'renewed');
  expect(first.replayed).toBeUndefined();
  expect(await create(o, await getToken(o, app), 'renewed')).toEqual({ ...first, replayed: 'true' });
  o.a.s.clock.advance(120);
  expect((await o.a.s.get('/v1/items', { key: old })).status).toBe(401);
  const renewed = await getToken(o, app);
  expect(await create(o, renewed, 'renewed')).toEqual({ ...first, replayed: 'true' });
  expect(getCode(await o.a.s.post('/v1/items', { name: 'Nut' }, { key: renewed, idempotencyKey: 'renewed' }))).toBe('CONFLICT');
});

test('a key of another application, of another tenant, or without an application does not find the reply', async () => {
  await using o = await startOAuth();
  const [app, other] = [await o.app(), await o.app()];
  const second = (await o.a.post('/admin/tenants', { name: 'Second' })).body.data.id as string;
  await o.a.post(`/admin/apps/${app.id}/approve?tenant=second`, {});
  const first = (await o.a.s.get('/v1/organization')).body.data.id as string;
  const own = await create(o, await getToken(o, app, { tenant_id: first }), 'same');
  const plain = (await o.a.post('/admin/keys?tenant=first', { allScopes: true })).body.secret as string;
  for (const key of [await getToken(o, other), await getToken(o, app, { tenant_id: second }), plain]) {
    const reply = await create(o, key, 'same');
    expect(reply.replayed).toBeUndefined();
    expect(reply.id).not.toBe(own.id);
  }
});

test('a renewed key without the scope of the operation gets 403 instead of the reply', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  await create(o, await getToken(o, app), 'scoped');
  const key = await getToken(o, app, { scope: 'items:read' });
  expect(getCode(await o.a.s.post('/v1/items', { name: 'Bolt' }, { key, idempotencyKey: 'scoped' }))).toBe('SCOPE_REQUIRED');
});

test('a reply that an earlier release stored for one key of an application is found by this key', async () => {
  await using o = await startOAuth();
  const app = await o.app();
  const key = await getToken(o, app);
  const first = await create(o, key, 'earlier');
  const keyId = (await o.a.s.get('/v1/auth/context', { key })).body.data.api_key.id as string;
  await o.a.s.service.store.transact(o.a.s.tenant.id, async (tx) => {
    const [stored] = (await tx.idempotency.listAfter({ limit: 1 })).rows;
    await tx.idempotency.remove(stored!.id);
    await tx.idempotency.put({ ...stored!, id: toReplyId(keyId, 'earlier') });
  });
  expect(await create(o, key, 'earlier')).toEqual({ ...first, replayed: 'true' });
  expect((await create(o, await getToken(o, app), 'earlier')).replayed).toBeUndefined();
});
