/** Tenants over the admin API. */
import { expect, test } from 'vitest';
import { startAdmin } from '../../support/service/admin.ts';
import { postDocument } from '../../support/resources/stock.ts';
import { getCode } from '../../support/service/service.ts';

test('tenants create needs only a name and creates sites, units and the house contact', async () => {
  await using a = await startAdmin();
  const reply = await a.post('/admin/tenants', { name: ' Café  Baixa ' });
  expect(reply.status).toBe(201);
  const { data } = reply.body;
  expect(data).toEqual({
    id: expect.any(String),
    slug: 'cafe-baixa',
    name: 'Café  Baixa',
    plan: 'standard',
    isActive: true,
    currency: 'EUR',
    currencyExponent: 2,
    timezone: 'UTC',
    defaultLeadDays: 7,
    numberPrefixes: {},
    negativeStock: 'block',
    oversell: 'allow',
    fourEyes: false,
    billingPeriod: 'monthly',
    houseContactId: expect.any(String),
    defaultSiteId: expect.any(String),
    createdAt: expect.any(String),
    updatedAt: data.createdAt,
  });
  const units = (await a.get('/admin/units?tenant=cafe-baixa')).body.data;
  expect(units.map(({ symbol, precision }: { symbol: string; precision: number }) => [symbol, precision]).sort()).toEqual([
    ['g', 3],
    ['h', 2],
    ['kg', 6],
    ['l', 6],
    ['m', 3],
    ['pcs', 0],
  ]);
  expect((await a.get('/admin/sites?tenant=cafe-baixa')).body.data).toMatchObject([
    { id: data.defaultSiteId, isDefault: true, isActive: true },
  ]);
  const key = await a.s.addKey({ tenantId: data.id });
  const pcs = units.find(({ symbol }: { symbol: string }) => symbol === 'pcs');
  expect((await a.s.post('/v1/items', { name: 'Cup', unitId: pcs.id }, { key })).status).toBe(201);
  expect((await a.audit(data.id))[0]).toMatchObject({
    action: 'organization.created',
    actorType: 'user',
    actorId: 'local',
    resourceId: data.id,
  });
  expect(await a.audit()).toEqual([]);
});

test('a derived slug is made unique; a given slug must be free', async () => {
  await using a = await startAdmin();
  expect((await a.post('/admin/tenants', { name: 'First' })).body.data.slug).toBe('first-2');
  const refused = await a.post('/admin/tenants', { name: 'Other', slug: 'first' });
  expect(refused.status).toBe(409);
  expect(refused.body.error).toMatchObject({
    code: 'DUPLICATE_VALUE',
    details: { field: 'slug', value: 'first', existingId: a.s.tenant.id },
  });
  expect((await a.get('/admin/tenants')).body.pagination.total).toBe(2);
});

test('a currency sets its decimals unless given', async () => {
  await using a = await startAdmin();
  expect((await a.post('/admin/tenants', { name: 'Tokyo', currency: 'JPY' })).body.data).toMatchObject({
    currency: 'JPY',
    currencyExponent: 0,
  });
  expect((await a.post('/admin/tenants', { name: 'Odd', currency: 'JPY', currencyExponent: 2 })).body.data.currencyExponent).toBe(2);
});

test('the currency is locked once the tenant has orders or ledger entries, and nothing of the change is stored', async () => {
  await using a = await startAdmin();
  const setCurrency = (currency: string) => a.patch('/admin/tenants/first', { currency, name: 'Renamed' });
  const refused = async (references: object) => {
    const before = [await a.get('/admin/tenants/first'), await a.audit(), await a.s.events()].map((of) => ('text' in of ? of.text : of));
    const reply = await setCurrency('JPY');
    expect(reply.status).toBe(409);
    expect(reply.body.error).toMatchObject({ code: 'RESOURCE_IN_USE', details: { references } });
    expect([await a.get('/admin/tenants/first'), await a.audit(), await a.s.events()].map((of) => ('text' in of ? of.text : of))).toEqual(
      before,
    );
    return reply.body.error.message;
  };
  const itemId = (await a.s.post('/v1/items', { name: 'Bolt', purchasePrice: 2 })).body.data.id;
  expect((await setCurrency('USD')).body.data).toMatchObject({ currency: 'USD', name: 'Renamed' });
  expect((await a.s.post('/v1/orders', { module: 'sell' })).status).toBe(201);
  await refused({ orders: 1 });
  await postDocument(a.s, { type: 'adjustment', reason: 'opening', lines: [{ itemId, quantity: 3 }] });
  expect(await refused({ orders: 1, ledgerEntries: 1 })).toContain('USD is in use by 1 order and 1 ledger entry');
  // The present currency, and everything else, can be set.
  expect((await setCurrency('USD')).status).toBe(200);
  expect((await a.patch('/admin/organization', { currency: 'EUR' })).status).toBe(409);
  expect((await a.patch('/admin/tenants/first', { currencyExponent: 3 })).status).toBe(200);
});

test('tenants create rejects invalid fields by name and stores nothing', async () => {
  await using a = await startAdmin();
  const bad = [
    [{}, '/name', 'required'],
    [{ name: '   ' }, '/name', 'empty'],
    [{ name: 'X', slug: 'Not A Slug' }, '/slug', 'bad_format'],
    [{ name: 'X', plan: 'gold' }, '/plan', 'not_allowed'],
    [{ name: 'X', currency: 'EURO' }, '/currency', 'bad_format'],
    [{ name: 'X', currency: 'QQQ' }, '/currency', 'not_allowed'],
    [{ name: 'X', currencyExponent: 7 }, '/currencyExponent', 'too_big'],
    [{ name: 'X', timezone: 'Mars/Olympus' }, '/timezone', 'not_allowed'],
    [{ name: 'X', timezone: '+01:00' }, '/timezone', 'not_allowed'],
    [{ name: 'X', defaultLeadDays: -1 }, '/defaultLeadDays', 'too_small'],
    [{ name: 'X', numberPrefixes: { buy: 'a b' } }, '/numberPrefixes/buy', 'bad_format'],
    [{ name: 'X', numberPrefixes: { rent: 'R-' } }, '/numberPrefixes/rent', 'unknown_field'],
    [{ name: 'X', colour: 'red' }, '/colour', 'unknown_field'],
  ] as const;
  for (const [body, path, code] of bad) {
    const reply = await a.post('/admin/tenants', body);
    expect([reply.status, reply.body.error.fields?.[0]?.path, reply.body.error.fields?.[0]?.code], JSON.stringify(body)).toEqual([
      400,
      path,
      code,
    ]);
  }
  expect((await a.get('/admin/tenants')).body.pagination.total).toBe(1);
});

test('changing plan and settings emits one organization.updated and takes effect immediately', async () => {
  await using a = await startAdmin();
  const before = a.s.tenant;
  expect((await a.s.get('/v1/audit/events')).status).toBe(200);
  const reply = await a.patch('/admin/tenants/first', { plan: 'pro', timezone: 'europe/lisbon', numberPrefixes: { buy: 'B-' } });
  expect(reply.status).toBe(200);
  expect(reply.body.data).toMatchObject({
    plan: 'pro',
    timezone: 'Europe/Lisbon',
    numberPrefixes: { buy: 'B-' },
    currency: before.currency,
  });
  expect(Date.parse(reply.body.data.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));
  expect(getCode(await a.s.get('/v1/audit/events'))).toBe('PLAN_REQUIRED');

  const [event, ...others] = await a.s.events();
  expect(others).toEqual([]);
  expect(JSON.parse(event?.body ?? '')).toEqual({
    event: 'organization.updated',
    data: {
      id: before.id,
      eventId: event?.id,
      occurredAt: expect.any(String),
      position: expect.any(Number),
      sequence: expect.any(Number),
      updatedAt: expect.any(String),
      actor: { type: 'user', id: 'local' },
      changes: ['plan', 'timezone', 'numberPrefixes'],
      name: 'first',
      slug: 'first',
      plan: 'pro',
    },
  });
  expect(await a.audit()).toMatchObject([
    {
      action: 'organization.updated',
      metadata: { changes: { plan: { from: 'enterprise', to: 'pro' }, timezone: { from: 'UTC', to: 'Europe/Lisbon' } } },
    },
  ]);
});

test('an update without change records nothing', async () => {
  await using a = await startAdmin();
  for (const body of [{}, { plan: 'enterprise' }, { name: ' first ', currency: 'EUR', numberPrefixes: { buy: null } }]) {
    const reply = await a.patch('/admin/tenants/first', body);
    expect(reply.status).toBe(200);
    expect(reply.body.data.updatedAt).toBe(a.s.tenant.updatedAt);
  }
  expect(await a.s.events()).toEqual([]);
  expect(await a.audit()).toEqual([]);
});

test('number prefixes are merged; null resets to the default', async () => {
  await using a = await startAdmin();
  await a.patch('/admin/tenants/first', { numberPrefixes: { sell: 'S-', buy: 'B-' } });
  const { data } = (await a.patch('/admin/tenants/first', { numberPrefixes: { buy: null, fix: 'R-' } })).body;
  expect(data.numberPrefixes).toEqual({ fix: 'R-', sell: 'S-' });
});

test('organization update renames the chosen tenant', async () => {
  await using a = await startAdmin();
  const { data } = (await a.patch('/admin/organization', { name: 'Kestrel', slug: 'kestrel' })).body;
  expect(data).toMatchObject({ name: 'Kestrel', slug: 'kestrel' });
  expect((await a.s.get('/v1/organization')).body.data).toMatchObject({ name: 'Kestrel', slug: 'kestrel' });
});

test('keys of an inactive tenant are rejected until it is active again', async () => {
  await using a = await startAdmin();
  await a.patch('/admin/tenants/first', { isActive: false });
  expect((await a.s.get('/v1/items')).status).toBe(401);
  await a.patch(`/admin/tenants/${a.s.tenant.id}`, { isActive: true });
  expect((await a.s.get('/v1/items')).status).toBe(200);
});

test('tenants are listed by name, searched, filtered and read', async () => {
  await using a = await startAdmin();
  await a.post('/admin/tenants', { name: 'Zebra', isActive: false });
  await a.post('/admin/tenants', { name: 'Alpha' });
  const slugs = async (query: string) => (await a.get(`/admin/tenants${query}`)).body.data.map(({ slug }: { slug: string }) => slug);
  expect(await slugs('')).toEqual(['alpha', 'first', 'zebra']);
  expect(await slugs('?search=EBR')).toEqual(['zebra']);
  expect(await slugs('?is_active=false')).toEqual(['zebra']);
  expect(await slugs('?sort=-name&page_size=1')).toEqual(['zebra']);
  expect((await a.get('/admin/tenants/alpha')).body.data.slug).toBe('alpha');
  expect((await a.get('/admin/tenants/nobody')).status).toBe(404);
});

test('with several tenants one must be chosen, and the error lists them', async () => {
  await using a = await startAdmin();
  expect((await a.get('/admin/sites')).status).toBe(200);
  await a.post('/admin/tenants', { name: 'Second' });
  const refused = await a.get('/admin/sites');
  expect(refused.status).toBe(400);
  expect(refused.body.error.fields).toMatchObject([{ in: 'query', path: '/tenant', code: 'required' }]);
  expect(refused.body.error.message).toContain('first, second');
  expect((await a.get('/admin/sites?tenant=second')).status).toBe(200);
  const unknown = await a.get('/admin/sites?tenant=third');
  expect(unknown.status).toBe(404);
  expect(unknown.body.error.message).toContain('first, second');
});
