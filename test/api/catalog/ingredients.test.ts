/** POST, PATCH and DELETE /v1/items/{id}/ingredients, and the list. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INGREDIENTS_MAX_DEPTH, INGREDIENTS_MAX_ROWS } from '../../../src/contract/limits.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import { type TestService, ABSENT, startService } from '../../support/service/service.ts';
import { getProblems, refused, trace } from '../../support/service/call-trace.ts';

let s: TestService;
let [kg, g, pcs] = ['', '', ''];
beforeAll(async () => {
  s = await startService();
  [kg, g] = [await addUnit(s, 'my kg', 'mass'), await addUnit(s, 'my g', 'mass', [1, 1000])];
  pcs = await addUnit(s, 'my pcs', 'count', [1, 1], { precision: 0 });
});
afterAll(async () => {
  await s[Symbol.asyncDispose]();
});

const item = async (name: string, more: object = {}): Promise<string> => {
  const reply = await s.post('/v1/items', { name, ...more });
  expect(reply.status, reply.text).toBe(201);
  return reply.body.data.id;
};
const material = (name: string, more: object = {}) => item(name, { itemType: 'material', ...more });
const readItem = async (id: string) => (await s.get(`/v1/items/${id}`)).body.data;
const add = (parent: string, ingredientItemId: string, more: object = {}) =>
  s.post(`/v1/items/${parent}/ingredients`, { ingredientItemId, quantity: 1, ...more });
const added = async (parent: string, child: string, more: object = {}) => {
  const reply = await add(parent, child, more);
  expect(reply.status, reply.text).toBe(201);
  return reply.body.data;
};
const rows = async (parent: string, query = '') => (await s.get(`/v1/items/${parent}/ingredients?${query}`)).body.data;
const path = (row: { itemId: string; id: string }) => `/v1/items/${row.itemId}/ingredients/${row.id}`;

describe('POST /v1/items/{id}/ingredients', () => {
  test('requires only the quantity and applies defaults for unit, perQuantity, wastePercent and position', async () => {
    const [parent, child] = [await item('House Blend'), await material('Guji', { unitId: kg, sku: 'GRN-ETH' })];
    const before = await readItem(parent);
    const { reply, events, actions, bodies, audit } = await trace(s, () => add(parent, child, { quantity: 0.5 }));
    expect(reply.status).toBe(201);
    const { id, createdAt, updatedAt, ...rest } = reply.body.data;
    expect(rest).toEqual({
      itemId: parent,
      ingredientItemId: child,
      quantity: 0.5,
      perQuantity: 1,
      unitId: kg,
      wastePercent: 0,
      position: 1,
      notes: null,
      ingredient: { id: child, name: 'Guji', sku: 'GRN-ETH', itemType: 'material' },
      unit: { id: kg, name: 'my kg', symbol: 'my kg' },
    });
    expect(reply.headers['location']).toBe(`/v1/items/${parent}/ingredients/${id}`);
    expect(createdAt).toBe(updatedAt);
    const after = await readItem(parent);
    expect(after.updatedAt > before.updatedAt).toBe(true);
    expect(events).toEqual(['inventory.item.updated']);
    expect(bodies[0].data).toMatchObject({ id: parent, changes: ['ingredients'], name: 'House Blend', updatedAt: after.updatedAt });
    expect(actions).toEqual(['item.ingredient.added']);
    expect(audit[0]).toMatchObject({ resourceType: 'item', resourceId: parent, metadata: { ingredientId: id, ingredientItemId: child } });
    expect(await rows(parent)).toEqual([reply.body.data]);
  });

  test('stores all fields, including a unit of the same dimension', async () => {
    const [parent, child] = [await item('Bag'), await material('Beans', { unitId: kg })];
    const body = { quantity: 250.125, perQuantity: 12, unitId: g, wastePercent: 17.647, notes: 'roasted' };
    expect(await added(parent, child, body)).toMatchObject({ ...body, unit: { symbol: 'my g' } });
  });

  test('treats unitId null as the unit of the ingredient, or none if it has none', async () => {
    const parent = await item('Units');
    expect((await added(parent, await material('With', { unitId: pcs }), { unitId: null })).unitId).toBe(pcs);
    expect(await added(parent, await material('Without'), { unitId: null })).toMatchObject({ unitId: null, unit: null });
  });

  test.each([
    ['no quantity', { quantity: undefined }, '/quantity required'],
    ['nothing', { quantity: 0 }, '/quantity too_small'],
    ['less than nothing', { quantity: -1 }, '/quantity too_small'],
    ['dust', { quantity: 1e-10 }, '/quantity too_small'],
    ['seven decimals', { quantity: 1.2345678 }, '/quantity invalid'],
    ['more than a quantity holds', { quantity: 1e9 }, '/quantity too_big'],
    ['per nothing', { perQuantity: 0 }, '/perQuantity too_small'],
    ['per dust', { perQuantity: 1e-12 }, '/perQuantity too_small'],
    ['a negative waste', { wastePercent: -1 }, '/wastePercent too_small'],
    ['more waste than all', { wastePercent: 100.5 }, '/wastePercent too_big'],
    ['position 0', { position: 0 }, '/position too_small'],
    ['half a position', { position: 1.5 }, '/position wrong_type'],
    ['an ingredient that is not there', { ingredientItemId: ABSENT }, '/ingredientItemId invalid'],
    ['a unit that is not there', { unitId: ABSENT }, '/unitId invalid'],
    ['a parent of its own', { itemId: ABSENT }, '/itemId unknown_field'],
  ])('rejects %s and stores nothing', async (_what, body, problem) => {
    const [parent, child] = [await item('Refusing'), await material('Refused', { unitId: kg })];
    expect(getProblems(await refused(s, () => add(parent, child, body), 400, 'VALIDATION_FAILED'))).toEqual([problem]);
    expect(await rows(parent)).toEqual([]);
  });

  test('rejects a unit of another dimension', async () => {
    const parent = await item('Dimensions');
    const [weighed, bare] = [await material('Weighed', { unitId: kg }), await material('Bare')];
    for (const [child, unitId, message] of [
      [weighed, pcs, 'unitId must be my kg, the unit of the ingredient, or another unit of mass.'],
      [bare, kg, 'unitId must be null, because the ingredient has no unit.'],
    ] as const) {
      const { error } = (await refused(s, () => add(parent, child, { unitId }), 400, 'VALIDATION_FAILED')).body;
      expect(error).toMatchObject({ message, fields: [{ path: '/unitId', code: 'invalid' }] });
    }
  });

  test('rejects an inactive ingredient or unit in a new row and keeps it in an existing row', async () => {
    const [parent, child] = [await item('Lasting'), await material('Fading', { unitId: kg })];
    const row = await added(parent, child);
    await s.patch(`/v1/items/${child}`, { isActive: false });
    const other = await item('Late');
    expect((await refused(s, () => add(other, child), 409, 'INACTIVE_REFERENCE')).body.error.message).toBe(
      'Item Fading is inactive; activate it or choose another one.',
    );
    expect((await s.patch(path(row), { quantity: 2 })).body.data.quantity).toBe(2);
    const old = await addUnit(s, 'old-g', 'mass', [1, 1000], { isActive: false });
    expect((await refused(s, () => s.patch(path(row), { unitId: old }), 409, 'INACTIVE_REFERENCE')).body.error.message).toBe(
      'Unit old-g is inactive; activate it or choose another one.',
    );
  });

  test('accepts an inactive unit that the row has already, or that is the unit of the ingredient', async () => {
    const [parent, own, gram] = [await item('Sturdy'), await addUnit(s, 'own-kg', 'mass'), await addUnit(s, 'own-g', 'mass', [1, 1000])];
    const child = await material('Kept', { unitId: own });
    const row = await added(parent, child, { unitId: gram });
    await s.service.store.transact(s.tenant.id, async (tx) => {
      for (const unit of [own, gram]) await tx.units.put({ ...(await tx.units.get(unit))!, isActive: false });
    });
    expect((await s.patch(path(row), { unitId: gram, quantity: 5 })).body.data).toMatchObject({ unitId: gram, quantity: 5 });
    expect(await added(await item('Sturdy too'), child, { unitId: own })).toMatchObject({ unitId: own });
    await refused(s, () => add(parent, child, { unitId: gram }), 409, 'INACTIVE_REFERENCE');
  });

  test('rejects the same ingredient twice with DUPLICATE_VALUE', async () => {
    const [parent, child] = [await item('Once'), await material('Single')];
    const row = await added(parent, child);
    const reply = await refused(s, () => add(parent, child), 409, 'DUPLICATE_VALUE');
    expect(reply.body.error.details).toMatchObject({ field: 'ingredientItemId', existingId: row.id });
    await s.delete(path(row));
    expect((await added(parent, child)).position).toBe(1);
  });

  test('rejects ingredients of a material and combos as ingredients', async () => {
    const [parent, made, combo] = [await material('Iron'), await item('Set'), await item('Kit', { itemType: 'combo' })];
    const ofMaterial = await refused(s, () => add(parent, made), 409, 'INVALID_ITEM_TYPE');
    expect(ofMaterial.body.error).toMatchObject({
      message: 'A material cannot have ingredients. Change the item to a product first.',
      details: { itemId: parent },
    });
    const reply = await refused(s, () => add(made, combo), 409, 'INVALID_ITEM_TYPE');
    expect(reply.body.error).toMatchObject({
      message: 'A combo cannot be an ingredient. Add its parts instead.',
      details: { itemId: combo },
    });
    expect((await added(combo, made)).itemId).toBe(combo);
  });

  test('rejects waste in a combo', async () => {
    const [combo, part] = [await item('Gift set', { itemType: 'combo' }), await item('Mug')];
    const reply = await refused(s, () => add(combo, part, { wastePercent: 1 }), 400, 'VALIDATION_FAILED');
    expect(getProblems(reply)).toEqual(['/wastePercent not_allowed']);
    expect(reply.body.error.message).toBe('wastePercent must be 0 for ingredients of a combo.');
    const row = await added(combo, part, { wastePercent: 0 });
    expect(getProblems(await refused(s, () => s.patch(path(row), { wastePercent: 0.5 }), 400, 'VALIDATION_FAILED'))).toEqual([
      '/wastePercent not_allowed',
    ]);
  });

  test('answers 404 for an unknown or foreign item and a field error for an unknown ingredient', async () => {
    const other = { key: await s.addKey({ tenantId: (await s.addTenant('other-recipes')).id }) };
    const [parent, child] = [await item('Ours'), await material('Ours too')];
    const theirs = (await s.post('/v1/items', { name: 'Theirs' }, other)).body.data.id;
    const row = await added(parent, child);
    await refused(s, () => add(ABSENT, child), 404, 'NOT_FOUND');
    await refused(s, () => s.get(`/v1/items/${ABSENT}/ingredients`), 404, 'NOT_FOUND');
    await refused(s, () => s.get(`/v1/items/${parent}/ingredients`, other), 404, 'NOT_FOUND');
    await refused(s, () => s.patch(path(row), { quantity: 2 }, other), 404, 'NOT_FOUND');
    await refused(s, () => s.delete(path(row), other), 404, 'NOT_FOUND');
    await refused(s, () => s.patch(path({ itemId: child, id: row.id }), { quantity: 2 }), 404, 'NOT_FOUND');
    expect((await refused(s, () => s.delete(path({ itemId: child, id: row.id })), 404, 'NOT_FOUND')).body.error.message).toBe(
      `There is no ingredient ${String(row.id)} of this item.`,
    );
    const reply = await refused(s, () => add(parent, theirs), 400, 'VALIDATION_FAILED');
    expect(getProblems(reply)).toEqual(['/ingredientItemId invalid']);
    expect(reply.body.error.message).toBe(`There is no item ${String(theirs)}; give the id of a product or material.`);
    expect(await rows(parent)).toEqual([row]);
  });

  test('rejects more ingredients than the limit', async () => {
    const parent = await item('Everything');
    for (let n = 0; n < INGREDIENTS_MAX_ROWS; n += 1) await added(parent, await material(`part ${String(n)}`));
    const reply = await refused(s, async () => add(parent, await firstOther()), 409, 'LIMIT_REACHED');
    expect(reply.body.error).toMatchObject({
      message: `An item has at most ${String(INGREDIENTS_MAX_ROWS)} ingredients. Remove one first.`,
      details: { limit: INGREDIENTS_MAX_ROWS },
    });
    expect((await s.get(`/v1/items/${parent}/ingredients?page_size=1`)).body.pagination.total).toBe(INGREDIENTS_MAX_ROWS);
  });
  const firstOther = async () => (await s.get('/v1/items?search=Single')).body.data[0].id;
});

describe('ingredient cycles', () => {
  test('are rejected directly and through other items, with the path in details', async () => {
    const [a, b, c] = [await item('a'), await item('b'), await item('c')];
    const getCycle = async (parent: string, child: string) => {
      const { message, details } = (await refused(s, () => add(parent, child), 409, 'BOM_CYCLE')).body.error;
      return [message, details.path];
    };
    expect(await getCycle(a, a)).toEqual(['An item cannot be its own ingredient.', [a, a]]);
    await added(a, b);
    const contained = 'The ingredient contains this item, so the item would contain itself.';
    expect(await getCycle(b, a)).toEqual([contained, [b, a, b]]);
    const row = await added(b, c);
    expect(await getCycle(c, a)).toEqual([contained, [c, a, b, c]]);
    // A diamond is no circle.
    await added(a, c);
    await s.delete(path(row));
    await refused(s, () => add(c, a), 409, 'BOM_CYCLE');
  });

  test('are rejected when an ingredient is replaced', async () => {
    const [a, b, leaf] = [await item('xa'), await item('xb'), await material('leaf')];
    const row = await added(a, leaf);
    await added(b, a);
    expect((await refused(s, () => s.patch(path(row), { ingredientItemId: b }), 409, 'BOM_CYCLE')).body.error.details.path).toEqual([
      a,
      b,
      a,
    ]);
    expect((await rows(a))[0].ingredientItemId).toBe(leaf);
  });

  test('nesting deeper than the limit is rejected from either end of the chain', async () => {
    const chain = async (name: string, levels: number) => {
      const ids = [await item(`${name} 0`)];
      for (let n = 1; n <= levels; n += 1) {
        ids.push(await item(`${name} ${String(n)}`));
        await added(ids[n] ?? '', ids[n - 1] ?? '');
      }
      return { bottom: ids[0] ?? '', top: ids.at(-1) ?? '' };
    };
    const half = INGREDIENTS_MAX_DEPTH / 2;
    const [upper, lower] = [await chain('upper', half), await chain('lower', half)];
    const reply = await refused(s, () => add(upper.bottom, lower.top), 409, 'LIMIT_REACHED');
    expect(reply.body.error).toMatchObject({
      message: `Items can be nested at most ${String(INGREDIENTS_MAX_DEPTH)} levels deep.`,
      details: { limit: INGREDIENTS_MAX_DEPTH },
    });
    const shorter = (await rows(lower.top))[0].ingredientItemId;
    await added(upper.bottom, shorter);
    const full = { top: upper.top, bottom: lower.bottom };
    await refused(s, async () => add(full.bottom, lower.top), 409, 'BOM_CYCLE');
    const [above, below] = [await item('above'), await material('below')];
    await refused(s, () => add(above, full.top), 409, 'LIMIT_REACHED');
    await refused(s, () => add(full.bottom, below), 409, 'LIMIT_REACHED');
    expect((await add(upper.bottom, below)).status).toBe(201);
  });
});

describe('PATCH /v1/items/{id}/ingredients/{id}', () => {
  test('changes one field, keeps the others, and clears notes with null', async () => {
    const [parent, child, other] = [await item('Fields'), await material('One', { unitId: kg }), await material('Two', { unitId: kg })];
    let wanted = await added(parent, child, { quantity: 3, perQuantity: 2, wastePercent: 1, notes: 'n' });
    const changes = { quantity: 4, perQuantity: 5, unitId: g, wastePercent: 0, notes: null, ingredientItemId: other };
    for (const [name, value] of Object.entries(changes)) {
      const before = await readItem(parent);
      const { reply, events, actions, bodies, audit } = await trace(s, () => s.patch(path(wanted), { [name]: value }));
      expect(reply.status, reply.text).toBe(200);
      const { ingredient: _i, unit: _u, ...rest } = wanted;
      expect(reply.body.data, name).toMatchObject({ ...rest, [name]: value, updatedAt: expect.any(String) });
      expect(reply.body.data.updatedAt > wanted.updatedAt).toBe(true);
      expect(events).toEqual(['inventory.item.updated']);
      expect(bodies[0].data.changes).toEqual(['ingredients']);
      expect(actions).toEqual(['item.ingredient.updated']);
      expect(audit[0]?.metadata).toMatchObject({ ingredientId: wanted.id, changes: { [name]: { from: wanted[name], to: value } } });
      expect((await readItem(parent)).updatedAt > before.updatedAt).toBe(true);
      wanted = reply.body.data;
    }
    expect(wanted.ingredient.name).toBe('Two');
    expect((await s.patch(path(wanted), { unitId: null })).body.data.unitId).toBe(kg);
  });

  test('changes nothing and emits no event for an empty body or current values', async () => {
    const [parent, child] = [await item('Still'), await material('Stone')];
    await added(parent, await material('Before'));
    const row = await added(parent, child, { notes: 'n' });
    const before = await readItem(parent);
    const { quantity, perQuantity, unitId, wastePercent, position, notes } = row;
    for (const body of [{}, { ingredientItemId: child, quantity, perQuantity, unitId, wastePercent, position, notes }, { position: 99 }]) {
      const { reply, events, actions } = await trace(s, () => s.patch(path(row), body));
      expect(reply.body.data).toEqual(row);
      expect([...events, ...actions]).toEqual([]);
    }
    expect(await readItem(parent)).toEqual(before);
  });

  test('rejects a replacement that does not fit the unit or is already in the recipe', async () => {
    const [parent, a, b, counted] = [
      await item('Exchange'),
      await material('xA'),
      await material('xB'),
      await material('xC', { unitId: pcs }),
    ];
    const row = await added(parent, a);
    await added(parent, b);
    await refused(s, () => s.patch(path(row), { ingredientItemId: b }), 409, 'DUPLICATE_VALUE');
    const weighed = await added(parent, await material('xD', { unitId: kg }));
    expect(getProblems(await refused(s, () => s.patch(path(weighed), { ingredientItemId: counted }), 400, 'VALIDATION_FAILED'))).toEqual([
      '/unitId invalid',
    ]);
    expect((await s.patch(path(weighed), { ingredientItemId: counted, unitId: null })).body.data.unit.symbol).toBe('my pcs');
  });

  test('answers 412 for an outdated If-Match', async () => {
    const row = await added(await item('Version'), await material('Versioned'));
    const headers = { 'if-match': `"${row.updatedAt}"` };
    expect((await s.patch(path(row), { quantity: 2 }, { headers })).headers['etag']).not.toBe(headers['if-match']);
    await refused(s, () => s.patch(path(row), { quantity: 3 }, { headers }), 412, 'PRECONDITION_FAILED');
  });
});

describe('position of ingredients', () => {
  const made = async (names: readonly string[]) => {
    const parent = await item(`Recipe of ${names.join()}`);
    for (const name of names) await added(parent, await material(name));
    return parent;
  };
  const order = async (parent: string) =>
    (await rows(parent)).map((row: { position: number; ingredient: { name: string } }) => `${String(row.position)}${row.ingredient.name}`);

  test.each([
    ['d', 1, ['1d', '2a', '3b', '4c']],
    ['a', 3, ['1b', '2c', '3a', '4d']],
    ['b', 4, ['1a', '2c', '3d', '4b']],
    ['b', 200, ['1a', '2c', '3d', '4b']],
    ['c', 3, ['1a', '2b', '3c', '4d']],
  ])('moving %s to %i renumbers the others', async (name, position, expected) => {
    const parent = await made(['a', 'b', 'c', 'd']);
    const row = (await rows(parent)).find((each: { ingredient: { name: string } }) => each.ingredient.name === name);
    expect((await s.patch(path(row), { position })).body.data.position).toBe(Math.min(position, 4));
    expect(await order(parent)).toEqual(expected);
  });

  test('a new row can be inserted at any position', async () => {
    const parent = await made(['a', 'b']);
    expect((await added(parent, await material('first'), { position: 1 })).position).toBe(1);
    expect((await added(parent, await material('last'), { position: 50 })).position).toBe(4);
    expect(await order(parent)).toEqual(['1first', '2a', '3b', '4last']);
  });

  test('removing a row closes the gap and updates only rows that moved', async () => {
    const parent = await made(['a', 'b', 'c']);
    const before = await rows(parent);
    const { reply, events, actions, bodies } = await trace(s, () => s.delete(path(before[1])));
    expect(reply.status).toBe(204);
    expect([...events, ...actions]).toEqual(['inventory.item.updated', 'item.ingredient.removed']);
    expect(bodies[0].data).toMatchObject({ id: parent, changes: ['ingredients'] });
    const after = await rows(parent);
    expect(after).toEqual([before[0], { ...before[2], position: 2, updatedAt: expect.any(String) }]);
    expect(after[1].updatedAt > before[2].updatedAt).toBe(true);
    await refused(s, () => s.delete(path(before[1])), 404, 'NOT_FOUND');
  });
});

describe('GET /v1/items/{id}/ingredients', () => {
  let parent = '';
  const names = async (query: string) => (await rows(parent, query)).map((row: { ingredient: { name: string } }) => row.ingredient.name);
  beforeAll(async () => {
    parent = await item('Listed');
    for (const name of ['Zimt', 'Äpfel', 'Mehl', 'zucker']) {
      s.clock.advance(1);
      await added(parent, await material(name));
    }
  });

  test('lists in recipe order or reversed, page by page', async () => {
    expect(await names('')).toEqual(['Zimt', 'Äpfel', 'Mehl', 'zucker']);
    expect(await names('sort=-position')).toEqual(['zucker', 'Mehl', 'Äpfel', 'Zimt']);
    const reply = await s.get(`/v1/items/${parent}/ingredients?page=2&page_size=3`);
    expect(reply.body.pagination).toEqual({ page: 2, pageSize: 3, total: 4, totalPages: 2 });
    expect(await names('page=2&page_size=3')).toEqual(['zucker']);
    expect(await names('page=3&page_size=3')).toEqual([]);
  });

  test('searches names case-insensitively', async () => {
    expect(await names('search=Z')).toEqual(['Zimt', 'zucker']);
    expect(await names(`search=${encodeURIComponent('äPF')}`)).toEqual(['Äpfel']);
    expect(await names('search=salz')).toEqual([]);
    expect((await s.get(`/v1/items/${parent}/ingredients?search=z&page_size=1`)).body.pagination.total).toBe(2);
  });

  test('filters by updated_since', async () => {
    s.clock.advance(1);
    const since = s.clock.now().toISOString();
    const [, row] = await rows(parent);
    await s.patch(path(row), { quantity: 9 });
    expect(await names(`updated_since=${since}`)).toEqual(['Äpfel']);
    expect(await names(`created_since=${since}`)).toEqual([]);
    expect(await names(`created_since=${row.createdAt}`)).toEqual(['Äpfel', 'Mehl', 'zucker']);
  });

  test.each(['sort=name', 'page=0', 'item_id=x', 'updated_since=now'])('rejects %s', async (query) => {
    const reply = await refused(s, () => s.get(`/v1/items/${parent}/ingredients?${query}`), 400, 'VALIDATION_FAILED');
    expect(reply.body.error.fields[0]).toMatchObject({ in: 'query', path: `/${query.split('=')[0] ?? ''}` });
  });
});
