/** /v1/items/{id}/suppliers: linking, terms, the preferred link, and unit changes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LEAD_TIME_MAX_DAYS, SUPPLIERS_MAX_ROWS } from '../../../src/contract/limits.ts';
import { unitId } from '../../support/resources/order-world.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import { type TestService, ABSENT, startService } from '../../support/service/service.ts';
import { getProblems, refused, trace } from '../../support/service/call-trace.ts';

let s: TestService;
let bag = '';
beforeAll(async () => {
  s = await startService();
  bag = await addUnit(s, 'bag of 60', 'mass', [60, 1], { precision: 0 });
});
afterAll(async () => {
  await s[Symbol.asyncDispose]();
});

const item = async (more: object = {}): Promise<string> => {
  const reply = await s.post('/v1/items', { name: 'Green Guji', ...more });
  expect(reply.status, reply.text).toBe(201);
  return reply.body.data.id;
};
const supplier = async (name: string, more: object = {}): Promise<string> => {
  const reply = await s.post('/v1/contacts', { name, company: `${name} Lda`, contactType: 'supplier', ...more });
  return reply.body.data.id;
};
const readItem = async (id: string) => (await s.get(`/v1/items/${id}`)).body.data;
const add = (itemId: string, supplierId: string, more: object = {}) => s.post(`/v1/items/${itemId}/suppliers`, { supplierId, ...more });
const added = async (itemId: string, supplierId: string, more: object = {}) => {
  const reply = await add(itemId, supplierId, more);
  expect(reply.status, reply.text).toBe(201);
  return reply.body.data;
};
const links = async (itemId: string, query = '') => (await s.get(`/v1/items/${itemId}/suppliers?${query}`)).body.data;
const path = (itemId: string, supplierId: string) => `/v1/items/${itemId}/suppliers/${supplierId}`;
/** Everything a link can say. */
const terms = () => ({
  supplierCode: 'ETH-G1',
  purchasePrice: 504.123456,
  purchaseUnitId: bag,
  unitsPerPurchaseUnit: 60,
  minOrderQuantity: 2,
  orderMultiple: 0.5,
  leadTimeDays: 14,
  notes: 'By sea.\nCall first.',
});
const NO_TERMS = {
  supplierCode: null,
  purchasePrice: null,
  purchaseUnitId: null,
  unitsPerPurchaseUnit: 1,
  minOrderQuantity: null,
  orderMultiple: null,
  leadTimeDays: null,
  notes: null,
};

describe('POST /v1/items/{id}/suppliers', () => {
  test('requires only the contact; the first link is preferred and sets supplierId of the item', async () => {
    const [itemId, supplierId] = [await item(), await supplier('Guji Farm')];
    const before = await readItem(itemId);
    const { reply, events, actions, bodies, audit } = await trace(s, () => add(itemId, supplierId, { isPreferred: false }));
    expect(reply.status).toBe(201);
    const { createdAt, updatedAt, ...rest } = reply.body.data;
    expect(rest).toEqual({
      itemId,
      supplierId,
      ...NO_TERMS,
      isPreferred: true,
      supplier: { id: supplierId, name: 'Guji Farm', company: 'Guji Farm Lda' },
    });
    expect(createdAt).toBe(updatedAt);
    expect(reply.headers['location']).toBe(path(itemId, supplierId));
    const after = await readItem(itemId);
    expect(after).toEqual({ ...before, supplierId, supplier: rest.supplier, updatedAt: expect.any(String) });
    expect(after.updatedAt > before.updatedAt).toBe(true);
    expect(events).toEqual(['inventory.item.updated']);
    expect(bodies[0].data).toMatchObject({ id: itemId, changes: ['suppliers'], name: 'Green Guji', updatedAt: after.updatedAt });
    expect(actions).toEqual(['item.supplier.linked']);
    expect(audit[0]).toMatchObject({ resourceType: 'item', resourceId: itemId, metadata: { supplierId } });
    expect(await links(itemId)).toEqual([reply.body.data]);
  });

  test('stores all terms', async () => {
    const [itemId, supplierId] = [await item(), await supplier('Terms')];
    expect(await added(itemId, supplierId, terms())).toMatchObject(terms());
  });

  test('makes a second link preferred only on request, in one event', async () => {
    const itemId = await item();
    const [a, b, c] = [await supplier('A'), await supplier('B'), await supplier('C')];
    await added(itemId, a);
    expect((await added(itemId, b)).isPreferred).toBe(false);
    expect((await readItem(itemId)).supplierId).toBe(a);
    const { reply, events, actions } = await trace(s, () => add(itemId, c, { isPreferred: true }));
    expect(reply.body.data.isPreferred).toBe(true);
    expect(events).toEqual(['inventory.item.updated']);
    expect(actions.sort()).toEqual(['item.supplier.linked', 'item.supplier.updated']);
    expect((await readItem(itemId)).supplierId).toBe(c);
    expect((await links(itemId)).map((link: { isPreferred: boolean }) => link.isPreferred)).toEqual([true, false, false]);
  });

  test.each([
    ['no supplier', { supplierId: undefined }, '/supplierId required'],
    ['a supplier that is not there', { supplierId: ABSENT }, '/supplierId invalid'],
    ['a purchase unit that is not there', { purchaseUnitId: ABSENT }, '/purchaseUnitId invalid'],
    ['a bag of nothing', { unitsPerPurchaseUnit: 0 }, '/unitsPerPurchaseUnit too_small'],
    ['a bag of dust', { unitsPerPurchaseUnit: 1e-11 }, '/unitsPerPurchaseUnit too_small'],
    ['a null bag', { unitsPerPurchaseUnit: null }, '/unitsPerPurchaseUnit wrong_type'],
    ['a multiple of nothing', { orderMultiple: 0 }, '/orderMultiple too_small'],
    ['a negative minimum', { minOrderQuantity: -1 }, '/minOrderQuantity too_small'],
    ['a negative price', { purchasePrice: -1 }, '/purchasePrice too_small'],
    ['seven decimals', { purchasePrice: 0.1234567 }, '/purchasePrice invalid'],
    ['half a day', { leadTimeDays: 0.5 }, '/leadTimeDays wrong_type'],
    ['a lead time of ages', { leadTimeDays: LEAD_TIME_MAX_DAYS + 1 }, '/leadTimeDays too_big'],
    ['an unknown field', { price: 1 }, '/price unknown_field'],
  ])('rejects %s and stores nothing', async (_what, body, problem) => {
    const [itemId, supplierId] = [await item(), await supplier('Refused')];
    expect(getProblems(await refused(s, () => add(itemId, supplierId, body), 400, 'VALIDATION_FAILED'))).toEqual([problem]);
    expect(await links(itemId)).toEqual([]);
    expect((await readItem(itemId)).supplierId).toBeNull();
  });

  test('rejects customers and inactive contacts and accepts contacts of type both', async () => {
    const itemId = await item();
    const customer = await supplier('Customer', { contactType: 'customer' });
    expect(getProblems(await refused(s, () => add(itemId, customer), 400, 'VALIDATION_FAILED'))).toEqual(['/supplierId invalid']);
    const inactive = await supplier('Inactive', { isActive: false });
    await refused(s, () => add(itemId, inactive), 409, 'INACTIVE_REFERENCE');
    const oldUnit = await addUnit(s, 'old bag', 'count', [1, 1], { isActive: false });
    const both = await supplier('Both', { contactType: 'both' });
    await refused(s, () => add(itemId, both, { purchaseUnitId: oldUnit }), 409, 'INACTIVE_REFERENCE');
    expect((await added(itemId, both)).supplierId).toBe(both);
  });

  test('rejects the same supplier twice', async () => {
    const [itemId, supplierId] = [await item(), await supplier('Twice')];
    await added(itemId, supplierId, { purchasePrice: 1 });
    const reply = await refused(s, () => add(itemId, supplierId, { purchasePrice: 2 }), 409, 'DUPLICATE_VALUE');
    expect(reply.body.error.details).toEqual({ field: 'supplierId', value: supplierId, existingId: supplierId });
    expect(await links(itemId)).toMatchObject([{ purchasePrice: 1 }]);
  });

  test('answers 404 for an unknown or foreign item or link', async () => {
    const other = { key: await s.addKey({ tenantId: (await s.addTenant('other-links')).id }) };
    const [itemId, supplierId, foreignSupplier] = [await item(), await supplier('Ours'), await supplier('Foreign')];
    const theirs = (await s.post('/v1/contacts', { name: 'Theirs', contactType: 'supplier' }, other)).body.data.id;
    const link = await added(itemId, supplierId);
    await refused(s, () => add(ABSENT, supplierId), 404, 'NOT_FOUND');
    await refused(s, () => s.get(`/v1/items/${ABSENT}/suppliers`), 404, 'NOT_FOUND');
    await refused(s, () => s.get(`/v1/items/${itemId}/suppliers`, other), 404, 'NOT_FOUND');
    for (const [id, options] of [
      [foreignSupplier, {}],
      ['not-an-id', {}],
      [supplierId, other],
    ] as const) {
      await refused(s, () => s.patch(path(itemId, id), { leadTimeDays: 1 }, options), 404, 'NOT_FOUND');
      const { error } = (await refused(s, () => s.delete(path(itemId, id), options), 404, 'NOT_FOUND')).body;
      if (id === foreignSupplier) expect(error.message).toBe(`There is no supplier ${id} of this item.`);
    }
    const reply = await refused(s, () => add(itemId, theirs), 400, 'VALIDATION_FAILED');
    expect(getProblems(reply)).toEqual(['/supplierId invalid']);
    expect(reply.body.error.message).toBe(`There is no contact ${String(theirs)}; give the id of a contact of type supplier or both.`);
    expect(await links(itemId)).toEqual([link]);
  });

  test('rejects more suppliers than the limit, however they are linked', async () => {
    const itemId = await item();
    for (let n = 0; n < SUPPLIERS_MAX_ROWS; n += 1) await added(itemId, await supplier(`S${String(n)}`));
    const onemore = await supplier('One more');
    for (const call of [() => add(itemId, onemore), () => s.patch(`/v1/items/${itemId}`, { supplierId: onemore })]) {
      expect((await refused(s, call, 409, 'LIMIT_REACHED')).body.error).toMatchObject({
        message: `An item has at most ${String(SUPPLIERS_MAX_ROWS)} suppliers. Remove one first.`,
        details: { limit: SUPPLIERS_MAX_ROWS },
      });
    }
    expect((await readItem(itemId)).supplier.name).toBe('S0');
  });
});

describe('PATCH /v1/items/{id}/suppliers/{id}', () => {
  test('rejects an unknown purchase unit', async () => {
    const { itemId, supplierId } = await added(await item(), await supplier('Terms'));
    const patch = { purchaseUnitId: ABSENT };
    expect(getProblems(await s.patch(path(itemId, supplierId), patch))).toEqual(['/purchaseUnitId invalid']);
  });

  test('an inactive purchase unit is rejected only if it is new', async () => {
    const sack = await addUnit(s, 'sack of 50', 'mass', [50, 1], { precision: 0 });
    const [itemId, supplierId, other] = [await item(), await supplier('Sacks'), await supplier('Other sacks')];
    await added(itemId, supplierId, { purchaseUnitId: sack, unitsPerPurchaseUnit: 50 });
    await s.service.store.transact(s.tenant.id, async (tx) => tx.units.put({ ...(await tx.units.get(sack))!, isActive: false }));
    const changed = await s.patch(path(itemId, supplierId), { minOrderQuantity: 2 });
    expect([changed.status, changed.body.data.minOrderQuantity]).toEqual([200, 2]);
    await refused(s, () => add(itemId, other, { purchaseUnitId: sack }), 409, 'INACTIVE_REFERENCE');
  });

  test('changes one term and keeps the others', async () => {
    const [itemId, supplierId] = [await item(), await supplier('Changing')];
    let wanted = await added(itemId, supplierId, terms());
    const changes = {
      supplierCode: 'x',
      purchasePrice: 0,
      purchaseUnitId: await addUnit(s, 'crate', 'count'),
      unitsPerPurchaseUnit: 12.5,
      minOrderQuantity: 0,
      orderMultiple: 1,
      leadTimeDays: 0,
      notes: 'x',
    };
    for (const [name, value] of Object.entries(changes)) {
      const before = await readItem(itemId);
      const { reply, events, actions, bodies, audit } = await trace(s, () => s.patch(path(itemId, supplierId), { [name]: value }));
      expect(reply.body.data, name).toEqual({ ...wanted, [name]: value, updatedAt: expect.any(String) });
      expect(reply.body.data.updatedAt > wanted.updatedAt).toBe(true);
      expect([...events, ...actions]).toEqual(['inventory.item.updated', 'item.supplier.updated']);
      expect(bodies[0].data.changes).toEqual(['suppliers']);
      expect(audit[0]?.metadata).toMatchObject({ supplierId, changes: { [name]: { from: wanted[name], to: value } } });
      expect((await readItem(itemId)).updatedAt > before.updatedAt).toBe(true);
      wanted = reply.body.data;
    }
  });

  test.each(['supplierCode', 'purchasePrice', 'purchaseUnitId', 'minOrderQuantity', 'orderMultiple', 'leadTimeDays', 'notes'])(
    'clears %s with null and keeps the others',
    async (name) => {
      const [itemId, supplierId] = [await item(), await supplier(`Null ${name}`)];
      const before = await added(itemId, supplierId, terms());
      const reply = await s.patch(path(itemId, supplierId), { [name]: null });
      expect(reply.body.data).toEqual({ ...before, [name]: null, updatedAt: expect.any(String) });
    },
  );

  test('changes nothing and emits no event for an empty body or current values', async () => {
    const [itemId, supplierId] = [await item(), await supplier('Still')];
    const link = await added(itemId, supplierId, terms());
    const before = await readItem(itemId);
    for (const body of [{}, { ...terms(), isPreferred: true }, { supplierCode: ' ETH-G1 ' }]) {
      const { reply, events, actions } = await trace(s, () => s.patch(path(itemId, supplierId), body));
      expect(reply.body.data).toEqual(link);
      expect([...events, ...actions]).toEqual([]);
    }
    expect(await readItem(itemId)).toEqual(before);
  });

  test('rejects a change of supplierId', async () => {
    const [itemId, supplierId] = [await item(), await supplier('Fixed')];
    await added(itemId, supplierId);
    expect(getProblems(await refused(s, () => s.patch(path(itemId, supplierId), { supplierId }), 400, 'VALIDATION_FAILED'))).toEqual([
      '/supplierId unknown_field',
    ]);
  });

  test('answers 412 for an outdated If-Match', async () => {
    const [itemId, supplierId] = [await item(), await supplier('Version')];
    const link = await added(itemId, supplierId);
    const headers = { 'if-match': `"${link.updatedAt}"` };
    expect((await s.patch(path(itemId, supplierId), { leadTimeDays: 1 }, { headers })).status).toBe(200);
    await refused(s, () => s.patch(path(itemId, supplierId), { leadTimeDays: 2 }, { headers }), 412, 'PRECONDITION_FAILED');
  });
});

describe('the preferred supplier link', () => {
  test('moves with supplierId of the item when another link is marked', async () => {
    const itemId = await item();
    const [a, b] = [await supplier('Ma'), await supplier('Mb')];
    await added(itemId, a);
    await added(itemId, b);
    const { reply, events, actions, bodies } = await trace(s, () => s.patch(path(itemId, b), { isPreferred: true }));
    expect(reply.body.data.isPreferred).toBe(true);
    expect(events).toEqual(['inventory.item.updated']);
    expect(bodies[0].data.changes).toEqual(['suppliers']);
    expect(actions).toEqual(['item.supplier.updated', 'item.supplier.updated']);
    expect(await links(itemId)).toMatchObject([
      { supplierId: b, isPreferred: true },
      { supplierId: a, isPreferred: false },
    ]);
    expect((await readItem(itemId)).supplier.name).toBe('Mb');
  });

  test('cannot be unmarked or moved to an inactive contact', async () => {
    const itemId = await item();
    const [a, b] = [await supplier('Ta'), await supplier('Tb')];
    await added(itemId, a);
    await added(itemId, b, { isPreferred: false });
    const unmarked = await refused(s, () => s.patch(path(itemId, a), { isPreferred: false }), 400, 'VALIDATION_FAILED');
    expect(getProblems(unmarked)).toEqual(['/isPreferred not_allowed']);
    expect(unmarked.body.error.message).toBe(
      'One supplier of an item is always preferred; set isPreferred to true for another one instead.',
    );
    await s.patch(`/v1/contacts/${b}`, { isActive: false });
    await refused(s, () => s.patch(path(itemId, b), { isPreferred: true, leadTimeDays: 3 }), 409, 'INACTIVE_REFERENCE');
    expect((await s.patch(path(itemId, b), { isPreferred: false, leadTimeDays: 3 })).status).toBe(200);
    expect((await readItem(itemId)).supplierId).toBe(a);
  });

  test('passes to the oldest link when removed, and to none after the last', async () => {
    const itemId = await item();
    const ids: string[] = [];
    for (const name of ['Za', 'Yb', 'Xc']) {
      s.clock.advance(1);
      ids.push(await supplier(name));
      await added(itemId, ids.at(-1) ?? '');
    }
    const [a = '', b = '', c = ''] = ids;
    await s.patch(path(itemId, c), { isPreferred: true });
    const { reply, events, actions } = await trace(s, () => s.delete(path(itemId, c)));
    expect(reply.status).toBe(204);
    expect(events).toEqual(['inventory.item.updated']);
    expect(actions.sort()).toEqual(['item.supplier.unlinked', 'item.supplier.updated']);
    expect(await links(itemId)).toMatchObject([
      { supplierId: a, isPreferred: true },
      { supplierId: b, isPreferred: false },
    ]);
    expect((await readItem(itemId)).supplierId).toBe(a);
    const plain = await trace(s, () => s.delete(path(itemId, b)));
    expect(plain.actions).toEqual(['item.supplier.unlinked']);
    expect((await readItem(itemId)).supplierId).toBe(a);
    await s.delete(path(itemId, a));
    expect(await readItem(itemId)).toMatchObject({ supplierId: null, supplier: null });
    expect(await links(itemId)).toEqual([]);
    await refused(s, () => s.delete(path(itemId, a)), 404, 'NOT_FOUND');
  });
});

describe('GET /v1/items/{id}/suppliers', () => {
  let itemId = '';
  const names = async (query: string) => (await links(itemId, query)).map((link: { supplier: { name: string } }) => link.supplier.name);
  beforeAll(async () => {
    itemId = await item();
    for (const name of ['delta', 'Alpha', 'charlie', 'Bravo']) {
      s.clock.advance(1);
      await added(itemId, await supplier(name), { isPreferred: name === 'charlie' });
    }
  });

  test.each([
    ['', ['charlie', 'Alpha', 'Bravo', 'delta']],
    ['sort=-is_preferred,name', ['charlie', 'Alpha', 'Bravo', 'delta']],
    ['sort=is_preferred,name', ['Alpha', 'Bravo', 'delta', 'charlie']],
    ['sort=-is_preferred', ['charlie', 'delta', 'Alpha', 'Bravo']],
    ['sort=name', ['Alpha', 'Bravo', 'charlie', 'delta']],
    ['sort=-name', ['delta', 'charlie', 'Bravo', 'Alpha']],
    ['sort=created_at', ['delta', 'Alpha', 'charlie', 'Bravo']],
    ['sort=-created_at', ['Bravo', 'charlie', 'Alpha', 'delta']],
    ['search=A', ['charlie', 'Alpha', 'Bravo', 'delta']],
    ['search=ALPH', ['Alpha']],
    ['search=Lda', []],
    ['page=2&page_size=3', ['delta']],
  ])('%s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  test('paginates and embeds the current supplier', async () => {
    const reply = await s.get(`/v1/items/${itemId}/suppliers?page_size=3`);
    expect(reply.body.pagination).toEqual({ page: 1, pageSize: 3, total: 4, totalPages: 2 });
    const { supplierId } = reply.body.data[1];
    await s.patch(`/v1/contacts/${supplierId}`, { company: 'Renamed SA' });
    expect((await links(itemId))[1].supplier.company).toBe('Renamed SA');
  });

  test.each(['sort=price', 'sort=name,is_preferred', 'page_size=0', 'supplier_id=x'])('rejects %s', async (query) => {
    const reply = await refused(s, () => s.get(`/v1/items/${itemId}/suppliers?${query}`), 400, 'VALIDATION_FAILED');
    expect(reply.body.error.fields[0]).toMatchObject({ in: 'query', path: `/${query.split('=')[0] ?? ''}` });
  });
});

describe('supplier links of an item that changes its unit', () => {
  test('are converted within the dimension: a bag of 60 kg holds 60,000 g', async () => {
    const [kg, g] = [await unitId(s, 'kg'), await unitId(s, 'g')];
    const it = await item({ unitId: kg });
    const [bags, loose, packs, bare] = [await supplier('Bags'), await supplier('Loose'), await supplier('Packs'), await supplier('Bare')];
    await added(it, bags, { purchaseUnitId: bag, unitsPerPurchaseUnit: 60, purchasePrice: 480, minOrderQuantity: 2 });
    await added(it, loose, { purchasePrice: 8.4, orderMultiple: 5 });
    await added(it, packs, { unitsPerPurchaseUnit: 2.5, purchasePrice: 20 });
    await added(it, bare);
    const { events, actions } = await trace(s, () => s.patch(`/v1/items/${it}`, { unitId: g }));
    expect(events).toEqual(['inventory.item.updated']);
    expect(actions).toEqual(['item.updated', ...Array.from({ length: 3 }, () => 'item.supplier.updated')]);
    const linkBySupplier = new Map((await links(it)).map((link: { supplierId: string }) => [link.supplierId, link]));
    expect(linkBySupplier.get(bags)).toMatchObject({
      purchaseUnitId: bag,
      unitsPerPurchaseUnit: 60_000,
      purchasePrice: 480,
      minOrderQuantity: 2,
    });
    expect(linkBySupplier.get(loose)).toMatchObject({
      purchaseUnitId: kg,
      unitsPerPurchaseUnit: 1_000,
      purchasePrice: 8.4,
      orderMultiple: 5,
    });
    expect(linkBySupplier.get(packs)).toMatchObject({ purchaseUnitId: null, unitsPerPurchaseUnit: 2_500, purchasePrice: 20 });
    expect(linkBySupplier.get(bare)).toMatchObject({ purchaseUnitId: null, unitsPerPurchaseUnit: 1 });
    const lines = [{ itemId: it, quantity: 3 }];
    const order = await s.post('/v1/orders', { module: 'buy', contactId: loose, lines });
    expect(order.body.data.lines).toMatchObject([{ unitId: kg, stockQuantity: 3_000, unitPrice: 8.4, lineTotal: 25.2 }]);
    expect((await s.patch(`/v1/items/${it}`, { unitId: kg })).body.error.code).toBe('RESOURCE_IN_USE');
  });

  test('reject the change if a link cannot be converted exactly', async () => {
    const [kg, pcs, third] = [await unitId(s, 'kg'), await unitId(s, 'pcs'), await addUnit(s, 'three kilograms', 'mass', [3, 1])];
    const it = await item({ unitId: kg });
    await added(it, await supplier('Sevens'), { unitsPerPurchaseUnit: 7 });
    for (const unit of [pcs, third, null]) {
      const reply = await refused(s, () => s.patch(`/v1/items/${it}`, { unitId: unit }), 409, 'RESOURCE_IN_USE');
      expect(reply.body.error.details.references).toEqual({ supplierLinks: 1 });
    }
    // Without a unit it was a number of things, and stays one.
    const other = await item();
    const sold = await supplier('Numbers');
    await added(other, sold, { unitsPerPurchaseUnit: 7 });
    expect((await s.patch(`/v1/items/${other}`, { unitId: pcs })).status).toBe(200);
    expect(await links(other)).toMatchObject([{ unitsPerPurchaseUnit: 7, purchaseUnitId: null }]);
  });
});
