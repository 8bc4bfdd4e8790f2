/** PATCH /v1/items/{id}: fields, the preferred supplier, and fields locked by use. */
import { describe, expect, test } from 'vitest';
import { addCategory, addUnit } from '../../support/resources/units-and-categories.ts';
import { getProblems, refused, trace } from '../../support/service/call-trace.ts';
import { useItems } from '../../support/resources/items.ts';
import { ABSENT } from '../../support/service/service.ts';

const { create, read, s, supplier } = useItems();

describe('PATCH /v1/items/{id}', () => {
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

  test.each(NULLABLE)('clears %s with null and keeps every other field', async (name) => {
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

  test.each(['name', 'itemType', 'isActive'])('rejects null for %s', async (name) => {
    const before = await filled(`not-null-${name}`);
    await refused(s, () => s.patch(`/v1/items/${before.id}`, { [name]: null }), 400, 'VALIDATION_FAILED');
    expect(await read(before.id)).toEqual(before);
  });

  test('changes one field and keeps the others', async () => {
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

  test('changes nothing and emits no event for an empty body or current values', async () => {
    const before = await filled('no-op');
    const present = Object.fromEntries(KEPT.map((name) => [name, before[name]]));
    for (const body of [{}, present, { name: ' Filled ' }, { sku: ` ${String(before.sku)} ` }]) {
      const { reply, events, actions } = await trace(s, () => s.patch(`/v1/items/${before.id}`, body));
      expect(reply.status).toBe(200);
      expect(reply.body.data).toEqual(before);
      expect([...events, ...actions]).toEqual([]);
    }
  });

  test('increases updatedAt with every change, even within one millisecond', async () => {
    s.clock.set(new Date(Date.now() + 60_000));
    const { id, updatedAt } = await create({ name: 'Clock' });
    // The clock is put back before each change: the record's updatedAt still increases.
    let last: string = updatedAt;
    for (const salePrice of [1, 2, 3]) {
      s.clock.set(new Date(Date.parse(updatedAt) - 1000));
      const next = (await s.patch(`/v1/items/${id}`, { salePrice })).body.data.updatedAt;
      expect(next > last).toBe(true);
      last = next;
    }
    s.clock.reset();
  });

  test('answers 412 for an outdated If-Match', async () => {
    const { id } = await create({ name: 'Versions' });
    const { headers } = await s.get(`/v1/items/${id}`);
    const etag = String(headers['etag']);
    const changed = await s.patch(`/v1/items/${id}`, { salePrice: 1 }, { headers: { 'if-match': etag } });
    expect(changed.status).toBe(200);
    expect(changed.headers['etag']).not.toBe(etag);
    await refused(s, () => s.patch(`/v1/items/${id}`, { salePrice: 2 }, { headers: { 'if-match': etag } }), 412, 'PRECONDITION_FAILED');
    expect((await s.patch(`/v1/items/${id}`, { salePrice: 3 }, { headers: { 'if-match': '*' } })).status).toBe(200);
    // As it stands in the record, without the quotation marks of an entity tag.
    const { updatedAt } = (await s.get(`/v1/items/${id}`)).body.data;
    expect((await s.patch(`/v1/items/${id}`, { salePrice: 4 }, { headers: { 'if-match': updatedAt } })).status).toBe(200);
    await refused(
      s,
      () => s.patch(`/v1/items/${id}`, { salePrice: 5 }, { headers: { 'if-match': updatedAt } }),
      412,
      'PRECONDITION_FAILED',
    );
  });

  test('answers 404 for an unknown or foreign item', async () => {
    const key = await s.addKey({ tenantId: (await s.addTenant('other-items')).id });
    const { id } = await create({ name: 'Ours' });
    for (const [path, options] of [
      [ABSENT, {}],
      ['not-an-id', {}],
      [id, { key }],
    ] as const) {
      await refused(s, () => s.get(`/v1/items/${path}`, options), 404, 'NOT_FOUND');
      await refused(s, () => s.patch(`/v1/items/${path}`, { name: 'x' }, options), 404, 'NOT_FOUND');
      await refused(s, () => s.delete(`/v1/items/${path}`, options), 404, 'NOT_FOUND');
    }
    expect((await read(id)).name).toBe('Ours');
  });
});

describe('supplierId of an item (D-11)', () => {
  const links = async (id: string) => (await s.get(`/v1/items/${id}/suppliers`)).body.data;

  test('creates the preferred link with the item, in one event', async () => {
    const supplierId = await supplier('First');
    const { reply, events, actions, bodies } = await trace(s, () => s.post('/v1/items', { name: 'Bought', supplierId }));
    expect(await links(reply.body.data.id)).toMatchObject([
      { supplierId, isPreferred: true, unitsPerPurchaseUnit: 1, purchasePrice: null },
    ]);
    expect(events).toEqual(['inventory.item.created']);
    expect(bodies[0].data.changes).toEqual([]);
    expect(actions).toEqual(['item.created', 'item.supplier.linked']);
  });

  test('adds a link for a new supplier and only marks an existing one as preferred', async () => {
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

  test('null removes the preferred link and links without terms', async () => {
    const [a, b] = [await supplier('N1'), await supplier('N2')];
    const { id } = await create({ name: 'Cleared', supplierId: a });
    await s.patch(`/v1/items/${id}`, { supplierId: b });
    await s.patch(`/v1/items/${id}/suppliers/${b}`, { purchasePrice: 3 });
    const { reply, actions } = await trace(s, () => s.patch(`/v1/items/${id}`, { supplierId: null }));
    expect(reply.body.data).toMatchObject({ supplierId: null, supplier: null });
    expect(actions.sort()).toEqual(['item.supplier.unlinked', 'item.supplier.unlinked', 'item.updated']);
    expect(await links(id)).toEqual([]);
  });

  test('null is rejected while another link has terms of its own', async () => {
    const [a, b] = [await supplier('K1'), await supplier('K2')];
    const { id } = await create({ name: 'Kept', supplierId: a });
    await s.post(`/v1/items/${id}/suppliers`, { supplierId: b, purchasePrice: 12 });
    const reply = await refused(s, () => s.patch(`/v1/items/${id}`, { supplierId: null, name: 'Lost' }), 409, 'RESOURCE_IN_USE');
    expect([reply.body.error.message, reply.body.error.details.references]).toEqual([
      'The item is in use by 1 supplier link. One of its suppliers must be preferred. Set another supplierId, or remove the links first.',
      { supplierLinks: 1 },
    ]);
    expect(await read(id)).toMatchObject({ supplierId: a, name: 'Kept' });
    expect(await links(id)).toHaveLength(2);
  });

  test('rejects a contact that is only a customer', async () => {
    const customer = await supplier('Customer', { contactType: 'customer' });
    const reply = await refused(s, () => s.post('/v1/items', { name: 'x', supplierId: customer }), 400, 'VALIDATION_FAILED');
    expect(getProblems(reply)).toEqual(['/supplierId invalid']);
    expect((await create({ name: 'Both', supplierId: await supplier('Both', { contactType: 'both' }) })).supplierId).toBeTruthy();
  });

  test('keeps a supplier that became inactive and rejects it in new links', async () => {
    const contact = await supplier('Retired');
    const { id } = await create({ name: 'Loyal', supplierId: contact });
    await s.patch(`/v1/contacts/${contact}`, { isActive: false, name: 'Retired Inc' });
    expect((await s.patch(`/v1/items/${id}`, { supplierId: contact, name: 'Loyal 2' })).body.data.supplier.name).toBe('Retired Inc');
    await refused(s, () => s.post('/v1/items', { name: 'New', supplierId: contact }), 409, 'INACTIVE_REFERENCE');
  });
});

const ordered = async (itemId: string) => {
  const reply = await s.post('/v1/orders', { module: 'sell', lines: [{ itemId, quantity: 1 }] });
  expect(reply.status, reply.text).toBe(201);
  return reply.body.data.id as string;
};

describe('itemType and unitId of an item in use', () => {
  const ingredient = (parent: string, ingredientItemId: string, more: object = {}) =>
    s.post(`/v1/items/${parent}/ingredients`, { ingredientItemId, quantity: 1, ...more });

  test('reject changes of itemType that ingredients do not allow', async () => {
    const [parent, child] = [await create({ name: 'Cake' }), await create({ name: 'Flour', itemType: 'material' })];
    await ingredient(parent.id, child.id, { wastePercent: 2 });
    const material = await refused(s, () => s.patch(`/v1/items/${parent.id}`, { itemType: 'material' }), 409, 'RESOURCE_IN_USE');
    expect([material.body.error.message, material.body.error.details.references]).toEqual([
      'The item is in use by 1 own ingredient. This prevents a change of itemType to material.',
      { ownIngredients: 1 },
    ]);
    const waste = await refused(s, () => s.patch(`/v1/items/${parent.id}`, { itemType: 'combo' }), 409, 'RESOURCE_IN_USE');
    expect([waste.body.error.message, waste.body.error.details.references]).toEqual([
      'The item is in use by 1 own ingredient with waste. This prevents a change of itemType to combo.',
      { ownIngredientsWithWaste: 1 },
    ]);
    const combo = await refused(s, () => s.patch(`/v1/items/${child.id}`, { itemType: 'combo' }), 409, 'RESOURCE_IN_USE');
    expect(combo.body.error.details.references).toEqual({ ingredients: 1 });
    expect((await s.patch(`/v1/items/${child.id}`, { itemType: 'product' })).status).toBe(200);
  });

  test('a product whose recipe has no waste can become a combo', async () => {
    const [parent, child] = [await create({ name: 'Gift set' }), await create({ name: 'Candle', itemType: 'material' })];
    await ingredient(parent.id, child.id, { wastePercent: 0 });
    const reply = await s.patch(`/v1/items/${parent.id}`, { itemType: 'combo' });
    expect([reply.status, reply.body.data?.itemType], reply.text).toEqual([200, 'combo']);
  });

  test('are locked by order lines', async () => {
    const [kg, g] = [await addUnit(s, 'o-kg', 'mass'), await addUnit(s, 'o-g', 'mass', [1, 1000])];
    const [single, combo] = [await create({ name: 'Sold', unitId: kg }), await create({ name: 'Sold set', itemType: 'combo' })];
    expect(
      (await s.post(`/v1/items/${combo.id}/ingredients`, { ingredientItemId: (await create({ name: 'Part' })).id, quantity: 1 })).status,
    ).toBe(201);
    await ordered(single.id);
    await ordered(combo.id);
    for (const [id, body] of [
      [single.id, { unitId: g }],
      [single.id, { itemType: 'combo' }],
      [combo.id, { itemType: 'product' }],
    ] as const) {
      const reply = await refused(s, () => s.patch(`/v1/items/${id}`, body), 409, 'RESOURCE_IN_USE');
      expect(reply.body.error.details.references).toEqual({ orderLines: 1 });
    }
    expect((await s.patch(`/v1/items/${single.id}`, { itemType: 'material' })).body.data.itemType).toBe('material');
    // What is made is a product, and stays one.
    const made = await create({ name: 'Made' });
    expect((await s.post('/v1/orders', { module: 'make', lines: [{ itemId: made.id, quantity: 1 }] })).status).toBe(201);
    const reply = await refused(s, () => s.patch(`/v1/items/${made.id}`, { itemType: 'material' }), 409, 'RESOURCE_IN_USE');
    expect(reply.body.error.details.references).toEqual({ outputLines: 1 });
  });

  test('accept a first unit that can represent the quantities of existing orders', async () => {
    const pcs = await addUnit(s, 'f-pcs', 'count', [1, 1], { precision: 0 });
    const { id } = await create({ name: 'Told finely' });
    const order = (await s.post('/v1/orders', { module: 'check', status: 'open', lines: [{ itemId: id, quantity: 0.5 }] })).body.data;
    const reply = await refused(s, () => s.patch(`/v1/items/${id}`, { unitId: pcs }), 409, 'RESOURCE_IN_USE');
    expect([reply.body.error.message, reply.body.error.details.references]).toEqual([
      `The item is in use by 1 order line (${String(order.orderNumber)}). Quantities there have more decimals than f-pcs allows.`,
      { orderLines: 1 },
    ]);
    const whole = await ordered(id);
    expect((await s.patch(`/v1/orders/${order.id}`, { status: 'cancelled' })).status).toBe(200);
    expect((await s.patch(`/v1/items/${id}`, { unitId: pcs })).status).toBe(200);
    // From then on lines created without a unit use that one.
    const [line] = (await s.get(`/v1/orders/${whole}/lines`)).body.data;
    const halved = () => s.patch(`/v1/orders/${whole}`, { lines: [{ id: line.id, quantity: 0.5 }] });
    expect(getProblems(await refused(s, halved, 400, 'VALIDATION_FAILED'))).toEqual(['/lines/0/quantity invalid']);
    expect((await s.patch(`/v1/orders/${whole}`, { lines: [{ id: line.id, quantity: 2 }] })).status).toBe(200);
  });

  test('accept every change of itemType without ingredients', async () => {
    const { id } = await create({ name: 'Free' });
    for (const itemType of ['combo', 'material', 'product', 'combo', 'product', 'material', 'combo']) {
      expect((await s.patch(`/v1/items/${id}`, { itemType })).body.data.itemType).toBe(itemType);
    }
  });

  test('accept a unit of the same dimension only while recipes use the item', async () => {
    const [kg, g, pcs] = [await addUnit(s, 'u-kg', 'mass'), await addUnit(s, 'u-g', 'mass', [1, 1000]), await addUnit(s, 'u-pcs', 'count')];
    const [parent, child] = [await create({ name: 'Bread' }), await create({ name: 'Salt', itemType: 'material', unitId: kg })];
    const row = (await ingredient(parent.id, child.id)).body.data;
    for (const unitId of [pcs, null]) {
      const reply = await refused(s, () => s.patch(`/v1/items/${child.id}`, { unitId }), 409, 'RESOURCE_IN_USE');
      expect([reply.body.error.message, reply.body.error.details.references]).toEqual([
        'The item is in use by 1 ingredient (Bread). Quantities there are in its current unit.',
        { ingredients: 1 },
      ]);
    }
    expect((await s.patch(`/v1/items/${child.id}`, { unitId: g })).status).toBe(200);
    const after = (await s.get(`/v1/items/${parent.id}/ingredients`)).body.data[0];
    expect(after).toEqual(row);
    expect(after.unitId).toBe(kg);
  });

  test('accept a first unit while rows without a unit exist, and reject the next change', async () => {
    const [kg, g] = [await addUnit(s, 'n-kg', 'mass'), await addUnit(s, 'n-g', 'mass', [1, 1000])];
    const [parent, child] = [await create({ name: 'Soup' }), await create({ name: 'Water', itemType: 'material' })];
    const row = (await ingredient(parent.id, child.id)).body.data;
    expect(row.unit).toBeNull();
    expect((await s.patch(`/v1/items/${child.id}`, { unitId: kg })).status).toBe(200);
    const same = await trace(s, () => s.patch(`/v1/items/${parent.id}/ingredients/${row.id}`, { quantity: 1, unitId: null }));
    expect([same.reply.body.data, same.events]).toEqual([row, []]);
    expect((await s.patch(`/v1/items/${parent.id}/ingredients/${row.id}`, { quantity: 2 })).status).toBe(200);
    await refused(s, () => s.patch(`/v1/items/${child.id}`, { unitId: g }), 409, 'RESOURCE_IN_USE');
  });
});
