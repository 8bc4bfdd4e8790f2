/** /v1/webhooks: endpoints, secrets, recorded deliveries and lists. */
import { describe, expect, test } from 'vitest';
import { EMITTED_EVENTS, SUBSCRIBABLE_EVENTS, events } from '../../../src/contract/events.ts';
import { HELD_MAX_ROWS, WEBHOOKS_MAX, WEBHOOK_NAME_MAX_CHARS } from '../../../src/contract/limits.ts';
import { updateItem } from '../../../src/domain/catalog/items.ts';
import { updateTenant } from '../../../src/domain/tenancy/tenants.ts';
import { getCode, contextFor, startService } from '../../support/service/service.ts';
import { auditRows, getProblems, refused, trace } from '../../support/service/call-trace.ts';
import { addWebhook, getDeliveries } from '../../support/resources/webhooks.ts';

const URL = 'http://127.0.0.1:9/hook';
const draft = (more: Record<string, unknown> = {}) => ({ name: 'Shop', targetUrl: URL, subscribedEvents: ['order.created'], ...more });

describe('POST /v1/webhooks', () => {
  test('returns the endpoint and, next to it, the secret', async () => {
    await using s = await startService();
    const { reply, events: sent, actions, audit } = await trace(s, () => s.post('/v1/webhooks', draft()));
    expect(reply.status, reply.text).toBe(201);
    const { data, signingSecret } = reply.body;
    expect(signingSecret).toMatch(/^[0-9a-f]{64}$/u);
    expect(data).toEqual({
      id: data.id,
      ...draft(),
      status: 'active',
      environment: 'development',
      description: null,
      createdAt: data.createdAt,
      updatedAt: data.createdAt,
    });
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.headers['location']).toBe(`/v1/webhooks/${String(data.id)}`);
    expect([sent, actions]).toEqual([[], ['webhook.created']]);
    expect(JSON.stringify(audit)).not.toContain(signingSecret);
  });

  test('returns the secret once: not in replays, reads or lists', async () => {
    await using s = await startService();
    const first = await s.post('/v1/webhooks', draft(), { idempotencyKey: 'once' });
    const again = await s.post('/v1/webhooks', draft(), { idempotencyKey: 'once' });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.body).toEqual({ data: first.body.data });
    const secret = first.body.signingSecret as string;
    const { id } = first.body.data;
    const others = [
      await s.get('/v1/webhooks'),
      await s.get(`/v1/webhooks/${String(id)}`),
      await s.patch(`/v1/webhooks/${String(id)}`, { name: 'Other' }),
    ];
    for (const { text } of [again, ...others]) expect(text).not.toContain(secret);
    for (const { text } of others) expect(text).not.toContain('signingSecret');
    const kept = await s.service.store.read(s.tenant.id, (tx) => tx.idempotency.listAfter({ limit: 100 }));
    expect(JSON.stringify(kept)).not.toContain(secret);
  });

  test('trims texts and stores a blank description as null', async () => {
    await using s = await startService();
    const { data } = (await s.post('/v1/webhooks', draft({ name: ' Shop ', description: ' For the shop\n' }))).body;
    expect([data.name, data.description]).toEqual(['Shop', 'For the shop']);
    for (const description of ['', ' \t\n', null]) {
      const reply = await s.post('/v1/webhooks', draft({ description }));
      expect([description, reply.body.data.description]).toEqual([description, null]);
      const patched = await s.patch(`/v1/webhooks/${String(data.id)}`, { description });
      expect([description, patched.body.data.description]).toEqual([description, null]);
    }
  });

  test('accepts every event except webhook.test', async () => {
    await using s = await startService();
    const all = await s.post('/v1/webhooks', draft({ subscribedEvents: SUBSCRIBABLE_EVENTS }));
    expect(all.body.data.subscribedEvents).toEqual(Object.keys(events).filter((name) => name !== 'webhook.test'));
    expect(SUBSCRIBABLE_EVENTS.length - EMITTED_EVENTS.length).toBe(2);
  });

  test.for([
    ['no events', { subscribedEvents: [] }, '/subscribedEvents too_small'],
    ['an unknown event', { subscribedEvents: ['order.deleted'] }, '/subscribedEvents/0 not_allowed'],
    ['the connectivity check', { subscribedEvents: ['webhook.test'] }, '/subscribedEvents/0 not_allowed'],
    ['an event twice', { subscribedEvents: ['order.created', 'order.created'] }, '/subscribedEvents/1 invalid'],
    ['a name that is too long', { name: 'n'.repeat(WEBHOOK_NAME_MAX_CHARS + 1) }, '/name too_big'],
    ['a blank name', { name: '  ' }, '/name empty'],
    ['an unknown status', { status: 'broken' }, '/status not_allowed'],
    ['an unknown environment', { environment: 'test' }, '/environment not_allowed'],
    ['a secret of its own', { signingSecret: 'aa' }, '/signingSecret unknown_field'],
    ['another protocol', { targetUrl: 'ftp://example.com/' }, '/targetUrl bad_format'],
    ['a relative address', { targetUrl: '/hook' }, '/targetUrl bad_format'],
    ['a user name', { targetUrl: 'https://ana@example.com/' }, '/targetUrl not_allowed'],
    ['a password', { targetUrl: 'https://:x@example.com/' }, '/targetUrl not_allowed'],
    ['a fragment', { targetUrl: 'https://example.com/#top' }, '/targetUrl not_allowed'],
    ['an empty fragment', { targetUrl: 'https://example.com/#' }, '/targetUrl not_allowed'],
    ['an address that is too long', { targetUrl: `https://example.com/${'a'.repeat(2_048)}` }, '/targetUrl too_big'],
    ['http to another machine', { targetUrl: 'http://example.com/' }, '/targetUrl not_allowed'],
    ['a private network', { targetUrl: 'https://10.0.0.1/' }, '/targetUrl not_allowed'],
    ['the metadata service', { targetUrl: 'http://169.254.169.254/latest' }, '/targetUrl not_allowed'],
    ['the same as a decimal number', { targetUrl: 'http://2852039166/' }, '/targetUrl not_allowed'],
    ['the same mapped into IPv6', { targetUrl: 'http://[::ffff:169.254.169.254]/' }, '/targetUrl not_allowed'],
    ['nowhere', { targetUrl: 'http://0.0.0.0/' }, '/targetUrl not_allowed'],
  ] as const)('rejects %s', async ([, more, problem]) => {
    await using s = await startService();
    const reply = await refused(s, () => s.post('/v1/webhooks', draft(more)), 400, 'VALIDATION_FAILED');
    expect(getProblems(reply)).toEqual([problem]);
    expect((await s.get('/v1/webhooks')).body.data).toEqual([]);
  });

  test.for(['127.0.0.1', 'localhost', '[::1]'])('rejects this service as a target: %s', async (host) => {
    await using s = await startService();
    const targetUrl = s.url.replace(/\/\/.*:/u, `//${host}:`);
    expect(getProblems(await refused(s, () => s.post('/v1/webhooks', draft({ targetUrl })), 400, 'VALIDATION_FAILED'))).toEqual([
      '/targetUrl not_allowed',
    ]);
  });

  test('requires the enterprise plan, as does PATCH; reading and deleting work after a downgrade', async () => {
    await using s = await startService();
    const { id } = await addWebhook(s, URL);
    await s.service.store.transact(s.tenant.id, async (tx) => {
      const tenant = await tx.tenants.get(s.tenant.id);
      if (tenant) await tx.tenants.put({ ...tenant, plan: 'pro' });
    });
    for (const call of [() => s.post('/v1/webhooks', draft()), () => s.patch(`/v1/webhooks/${id}`, { name: 'x' })]) {
      expect((await refused(s, call, 403, 'PLAN_REQUIRED')).body.error.details).toEqual({ requiredPlan: 'enterprise' });
    }
    expect((await s.get('/v1/webhooks')).body.pagination.total).toBe(1);
    expect((await s.get(`/v1/webhooks/${id}/deliveries`)).status).toBe(200);
    expect((await s.delete(`/v1/webhooks/${id}`)).status).toBe(204);
  });

  test('rejects endpoints beyond the limit', async () => {
    await using s = await startService();
    for (let count = 0; count < WEBHOOKS_MAX; count += 1) await addWebhook(s, URL);
    const reply = await refused(s, () => s.post('/v1/webhooks', draft()), 409, 'LIMIT_REACHED');
    expect(reply.body.error.details).toEqual({ limit: WEBHOOKS_MAX });
    const [first] = (await s.get('/v1/webhooks?page_size=1')).body.data as { id: string }[];
    await s.delete(`/v1/webhooks/${String(first?.id)}`);
    await addWebhook(s, URL);
  });

  test('rejects endpoints beyond a configured limit', async () => {
    await using s = await startService({ webhooks: { maxEndpoints: 2 } });
    for (let count = 0; count < 2; count += 1) await addWebhook(s, URL);
    const reply = await refused(s, () => s.post('/v1/webhooks', draft()), 409, 'LIMIT_REACHED');
    expect(reply.body.error).toMatchObject({
      message: 'The limit of 2 webhook endpoints is reached. Delete one first.',
      details: { limit: 2 },
    });
  });

  test('stores the environment of the key', async () => {
    await using s = await startService();
    const { environment } = (await s.post('/v1/webhooks', draft({ environment: 'staging' }))).body.data;
    expect(environment).toBe('staging');
  });
});

describe('scopes of /v1/webhooks', () => {
  test('each operation requires its own scope', async () => {
    await using s = await startService();
    const { id } = await addWebhook(s, URL);
    const calls = [
      ['webhooks:read', (key: string) => s.get('/v1/webhooks', { key })],
      ['webhooks:read', (key: string) => s.get(`/v1/webhooks/${id}`, { key })],
      ['webhooks:write', (key: string) => s.post('/v1/webhooks', draft(), { key })],
      ['webhooks:write', (key: string) => s.patch(`/v1/webhooks/${id}`, {}, { key })],
      ['webhooks:deliveries:read', (key: string) => s.get(`/v1/webhooks/${id}/deliveries`, { key })],
      ['webhooks:delete', (key: string) => s.delete(`/v1/webhooks/${id}`, { key })],
    ] as const;
    for (const [scope, call] of calls) {
      const none = await s.addKey({ scopes: ['items:read'] });
      const reply = await call(none);
      expect([reply.status, getCode(reply), reply.body.error.details.requiredScope]).toEqual([403, 'SCOPE_REQUIRED', scope]);
      expect((await call(await s.addKey({ scopes: [scope] }))).status, scope).toBeLessThan(300);
    }
  });

  test("another tenant's endpoint answers 404", async () => {
    await using s = await startService();
    const other = await s.addTenant('other');
    const key = await s.addKey({ tenantId: other.id });
    const { id } = await addWebhook(s, URL);
    for (const reply of [
      await s.get(`/v1/webhooks/${id}`, { key }),
      await s.patch(`/v1/webhooks/${id}`, { name: 'x' }, { key }),
      await s.delete(`/v1/webhooks/${id}`, { key }),
      await s.get(`/v1/webhooks/${id}/deliveries`, { key }),
      await s.get('/v1/webhooks/nonsense'),
    ])
      expect([reply.status, getCode(reply)]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('PATCH /v1/webhooks/{id}', () => {
  test('keeps omitted fields and changes nothing for an empty body or current values', async () => {
    await using s = await startService();
    const { id } = await addWebhook(s, URL, { description: 'Old' });
    const before = (await s.get(`/v1/webhooks/${id}`)).body.data;
    const { reply, actions, audit } = await trace(s, () => s.patch(`/v1/webhooks/${id}`, { name: 'New', description: null }));
    expect(reply.body).toEqual({ data: { ...before, name: 'New', description: null, updatedAt: reply.body.data.updatedAt } });
    expect(reply.body.data.updatedAt > before.updatedAt).toBe(true);
    expect(actions).toEqual(['webhook.updated']);
    expect(audit[0]?.metadata['changes']).toMatchObject({ name: { from: 'Receiver', to: 'New' } });
    for (const patch of [{}, { name: 'New' }, { rotateSecret: false }]) {
      const same = await trace(s, () => s.patch(`/v1/webhooks/${id}`, patch));
      expect([same.reply.body.data, same.actions]).toEqual([reply.body.data, []]);
    }
  });

  test('returns a new secret once for rotateSecret, alone or with other fields', async () => {
    await using s = await startService();
    const { id, secret } = await addWebhook(s, URL);
    const first = await trace(s, () => s.patch(`/v1/webhooks/${id}`, { rotateSecret: true }, { idempotencyKey: 'r' }));
    const fresh = first.reply.body.signingSecret as string;
    expect(fresh).toMatch(/^[0-9a-f]{64}$/u);
    expect(fresh).not.toBe(secret);
    expect(first.actions).toEqual(['webhook.secret_rotated']);
    expect(JSON.stringify(await auditRows(s))).not.toContain(fresh);
    expect((await s.patch(`/v1/webhooks/${id}`, { rotateSecret: true }, { idempotencyKey: 'r' })).body).toEqual({
      data: first.reply.body.data,
    });
    const both = await trace(s, () => s.patch(`/v1/webhooks/${id}`, { rotateSecret: true, name: 'Both' }));
    expect(both.reply.body.data.name).toBe('Both');
    expect(both.reply.body.signingSecret).not.toBe(fresh);
    expect(both.actions).toEqual(['webhook.updated', 'webhook.secret_rotated']);
  });

  test('rejects an outdated If-Match and an invalid target', async () => {
    await using s = await startService();
    const { id } = await addWebhook(s, URL);
    const stale = () => s.patch(`/v1/webhooks/${id}`, { name: 'x' }, { headers: { 'if-match': '"2020-01-01T00:00:00.000Z"' } });
    await refused(s, stale, 412, 'PRECONDITION_FAILED');
    await refused(s, () => s.patch(`/v1/webhooks/${id}`, { targetUrl: 'http://192.168.0.1/' }), 400, 'VALIDATION_FAILED');
    const { fields } = (await refused(s, () => s.patch(`/v1/webhooks/${id}`, { name: ' ' }), 400, 'VALIDATION_FAILED')).body.error;
    expect(fields).toMatchObject([{ in: 'body', path: '/name' }]);
    expect((await s.get(`/v1/webhooks/${id}`)).body.data.targetUrl).toBe(URL);
  });
});

describe('recorded deliveries', () => {
  test('one delivery per subscribed event, in the commit of the change', async () => {
    await using s = await startService();
    const one = await addWebhook(s, URL, { subscribedEvents: ['inventory.item.created'] });
    const two = await addWebhook(s, URL, { subscribedEvents: ['inventory.item.created', 'contact.created'] });
    await addWebhook(s, URL, { subscribedEvents: ['order.created', 'bom.created'] });
    await s.post('/v1/items', { name: 'Bolt' });
    await s.post('/v1/contacts', { name: 'Ana' });
    const [item, contact] = await s.events();
    const rows = await getDeliveries(s);
    expect(rows.map(({ webhookId, eventId, eventType, status }) => [webhookId, eventId, eventType, status])).toEqual([
      [one.id, item?.id, 'inventory.item.created', 'pending'],
      [two.id, item?.id, 'inventory.item.created', 'pending'],
      [two.id, contact?.id, 'contact.created', 'pending'],
    ]);
  });

  test('one delivery for several changes of a resource in one transaction, none for rejected or replayed requests', async () => {
    await using s = await startService();
    await addWebhook(s, URL);
    const item = await s.post('/v1/items', { name: 'Bolt', sku: 'B' }, { idempotencyKey: 'k' });
    await s.post('/v1/items', { name: 'Bolt', sku: 'B' }, { idempotencyKey: 'k' });
    await s.post('/v1/items', { name: 'Nut', sku: 'B' });
    await s.patch(`/v1/items/${String(item.body.data.id)}`, { name: 'Bolt' });
    expect(await getDeliveries(s)).toHaveLength(1);
    await s.service.store.transact(s.tenant.id, async (tx) => {
      const context = contextFor(s);
      await updateItem(tx, context, item.body.data.id, { name: 'Bolt 2' });
      await updateItem(tx, context, item.body.data.id, { notes: 'long' });
    });
    const rows = await getDeliveries(s);
    expect(rows.map(({ eventType }) => eventType)).toEqual(['inventory.item.created', 'inventory.item.updated']);
    const [, event] = await s.events();
    expect(event?.id).toBe(rows[1]?.eventId);
    expect(event?.body).toContain('"changes":["name","notes"]');
  });

  test('paused holds deliveries, disabled discards them, active makes held ones due', async () => {
    await using s = await startService();
    const { id } = await addWebhook(s, URL);
    const getStatus = async () => (await getDeliveries(s)).map(({ status, lastError = null }) => [status, lastError]);
    await s.patch(`/v1/webhooks/${id}`, { status: 'paused' });
    await s.post('/v1/items', { name: 'Held' });
    expect(await getStatus()).toEqual([['pending', null]]);
    const disabling = await trace(s, () => s.patch(`/v1/webhooks/${id}`, { status: 'disabled' }));
    expect(disabling.actions).toEqual(['webhook.disabled']);
    await s.post('/v1/items', { name: 'Lost' });
    expect(await getStatus()).toEqual([['discarded', 'endpoint_disabled']]);
    await s.patch(`/v1/webhooks/${id}`, { status: 'active' });
    await s.post('/v1/items', { name: 'Sent' });
    expect(await getStatus()).toEqual([
      ['discarded', 'endpoint_disabled'],
      ['pending', null],
    ]);
  });

  test('a paused endpoint holds 1,000 deliveries and discards the oldest', async () => {
    await using s = await startService();
    const { id } = await addWebhook(s, URL, { status: 'paused' });
    for (let count = 0; count < HELD_MAX_ROWS + 2; count += 1) await s.post('/v1/items', { name: `Item ${String(count)}` });
    const discarded = await s.get(`/v1/webhooks/${id}/deliveries?status=discarded&sort=created_at`);
    expect(discarded.body.pagination.total).toBe(2);
    expect(discarded.body.data[0].lastError).toBe('too_many_held');
    expect((await getDeliveries(s)).slice(0, 2).map(({ status }) => status)).toEqual(['discarded', 'discarded']);
    expect((await s.get(`/v1/webhooks/${id}/deliveries?status=pending`)).body.pagination.total).toBe(HELD_MAX_ROWS);
  });

  test('a paused endpoint holds deliveries for 72 hours', async () => {
    await using s = await startService();
    await addWebhook(s, URL, { status: 'paused' });
    await s.post('/v1/items', { name: 'Old' });
    s.clock.advance(71 * 3_600);
    await s.post('/v1/items', { name: 'New' });
    const statuses = async () => (await getDeliveries(s)).map(({ status }) => status);
    expect(await statuses()).toEqual(['pending', 'pending']);
    s.clock.advance(2 * 3_600);
    await expect.poll(statuses).toEqual(['discarded', 'pending']);
    expect((await getDeliveries(s))[0]?.lastError).toBe('held_too_long');
  });

  test('an endpoint is paused since the change of its status, until it is active again', async () => {
    await using s = await startService();
    const { id } = await addWebhook(s, URL);
    const patch = async (body: object) => {
      s.clock.advance(60);
      const reply = await s.patch(`/v1/webhooks/${id}`, body);
      expect(reply.status, reply.text).toBe(200);
      const webhook = await s.service.store.read(s.tenant.id, (tx) => tx.webhooks.get(id));
      return webhook?.pausedAt && Date.parse(webhook.pausedAt);
    };
    expect(await patch({ name: 'Active' })).toBeNull();
    const since = await patch({ status: 'paused' });
    expect(since).toBeGreaterThan(s.clock.now().getTime() - 60_000);
    expect(await patch({ name: 'Paused' })).toBe(since);
    expect(await patch({ status: 'active' })).toBeNull();
  });

  test('a disabled endpoint that is active again sends nothing from before', async () => {
    await using s = await startService();
    const { id } = await addWebhook(s, URL);
    await s.post('/v1/items', { name: 'Bolt' });
    const [open] = await getDeliveries(s);
    await s.patch(`/v1/webhooks/${id}`, { status: 'disabled' });
    // As if there had been too many to discard with the change of the status.
    await s.service.store.transact(s.tenant.id, (tx) => tx.deliveries.put(open!));
    await s.patch(`/v1/webhooks/${id}`, { status: 'active' });
    expect(await getDeliveries(s)).toMatchObject([{ status: 'discarded', lastError: 'endpoint_disabled' }]);
  });

  test('a downgrade discards open deliveries and records no more', async () => {
    await using s = await startService();
    await addWebhook(s, URL, { subscribedEvents: ['inventory.item.created', 'organization.updated'] });
    await s.post('/v1/items', { name: 'Bolt' });
    await s.service.store.transact(s.tenant.id, (tx) => updateTenant(tx, contextFor(s), { plan: 'standard' }));
    await s.post('/v1/items', { name: 'Nut' });
    expect((await getDeliveries(s)).map(({ status, lastError }) => `${status} ${String(lastError)}`)).toEqual([
      'discarded plan_required',
      'discarded plan_required',
    ]);
  });

  test('deleting an endpoint removes only its deliveries', async () => {
    await using s = await startService();
    const gone = await addWebhook(s, URL);
    const kept = await addWebhook(s, URL);
    await s.post('/v1/items', { name: 'Bolt' });
    const replay = async (id: string) => {
      const { data } = (await s.post(`/v1/webhooks/${id}/replay`, { since: '2000-01-01T00:00:00.000Z', statuses: ['failed'] })).body;
      return data.id as string;
    };
    const [, keptReplay] = [await replay(gone.id), await replay(kept.id)];
    const { reply, actions } = await trace(s, () => s.delete(`/v1/webhooks/${gone.id}`));
    expect([reply.status, reply.text, actions]).toEqual([204, '', ['webhook.deleted']]);
    const replays = await s.service.store.read(s.tenant.id, (tx) => tx.webhookReplays.listAfter({ limit: 10 }));
    expect(replays.rows.map(({ id }) => id)).toEqual([keptReplay]);
    expect((await getDeliveries(s)).map(({ webhookId }) => webhookId)).toEqual([kept.id]);
    expect((await s.delete(`/v1/webhooks/${gone.id}`)).status).toBe(404);
    expect((await s.get(`/v1/webhooks/${gone.id}/deliveries`)).status).toBe(404);
  });
});

describe('lists of endpoints and deliveries', () => {
  test('GET /v1/webhooks lists newest first and filters by status', async () => {
    await using s = await startService();
    const a = await addWebhook(s, URL);
    const b = await addWebhook(s, URL, { status: 'paused' });
    const ids = async (query: string) => ((await s.get(`/v1/webhooks${query}`)).body.data as { id: string }[]).map(({ id }) => id);
    expect(await ids('')).toEqual([b.id, a.id]);
    expect(await ids('?status=paused')).toEqual([b.id]);
    expect((await s.get('/v1/webhooks?status=gone')).status).toBe(400);
  });

  test('GET /v1/webhooks/{id}/deliveries paginates and filters by status and event', async () => {
    await using s = await startService();
    const { id } = await addWebhook(s, URL);
    for (const name of ['A', 'B', 'C']) await s.post('/v1/items', { name });
    const path = `/v1/webhooks/${id}/deliveries`;
    const page = await s.get(`${path}?page=2&page_size=2`);
    expect(page.body.pagination).toEqual({ page: 2, pageSize: 2, total: 3, totalPages: 2 });
    expect(page.body.data).toHaveLength(1);
    expect((await s.get(`${path}?status=pending&event_type=inventory.item.created`)).body.pagination.total).toBe(3);
    expect((await s.get(`${path}?event_type=inventory.item.updated`)).body.pagination.total).toBe(0);
    expect((await s.get(`${path}?status=delivered`)).body.pagination.total).toBe(0);
    for (const query of ['status=sent', 'event_type=webhook.test', 'color=red'])
      expect((await s.get(`${path}?${query}`)).status, query).toBe(400);
  });
});
