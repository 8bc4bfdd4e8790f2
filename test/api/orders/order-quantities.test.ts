/** Quantities below the precision of a unit, combos without ingredients, and equal outputs of a make order. D-8, D-9, D-10. */
import { beforeAll, describe, expect, test } from 'vitest';
import { made } from '../../support/resources/order-world.ts';
import { useOrderStock } from '../../support/resources/order-stock.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import { getProblems, refused } from '../../support/service/call-trace.ts';
import type { Reply } from '../../support/service/service.ts';

const { s, w, create, change, ok, item } = useOrderStock();
let [coarse, gram] = ['', ''];
beforeAll(async () => {
  coarse = await addUnit(s, 'coarse-kg', 'mass', [1, 1], { precision: 3 });
  gram = await addUnit(s, 'fine-g', 'mass', [1, 1000], { precision: 3 });
});

describe('quantities below the precision of the unit', () => {
  const expectTooSmall = async (call: () => Promise<Reply>, path: string, message: string) => {
    const reply = await refused(s, call, 400, 'VALIDATION_FAILED');
    expect(getProblems(reply)).toEqual([`${path} too_small`]);
    expect(reply.body.error.fields[0].message).toContain(message);
  };
  const SMALL = 'is too small in coarse-kg: it must be at least 0.001 after conversion';

  test('are rejected on order lines instead of being rounded up, also when a line changes', async () => {
    const flour = await item({ unitId: coarse });
    const body = (quantity: number) => ({ module: 'sell', contactId: w.customer, lines: [{ itemId: flour, quantity, unitId: gram }] });
    await expectTooSmall(() => create(body(0.5)), '/lines/0/quantity', SMALL);
    await expectTooSmall(() => create(body(0.999)), '/lines/0/quantity', SMALL);
    const { id, lines } = (await ok(create(body(1)))).body.data;
    expect(lines).toMatchObject([{ quantity: 1, stockQuantity: 0.001 }]);
    await expectTooSmall(() => change(id, { lines: [{ id: lines[0].id, quantity: 0.6 }] }), '/lines/0/quantity', SMALL);
    const check = { module: 'check', lines: [{ itemId: flour, quantity: 5, unitId: gram, failedQuantity: 0.6, failureReason: 'wet' }] };
    await expectTooSmall(() => create(check), '/lines/0/failedQuantity', SMALL);
  });

  test('are rejected on lines of stock documents', async () => {
    const flour = await item({ unitId: coarse });
    const add = (type: string, line: object) => () =>
      s.post('/v1/stock-documents', {
        type,
        ...(type === 'adjustment' ? { reason: 'lost' } : {}),
        lines: [{ itemId: flour, unitId: gram, ...line }],
      });
    await expectTooSmall(add('receipt', { quantity: 0.5 }), '/lines/0/quantity', SMALL);
    await expectTooSmall(add('adjustment', { quantity: -0.7 }), '/lines/0/quantity', SMALL);
    await expectTooSmall(add('count', { countedQuantity: 0.5 }), '/lines/0/countedQuantity', SMALL);
    await expectTooSmall(add('count', { countedQuantity: 0, expectedQuantity: 0.5 }), '/lines/0/expectedQuantity', SMALL);
    expect((await add('count', { countedQuantity: 0, expectedQuantity: 0 })()).status).toBe(201);
  });

  test('are rejected in ingredients, unless perQuantity expresses them', async () => {
    const [cake, egg, flour] = [await item(), await item(), await item({ unitId: coarse })];
    const path = `/v1/items/${cake}/ingredients`;
    const add = (body: object) => s.post(path, body);
    await expectTooSmall(
      () => add({ ingredientItemId: egg, quantity: 0.5 }),
      '/quantity',
      'must be at least 1 in pcs; use perQuantity for a fraction: half of one is quantity 1, perQuantity 2',
    );
    await expectTooSmall(() => add({ ingredientItemId: flour, quantity: 0.000_5 }), '/quantity', 'must be at least 0.001 in coarse-kg');
    // The need of an order is rounded up, not the ingredient.
    const inGrams = await made(add({ ingredientItemId: flour, quantity: 0.5, unitId: gram }));
    const stored = (await s.get(path)).body.data;
    expect(stored).toMatchObject([{ quantity: 0.5, unitId: gram }]);
    const half = await made(add({ ingredientItemId: egg, quantity: 1, perQuantity: 2 }));
    await expectTooSmall(() => s.patch(`${path}/${half}`, { quantity: 0.25 }), '/quantity', 'must be at least 1 in pcs');
    await expectTooSmall(() => s.patch(`${path}/${inGrams}`, { unitId: coarse, quantity: 0.000_5 }), '/quantity', 'must be at least 0.001');
  });
});

describe('combos without ingredients', () => {
  test('are rejected on sell lines, also when the line gets another item', async () => {
    const combo = await item({ name: 'Empty set', itemType: 'combo', unitId: null });
    const sell = { module: 'sell', contactId: w.customer };
    const reply = await refused(
      s,
      () =>
        create({
          ...sell,
          lines: [
            { itemId: w.bolt, quantity: 1 },
            { itemId: combo, quantity: 1 },
          ],
        }),
      409,
      'INVALID_STATE',
    );
    expect(reply.body.error).toMatchObject({
      message: 'Empty set is a combo without ingredients, so there is nothing to sell. Add its ingredients first.',
      details: { itemId: combo, path: '/lines/1/itemId' },
    });
    const { id, lines } = (await ok(create({ ...sell, lines: [{ itemId: w.bolt, quantity: 1 }] }))).body.data;
    await refused(s, () => change(id, { lines: [{ id: lines[0].id, itemId: combo }] }), 409, 'INVALID_STATE');
    await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: w.bolt, quantity: 2 }));
    await ok(change(id, { lines: [{ id: lines[0].id, itemId: combo }] }));
  });

  test('cannot be opened when the ingredients were removed from a draft, which otherwise stays editable', async () => {
    const combo = await item({ name: 'Emptied set', itemType: 'combo', unitId: null });
    const row = await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: w.bolt, quantity: 2 }));
    const { id, lines } = (await ok(create({ module: 'sell', contactId: w.customer, lines: [{ itemId: combo, quantity: 1 }] }))).body.data;
    await ok(s.delete(`/v1/items/${combo}/ingredients/${row}`));
    await ok(change(id, { lines: [{ id: lines[0].id, quantity: 2 }] }));
    const reply = await refused(s, () => change(id, { status: 'open' }), 409, 'INVALID_TRANSITION');
    expect(reply.body.error).toMatchObject({
      message: 'The order cannot be opened: add ingredients to the combos without any first: Emptied set.',
      details: { itemIds: [combo] },
    });
    await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: w.bolt, quantity: 2 }));
    await ok(change(id, { status: 'open' }));
  });
});

describe('equal outputs of a make order', () => {
  test('share one component line per ingredient, for the sum of their quantities, rounded up once', async () => {
    const [box, bottle, carton] = [await item(), await item(), await item()];
    await made(s.post(`/v1/items/${box}/ingredients`, { ingredientItemId: bottle, quantity: 6 }));
    await made(s.post(`/v1/items/${box}/ingredients`, { ingredientItemId: carton, quantity: 1, perQuantity: 4 }));
    const output = { itemId: box, quantity: 2 };
    const { id, lines } = (await ok(create({ module: 'make', lines: [output, output] }))).body.data;
    const components = (all: Record<string, unknown>[]) =>
      all.filter(({ kind }) => kind === 'component').map(({ itemId, quantity }) => [itemId, quantity]);
    expect(components(lines)).toEqual([
      [bottle, 24],
      [carton, 1],
    ]);
    // Without one of them the components are those of the other.
    const rest = lines.slice(1).map((line: { id: string }) => ({ id: line.id }));
    expect(components((await ok(change(id, { lines: rest }))).body.data.lines)).toEqual([
      [bottle, 12],
      [carton, 1],
    ]);
  });

  test('added to an order that has left draft share its components', async () => {
    const [box, bottle] = [await item(), await item()];
    await made(s.post(`/v1/items/${box}/ingredients`, { ingredientItemId: bottle, quantity: 6 }));
    const { id, lines } = (await ok(create({ module: 'make', status: 'open', lines: [{ itemId: box, quantity: 1 }] }))).body.data;
    const kept = lines.map((line: { id: string }) => ({ id: line.id }));
    const { data } = (await ok(change(id, { lines: [...kept, { itemId: box, quantity: 3 }] }))).body;
    expect(data.lines.map(({ kind, quantity }: Record<string, unknown>) => [kind, quantity])).toEqual([
      ['output', 1],
      ['component', 24],
      ['output', 3],
    ]);
  });
});
