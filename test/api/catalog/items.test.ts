/** POST and DELETE /v1/items, uniqueness, and how requests are parsed. */
import { describe, expect, test } from 'vitest';
import { addCategory, addUnit } from '../../support/resources/units-and-categories.ts';
import { auditRows, getProblems, refused, trace } from '../../support/service/call-trace.ts';
import { useItems } from '../../support/resources/items.ts';
import { ABSENT } from '../../support/service/service.ts';

const { create, read, s, supplier } = useItems();

describe('POST /v1/items', () => {
  test('requires only the name and applies defaults to all other fields', async () => {
    const { reply, events, actions, bodies, audit } = await trace(s, () => s.post('/v1/items', { name: 'Bolt' }));
    expect(reply.status).toBe(201);
    const { id, createdAt, updatedAt, ...rest } = reply.body.data;
    expect(rest).toEqual({
      name: 'Bolt',
      itemType: 'product',
      sku: null,
      mpn: null,
      barcode: null,
      categoryId: null,
      unitId: null,
      supplierId: null,
      salePrice: null,
      purchasePrice: null,
      supplierCode: null,
      notes: null,
      isActive: true,
      category: null,
      supplier: null,
    });
    expect(createdAt).toBe(updatedAt);
    expect(reply.headers['location']).toBe(`/v1/items/${id}`);
    expect(reply.headers['etag']).toBe(`"${updatedAt}"`);
    expect(events).toEqual(['inventory.item.created']);
    expect(actions).toEqual(['item.created']);
    expect(bodies[0].data).toMatchObject({ id, changes: [], name: 'Bolt', sku: null, itemType: 'product', isActive: true, updatedAt });
    expect(bodies[0].data).toMatchObject({ actor: { type: 'api' }, eventId: expect.any(String), occurredAt: createdAt });
    expect(audit[0]).toMatchObject({ resourceType: 'item', resourceId: id, actorType: 'api', metadata: { requestId: expect.any(String) } });
    expect(await read(id)).toEqual(reply.body.data);
  });

  test('stores every field and embeds category and supplier', async () => {
    const [categoryId, unitId, supplierId] = [await addCategory(s, 'Fasteners'), await addUnit(s, 'box', 'count'), await supplier('Bolts')];
    const body = {
      name: 'Hex bolt M6',
      itemType: 'material',
      sku: 'HEX-M6',
      mpn: 'M6-100',
      barcode: '5601234567890',
      categoryId,
      unitId,
      supplierId,
      salePrice: 0.35,
      purchasePrice: 0.123456,
      supplierCode: 'BX-6',
      notes: 'Zinc plated.\nKeep dry.',
      isActive: false,
    };
    const data = await create(body);
    expect(data).toMatchObject(body);
    expect(data.category).toEqual({ id: categoryId, name: 'Fasteners' });
    expect(data.supplier).toEqual({ id: supplierId, name: 'Bolts', company: 'Bolts Lda' });
    expect(await read(data.id)).toEqual(data);
  });

  test('trims texts and treats blank ones as absent', async () => {
    const data = await create({ name: '  Nut  ', sku: ' NUT-1 ', mpn: '   ', barcode: '', supplierCode: ' x ', notes: '  ' });
    expect(data).toMatchObject({ name: 'Nut', sku: 'NUT-1', mpn: null, barcode: null, supplierCode: 'x', notes: null });
  });

  test.each([
    ['no name', {}, '/name required'],
    ['a null name', { name: null }, '/name wrong_type'],
    ['an empty name', { name: '' }, '/name empty'],
    ['a blank name', { name: '   ' }, '/name empty'],
    ['a name of two lines', { name: 'a\nb' }, '/name bad_format'],
    ['a long name', { name: 'x'.repeat(201) }, '/name too_big'],
    ['an unknown type', { name: 'x', itemType: 'kit' }, '/itemType not_allowed'],
    ['a price in words', { name: 'x', salePrice: '1.50' }, '/salePrice wrong_type'],
    ['a negative price', { name: 'x', salePrice: -0.01 }, '/salePrice too_small'],
    ['a price out of bounds', { name: 'x', purchasePrice: 1e9 }, '/purchasePrice too_big'],
    ['seven decimals', { name: 'x', salePrice: 1.2345678 }, '/salePrice invalid'],
    ['a category that is no id', { name: 'x', categoryId: 'fasteners' }, '/categoryId bad_format'],
    ['a category that is not there', { name: 'x', categoryId: ABSENT }, '/categoryId invalid'],
    ['a unit that is not there', { name: 'x', unitId: ABSENT }, '/unitId invalid'],
    ['a supplier that is not there', { name: 'x', supplierId: ABSENT }, '/supplierId invalid'],
    ['a state in words', { name: 'x', isActive: 'yes' }, '/isActive wrong_type'],
    ['a long SKU', { name: 'x', sku: 'x'.repeat(65) }, '/sku too_big'],
    ['an unknown field', { name: 'x', colour: 'red' }, '/colour unknown_field'],
    ['an id of its own', { name: 'x', id: ABSENT }, '/id unknown_field'],
  ])('rejects %s and stores nothing', async (_what, body, problem) => {
    const reply = await refused(s, () => s.post('/v1/items', body), 400, 'VALIDATION_FAILED');
    expect(getProblems(reply)).toEqual([problem]);
  });

  test('reports every invalid field in one response', async () => {
    const reply = await refused(s, () => s.post('/v1/items', { itemType: 'kit', salePrice: -1, colour: 'red' }), 400, 'VALIDATION_FAILED');
    expect(getProblems(reply).sort()).toEqual(['/colour unknown_field', '/itemType not_allowed', '/name required', '/salePrice too_small']);
  });

  test('accepts binary floating-point noise in decimals', async () => {
    expect((await create({ name: 'Dust', salePrice: 0.1 + 0.2, purchasePrice: 999_999_999.999999 })).salePrice).toBe(0.3);
    expect((await create({ name: 'Nothing', salePrice: 0 })).salePrice).toBe(0);
  });

  test('rejects inactive references with INACTIVE_REFERENCE', async () => {
    const categoryId = await addCategory(s, 'Old', { isActive: false });
    const unitId = await addUnit(s, 'old', 'count', [1, 1], { isActive: false });
    const supplierId = await supplier('Gone', { isActive: false });
    for (const [body, what, id] of [
      [{ categoryId }, 'Category Old', { categoryId }],
      [{ unitId }, 'Unit old', { unitId }],
      [{ supplierId }, 'Contact Gone', { contactId: supplierId }],
    ] as const) {
      const { error } = (await refused(s, () => s.post('/v1/items', { name: 'x', ...body }), 409, 'INACTIVE_REFERENCE')).body;
      expect(error.message).toBe(`${what} is inactive; activate it or choose another one.`);
      expect(error.details).toEqual({ ...id, path: `/${String(Object.keys(body)[0])}` });
    }
  });

  test('rejects references to records of another tenant', async () => {
    const other = await s.addTenant('other-references');
    const key = await s.addKey({ tenantId: other.id });
    const foreign = {
      categoryId: await addCategory(s, 'Theirs', { tenantId: other.id }),
      unitId: await addUnit(s, 'theirs', 'count', [1, 1], { tenantId: other.id }),
      supplierId: (await s.post('/v1/contacts', { name: 'Theirs', contactType: 'supplier' }, { key })).body.data.id,
    };
    for (const [name, id] of Object.entries(foreign)) {
      const reply = await refused(s, () => s.post('/v1/items', { name: 'x', [name]: id }), 400, 'VALIDATION_FAILED');
      expect(getProblems(reply)).toEqual([`/${name} invalid`]);
    }
  });

  test('replays the response for a repeated idempotency key and creates nothing', async () => {
    const idempotencyKey = 'items-replay';
    const first = await s.post('/v1/items', { name: 'Once', sku: 'ONCE' }, { idempotencyKey });
    const again = await trace(s, () => s.post('/v1/items', { sku: 'ONCE', name: 'Once' }, { idempotencyKey }));
    expect(again.reply.status).toBe(201);
    expect(again.reply.text).toBe(first.text);
    expect(again.reply.headers['idempotent-replayed']).toBe('true');
    expect([...again.events, ...again.actions]).toEqual([]);
    await refused(s, () => s.post('/v1/items', { name: 'Twice' }, { idempotencyKey }), 409, 'CONFLICT');
    expect((await s.get('/v1/items?sku=ONCE')).body.pagination.total).toBe(1);
  });
});

describe('unique fields of items', () => {
  test.each(['sku', 'barcode'] as const)('%s is unique regardless of case and surrounding blanks', async (name) => {
    const holder = await create({ name: 'Holder', [name]: `Uniq-${name}` });
    const reply = await refused(s, () => s.post('/v1/items', { name: 'Second', [name]: ` uNIQ-${name} ` }), 409, 'DUPLICATE_VALUE');
    expect(reply.body.error.details).toMatchObject({ field: name, existingId: holder.id });
    const other = await create({ name: 'Third' });
    await refused(s, () => s.patch(`/v1/items/${other.id}`, { [name]: `UNIQ-${name}` }), 409, 'DUPLICATE_VALUE');
  });

  test('an item can change the case of its own SKU', async () => {
    const { id } = await create({ name: 'Case', sku: 'case-1' });
    expect((await s.patch(`/v1/items/${id}`, { sku: 'CASE-1' })).body.data.sku).toBe('CASE-1');
  });

  test.each(['sku', 'barcode'] as const)('a %s can be reused once it is free', async (name) => {
    const first = await create({ name: 'First', [name]: `free-${name}` });
    await s.patch(`/v1/items/${first.id}`, { [name]: null });
    const second = await create({ name: 'Second', [name]: `free-${name}` });
    await s.delete(`/v1/items/${second.id}`);
    expect((await create({ name: 'Third', [name]: `FREE-${name}` }))[name]).toBe(`FREE-${name}`);
  });

  test('name, mpn and supplierCode are not unique, and SKUs only within a tenant', async () => {
    const body = { name: 'Same', mpn: 'same', supplierCode: 'same' };
    await create({ ...body, sku: 'in-both' });
    await create(body);
    const elsewhere = { key: await s.addKey({ tenantId: (await s.addTenant('same-sku')).id }) };
    expect((await create({ ...body, sku: 'in-both' }, elsewhere)).sku).toBe('in-both');
  });
});

const ordered = async (itemId: string) => {
  const reply = await s.post('/v1/orders', { module: 'sell', lines: [{ itemId, quantity: 1 }] });
  expect(reply.status, reply.text).toBe(201);
  return reply.body.data.id as string;
};

describe('DELETE /v1/items/{id}', () => {
  test('deletes the item with its ingredients and links and emits one event', async () => {
    const supplierId = await supplier('Leaving');
    const [parent, child] = [await create({ name: 'Parent', supplierId }), await create({ name: 'Child' })];
    await s.post(`/v1/items/${parent.id}/ingredients`, { ingredientItemId: child.id, quantity: 1 });
    const { reply, events, actions, bodies, audit } = await trace(s, () => s.delete(`/v1/items/${parent.id}`));
    expect(reply.status).toBe(204);
    expect(reply.text).toBe('');
    expect(events).toEqual(['inventory.item.updated']);
    expect(actions).toEqual(['item.deleted']);
    expect(bodies[0].data).toMatchObject({ id: parent.id, changes: ['deleted'], deletedAt: expect.any(String), name: 'Parent' });
    expect(bodies[0].data.updatedAt).toBe(bodies[0].data.deletedAt);
    expect(audit[0]?.metadata).toMatchObject({ cascade: { ingredients: 1, suppliers: 1 } });
    await refused(s, () => s.get(`/v1/items/${parent.id}`), 404, 'NOT_FOUND');
    await refused(s, () => s.delete(`/v1/items/${parent.id}`), 404, 'NOT_FOUND');
    await refused(s, () => s.get(`/v1/items/${parent.id}/ingredients`), 404, 'NOT_FOUND');
    // Nothing of it holds back what it referred to.
    expect((await s.delete(`/v1/items/${child.id}`)).status).toBe(204);
    expect((await s.delete(`/v1/contacts/${supplierId}`)).status).toBe(204);
    const left = await s.service.store.read(s.tenant.id, async (tx) => ({
      rows: await tx.ingredients.count({ where: [{ field: 'itemId', equals: parent.id }] }),
      links: await tx.supplierLinks.count({ where: [{ field: 'itemId', equals: parent.id }] }),
    }));
    expect(left).toEqual({ rows: 0, links: 0 });
  });

  test('rejects deleting an item on an order in any status', async () => {
    const { id } = await create({ name: 'Ordered' });
    const orderId = await ordered(id);
    expect((await s.patch(`/v1/orders/${orderId}`, { status: 'cancelled' })).status).toBe(200);
    const reply = await refused(s, () => s.delete(`/v1/items/${id}`), 409, 'RESOURCE_IN_USE');
    const { orderNumber } = (await s.get(`/v1/orders/${orderId}`)).body.data;
    expect(reply.body.error).toMatchObject({
      message: `The item is in use by 1 order line (${orderNumber}). Deactivate it instead: set isActive to false.`,
      details: { references: { orderLines: 1 } },
    });
    expect((await s.patch(`/v1/items/${id}`, { isActive: false })).status).toBe(200);
  });

  test('rejects deleting an ingredient of another item', async () => {
    const [parent, child] = [await create({ name: 'User' }), await create({ name: 'Used' })];
    await s.post(`/v1/items/${parent.id}/ingredients`, { ingredientItemId: child.id, quantity: 1 });
    const reply = await refused(s, () => s.delete(`/v1/items/${child.id}`), 409, 'RESOURCE_IN_USE');
    expect(reply.body.error.details.references).toEqual({ ingredients: 1 });
    expect((await read(child.id)).name).toBe('Used');
  });
});

test('stored items and events survive a restart without new events', async () => {
  const supplierId = await supplier('Durable');
  const item = await create({ name: 'Durable', sku: 'durable', supplierId, salePrice: 1.234567 });
  const [events, rows] = [(await s.events()).length, (await auditRows(s)).length];
  await s.restart();
  expect(await read(item.id)).toEqual(item);
  expect((await s.get('/v1/items?sku=DURABLE')).body.data).toEqual([item]);
  expect([(await s.events()).length, (await auditRows(s)).length]).toEqual([events, rows]);
});

describe('request parsing', () => {
  test('accepts upper-case UUIDs in path and body', async () => {
    const part = await create({ name: 'Part' });
    const box = await create({ name: 'Box' });
    expect((await s.get(`/v1/items/${part.id.toUpperCase()}`)).status).toBe(200);
    const added = await s.post(`/v1/items/${box.id}/ingredients`, { ingredientItemId: part.id.toUpperCase(), quantity: 1 });
    expect(added.body.data.ingredientItemId).toBe(part.id);
  });
  test('reports a value outside an enum once, including null', async () => {
    expect(getProblems(await s.post('/v1/items', { name: 'Bolt', itemType: null }))).toHaveLength(1);
  });
  test('reports an unknown query parameter as unknown_field', async () => {
    expect((await s.get('/v1/items?nam=x')).text).toContain('nam is not a known query parameter.');
  });
  test('suggests the query parameter with the most similar name', async () => {
    expect((await s.get('/v1/items?pageSize=5')).text).toContain('pageSize is not a known query parameter (did you mean page_size?)');
    expect((await s.get('/v1/audit/events?page_size=5')).text).toContain('page_size is not a known query parameter (did you mean limit?)');
    expect((await s.get('/v1/audit/events?page=2')).text).toContain('(did you mean cursor_created_at?)');
  });
});
