import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGE_SIZE_DEFAULT } from '../../src/contract/limits.ts';
import { addCategory, addUnit, auditRows, trace } from '../support/records.ts';
import { type CallOptions, type Reply, type TestService, codeOf, startService } from '../support/service.ts';

let s: TestService;
beforeAll(async () => {
  s = await startService();
});
afterAll(async () => {
  await s[Symbol.asyncDispose]();
});

const create = async (body: object, options?: CallOptions) => {
  const reply = await s.post('/v1/items', body, options);
  expect(reply.status, reply.text).toBe(201);
  return reply.body.data;
};
const read = async (id: string) => (await s.get(`/v1/items/${id}`)).body.data;
const supplier = async (name: string, more: object = {}): Promise<string> =>
  (await s.post('/v1/contacts', { name, company: `${name} Lda`, contactType: 'supplier', ...more })).body.data.id;
const field = (reply: Reply) => reply.body.error.fields.map((each: { path: string; code: string }) => `${each.path} ${each.code}`);
/** A refusal, and that it left nothing behind. */
async function refused(call: () => ReturnType<TestService['get']>, status: number, code: string) {
  const { reply, events, actions } = await trace(s, call);
  expect(reply.status, reply.text).toBe(status);
  expect(codeOf(reply)).toBe(code);
  expect([...events, ...actions]).toEqual([]);
  return reply;
}
const ABSENT = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';

describe('create', () => {
  test('a name is enough; everything else has its default', async () => {
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

  test('every field is kept, with category and supplier shown', async () => {
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

  test('texts lose surrounding blanks, and blank ones count as absent', async () => {
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
    ['a field nobody knows', { name: 'x', colour: 'red' }, '/colour unknown_field'],
    ['an id of its own', { name: 'x', id: ABSENT }, '/id unknown_field'],
  ])('%s is refused and stores nothing', async (_what, body, problem) => {
    const reply = await refused(() => s.post('/v1/items', body), 400, 'VALIDATION_FAILED');
    expect(field(reply)).toEqual([problem]);
  });

  test('every problem is named at once', async () => {
    const reply = await refused(() => s.post('/v1/items', { itemType: 'kit', salePrice: -1, colour: 'red' }), 400, 'VALIDATION_FAILED');
    expect(field(reply).sort()).toEqual(['/colour unknown_field', '/itemType not_allowed', '/name required', '/salePrice too_small']);
  });

  test('the dust of binary fractions is no seventh decimal', async () => {
    expect((await create({ name: 'Dust', salePrice: 0.1 + 0.2, purchasePrice: 999_999_999.999999 })).salePrice).toBe(0.3);
    expect((await create({ name: 'Nothing', salePrice: 0 })).salePrice).toBe(0);
  });

  test('inactive references are refused as such', async () => {
    const categoryId = await addCategory(s, 'Old', { isActive: false });
    const unitId = await addUnit(s, 'old', 'count', [1, 1], { isActive: false });
    const supplierId = await supplier('Gone', { isActive: false });
    for (const body of [{ categoryId }, { unitId }, { supplierId }]) {
      const reply = await refused(() => s.post('/v1/items', { name: 'x', ...body }), 409, 'INACTIVE_REFERENCE');
      expect(reply.body.error.message).toMatch(/inactive/u);
    }
  });

  test('references of another tenant do not exist here', async () => {
    const other = await s.addTenant('other-references');
    const key = await s.addKey({ tenantId: other.id });
    const foreign = {
      categoryId: await addCategory(s, 'Theirs', { tenantId: other.id }),
      unitId: await addUnit(s, 'theirs', 'count', [1, 1], { tenantId: other.id }),
      supplierId: (await s.post('/v1/contacts', { name: 'Theirs', contactType: 'supplier' }, { key })).body.data.id,
    };
    for (const [name, id] of Object.entries(foreign)) {
      const reply = await refused(() => s.post('/v1/items', { name: 'x', [name]: id }), 400, 'VALIDATION_FAILED');
      expect(field(reply)).toEqual([`/${name} invalid`]);
    }
  });

  test('the same key again answers the same, and makes nothing', async () => {
    const idempotencyKey = 'items-replay';
    const first = await s.post('/v1/items', { name: 'Once', sku: 'ONCE' }, { idempotencyKey });
    const again = await trace(s, () => s.post('/v1/items', { sku: 'ONCE', name: 'Once' }, { idempotencyKey }));
    expect(again.reply.status).toBe(201);
    expect(again.reply.text).toBe(first.text);
    expect(again.reply.headers['idempotent-replayed']).toBe('true');
    expect([...again.events, ...again.actions]).toEqual([]);
    await refused(() => s.post('/v1/items', { name: 'Twice' }, { idempotencyKey }), 409, 'CONFLICT');
    expect((await s.get('/v1/items?sku=ONCE')).body.pagination.total).toBe(1);
  });
});

describe('uniqueness (invariant 16)', () => {
  test.each(['sku', 'barcode'] as const)('%s is unique whatever its case and surrounding blanks', async (name) => {
    const holder = await create({ name: 'Holder', [name]: `Uniq-${name}` });
    const reply = await refused(() => s.post('/v1/items', { name: 'Second', [name]: ` uNIQ-${name} ` }), 409, 'DUPLICATE_VALUE');
    expect(reply.body.error.details).toMatchObject({ field: name, existingId: holder.id });
    const other = await create({ name: 'Third' });
    await refused(() => s.patch(`/v1/items/${other.id}`, { [name]: `UNIQ-${name}` }), 409, 'DUPLICATE_VALUE');
  });

  test('an item may change the case of its own SKU', async () => {
    const { id } = await create({ name: 'Case', sku: 'case-1' });
    expect((await s.patch(`/v1/items/${id}`, { sku: 'CASE-1' })).body.data.sku).toBe('CASE-1');
  });

  test.each(['sku', 'barcode'] as const)('a %s can be used again once it is free', async (name) => {
    const first = await create({ name: 'First', [name]: `free-${name}` });
    await s.patch(`/v1/items/${first.id}`, { [name]: null });
    const second = await create({ name: 'Second', [name]: `free-${name}` });
    await s.delete(`/v1/items/${second.id}`);
    expect((await create({ name: 'Third', [name]: `FREE-${name}` }))[name]).toBe(`FREE-${name}`);
  });

  test('name, mpn and supplierCode may repeat, and so may a SKU in another tenant', async () => {
    const body = { name: 'Same', mpn: 'same', supplierCode: 'same' };
    await create({ ...body, sku: 'in-both' });
    await create(body);
    const elsewhere = { key: await s.addKey({ tenantId: (await s.addTenant('same-sku')).id }) };
    expect((await create({ ...body, sku: 'in-both' }, elsewhere)).sku).toBe('in-both');
  });
});

describe('change', () => {
  const FILLED = {
    name: 'Filled',
    itemType: 'material',
    mpn: 'mpn',
    salePrice: 1.5,
    purchasePrice: 0.75,
    supplierCode: 'code',
    notes: 'notes',
    isActive: false,
  };
  const filled = async (suffix: string) =>
    create({
      ...FILLED,
      sku: `filled-sku-${suffix}`,
      barcode: `filled-barcode-${suffix}`,
      categoryId: await addCategory(s, `category-${suffix}`),
      unitId: await addUnit(s, `unit-${suffix}`, 'count'),
      supplierId: await supplier(`supplier-${suffix}`),
    });
  const KEPT = [
    'name',
    'itemType',
    'sku',
    'mpn',
    'barcode',
    'categoryId',
    'unitId',
    'supplierId',
    'salePrice',
    'purchasePrice',
    'supplierCode',
    'notes',
    'isActive',
  ];
  const NULLABLE = ['sku', 'mpn', 'barcode', 'categoryId', 'unitId', 'supplierId', 'salePrice', 'purchasePrice', 'supplierCode', 'notes'];

  test.each(NULLABLE)('null clears %s and leaves every other field (invariant 19)', async (name) => {
    const before = await filled(`null-${name}`);
    const { reply, events, bodies, audit } = await trace(s, () => s.patch(`/v1/items/${before.id}`, { [name]: null }));
    expect(reply.status, reply.text).toBe(200);
    const after = reply.body.data;
    for (const each of KEPT) expect(after[each], each).toEqual(each === name ? null : before[each]);
    expect(after.updatedAt > before.updatedAt).toBe(true);
    expect(events).toEqual(['inventory.item.updated']);
    expect(bodies[0].data.changes).toContain(name);
    expect(audit[0]).toMatchObject({ action: 'item.updated', metadata: { changes: { [name]: { from: before[name], to: null } } } });
  });

  test.each(['name', 'itemType', 'isActive'])('null is no value of %s', async (name) => {
    const before = await filled(`not-null-${name}`);
    await refused(() => s.patch(`/v1/items/${before.id}`, { [name]: null }), 400, 'VALIDATION_FAILED');
    expect(await read(before.id)).toEqual(before);
  });

  test('one field changes, the others stay', async () => {
    const before = await filled('one');
    const changes = {
      name: 'Other',
      itemType: 'product',
      sku: 'other-sku',
      mpn: 'other',
      barcode: 'other-barcode',
      salePrice: 2,
      purchasePrice: 0,
      supplierCode: 'o',
      notes: 'o',
      isActive: true,
    };
    let wanted = before;
    for (const [name, value] of Object.entries(changes)) {
      const { reply, bodies, actions } = await trace(s, () => s.patch(`/v1/items/${before.id}`, { [name]: value }));
      expect(reply.body.data, name).toEqual({ ...wanted, [name]: value, updatedAt: expect.any(String) });
      expect(reply.body.data.updatedAt > wanted.updatedAt).toBe(true);
      expect(bodies.map(({ data }) => data.changes)).toEqual([[name]]);
      expect(actions).toEqual(['item.updated']);
      wanted = reply.body.data;
    }
  });

  test('an empty body, and one of present values, change nothing and tell nobody (invariant 19)', async () => {
    const before = await filled('no-op');
    const present = Object.fromEntries(KEPT.map((name) => [name, before[name]]));
    for (const body of [{}, present, { name: ' Filled ' }, { sku: ` ${String(before.sku)} ` }]) {
      const { reply, events, actions } = await trace(s, () => s.patch(`/v1/items/${before.id}`, body));
      expect(reply.status).toBe(200);
      expect(reply.body.data).toEqual(before);
      expect([...events, ...actions]).toEqual([]);
    }
  });

  test('updatedAt grows with every change, also within one millisecond (invariant 20)', async () => {
    s.clock.set(new Date(Date.now() + 60_000));
    const { id, updatedAt } = await create({ name: 'Clock' });
    // The clock is put back before each change: the record's own time still goes on.
    let last: string = updatedAt;
    for (const salePrice of [1, 2, 3]) {
      s.clock.set(new Date(Date.parse(updatedAt) - 1000));
      const next = (await s.patch(`/v1/items/${id}`, { salePrice })).body.data.updatedAt;
      expect(next > last).toBe(true);
      last = next;
    }
    s.clock.reset();
  });

  test('If-Match refuses a version that is no longer there', async () => {
    const { id } = await create({ name: 'Versions' });
    const { headers } = await s.get(`/v1/items/${id}`);
    const etag = String(headers['etag']);
    const changed = await s.patch(`/v1/items/${id}`, { salePrice: 1 }, { headers: { 'if-match': etag } });
    expect(changed.status).toBe(200);
    expect(changed.headers['etag']).not.toBe(etag);
    await refused(() => s.patch(`/v1/items/${id}`, { salePrice: 2 }, { headers: { 'if-match': etag } }), 412, 'PRECONDITION_FAILED');
    expect((await s.patch(`/v1/items/${id}`, { salePrice: 3 }, { headers: { 'if-match': '*' } })).status).toBe(200);
  });

  test('an item that is not there, or another tenant has, is 404', async () => {
    const key = await s.addKey({ tenantId: (await s.addTenant('other-items')).id });
    const { id } = await create({ name: 'Ours' });
    for (const [path, options] of [
      [ABSENT, {}],
      ['not-an-id', {}],
      [id, { key }],
    ] as const) {
      await refused(() => s.get(`/v1/items/${path}`, options), 404, 'NOT_FOUND');
      await refused(() => s.patch(`/v1/items/${path}`, { name: 'x' }, options), 404, 'NOT_FOUND');
      await refused(() => s.delete(`/v1/items/${path}`, options), 404, 'NOT_FOUND');
    }
    expect((await read(id)).name).toBe('Ours');
  });
});

describe('supplierId is the preferred supplier link (D-11, invariant 15)', () => {
  const links = async (id: string) => (await s.get(`/v1/items/${id}/suppliers`)).body.data;

  test('setting it at creation makes the link, in one event', async () => {
    const supplierId = await supplier('First');
    const { reply, events, actions, bodies } = await trace(s, () => s.post('/v1/items', { name: 'Bought', supplierId }));
    expect(await links(reply.body.data.id)).toMatchObject([
      { supplierId, isPreferred: true, unitsPerPurchaseUnit: 1, purchasePrice: null },
    ]);
    expect(events).toEqual(['inventory.item.created']);
    expect(bodies[0].data.changes).toEqual([]);
    expect(actions).toEqual(['item.created', 'item.supplier.linked']);
  });

  test('another one is linked beside the first; a linked one is only marked', async () => {
    const [a, b] = [await supplier('A'), await supplier('B')];
    const { id } = await create({ name: 'Moving', supplierId: a });
    const moved = await trace(s, () => s.patch(`/v1/items/${id}`, { supplierId: b }));
    expect(moved.reply.body.data.supplier).toEqual({ id: b, name: 'B', company: 'B Lda' });
    expect(moved.events).toEqual(['inventory.item.updated']);
    expect(moved.bodies[0].data.changes).toEqual(['supplierId', 'suppliers']);
    expect(moved.actions.sort()).toEqual(['item.supplier.linked', 'item.supplier.updated', 'item.updated']);
    expect(await links(id)).toMatchObject([
      { supplierId: b, isPreferred: true },
      { supplierId: a, isPreferred: false },
    ]);
    await s.patch(`/v1/items/${id}/suppliers/${a}`, { leadTimeDays: 5 });
    await s.patch(`/v1/items/${id}`, { supplierId: a });
    expect(await links(id)).toMatchObject([
      { supplierId: a, isPreferred: true, leadTimeDays: 5 },
      { supplierId: b, isPreferred: false },
    ]);
  });

  test('null takes away the preferred link, whatever its terms, and links without terms', async () => {
    const [a, b] = [await supplier('N1'), await supplier('N2')];
    const { id } = await create({ name: 'Cleared', supplierId: a });
    await s.patch(`/v1/items/${id}`, { supplierId: b });
    await s.patch(`/v1/items/${id}/suppliers/${b}`, { purchasePrice: 3 });
    const { reply, actions } = await trace(s, () => s.patch(`/v1/items/${id}`, { supplierId: null }));
    expect(reply.body.data).toMatchObject({ supplierId: null, supplier: null });
    expect(actions.sort()).toEqual(['item.supplier.unlinked', 'item.supplier.unlinked', 'item.updated']);
    expect(await links(id)).toEqual([]);
  });

  test('null is refused while another link has terms of its own', async () => {
    const [a, b] = [await supplier('K1'), await supplier('K2')];
    const { id } = await create({ name: 'Kept', supplierId: a });
    await s.post(`/v1/items/${id}/suppliers`, { supplierId: b, purchasePrice: 12 });
    const reply = await refused(() => s.patch(`/v1/items/${id}`, { supplierId: null, name: 'Lost' }), 409, 'RESOURCE_IN_USE');
    expect(reply.body.error.details.references).toEqual({ supplierLinks: 1 });
    expect(await read(id)).toMatchObject({ supplierId: a, name: 'Kept' });
    expect(await links(id)).toHaveLength(2);
  });

  test('a customer is no supplier', async () => {
    const customer = await supplier('Customer', { contactType: 'customer' });
    const reply = await refused(() => s.post('/v1/items', { name: 'x', supplierId: customer }), 400, 'VALIDATION_FAILED');
    expect(field(reply)).toEqual(['/supplierId invalid']);
    expect((await create({ name: 'Both', supplierId: await supplier('Both', { contactType: 'both' }) })).supplierId).toBeTruthy();
  });

  test('a supplier that became inactive stays where it is, and is refused anew', async () => {
    const contact = await supplier('Retired');
    const { id } = await create({ name: 'Loyal', supplierId: contact });
    await s.patch(`/v1/contacts/${contact}`, { isActive: false, name: 'Retired Inc' });
    expect((await s.patch(`/v1/items/${id}`, { supplierId: contact, name: 'Loyal 2' })).body.data.supplier.name).toBe('Retired Inc');
    await refused(() => s.post('/v1/items', { name: 'New', supplierId: contact }), 409, 'INACTIVE_REFERENCE');
  });
});

describe('type and unit follow what the item is used for', () => {
  const ingredient = (parent: string, ingredientItemId: string, more: object = {}) =>
    s.post(`/v1/items/${parent}/ingredients`, { ingredientItemId, quantity: 1, ...more });

  test('a product with ingredients does not become a material, an ingredient no combo, waste no part of a combo', async () => {
    const [parent, child] = [await create({ name: 'Cake' }), await create({ name: 'Flour', itemType: 'material' })];
    await ingredient(parent.id, child.id, { wastePercent: 2 });
    const material = await refused(() => s.patch(`/v1/items/${parent.id}`, { itemType: 'material' }), 409, 'RESOURCE_IN_USE');
    expect(material.body.error.details.references).toEqual({ ownIngredients: 1 });
    const waste = await refused(() => s.patch(`/v1/items/${parent.id}`, { itemType: 'combo' }), 409, 'RESOURCE_IN_USE');
    expect(waste.body.error.details.references).toEqual({ ownIngredientsWithWaste: 1 });
    const combo = await refused(() => s.patch(`/v1/items/${child.id}`, { itemType: 'combo' }), 409, 'RESOURCE_IN_USE');
    expect(combo.body.error.details.references).toEqual({ ingredients: 1 });
    expect((await s.patch(`/v1/items/${child.id}`, { itemType: 'product' })).status).toBe(200);
  });

  test('without ingredients every change of type is free', async () => {
    const { id } = await create({ name: 'Free' });
    for (const itemType of ['combo', 'material', 'product', 'combo', 'product', 'material', 'combo']) {
      expect((await s.patch(`/v1/items/${id}`, { itemType })).body.data.itemType).toBe(itemType);
    }
  });

  test('a unit changes within its dimension while recipes use the item, and not beyond', async () => {
    const [kg, g, pcs] = [await addUnit(s, 'u-kg', 'mass'), await addUnit(s, 'u-g', 'mass', [1, 1000]), await addUnit(s, 'u-pcs', 'count')];
    const [parent, child] = [await create({ name: 'Bread' }), await create({ name: 'Salt', itemType: 'material', unitId: kg })];
    const row = (await ingredient(parent.id, child.id)).body.data;
    for (const unitId of [pcs, null]) {
      const reply = await refused(() => s.patch(`/v1/items/${child.id}`, { unitId }), 409, 'RESOURCE_IN_USE');
      expect(reply.body.error.details.references).toEqual({ ingredients: 1 });
    }
    expect((await s.patch(`/v1/items/${child.id}`, { unitId: g })).status).toBe(200);
    const after = (await s.get(`/v1/items/${parent.id}/ingredients`)).body.data[0];
    expect(after).toEqual(row);
    expect(after.unitId).toBe(kg);
  });

  test('a row without unit keeps its meaning: the first unit is free, the next is not', async () => {
    const [kg, g] = [await addUnit(s, 'n-kg', 'mass'), await addUnit(s, 'n-g', 'mass', [1, 1000])];
    const [parent, child] = [await create({ name: 'Soup' }), await create({ name: 'Water', itemType: 'material' })];
    const row = (await ingredient(parent.id, child.id)).body.data;
    expect(row.unit).toBeNull();
    expect((await s.patch(`/v1/items/${child.id}`, { unitId: kg })).status).toBe(200);
    expect((await s.patch(`/v1/items/${parent.id}/ingredients/${row.id}`, { quantity: 2 })).status).toBe(200);
    await refused(() => s.patch(`/v1/items/${child.id}`, { unitId: g }), 409, 'RESOURCE_IN_USE');
  });
});

describe('delete', () => {
  test('goes with its own ingredients and links, says so, and is gone', async () => {
    const supplierId = await supplier('Leaving');
    const [parent, child] = [await create({ name: 'Parent', supplierId }), await create({ name: 'Child' })];
    await s.post(`/v1/items/${parent.id}/ingredients`, { ingredientItemId: child.id, quantity: 1 });
    const { reply, events, actions, bodies, audit } = await trace(s, () => s.delete(`/v1/items/${parent.id}`));
    expect(reply.status).toBe(204);
    expect(reply.text).toBe('');
    expect(events).toEqual(['inventory.item.updated']);
    expect(actions).toEqual(['item.deleted']);
    expect(bodies[0].data).toMatchObject({ id: parent.id, changes: ['deleted'], deletedAt: expect.any(String), name: 'Parent' });
    expect(audit[0]?.metadata).toMatchObject({ cascade: { ingredients: 1, suppliers: 1 } });
    await refused(() => s.get(`/v1/items/${parent.id}`), 404, 'NOT_FOUND');
    await refused(() => s.delete(`/v1/items/${parent.id}`), 404, 'NOT_FOUND');
    await refused(() => s.get(`/v1/items/${parent.id}/ingredients`), 404, 'NOT_FOUND');
    // Nothing of it holds back what it referred to.
    expect((await s.delete(`/v1/items/${child.id}`)).status).toBe(204);
    expect((await s.delete(`/v1/contacts/${supplierId}`)).status).toBe(204);
    const left = await s.service.store.read(s.tenant.id, async (tx) => ({
      rows: await tx.ingredients.count({ where: [{ field: 'itemId', equals: parent.id }] }),
      links: await tx.supplierLinks.count({ where: [{ field: 'itemId', equals: parent.id }] }),
    }));
    expect(left).toEqual({ rows: 0, links: 0 });
  });

  test('an ingredient of another item stays', async () => {
    const [parent, child] = [await create({ name: 'User' }), await create({ name: 'Used' })];
    await s.post(`/v1/items/${parent.id}/ingredients`, { ingredientItemId: child.id, quantity: 1 });
    const reply = await refused(() => s.delete(`/v1/items/${child.id}`), 409, 'RESOURCE_IN_USE');
    expect(reply.body.error.details.references).toEqual({ ingredients: 1 });
    expect((await read(child.id)).name).toBe('Used');
  });
});

describe('list', () => {
  let options: { key: string };
  const ids: Record<string, string> = {};
  const names = async (query: string) => {
    const reply = await s.get(`/v1/items?${query}`, options);
    expect(reply.status, reply.text).toBe(200);
    return reply.body.data.map(({ name }: { name: string }) => name);
  };
  beforeAll(async () => {
    const tenant = await s.addTenant('listed');
    options = { key: await s.addKey({ tenantId: tenant.id }) };
    const categoryId = await addCategory(s, 'Green', { tenantId: tenant.id });
    const supplierId = (await s.post('/v1/contacts', { name: 'Farm', contactType: 'supplier' }, options)).body.data.id;
    Object.assign(ids, { categoryId, supplierId });
    for (const body of [
      { name: 'banana', sku: 'B-2', barcode: '111-Banana', isActive: false },
      { name: 'Apple', sku: 'a-1', mpn: 'PINK-lady', categoryId },
      { name: 'cherry', sku: 'C-3', itemType: 'material', supplierId },
      { name: 'Ångström', itemType: 'combo' },
      { name: 'apple', categoryId, supplierId },
    ]) {
      ids[body.name] = (await create(body, options)).id;
      s.clock.advance(1);
    }
  });

  test.each([
    ['name', ['Apple', 'apple', 'banana', 'cherry', 'Ångström']],
    ['sku', ['Apple', 'banana', 'cherry', 'Ångström', 'apple']],
    ['created_at', ['banana', 'Apple', 'cherry', 'Ångström', 'apple']],
    ['updated_at', ['banana', 'Apple', 'cherry', 'Ångström', 'apple']],
  ])('sorts by %s without regard to case, absent values last, and backwards', async (sort, expected) => {
    expect(await names(`sort=${sort}`)).toEqual(expected);
    expect(await names(`sort=-${sort}`)).toEqual([...expected].reverse());
  });

  test('sorts by name when nothing is said, 50 to a page', async () => {
    const { body } = await s.get('/v1/items', options);
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(await names('sort=name'));
    expect(body.pagination).toEqual({ page: 1, pageSize: PAGE_SIZE_DEFAULT, total: 5, totalPages: 1 });
    expect(body.data[0]).toEqual((await s.get(`/v1/items/${String(ids['Apple'])}`, options)).body.data);
  });

  test.each([
    ['search=APP', ['Apple', 'apple']],
    ['search=%20nan%20', ['banana']],
    ['search=c-3', ['cherry']],
    ['search=pink', ['Apple']],
    ['search=111-b', ['banana']],
    ['search=%C3%A5NG', ['Ångström']],
    ['search=', ['Apple', 'apple', 'banana', 'cherry', 'Ångström']],
    ['search=durian', []],
    ['item_type=material', ['cherry']],
    ['item_type=material,combo', ['cherry', 'Ångström']],
    ['is_active=false', ['banana']],
    ['is_active=true&search=a', ['Apple', 'apple']],
    ['sku=b-2', ['banana']],
    ['sku=%20A-1', ['Apple']],
    ['sku=b', []],
    ['barcode=111-BANANA', ['banana']],
    ['barcode=111', []],
  ])('%s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  test('filters by category and supplier, and joins filters by AND', async () => {
    const { categoryId, supplierId } = ids;
    expect(await names(`category_id=${String(categoryId)}`)).toEqual(['Apple', 'apple']);
    expect(await names(`supplier_id=${String(supplierId)}`)).toEqual(['apple', 'cherry']);
    expect(await names(`supplier_id=${ABSENT},${String(supplierId)}&category_id=${String(categoryId)}`)).toEqual(['apple']);
  });

  test('updated_since and created_since take any offset and include the instant itself', async () => {
    const { createdAt } = (await s.get(`/v1/items/${String(ids['cherry'])}`, options)).body.data;
    const local = `${new Date(Date.parse(createdAt) + 3_600_000).toISOString().slice(0, -1)}%2B01:00`;
    expect(await names(`created_since=${local}&sort=created_at`)).toEqual(['cherry', 'Ångström', 'apple']);
    expect(await names(`updated_since=${createdAt}&sort=created_at`)).toEqual(['cherry', 'Ångström', 'apple']);
  });

  test.each([
    'page=0',
    'page=x',
    'page_size=0',
    'page_size=201',
    'sort=price',
    'item_type=kit',
    'item_type=',
    'is_active=maybe',
    'category_id=green',
    'updated_since=yesterday',
    'colour=red',
    'pageSize=5',
  ])('%s is refused', async (query) => {
    const reply = await refused(() => s.get(`/v1/items?${query}`), 400, 'VALIDATION_FAILED');
    expect(reply.body.error.fields[0]).toMatchObject({ in: 'query', path: `/${query.split('=')[0] ?? ''}` });
  });

  test('walking the pages meets every row once, whatever the order (invariant 22)', async () => {
    const walker = { key: await s.addKey({ tenantId: (await s.addTenant('walked')).id }) };
    const all = new Set<string>();
    for (let count = 0; count < 23; count += 1) all.add((await create({ name: `same ${String(count % 3)}` }, walker)).id);
    for (const sort of ['name', '-name', 'sku', '-sku', 'created_at', '-updated_at']) {
      const seen: string[] = [];
      for (let page = 1; ; page += 1) {
        const { data, pagination } = (await s.get(`/v1/items?page=${String(page)}&page_size=5&sort=${sort}`, walker)).body;
        expect(pagination).toEqual({ page, pageSize: 5, total: 23, totalPages: 5 });
        if (data.length === 0) break;
        seen.push(...data.map(({ id }: { id: string }) => id));
      }
      expect(seen).toHaveLength(23);
      expect(new Set(seen)).toEqual(all);
    }
  });
});

test('what was written is there after a restart, and nothing is told again', async () => {
  const supplierId = await supplier('Durable');
  const item = await create({ name: 'Durable', sku: 'durable', supplierId, salePrice: 1.234567 });
  const [events, rows] = [(await s.events()).length, (await auditRows(s)).length];
  await s.restart();
  expect(await read(item.id)).toEqual(item);
  expect((await s.get('/v1/items?sku=DURABLE')).body.data).toEqual([item]);
  expect([(await s.events()).length, (await auditRows(s)).length]).toEqual([events, rows]);
});
