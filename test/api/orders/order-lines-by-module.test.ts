/** Lines of check, fix and make orders. */
import { describe, expect, test } from 'vitest';
import { made } from '../../support/resources/order-world.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import { trace } from '../../support/service/call-trace.ts';
import { type Wire, useOrderLines } from '../../support/resources/order-lines.ts';

const { create, s, w, withLines, change, item, problem, stored } = useOrderLines();

describe('lines of check orders', () => {
  test('have a result and a failure reason', async () => {
    const { id, lines } = await withLines('check', [{ itemId: w.bolt, quantity: 10 }]);
    const [line] = lines;
    expect(line).toMatchObject({ passedQuantity: 0, failedQuantity: 0, result: 'pending', failureReason: null, failedDisposition: 'none' });
    const set = async (body: object) => (await change(id, [{ id: line.id, ...body }])).body.data?.lines[0];
    expect((await set({ passedQuantity: 9 })).result).toBe('pending');
    const noReason = await change(id, [{ id: line.id, failedQuantity: 1 }]);
    expect(problem(noReason)).toEqual([400, '/lines/0/failureReason', 'required']);
    expect(noReason.body.error.message).toBe('lines.0.failureReason is required when failedQuantity is more than 0.');
    const tooMany = await change(id, [{ id: line.id, failedQuantity: 2, failureReason: 'x' }]);
    expect(problem(tooMany)).toEqual([400, '/lines/0/failedQuantity', 'too_big']);
    expect(tooMany.body.error.message).toBe(
      'lines.0.failedQuantity: passedQuantity and failedQuantity together must not exceed the quantity.',
    );
    expect(await set({ failedQuantity: 1, failureReason: ' scratched ', failedDisposition: 'scrap' })).toMatchObject({
      result: 'fail',
      failureReason: 'scratched',
      failedDisposition: 'scrap',
    });
    expect((await set({ passedQuantity: 10, failedQuantity: 0 })).result).toBe('pass');
  });

  test('accept passed and failed quantities only in the precision of the unit', async () => {
    const lines = [{ itemId: w.bolt, quantity: 4, failedQuantity: 0.5, failureReason: 'bent', failedDisposition: 'scrap' }];
    expect(problem(await create({ module: 'check', lines }))).toEqual([400, '/lines/0/failedQuantity', 'invalid']);
    // 0.3 dozen are no number of pieces that could be scrapped.
    const dozen = await addUnit(s, 'inspected dozen', 'count', [12, 1], { precision: 2 });
    const inDozens = { itemId: w.bolt, unitId: dozen, quantity: 1.5 };
    for (const field of ['passedQuantity', 'failedQuantity']) {
      const reply = await create({ module: 'check', lines: [{ ...inDozens, [field]: 0.3, failureReason: 'bent' }] });
      expect(problem(reply)).toEqual([400, `/lines/0/${field}`, 'invalid']);
    }
    expect((await withLines('check', [{ ...inDozens, failedQuantity: 0.25, failureReason: 'bent' }])).lines[0].result).toBe('fail');
    const { id, lines: own } = await withLines('check', [{ itemId: w.coffee, quantity: 4, passedQuantity: 1.5 }]);
    expect(problem(await change(id, [{ id: own[0].id, itemId: w.bolt }]))).toEqual([400, '/lines/0/passedQuantity', 'invalid']);
    expect((await change(id, [{ id: own[0].id, itemId: w.bolt, passedQuantity: 2 }])).status).toBe(200);
  });
});

describe('lines of fix orders', () => {
  test('are targets, parts or services; a service needs a description instead of an item', async () => {
    const { lines, total } = await withLines('fix', [
      { itemId: w.coffee, quantity: 1 },
      { kind: 'part', itemId: w.bolt, quantity: 2, unitPrice: 3 },
      { kind: 'service', description: 'Labour', quantity: 1.5, unitPrice: 40 },
    ]);
    expect(lines.map((line: Wire) => [line.kind, line.itemId, line.item?.name ?? null, line.unitId, line.description])).toEqual([
      ['target', w.coffee, 'Coffee', w.kg, 'Coffee'],
      ['part', w.bolt, 'Bolt', w.pcs, 'Bolt'],
      ['service', null, null, null, 'Labour'],
    ]);
    expect(total).toBe(66);
    const bare = await create({ module: 'fix', lines: [{ kind: 'service', quantity: 1 }] });
    expect(problem(bare)).toEqual([400, '/lines/0/description', 'required']);
    expect(bare.body.error.message).toBe('lines.0.description is required on a service line without an item.');
  });
});

describe('lines of make orders', () => {
  const recipe = async () => {
    const [bag, label] = [await item({ name: 'Bag', unitId: w.pcs, itemType: 'material' }), await item({ name: 'Label', unitId: w.pcs })];
    const blend = await item({ name: 'Blend 250 g', unitId: w.pcs });
    const add = (ingredientItemId: string, more: object) => made(s.post(`/v1/items/${blend}/ingredients`, { ingredientItemId, ...more }));
    const ids = [
      await add(w.coffee, { quantity: 0.25, wastePercent: 10 }),
      await add(bag, { quantity: 1 }),
      await add(label, { quantity: 1, perQuantity: 8 }),
    ];
    return { blend, bag, label, ids };
  };
  const parts = (order: Wire): [number, number | null, boolean][] =>
    order.lines.filter((line: Wire) => line.kind === 'component').map((line: Wire) => [line.quantity, line.plannedQuantity, line.isManual]);
  const refs = (order: Wire): Wire[] => order.lines.map((line: Wire) => ({ id: line.id }));

  test('add the ingredients of an output as components', async () => {
    const { blend, ids, bag } = await recipe();
    const order = await withLines('make', [{ itemId: blend, quantity: 10 }], { status: 'open' });
    expect(order.lines.map((line: Wire) => [line.kind, line.quantity, line.unit.symbol])).toEqual([
      ['output', 10, 'pcs'],
      ['component', 2.75, 'kg'],
      ['component', 10, 'pcs'],
      ['component', 2, 'pcs'],
    ]);
    expect(order.lines[2]).toMatchObject({
      itemId: bag,
      sourceIngredientId: ids[1],
      plannedQuantity: 10,
      isManual: false,
      unitPrice: null,
    });
    expect(order.lines[0]).not.toHaveProperty('isManual');
  });

  test('update components with the output of a draft, except manually edited ones', async () => {
    const { blend } = await recipe();
    const order = await withLines('make', [{ itemId: blend, quantity: 10 }]);
    const [output, coffee, bag, label] = refs(order);
    const edited = (await change(order.id, [output, coffee, { ...bag, quantity: 12 }, label])).body.data;
    expect(parts(edited)).toEqual([
      [2.75, 2.75, false],
      [12, 10, true],
      [2, 2, false],
    ]);
    const doubled = (await change(order.id, [{ ...output, quantity: 20 }, coffee, bag, label])).body.data;
    expect(parts(doubled)).toEqual([
      [5.5, 5.5, false],
      [12, 20, true],
      [3, 3, false],
    ]);
    const released = (await change(order.id, [output, coffee, { ...bag, isManual: false }, label])).body.data;
    expect(parts(released)).toEqual([
      [5.5, 5.5, false],
      [20, 20, false],
      [3, 3, false],
    ]);
    expect(released.lines.map((line: Wire) => line.id)).toEqual(order.lines.map((line: Wire) => line.id));
  });

  test('state plannedQuantity in the unit of the component line', async () => {
    const { blend } = await recipe();
    const gram = await addUnit(s, 'gram', 'mass', [1, 1000], { precision: 3 });
    const order = await withLines('make', [{ itemId: blend, quantity: 10 }]);
    const [output, coffee, bag, label] = refs(order);
    const weighed = (await change(order.id, [output, { ...coffee, unitId: gram, quantity: 2800 }, bag, label])).body.data;
    expect(parts(weighed)[0]).toEqual([2800, 2750, true]);
    const doubled = (await change(order.id, [{ ...output, quantity: 20 }, coffee, bag, label])).body.data;
    expect(parts(doubled)[0]).toEqual([2800, 5500, true]);
    const released = (await change(order.id, [output, { ...coffee, isManual: false }, bag, label])).body.data;
    expect([parts(released)[0], released.lines[1].unit.symbol]).toEqual([[5.5, 5.5, false], 'kg']);
  });

  test('keep components unchanged when ingredients change, and follow the outputs of an open order with the earlier ones', async () => {
    const { blend, ids } = await recipe();
    const draft = await withLines('make', [{ itemId: blend, quantity: 10 }]);
    const open = await withLines('make', [{ itemId: blend, quantity: 10 }], { status: 'open' });
    await s.patch(`/v1/items/${blend}/ingredients/${ids[0] ?? ''}`, { quantity: 1 });
    expect(await stored(draft.id)).toEqual(draft.lines);
    const { reply, events } = await trace(s, () => change(draft.id, refs(draft)));
    expect([reply.body.data.lines, events]).toEqual([draft.lines, []]);
    const [output, ...rest] = refs(open);
    const more = (await change(open.id, [{ ...output, quantity: 20 }, ...rest])).body.data;
    expect(parts(more)).toEqual([
      [5.5, 5.5, false],
      [20, 20, false],
      [3, 3, false],
    ]);
  });

  test('remove components with their output except manually edited ones; components in the body replace the recipe', async () => {
    const { blend } = await recipe();
    const order = await withLines('make', [{ itemId: blend, quantity: 10 }]);
    const [output, coffee, bag, label] = refs(order);
    const swapped = (await change(order.id, [{ ...output, itemId: w.bolt }, coffee, { ...bag, quantity: 11 }, label])).body.data;
    expect(swapped.lines.map((line: Wire) => [line.kind, line.itemName, line.quantity])).toEqual([
      ['output', 'Bolt', 10],
      ['component', 'Bag', 11],
    ]);
    const own = await withLines('make', [
      { itemId: blend, quantity: 10 },
      { kind: 'component', itemId: w.bolt, quantity: 1 },
    ]);
    expect(parts(own)).toEqual([[1, null, true]]);
    const released = await change(own.id, [refs(own)[0], { ...refs(own)[1], isManual: false }]);
    expect(problem(released)).toEqual([400, '/lines/1/isManual', 'not_allowed']);
    expect(released.body.error.message).toBe('lines.1.isManual must be true: the line was added manually and has no ingredient to follow.');
  });

  test('share components between two outputs of the same item', async () => {
    const { blend } = await recipe();
    const order = await withLines('make', [
      { itemId: blend, quantity: 4 },
      { itemId: blend, quantity: 6 },
    ]);
    expect(parts(order)).toEqual([
      [2.75, 2.75, false],
      [10, 10, false],
      [2, 2, false],
    ]);
  });
});
