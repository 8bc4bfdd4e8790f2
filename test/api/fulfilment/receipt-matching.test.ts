/** A receipt of a purchase order fulfils its lines, also if it names only the items (D-6). */
import { describe, expect, test } from 'vitest';
import { made } from '../../support/resources/order-world.ts';
import { DOCUMENTS, useOrderStock } from '../../support/resources/order-stock.ts';
import { findProblems, postDocument } from '../../support/resources/stock.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import { refused } from '../../support/service/call-trace.ts';

const { change, create, s, w, item, ok, level, document, order, purchase, figures } = useOrderStock();

const receipt = (orderId: string, ...lines: readonly object[]) => ({ type: 'receipt', orderId, lines });
const fulfilled = async (id: string) => (await order(id)).lines.map((line: { fulfilledQuantity: number }) => line.fulfilledQuantity);
const twoLines = async (it: string, first: object, second: object): Promise<string> => {
  const lines = [
    { itemId: it, ...first },
    { itemId: it, ...second },
  ];
  return (await ok(create({ module: 'buy', status: 'open', contactId: w.supplier, lines }))).body.data.id;
};

describe('a receipt line without orderLineId', () => {
  test('fulfils the line of its item at the price of the order', async () => {
    const it = await item();
    const { id, lines } = await purchase(it, 10, { unitPrice: 3 });
    const posted = await document(await postDocument(s, receipt(id, { itemId: it, quantity: 4 })));
    expect(posted).toMatchObject({ totalCost: 12, lines: [{ orderLineId: lines[0].id, postedUnitCost: 3 }] });
    expect([await fulfilled(id), await figures(it)]).toEqual([[4], [4, 0, 6]]);
    await ok(change(id, { status: 'completed' }));
    expect(await level(it)).toMatchObject({ figures: [10, 0, 0], value: 30 });
    expect(await findProblems(s)).toEqual([]);
  });

  test('costs 0 only if it says so', async () => {
    const it = await item();
    const { id } = await purchase(it, 10, { unitPrice: 3 });
    await postDocument(s, receipt(id, { itemId: it, quantity: 4, unitCost: 0 }));
    expect((await level(it)).value).toBe(0);
  });

  test('is divided over several lines of its item, in their order', async () => {
    const it = await item();
    const dozen = await addUnit(s, 'received dozen', 'count', [12, 1], { precision: 0 });
    const id = await twoLines(it, { quantity: 5, unitPrice: 2 }, { quantity: 1, unitId: dozen, unitPrice: 36 });
    const other = await item();
    await ok(s.post(DOCUMENTS, receipt(id, { itemId: it, quantity: 1 })));
    const posted = await document(await postDocument(s, receipt(id, { itemId: it, quantity: 8 })));
    expect(posted.lines.map(({ quantity, postedValue }: Record<string, number>) => [quantity, postedValue])).toEqual([
      [5, 10],
      [3, 9],
    ]);
    expect(await fulfilled(id)).toEqual([5, 0.25]);
    const rest = await document(await postDocument(s, receipt(id, { itemId: it, quantity: 9 })));
    expect(rest.lines.map(({ quantity }: { quantity: number }) => quantity)).toEqual([9]);
    const { fulfilment, orderNumber } = await order(id);
    expect(fulfilment).toBe('full');
    const foreign = await refused(s, () => s.post(DOCUMENTS, receipt(id, { itemId: other, quantity: 1 })), 400, 'VALIDATION_FAILED');
    expect(foreign.body.error).toMatchObject({
      message: `lines.0.itemId: ${String(orderNumber)} has no line of this item; omit orderId to receive it without the order.`,
      fields: [{ path: '/lines/0/itemId', code: 'not_allowed' }],
    });
    expect(await findProblems(s)).toEqual([]);
  });

  test('of more than the order needs is rejected, and counts what the document has already', async () => {
    const it = await item({ name: 'Crate' });
    const { id, orderNumber, lines } = await purchase(it, 10);
    const { error } = (await refused(s, () => s.post(DOCUMENTS, receipt(id, { itemId: it, quantity: 12 })), 409, 'INVALID_STATE')).body;
    expect(error.message).toBe(`${orderNumber} needs 10 more of Crate, but the receipt has 12. Receive the rest without orderId.`);
    expect(error.details).toEqual({ itemId: it, remaining: 10, path: '/lines/0/quantity' });
    const both = receipt(id, { itemId: it, quantity: 4 }, { itemId: it, quantity: 7, orderLineId: lines[0].id });
    await refused(s, () => s.post(DOCUMENTS, both), 409, 'INVALID_STATE');
    const draft = await made(s.post(DOCUMENTS, receipt(id, { itemId: it, quantity: 6 })));
    await refused(s, () => s.post(`${DOCUMENTS}/${draft}/lines`, { itemId: it, quantity: 5 }), 409, 'INVALID_STATE');
    const added = (await ok(s.post(`${DOCUMENTS}/${draft}/lines`, { itemId: it, quantity: 4 }))).body.data;
    expect(added.orderLineId).toBe(lines[0].id);
  });

  test('is added for one line of the order at a time', async () => {
    const it = await item();
    const id = await twoLines(it, { quantity: 5 }, { quantity: 5 });
    const draft = await made(s.post(DOCUMENTS, receipt(id)));
    const { lines } = await order(id);
    const orderLineIds = lines.map((line: { id: string }) => line.id);
    const both = await refused(s, () => s.post(`${DOCUMENTS}/${draft}/lines`, { itemId: it, quantity: 7 }), 409, 'INVALID_STATE');
    expect(both.body.error).toMatchObject({
      message: 'The quantity belongs to several lines of the order. Add a line with orderLineId for each.',
      details: { orderLineIds },
    });
    const add = async (quantity: number) =>
      (await ok(s.post(`${DOCUMENTS}/${draft}/lines`, { itemId: it, quantity }))).body.data.orderLineId;
    expect([await add(5), await add(5)]).toEqual(orderLineIds);
  });

  test('cannot be submitted if it lost its order line', async () => {
    const it = await item();
    const { id } = await purchase(it, 10);
    const draft = await made(s.post(DOCUMENTS, { type: 'receipt', lines: [{ itemId: it, quantity: 2 }] }));
    await ok(s.patch(`${DOCUMENTS}/${draft}`, { orderId: id }));
    const { error } = (await refused(s, () => s.post(`${DOCUMENTS}/${draft}/submit`, {}), 409, 'INVALID_STATE')).body;
    expect(error.message).toMatch(
      /^Line 1 of RC-\d+ names no line of PO-\d+\. Set its orderLineId, or clear the orderId of the document to receive it without the order\.$/u,
    );
    expect(error.details).toEqual({ lineNumber: 1, orderId: id });
    await ok(s.patch(`${DOCUMENTS}/${draft}`, { orderId: null }));
    await ok(s.post(`${DOCUMENTS}/${draft}/submit`, {}));
  });
});
