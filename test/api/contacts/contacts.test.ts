/** Contacts: create, change, primary contact, house contact, delete. */
import { describe, expect, test } from 'vitest';
import { type CallOptions, type Reply, ABSENT } from '../../support/service/service.ts';
import { getProblems, refused, trace, type Trace } from '../../support/service/call-trace.ts';
import { useService } from '../../support/service/shared-service.ts';

const s = useService();

const create = async (body: object, options?: CallOptions) => {
  const reply = await s.post('/v1/contacts', body, options);
  expect(reply.status, reply.text).toBe(201);
  return reply.body.data;
};
const read = async (id: string) => (await s.get(`/v1/contacts/${id}`)).body.data;
const item = async (body: object) => (await s.post('/v1/items', { name: 'Thing', ...body })).body.data;
const order = async (module: string, contactId: string, status: 'draft' | 'open' = 'open') => {
  const { id: itemId } = await item({});
  const reply = await s.post('/v1/orders', { module, contactId, status, lines: [{ itemId, quantity: 1 }] });
  expect(reply.status, reply.text).toBe(201);
  return reply.body.data.id as string;
};
const references = (reply: Reply) => reply.body.error.details.references;

describe('POST /v1/contacts', () => {
  test('requires only the name; unset texts are empty, never null', async () => {
    const { reply, events, actions, bodies, audit } = await trace(s, () => s.post('/v1/contacts', { name: ' Ana ' }));
    expect(reply.status).toBe(201);
    const { id, createdAt, updatedAt, ...rest } = reply.body.data;
    expect(rest).toEqual({
      name: 'Ana',
      email: '',
      phone: '',
      company: '',
      contactType: 'customer',
      country: '',
      contactGroup: '',
      isPrimaryContact: false,
      isActive: true,
    });
    expect(createdAt).toBe(updatedAt);
    expect(reply.headers['location']).toBe(`/v1/contacts/${id}`);
    expect(reply.headers['etag']).toBe(`"${updatedAt}"`);
    expect(events).toEqual(['contact.created']);
    expect(actions).toEqual(['contact.created']);
    expect(bodies[0].data).toMatchObject({ id, changes: [], name: 'Ana', company: '', contactType: 'customer', isActive: true, updatedAt });
    expect(audit[0]).toMatchObject({ resourceType: 'contact', resourceId: id });
    expect(await read(id)).toEqual(reply.body.data);
  });

  test('stores every field, with the e-mail as typed and the country in upper case', async () => {
    const body = {
      name: 'Ana Reis',
      email: 'Ana.Reis+Orders@Example.COM',
      phone: '+351 21 000 0000',
      company: 'Green Beans Lda',
      contactType: 'both',
      country: 'pt',
      contactGroup: 'growers',
      isPrimaryContact: true,
      isActive: false,
    };
    expect(await create(body)).toMatchObject({ ...body, country: 'PT' });
  });

  test('trims texts', async () => {
    const data = await create({ name: ' A ', email: ' a@b.c ', phone: ' 1 ', company: ' C ', contactGroup: '  ' });
    expect(data).toMatchObject({ name: 'A', email: 'a@b.c', phone: '1', company: 'C', contactGroup: '' });
  });

  test.each([
    'a@b',
    'a@b.c',
    'first.last@sub.example.org',
    "o'neil!#$%@example.com",
    'josé@exämple.pt',
    `${'x'.repeat(64)}@example.com`,
    '',
  ])('accepts the e-mail address %s', async (email) => {
    expect((await create({ name: 'x', email })).email).toBe(email);
  });

  test.each([
    ['no name', {}, '/name required'],
    ['a blank name', { name: ' ' }, '/name empty'],
    ['a long name', { name: 'x'.repeat(201) }, '/name too_big'],
    ['an address without @', { name: 'x', email: 'ana.example.com' }, '/email bad_format'],
    ['an address with two', { name: 'x', email: 'a@b@c' }, '/email bad_format'],
    ['an address with blanks', { name: 'x', email: 'a b@c.d' }, '/email bad_format'],
    ['an address that begins with a dot', { name: 'x', email: '.a@c.d' }, '/email bad_format'],
    ['a domain that ends with a hyphen', { name: 'x', email: 'a@c-.d' }, '/email bad_format'],
    ['a long local part', { name: 'x', email: `${'x'.repeat(65)}@c.d` }, '/email too_big'],
    ['a long address', { name: 'x', email: `a@${'b'.repeat(60)}.${'c.'.repeat(96)}d` }, '/email too_big'],
    ['a long phone number', { name: 'x', phone: '1'.repeat(41) }, '/phone too_big'],
    ['a long group', { name: 'x', contactGroup: 'g'.repeat(101) }, '/contactGroup too_big'],
    ['a country in words', { name: 'x', country: 'Portugal' }, '/country bad_format'],
    ['a country that is none', { name: 'x', country: 'QQ' }, '/country not_allowed'],
    ['an unknown type', { name: 'x', contactType: 'friend' }, '/contactType not_allowed'],
    ['an unknown field', { name: 'x', isHouse: true }, '/isHouse unknown_field'],
  ])('rejects %s and stores nothing', async (_what, body, problem) => {
    expect(getProblems(await refused(s, () => s.post('/v1/contacts', body), 400, 'VALIDATION_FAILED'))).toEqual([problem]);
  });

  test('accepts the same e-mail address twice', async () => {
    await create({ name: 'One', email: 'shared@example.com' });
    await create({ name: 'Two', email: 'SHARED@example.com' });
    const found = await s.get('/v1/contacts?email=Shared@Example.com&sort=name');
    expect(found.body.data.map(({ name }: { name: string }) => name)).toEqual(['One', 'Two']);
  });

  test('replays the response for a repeated idempotency key and creates nothing', async () => {
    const idempotencyKey = 'contacts-replay';
    const first = await s.post('/v1/contacts', { name: 'Once' }, { idempotencyKey });
    const again = await trace(s, () => s.post('/v1/contacts', { name: 'Once' }, { idempotencyKey }));
    expect(again.reply.text).toBe(first.text);
    expect([...again.events, ...again.actions]).toEqual([]);
  });
});

describe('PATCH /v1/contacts/{id}', () => {
  const FILLED = {
    name: 'Filled',
    email: 'filled@example.com',
    phone: '1',
    company: '',
    contactType: 'both',
    country: 'PT',
    contactGroup: 'group',
    isPrimaryContact: true,
    isActive: false,
  };

  test.each(['email', 'phone', 'company', 'country', 'contactGroup'])(
    'clears %s to the empty text with null and keeps the others',
    async (name) => {
      const before = await create({ ...FILLED, company: `Null ${name}` });
      const { reply, events, bodies, audit } = await trace(s, () => s.patch(`/v1/contacts/${before.id}`, { [name]: null }));
      expect(reply.body.data).toEqual({ ...before, [name]: '', updatedAt: expect.any(String) });
      expect(reply.body.data.updatedAt > before.updatedAt).toBe(true);
      expect(events).toEqual(['contact.updated']);
      expect(bodies[0].data.changes).toEqual([name]);
      expect(audit[0]).toMatchObject({ action: 'contact.updated', metadata: { changes: { [name]: { from: before[name], to: '' } } } });
    },
  );

  test.each(['name', 'contactType', 'isPrimaryContact', 'isActive'])('rejects null for %s', async (name) => {
    const before = await create(FILLED);
    await refused(s, () => s.patch(`/v1/contacts/${before.id}`, { [name]: null }), 400, 'VALIDATION_FAILED');
    expect(await read(before.id)).toEqual(before);
  });

  test('changes one field and keeps the others', async () => {
    let wanted = await create(FILLED);
    const changes = {
      name: 'N',
      email: 'n@n.n',
      phone: '2',
      company: 'N',
      contactType: 'customer',
      country: 'ES',
      contactGroup: 'n',
      isPrimaryContact: false,
      isActive: true,
    };
    for (const [name, value] of Object.entries(changes)) {
      const { reply, bodies } = await trace(s, () => s.patch(`/v1/contacts/${wanted.id}`, { [name]: value }));
      expect(reply.body.data, name).toEqual({ ...wanted, [name]: value, updatedAt: expect.any(String) });
      expect(bodies.map(({ data }) => data.changes)).toEqual([[name]]);
      wanted = reply.body.data;
    }
  });

  test('changes nothing and emits no event for an empty body or current values', async () => {
    const before = await create({ ...FILLED, company: 'No-op' });
    const { id: _id, createdAt: _created, updatedAt: _updated, ...present } = before;
    for (const body of [{}, present, { country: 'pt', name: ' Filled ' }]) {
      const { reply, events, actions } = await trace(s, () => s.patch(`/v1/contacts/${before.id}`, body));
      expect(reply.body.data).toEqual(before);
      expect([...events, ...actions]).toEqual([]);
    }
  });

  test('answers 412 for an outdated If-Match', async () => {
    const before = await create({ name: 'Versions' });
    const etag = { 'if-match': `"${before.updatedAt}"` };
    expect((await s.patch(`/v1/contacts/${before.id}`, { phone: '1' }, { headers: etag })).status).toBe(200);
    await refused(s, () => s.patch(`/v1/contacts/${before.id}`, { phone: '2' }, { headers: etag }), 412, 'PRECONDITION_FAILED');
    expect((await read(before.id)).phone).toBe('1');
  });

  test('answers 404 for an unknown or foreign contact', async () => {
    const key = await s.addKey({ tenantId: (await s.addTenant('other-contacts')).id });
    const { id } = await create({ name: 'Ours' });
    for (const [path, options] of [
      [ABSENT, {}],
      ['not-an-id', {}],
      [id, { key }],
    ] as const) {
      await refused(s, () => s.get(`/v1/contacts/${path}`, options), 404, 'NOT_FOUND');
      await refused(s, () => s.patch(`/v1/contacts/${path}`, { name: 'x' }, options), 404, 'NOT_FOUND');
      await refused(s, () => s.delete(`/v1/contacts/${path}`, options), 404, 'NOT_FOUND');
    }
    expect((await read(id)).name).toBe('Ours');
  });
});

describe('the primary contact of a company (D-18)', () => {
  const cleared = (t: Trace) => t.bodies.map(({ data }) => [data.id, data.changes]);

  test('is cleared by creating another one, with a separate event', async () => {
    const first = await create({ name: 'First', company: 'Acme', isPrimaryContact: true });
    const made = await trace(s, () => s.post('/v1/contacts', { name: 'Second', company: '  aCME ', isPrimaryContact: true }));
    const second = made.reply.body.data;
    expect(made.events.sort()).toEqual(['contact.created', 'contact.updated']);
    expect(made.actions.sort()).toEqual(['contact.created', 'contact.updated']);
    expect(cleared(made)).toContainEqual([first.id, ['isPrimaryContact']]);
    const after = await read(first.id);
    expect(after).toEqual({ ...first, isPrimaryContact: false, updatedAt: expect.any(String) });
    expect(after.updatedAt > first.updatedAt).toBe(true);
    const back = await trace(s, () => s.patch(`/v1/contacts/${first.id}`, { isPrimaryContact: true }));
    expect(cleared(back)).toEqual([
      [second.id, ['isPrimaryContact']],
      [first.id, ['isPrimaryContact']],
    ]);
    expect((await read(second.id)).isPrimaryContact).toBe(false);
  });

  test('is cleared when another primary contact moves to the company', async () => {
    const there = await create({ name: 'There', company: 'Beta', isPrimaryContact: true });
    const moving = await create({ name: 'Moving', company: 'Gamma', isPrimaryContact: true });
    await s.patch(`/v1/contacts/${moving.id}`, { company: 'BETA' });
    expect((await read(there.id)).isPrimaryContact).toBe(false);
    expect(await read(moving.id)).toMatchObject({ company: 'BETA', isPrimaryContact: true });
    // The place it left is free, without clearing anybody.
    const next = await trace(s, () => s.post('/v1/contacts', { name: 'Next', company: 'gamma', isPrimaryContact: true }));
    expect(next.events).toEqual(['contact.created']);
  });

  test('is vacated by clearing, deleting or moving the contact', async () => {
    for (const leave of [
      (id: string) => s.patch(`/v1/contacts/${id}`, { isPrimaryContact: false }),
      (id: string) => s.patch(`/v1/contacts/${id}`, { company: null }),
      (id: string) => s.delete(`/v1/contacts/${id}`),
    ]) {
      const { id } = await create({ name: 'Leaving', company: 'Delta', isPrimaryContact: true });
      expect((await leave(id)).status).toBeLessThan(300);
      const { events } = await trace(s, () => s.post('/v1/contacts', { name: 'New', company: 'Delta', isPrimaryContact: true }));
      expect(events).toEqual(['contact.created']);
      await s.delete(`/v1/contacts/${(await s.get('/v1/contacts?search=New')).body.data[0].id}`);
    }
  });

  test('is independent of contacts without a company and of other tenants', async () => {
    const alone = await create({ name: 'Alone', isPrimaryContact: true });
    await create({ name: 'Alone too', company: ' ', isPrimaryContact: true });
    const ours = await create({ name: 'Ours', company: 'Shared', isPrimaryContact: true });
    await create(
      { name: 'Theirs', company: 'Shared', isPrimaryContact: true },
      { key: await s.addKey({ tenantId: (await s.addTenant('primary')).id }) },
    );
    expect((await read(alone.id)).isPrimaryContact).toBe(true);
    expect((await read(ours.id)).isPrimaryContact).toBe(true);
  });
});

describe('the house contact (D-3)', () => {
  test('exists exactly once from the start and has its own group', async () => {
    const { data } = (await s.get('/v1/contacts?contact_group=internal')).body;
    expect(data).toMatchObject([{ id: s.tenant.houseContactId, contactType: 'both', name: s.tenant.name, isActive: true }]);
  });

  test('cannot be deleted, deactivated or narrowed', async () => {
    const id = s.tenant.houseContactId;
    const before = await read(id);
    for (const call of [
      () => s.delete(`/v1/contacts/${id}`),
      () => s.patch(`/v1/contacts/${id}`, { isActive: false }),
      () => s.patch(`/v1/contacts/${id}`, { contactType: 'supplier' }),
      () => s.patch(`/v1/contacts/${id}`, { contactGroup: null, phone: '1' }),
    ]) {
      expect(references(await refused(s, call, 409, 'RESOURCE_IN_USE'))).toEqual({ organization: 1 });
    }
    expect(await read(id)).toEqual(before);
  });

  test('can change its name and address', async () => {
    const reply = await s.patch(`/v1/contacts/${s.tenant.houseContactId}`, {
      phone: '+351 1',
      email: 'us@example.com',
      contactType: 'both',
    });
    expect(reply.body.data).toMatchObject({ phone: '+351 1', email: 'us@example.com', contactType: 'both', contactGroup: 'internal' });
  });
});

describe('narrowing contactType', () => {
  test.each([
    ['supplier', 'buy', 'customer', 'both'],
    ['customer', 'sell', 'supplier', 'both'],
  ])('rejects that a %s of an open %s order becomes a %s and accepts %s', async (contactType, module, wrong, wider) => {
    const { id } = await create({ name: 'Needed', contactType });
    const orderId = await order(module, id);
    expect(
      references(await refused(s, () => s.patch(`/v1/contacts/${id}`, { contactType: wrong, name: 'x' }), 409, 'RESOURCE_IN_USE')),
    ).toEqual({ orders: 1 });
    expect(await read(id)).toMatchObject({ contactType, name: 'Needed' });
    expect((await s.patch(`/v1/contacts/${id}`, { contactType: wider })).status).toBe(200);
    for (const status of ['in_progress', 'waiting']) {
      expect((await s.patch(`/v1/orders/${orderId}`, { status })).status).toBe(200);
      await refused(s, () => s.patch(`/v1/contacts/${id}`, { contactType: wrong }), 409, 'RESOURCE_IN_USE');
    }
    expect((await s.patch(`/v1/orders/${orderId}`, { status: 'cancelled' })).status).toBe(200);
    expect((await s.patch(`/v1/contacts/${id}`, { contactType: wrong })).body.data.contactType).toBe(wrong);
  });

  test('is allowed while only drafts name the contact', async () => {
    const { id } = await create({ name: 'Drafted', contactType: 'both' });
    await order('sell', id, 'draft');
    expect((await s.patch(`/v1/contacts/${id}`, { contactType: 'supplier' })).status).toBe(200);
  });

  test('is rejected while supplier links exist', async () => {
    const [preferred, other] = [await create({ name: 'P', contactType: 'both' }), await create({ name: 'O', contactType: 'supplier' })];
    const { id } = await item({ supplierId: preferred.id });
    await s.post(`/v1/items/${id}/suppliers`, { supplierId: other.id });
    for (const contact of [preferred, other]) {
      const reply = await refused(s, () => s.patch(`/v1/contacts/${contact.id}`, { contactType: 'customer' }), 409, 'RESOURCE_IN_USE');
      expect(references(reply)).toEqual({ supplierLinks: 1 });
    }
    expect((await s.patch(`/v1/contacts/${preferred.id}`, { contactType: 'supplier' })).status).toBe(200);
  });
});

describe('DELETE /v1/contacts/{id}', () => {
  test('emits contact.updated with changes deleted, and is final', async () => {
    const before = await create({ name: 'Gone', company: 'Gone Ltd' });
    const { reply, events, actions, bodies } = await trace(s, () => s.delete(`/v1/contacts/${before.id}`));
    expect(reply.status).toBe(204);
    expect(events).toEqual(['contact.updated']);
    expect(actions).toEqual(['contact.deleted']);
    expect(bodies[0].data).toMatchObject({
      id: before.id,
      changes: ['deleted'],
      deletedAt: expect.any(String),
      name: 'Gone',
      company: 'Gone Ltd',
    });
    expect(bodies[0].data.updatedAt).toBe(bodies[0].data.deletedAt);
    await refused(s, () => s.get(`/v1/contacts/${before.id}`), 404, 'NOT_FOUND');
    await refused(s, () => s.delete(`/v1/contacts/${before.id}`), 404, 'NOT_FOUND');
  });

  test('rejects deleting a preferred supplier and counts its items', async () => {
    const { id } = await create({ name: 'Preferred', contactType: 'supplier' });
    const items = [await item({ supplierId: id }), await item({ supplierId: id })];
    expect(references(await refused(s, () => s.delete(`/v1/contacts/${id}`), 409, 'RESOURCE_IN_USE'))).toEqual({ preferredSuppliers: 2 });
    for (const each of items)
      expect((await s.get(`/v1/items/${each.id}/suppliers`)).body.data).toMatchObject([{ supplierId: id, isPreferred: true }]);
    for (const each of items) await s.patch(`/v1/items/${each.id}`, { supplierId: null });
    expect((await s.delete(`/v1/contacts/${id}`)).status).toBe(204);
  });

  test('rejects deleting the contact of an order in any status', async () => {
    const { id } = await create({ name: 'Ordering' });
    const orderId = await order('sell', id, 'draft');
    await s.patch(`/v1/orders/${orderId}`, { status: 'cancelled' });
    expect(references(await refused(s, () => s.delete(`/v1/contacts/${id}`), 409, 'RESOURCE_IN_USE'))).toEqual({ orders: 1 });
    expect((await s.patch(`/v1/contacts/${id}`, { isActive: false })).status).toBe(200);
  });

  test('removes its other supplier links, with an event per item', async () => {
    const [preferred, leaving] = [
      await create({ name: 'Stays', contactType: 'supplier' }),
      await create({ name: 'Leaves', contactType: 'supplier' }),
    ];
    const before = await item({ supplierId: preferred.id });
    await s.post(`/v1/items/${before.id}/suppliers`, { supplierId: leaving.id, purchasePrice: 4 });
    const touched = (await s.get(`/v1/items/${before.id}`)).body.data;
    const { reply, events, actions, bodies } = await trace(s, () => s.delete(`/v1/contacts/${leaving.id}`));
    expect(reply.status).toBe(204);
    expect(events.sort()).toEqual(['contact.updated', 'inventory.item.updated']);
    expect(actions.sort()).toEqual(['contact.deleted', 'item.supplier.unlinked']);
    expect(bodies.find(({ event }) => event === 'inventory.item.updated').data).toMatchObject({ id: before.id, changes: ['suppliers'] });
    const after = (await s.get(`/v1/items/${before.id}`)).body.data;
    expect(after).toEqual({ ...touched, updatedAt: expect.any(String) });
    expect(after.updatedAt > touched.updatedAt).toBe(true);
    expect((await s.get(`/v1/items/${before.id}/suppliers`)).body.data).toMatchObject([{ supplierId: preferred.id }]);
  });
});

test('the primary contact survives a restart', async () => {
  const first = await create({ name: 'Before', company: 'Restarted', isPrimaryContact: true });
  await s.restart();
  expect(await read(first.id)).toEqual(first);
  await create({ name: 'After', company: 'restarted', isPrimaryContact: true });
  expect((await read(first.id)).isPrimaryContact).toBe(false);
});
