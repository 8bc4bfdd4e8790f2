/** Changes carry the time and ids of their transaction: several daemons over one database have clocks and id generators of their own. */
import { expect, test } from 'vitest';
import { OAUTH_CODE_LIFETIME_S } from '../../../src/contract/limits.ts';
import { recordResults } from '../../../src/delivery/record-results.ts';
import { pkce, REDIRECT, startOAuth } from '../../support/service/oauth.ts';
import { startAdmin } from '../../support/service/admin.ts';
import { auditRows } from '../../support/service/call-trace.ts';
import { startService } from '../../support/service/service.ts';
import { isAt, later, shiftTransactions } from '../../support/service/transaction-time.ts';
import { addWebhook, getDeliveries } from '../../support/resources/webhooks.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const TARGET_URL = 'http://127.0.0.1:9/';

test('rows, events, audit rows and stored replies of a request have the time and ids of its transaction', async () => {
  await using s = await startService();
  const { ids } = shiftTransactions(s, 3 * DAY_MS);
  const expected = later(s, 3 * DAY_MS);
  const { data } = (await s.post('/v1/items', { name: 'Bolt' }, { idempotencyKey: 'one' })).body;
  const [event] = await s.events();
  const audit = (await auditRows(s)).at(-1);
  const [reply] = (await s.service.store.read(s.tenant.id, (tx) => tx.idempotency.listAfter({ limit: 10 }))).rows;
  const times = [data.createdAt, data.updatedAt, event?.occurredAt, audit?.createdAt, reply?.createdAt];
  expect(times.map((at) => isAt(at, expected))).toEqual(times.map(() => true));
  expect(new Set(times).size).toBe(1);
  expect(isAt(reply?.expiresAt, expected + DAY_MS)).toBe(true);
  expect([data.id, event?.id, audit?.id].filter((id) => !ids.has(id))).toEqual([]);
});

test('a stored reply expires by the time of transactions', async () => {
  await using s = await startService();
  const first = await s.post('/v1/items', { name: 'Bolt' }, { idempotencyKey: 'one' });
  shiftTransactions(s, 2 * DAY_MS);
  const second = await s.post('/v1/items', { name: 'Bolt' }, { idempotencyKey: 'one' });
  expect(second.body.data.id).not.toBe(first.body.data.id);
});

test('changes of the admin API have the time and ids of their transaction', async () => {
  await using a = await startAdmin();
  const { ids } = shiftTransactions(a.s, 3 * DAY_MS);
  const expected = later(a.s, 3 * DAY_MS);
  const category = (await a.post('/admin/categories?tenant=first', { name: 'Fasteners' })).body.data;
  const tenant = (await a.post('/admin/tenants', { name: 'Second', slug: 'second', plan: 'pro' })).body.data;
  await a.patch('/admin/tiers/night', { requestsPerMinute: 5 });
  const tier = await a.s.service.store.read('', (tx) => tx.tiers.get('night'));
  const times = [category.createdAt, tenant.createdAt, tier?.updatedAt];
  expect(times.map((at) => isAt(at, expected))).toEqual([true, true, true]);
  expect([category.id, tenant.defaultSiteId].filter((id) => !ids.has(id))).toEqual([]);
  // The transaction is that of the tenant, so the id of the tenant is older.
  expect(ids.has(tenant.id)).toBe(false);
});

test('authorization codes and keys of applications have the time of their transaction', async () => {
  await using o = await startOAuth();
  const { s } = o.a;
  const app = await o.app();
  shiftTransactions(s, HOUR_MS);
  const expected = later(s, HOUR_MS);
  const { verifier, challenge } = pkce();
  const code = (await o.allow(app, { code_challenge: challenge, redirect_uri: REDIRECT })).get('code') ?? '';
  expect((await o.exchange(app, code, verifier)).status).toBe(200);
  const { codes, keys } = await s.service.store.read('', async (tx) => ({
    codes: (await tx.oauthCodes.listAfter({ limit: 10 })).rows,
    keys: (await tx.apiKeys.listAfter({ where: [{ field: 'applicationId', equals: app.id }], limit: 10 })).rows,
  }));
  expect(isAt(codes[0]?.expiresAt, expected + OAUTH_CODE_LIFETIME_S * 1_000)).toBe(true);
  expect(isAt(keys[0]?.createdAt, expected)).toBe(true);
});

test('outcomes of deliveries have the time of their transaction', async () => {
  await using s = await startService();
  const { id } = await addWebhook(s, TARGET_URL);
  await s.post('/v1/items', { name: 'Bolt' });
  shiftTransactions(s, 3 * DAY_MS);
  const expected = later(s, 3 * DAY_MS);
  const results = (await getDeliveries(s)).map((delivery) => ({
    tenantId: s.tenant.id,
    webhookId: id,
    deliveryId: delivery.id,
    attempts: delivery.attempts,
    targetUrl: TARGET_URL,
    outcome: null,
  }));
  const rules = { scheduleSeconds: [60], overloadSeconds: 60 };
  const recorded = await recordResults({ store: s.service.store, rules, random: () => 0.5 }, s.tenant.id, results);
  expect(recorded.map(({ delivery }) => isAt(delivery.updatedAt, expected))).toEqual(results.map(() => true));
});
