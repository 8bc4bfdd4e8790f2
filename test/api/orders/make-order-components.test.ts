/** Components of make orders follow the outputs as long as lines can change (D-8). */
import { describe, expect, test } from 'vitest';
import { made } from '../../support/resources/order-world.ts';
import { findProblems, postDocument, stockUp } from '../../support/resources/stock.ts';
import { useOrderStock } from '../../support/resources/order-stock.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import type { Wire } from '../../support/resources/order-lines.ts';

const { change, create, s, w, item, ok, level, figures, order: readOrder, cancel } = useOrderStock();

/** A product of three parts each, with 60 parts on hand at cost 1. */
async function makeProduct() {
  const [part, product] = [await item({ itemType: 'material' }), await item()];
  const ingredientId = await made(s.post(`/v1/items/${product}/ingredients`, { ingredientItemId: part, quantity: 3 }));
  await stockUp(s, [{ itemId: part, quantity: 60, unitCost: 1 }]);
  return { part, product, ingredientId };
}

async function openOrder(product: string, quantity: number, status = 'open'): Promise<Wire> {
  const { data } = (await ok(create({ module: 'make', status: 'open', lines: [{ itemId: product, quantity }] }))).body;
  return status === 'open' ? data : (await ok(change(data.id, { status }))).body.data;
}

const ids = (order: Wire): { id: string }[] => order.lines.map(({ id }: Wire) => ({ id }));
const summary = (order: Wire): unknown[] =>
  order.lines.map((line: Wire) =>
    line.kind === 'component' ? [line.quantity, line.plannedQuantity, line.isManual, line.fulfilledQuantity] : [line.quantity],
  );
const setLines = async (id: string, lines: readonly object[]) => (await ok(change(id, { lines }))).body.data;
const lockedReason = async (id: string, lines: readonly object[]): Promise<string> => {
  const { status, body } = await change(id, { lines });
  expect([status, body.error.code]).toEqual([409, 'FIELD_LOCKED']);
  return body.error.message;
};
const produce = (order: Wire, parts: number, products: number) =>
  postDocument(s, {
    type: 'production',
    orderId: order.id,
    lines: [
      { itemId: order.lines[1].itemId, direction: 'out', quantity: parts, orderLineId: order.lines[1].id },
      { itemId: order.lines[0].itemId, direction: 'in', quantity: products, orderLineId: order.lines[0].id },
    ].filter(({ quantity }) => quantity > 0),
  });

describe('components of an order that is not completed', () => {
  test('follow a reduced output of a partly produced order, so that completing consumes what the outputs need', async () => {
    const { part, product } = await makeProduct();
    const order = await openOrder(product, 2, 'in_progress');
    await produce(order, 3, 1);
    const reduced = await setLines(order.id, [{ id: order.lines[0].id, quantity: 1 }, { id: order.lines[1].id }]);
    expect(summary(reduced)).toEqual([[1], [3, 3, false, 3]]);
    expect([await figures(part), await figures(product)]).toEqual([
      [57, 0, 0],
      [1, 0, 0],
    ]);
    await ok(change(order.id, { status: 'completed' }));
    expect([await level(part), await level(product)]).toMatchObject([{ figures: [57, 0, 0] }, { figures: [1, 0, 0], value: 3 }]);
    expect(await findProblems(s)).toEqual([]);
  });

  test.each(['open', 'in_progress', 'waiting'])('follow outputs that grow and shrink while the order is %s', async (status) => {
    const { part, product } = await makeProduct();
    const order = await openOrder(product, 3, status);
    const [output, component] = ids(order);
    expect(summary(await setLines(order.id, [{ ...output, quantity: 5 }, { ...component }]))).toEqual([[5], [15, 15, false, 0]]);
    expect([await figures(part), await figures(product)]).toEqual([
      [60, 15, 0],
      [0, 0, 5],
    ]);
    const added = await setLines(order.id, [{ ...output, quantity: 1 }, { ...component }, { itemId: product, quantity: 1 }]);
    expect(summary(added)).toEqual([[1], [6, 6, false, 0], [1]]);
    expect(summary(await setLines(order.id, [{ ...output }, { ...component }]))).toEqual([[1], [3, 3, false, 0]]);
    expect(await figures(part)).toEqual([60, 3, 0]);
    expect(await findProblems(s)).toEqual([]);
  });

  test('are not reduced below what is posted, and state what the outputs need', async () => {
    const { part, product } = await makeProduct();
    const order = await openOrder(product, 4);
    await produce(order, 9, 0);
    const reduced = await setLines(order.id, [{ id: order.lines[0].id, quantity: 2 }, { id: order.lines[1].id }]);
    expect(summary(reduced)).toEqual([[2], [9, 6, false, 9]]);
    expect(await figures(part)).toEqual([51, 0, 0]);
    const { lines } = await setLines(order.id, [{ id: order.lines[0].id, quantity: 4 }, { id: order.lines[1].id }]);
    expect([lines[1].quantity, lines[1].remainingQuantity]).toEqual([12, 3]);
    expect(await findProblems(s)).toEqual([]);
  });

  test.each(['draft', 'open', 'in_progress', 'waiting'])(
    'that are manual keep their quantity until isManual is false, in %s',
    async (status) => {
      const { product } = await makeProduct();
      const order =
        status === 'draft'
          ? (await ok(create({ module: 'make', lines: [{ itemId: product, quantity: 2 }] }))).body.data
          : await openOrder(product, 2, status);
      const [output, component] = ids(order);
      expect(summary(await setLines(order.id, [{ ...output }, { ...component, quantity: 10 }]))).toEqual([[2], [10, 6, true, 0]]);
      expect(summary(await setLines(order.id, [{ ...output, quantity: 3 }, { ...component }]))).toEqual([[3], [10, 9, true, 0]]);
      expect(summary(await setLines(order.id, [{ ...output }, { ...component, isManual: false }]))).toEqual([[3], [9, 9, false, 0]]);
      // A quantity beside isManual: false does not win.
      const both = await setLines(order.id, [{ ...output }, { ...component, quantity: 7, isManual: false }]);
      expect(summary(both)).toEqual([[3], [9, 9, false, 0]]);
    },
  );

  test('keep the unit in which they were posted when isManual becomes false', async () => {
    const gram = await addUnit(s, 'follow gram', 'mass', [1, 1000], { precision: 3 });
    const [flour, bread] = [await item({ itemType: 'material', unitId: w.kg }), await item()];
    await made(s.post(`/v1/items/${bread}/ingredients`, { ingredientItemId: flour, quantity: 0.5 }));
    await stockUp(s, [{ itemId: flour, quantity: 50, unitCost: 1 }]);
    const order = await openOrder(bread, 4);
    const [output, component] = ids(order);
    const weighed = await setLines(order.id, [{ ...output }, { ...component, unitId: gram, quantity: 2500 }]);
    await produce(weighed, 1000, 1);
    const released = await setLines(order.id, [{ ...output }, { ...component, isManual: false }]);
    expect([summary(released)[1], released.lines[1].unit.symbol]).toEqual([[2000, 2000, false, 1000], 'follow gram']);
    await ok(change(order.id, { status: 'completed' }));
    expect(await figures(flour)).toEqual([48, 0, 0]);
    expect(await findProblems(s)).toEqual([]);
  });

  test('go with their output, which takes no other components along', async () => {
    const [one, two] = [await makeProduct(), await makeProduct()];
    const lines = [one, two].map(({ product }) => ({ itemId: product, quantity: 2 }));
    const order = (await ok(create({ module: 'make', status: 'open', lines }))).body.data;
    const left = await setLines(order.id, ids(order).slice(1));
    expect(left.lines.map(({ kind, itemId, quantity }: Wire) => [kind, itemId, quantity])).toEqual([
      ['output', two.product, 2],
      ['component', two.part, 6],
    ]);
    expect([await figures(one.part), await figures(two.part)]).toEqual([
      [60, 0, 0],
      [60, 6, 0],
    ]);
    expect(await findProblems(s)).toEqual([]);
  });

  test('that are posted keep their output from being removed, unless they stay as manual lines', async () => {
    const [one, two] = [await makeProduct(), await makeProduct()];
    const lines = [one, two].map(({ product }) => ({ itemId: product, quantity: 2 }));
    const order = (await ok(create({ module: 'make', status: 'open', lines }))).body.data;
    const component = order.lines.find(({ itemId }: Wire) => itemId === one.part);
    const document = await postDocument(s, {
      type: 'production',
      orderId: order.id,
      lines: [{ itemId: one.part, direction: 'out', quantity: 2, orderLineId: component.id }],
    });
    const kept = ids(order).slice(1);
    const advice = 'Include it in lines, with isManual true if no output needs it.';
    expect(await lockedReason(order.id, kept)).toBe(
      `Line ${String(component.lineNumber)} of ${String(order.orderNumber)} cannot be removed: stock was posted for it. ${advice}`,
    );
    expect(await readOrder(order.id)).toMatchObject({ lines: { length: 4 } });
    const manual = await setLines(
      order.id,
      kept.map((line) => (line.id === component.id ? { ...line, isManual: true } : line)),
    );
    const left = manual.lines.find(({ id }: Wire) => id === component.id);
    expect(left).toMatchObject({ quantity: 6, plannedQuantity: 0, isManual: true });
    await ok(cancel(document));
    // The line is in a document, even if a cancelled one.
    expect(
      await lockedReason(
        order.id,
        manual.lines.map(({ id }: Wire) => ({ id, ...(id === component.id ? { isManual: false } : {}) })),
      ),
    ).toBe(`Line ${String(left.lineNumber)} of ${String(order.orderNumber)} cannot be removed: stock documents reference it. ${advice}`);
    expect(await findProblems(s)).toEqual([]);
  });

  test('follow with the recipe of the time when the order was opened, also after the ingredient is gone', async () => {
    const { product, ingredientId } = await makeProduct();
    const order = await openOrder(product, 2);
    const [output, component] = ids(order);
    await ok(s.patch(`/v1/items/${product}/ingredients/${ingredientId}`, { quantity: 5 }));
    expect(summary(await setLines(order.id, [{ ...output, quantity: 3 }, { ...component }]))).toEqual([[3], [9, 9, false, 0]]);
    await ok(s.delete(`/v1/items/${product}/ingredients/${ingredientId}`));
    expect(summary(await setLines(order.id, [{ ...output, quantity: 1 }, { ...component }]))).toEqual([[1], [3, 3, false, 0]]);
  });

  test('round a need up once for all outputs, as when the order was created', async () => {
    const [label, jar] = [await item({ itemType: 'material' }), await item()];
    await made(s.post(`/v1/items/${jar}/ingredients`, { ingredientItemId: label, quantity: 1, perQuantity: 8 }));
    const order = await openOrder(jar, 10);
    const [output, component] = ids(order);
    expect(summary(order)[1]).toEqual([2, 2, false, 0]);
    expect(summary(await setLines(order.id, [{ ...output, quantity: 20 }, { ...component }]))[1]).toEqual([3, 3, false, 0]);
  });

  test('of an earlier release follow the present recipe; without their ingredient they are locked until they are manual', async () => {
    const { product, ingredientId } = await makeProduct();
    const order = await openOrder(product, 2);
    const [output, component] = ids(order);
    const lineId = component?.id ?? '';
    const storeAsBefore = () =>
      s.service.store.transact(s.tenant.id, async (tx) => {
        const line = await tx.orderLines.get(lineId);
        if (!line?.component) throw new Error('no component line');
        const { need: _, ...rest } = line.component;
        await tx.orderLines.put({ ...line, component: rest });
      });
    await storeAsBefore();
    expect(summary(await setLines(order.id, [{ ...output, quantity: 3 }, { ...component }]))).toEqual([[3], [9, 9, false, 0]]);
    await storeAsBefore();
    await ok(s.delete(`/v1/items/${product}/ingredients/${ingredientId}`));
    expect(await lockedReason(order.id, [{ ...output, quantity: 4 }, { ...component }])).toBe(
      `Line 2 of ${String(order.orderNumber)}, ${String(order.lines[1].description)}, cannot follow its output: its ingredient was deleted. Set isManual to true, and the quantity.`,
    );
    const manual = await setLines(order.id, [
      { ...output, quantity: 4 },
      { ...component, quantity: 12, isManual: true },
    ]);
    expect(summary(manual)).toEqual([[4], [12, null, true, 0]]);
    expect(await lockedReason(order.id, [{ ...output }, { ...component, isManual: false }])).toMatch(/ingredient was deleted/);
  });
});
