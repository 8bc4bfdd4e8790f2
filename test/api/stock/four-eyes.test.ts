/** Who may approve a document of a tenant with four eyes. D-14. */
import { expect, test } from 'vitest';
import { getCode } from '../../support/service/service.ts';
import { startOAuth } from '../../support/service/oauth.ts';

const SCOPES = ['items:read', 'items:write', 'inventory:read', 'inventory:write'] as const;

/** A service whose tenant has four eyes, and applications that get themselves as many keys as they want. */
async function start() {
  const o = await startOAuth();
  const { s, patch } = o.a;
  expect((await patch('/admin/tenants/first', { fourEyes: true })).status).toBe(200);
  const { id: itemId } = (await s.post('/v1/items', { name: 'Bolt' })).body.data as { id: string };
  return {
    o,
    async addApplication() {
      const { clientId, clientSecret } = await o.app({ scopes: SCOPES });
      const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: String(clientSecret) };
      return async () => (await o.send('/oauth/token', form)).body.access_token as string;
    },
    async submit(key: string): Promise<string> {
      const { id } = (await s.post('/v1/stock-documents', { type: 'receipt', lines: [{ itemId, quantity: 1 }] }, { key })).body.data;
      expect((await s.post(`/v1/stock-documents/${String(id)}/submit`, {}, { key })).status).toBe(200);
      return id as string;
    },
    approve: (id: string, key: string) => s.post(`/v1/stock-documents/${id}/approve`, {}, { key }),
    [Symbol.asyncDispose]: () => o[Symbol.asyncDispose](),
  };
}

test('an application cannot approve with a new key what it submitted with another one, but another application can', async () => {
  await using t = await start();
  const [getKey, getOtherKey] = [await t.addApplication(), await t.addApplication()];
  const id = await t.submit(await getKey());
  const { data } = (await t.o.a.s.get(`/v1/stock-documents/${id}`)).body;
  expect((await t.approve(id, await getKey())).body.error).toMatchObject({
    code: 'SAME_APPROVER',
    message: `${String(data.documentNumber)} was submitted with the same key, by the same application or by the same user. Approve it with another key or as another user.`,
    details: { submittedBy: data.submittedBy },
  });
  expect((await t.approve(id, await getOtherKey())).status).toBe(200);
});

test('the successor of a key cannot approve what the key submitted, but another key can', async () => {
  await using t = await start();
  const { post } = t.o.a;
  const create = async () => (await post('/admin/keys', { allScopes: true })).body as { data: { id: string }; secret: string };
  const [key, other] = [await create(), await create()];
  const id = await t.submit(key.secret);
  const successor = (await post(`/admin/keys/${key.data.id}/rotate`, {})).body as { secret: string };
  expect(getCode(await t.approve(id, successor.secret))).toBe('SAME_APPROVER');
  expect((await t.approve(id, other.secret)).status).toBe(200);
});
