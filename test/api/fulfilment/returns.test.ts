/** Returns of completed orders: at the cost that left, counted by the order lines, reversible (D-6). */
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '../../../src/contract/errors.ts';
import { addSite, made } from '../../support/resources/order-world.ts';
import { DOCUMENTS, useOrderStock } from '../../support/resources/order-stock.ts';
import { findProblems, postDocument, stockUp, submitDocument } from '../../support/resources/stock.ts';
import { refused, trace } from '../../support/service/call-trace.ts';

const { change, create, s, w, item, ok, level, document, order, sale, purchase, figures, cancel } = useOrderStock();

/** A completed sale of 3 that cost 5 each, of an item that is bought for 99. */
async function soldThree() {
  const it = await item({ purchasePrice: 99 });
  await stockUp(s, [{ itemId: it, quantity: 3, unitCost: 5 }]);
  const { id } = await sale(it, 3);
  const { lines, stockDocumentIds } = (await ok(change(id, { status: 'completed' }))).body.data;
  const line = { itemId: it, orderLineId: lines[0].id as string };
  const giveBack = (quantity: number, more: object = {}) => ({ type: 'receipt', returnOf: id, lines: [{ ...line, quantity, ...more }] });
  return { it, id, line, giveBack, issueId: stockDocumentIds[0] as string };
}

describe('a customer return', () => {
  test('comes back at the cost that left, and the order line counts it', async () => {
    const { it, id, giveBack } = await soldThree();
    const { contactId } = await order(id);
    const draft = await submitDocument(s, giveBack(1));
    expect(await figures(it)).toEqual([0, 0, 1]);
    const { bodies, actions } = await trace(s, () => s.post(`${DOCUMENTS}/${draft}/approve`, {}));
    expect(actions).toEqual(['stock_document.approved', 'order.returned']);
    expect(
      bodies.map(({ event, data }: { event: string; data: { returnOf?: string; changes: string[] } }) => [event, data.returnOf]),
    ).toEqual([
      ['stock_document.updated', id],
      ['order.updated', undefined],
    ]);
    expect(await document(draft)).toMatchObject({ returnOf: id, orderId: null, contactId, totalCost: 5, lines: [{ postedUnitCost: 5 }] });
    expect(await order(id)).toMatchObject({
      status: 'completed',
      fulfilment: 'full',
      returnDocumentIds: [draft],
      lines: [{ fulfilledQuantity: 3, returnedQuantity: 1 }],
    });
    expect(await level(it)).toMatchObject({ figures: [1, 0, 0], value: 5 });
    expect(await findProblems(s)).toEqual([]);
  });

  test('comes back at the cost of what left for good, not of an issue that was reversed', async () => {
    const it = await item();
    await stockUp(s, [{ itemId: it, quantity: 3, unitCost: 5 }]);
    const { id, lines } = await sale(it, 3);
    const line = { itemId: it, orderLineId: lines[0].id };
    await ok(cancel(await postDocument(s, { type: 'issue', orderId: id, lines: [{ ...line, quantity: 2 }] })));
    await stockUp(s, [{ itemId: it, quantity: 3, unitCost: 11 }]);
    await ok(change(id, { status: 'completed' }));
    const returned = await postDocument(s, { type: 'receipt', returnOf: id, lines: [{ ...line, quantity: 3 }] });
    expect(await document(returned)).toMatchObject({ totalCost: 24 });
  });

  test('can have another cost', async () => {
    const { it, giveBack } = await soldThree();
    await postDocument(s, giveBack(1, { unitCost: 2 }));
    expect((await level(it)).value).toBe(2);
  });

  test('gives back exactly what left, in however many parts', async () => {
    const it = await item();
    await stockUp(s, [
      { itemId: it, quantity: 3, unitCost: 3.333333 },
      { itemId: it, quantity: 1, unitCost: 0.000005 },
    ]);
    const { id, lines } = await sale(it, 3);
    await ok(change(id, { status: 'completed' }));
    const before = await level(it);
    const issued = (await document((await order(id)).stockDocumentIds[0])).lines[0].postedValue;
    for (let part = 0; part < 3; part += 1)
      await postDocument(s, { type: 'receipt', returnOf: id, lines: [{ itemId: it, quantity: 1, orderLineId: lines[0].id }] });
    expect((await level(it)).value).toBe(Number((before.value - issued).toFixed(6)));
    expect(await findProblems(s)).toEqual([]);
  });

  test('is reversed like any document, and more than what left is rejected', async () => {
    const { it, id, giveBack } = await soldThree();
    const two = await postDocument(s, giveBack(2));
    const more = await made(s.post(DOCUMENTS, giveBack(2)));
    const { error } = (await refused(s, () => s.post(`${DOCUMENTS}/${more}/submit`, {}), 409, 'INVALID_STATE')).body;
    expect(error.message).toMatch(/^SO-\d+ has 1 of Item \S+ left to return, but line 1 of the document has 2\.$/u);
    await ok(cancel(two));
    expect((await order(id)).lines[0].returnedQuantity).toBe(0);
    expect(await figures(it)).toEqual([0, 0, 0]);
    await ok(s.post(`${DOCUMENTS}/${more}/submit`, {}));
    await ok(s.post(`${DOCUMENTS}/${more}/approve`, {}));
    expect((await order(id)).lines[0].returnedQuantity).toBe(2);
    expect(await findProblems(s)).toEqual([]);
  });

  test('keeps the issue that it refers to from being reversed', async () => {
    const { giveBack, issueId, id, line } = await soldThree();
    const { orderNumber } = await order(id);
    const returned = await postDocument(s, giveBack(1));
    const { error } = (await refused(s, () => cancel(issueId), 409, 'INVALID_STATE')).body;
    expect(error).toMatchObject({
      message: `Goods of line 1 of ${String(orderNumber)} were returned. Cancel the documents of the return first.`,
      details: { orderLineId: line.orderLineId },
    });
    await ok(cancel(returned));
    await ok(cancel(issueId));
    expect(await order(id)).toMatchObject({ status: 'in_progress', fulfilment: 'none' });
    expect(await findProblems(s)).toEqual([]);
  });

  test('takes back parts of a combo', async () => {
    const [pen, pad, kit] = [await item(), await item(), await item({ itemType: 'combo', unitId: null })];
    await made(s.post(`/v1/items/${kit}/ingredients`, { ingredientItemId: pen, quantity: 2 }));
    await made(s.post(`/v1/items/${kit}/ingredients`, { ingredientItemId: pad, quantity: 1 }));
    await stockUp(s, [
      { itemId: pen, quantity: 4, unitCost: 1 },
      { itemId: pad, quantity: 2, unitCost: 7 },
    ]);
    const { id, lines } = await sale(kit, 2);
    await ok(change(id, { status: 'completed' }));
    const back = (itemId: string, quantity: number) => ({ itemId, quantity, orderLineId: lines[0].id });
    await postDocument(s, { type: 'receipt', returnOf: id, lines: [back(pen, 2)] });
    const [line] = (await order(id)).lines;
    expect([line.returnedQuantity, line.parts.map((part: { returnedQuantity: number }) => part.returnedQuantity)]).toEqual([0, [2, 0]]);
    await postDocument(s, { type: 'receipt', returnOf: id, lines: [back(pad, 1)] });
    expect((await order(id)).lines[0].returnedQuantity).toBe(1);
    expect([(await level(pen)).value, (await level(pad)).value]).toEqual([2, 7]);
    expect(await findProblems(s)).toEqual([]);
  });
});

test('a return goes to the given site, else to that of the order, else to where the order takes its stock from', async () => {
  const it = await item();
  const returns = await addSite(s, 'RETURNS');
  await stockUp(s, [{ itemId: it, quantity: 5, unitCost: 1 }]);
  await stockUp(s, [{ itemId: it, quantity: 5, unitCost: 1 }], returns);
  for (const [siteId, draft, expected] of [
    [returns, {}, returns],
    [returns, { siteId: s.tenant.defaultSiteId }, s.tenant.defaultSiteId],
    [null, {}, s.tenant.defaultSiteId],
  ] as const) {
    const { id, lines } = await sale(it, 1, { siteId });
    await ok(change(id, { status: 'completed' }));
    const given = await ok(
      s.post(DOCUMENTS, { type: 'receipt', returnOf: id, ...draft, lines: [{ itemId: it, quantity: 1, orderLineId: lines[0].id }] }),
    );
    expect(given.body.data.siteId).toBe(expected);
  }
});

test('a supplier return is an issue for a completed purchase', async () => {
  const it = await item();
  const { id, lines } = await purchase(it, 10, { unitPrice: 4 });
  await ok(change(id, { status: 'completed' }));
  await postDocument(s, { type: 'issue', returnOf: id, lines: [{ itemId: it, quantity: 3, orderLineId: lines[0].id }] });
  expect((await order(id)).lines[0]).toMatchObject({ fulfilledQuantity: 10, returnedQuantity: 3 });
  expect(await level(it)).toMatchObject({ figures: [7, 0, 0], value: 28 });
  expect(await findProblems(s)).toEqual([]);
});

test('a return that does not fit its order is rejected', async () => {
  const { it, id, line, giveBack } = await soldThree();
  const rejected = async (body: object, status: number, code: ErrorCode) =>
    (await refused(s, () => s.post(DOCUMENTS, body), status, code)).body.error;
  expect(await rejected({ ...giveBack(1), type: 'issue' }, 400, 'VALIDATION_FAILED')).toMatchObject({
    message: 'returnOf: a return of a sell order is a document of type receipt.',
    fields: [{ path: '/returnOf', code: 'not_allowed' }],
  });
  const absent = s.service.newId();
  expect(await rejected({ ...giveBack(1), returnOf: absent }, 400, 'VALIDATION_FAILED')).toMatchObject({
    message: `No order ${absent}. GET /v1/orders?module=… lists the orders.`,
    fields: [{ path: '/returnOf', code: 'invalid' }],
  });
  expect(await rejected({ ...giveBack(1), orderId: id }, 400, 'VALIDATION_FAILED')).toMatchObject({
    message: 'orderId cannot be combined with returnOf: a return fulfils no order.',
    fields: [{ path: '/orderId', code: 'not_allowed' }],
  });
  const unlinked = { type: 'receipt', returnOf: id, lines: [{ itemId: it, quantity: 1 }] };
  expect(await rejected(unlinked, 400, 'VALIDATION_FAILED')).toMatchObject({
    message: 'lines.0.orderLineId is required on a return: the order line that is returned.',
    fields: [{ path: '/lines/0/orderLineId', code: 'required' }],
  });
  const { orderNumber } = await order(id);
  const otherItem = { ...giveBack(1), lines: [{ ...line, itemId: w.bolt, quantity: 1 }] };
  expect((await rejected(otherItem, 400, 'VALIDATION_FAILED')).message).toBe(
    `lines.0.orderLineId: line 1 of ${String(orderNumber)} requires another item.`,
  );
  const open = await sale(it, 1);
  const early = { type: 'receipt', returnOf: open.id, lines: [{ itemId: it, quantity: 1, orderLineId: open.lines[0].id }] };
  expect((await rejected(early, 409, 'INVALID_STATE')).message).toContain('is open. Goods can be returned once it is completed');
  const made3 = (await ok(create({ module: 'fix', lines: [{ kind: 'part', itemId: it, quantity: 1 }] }))).body.data;
  expect((await rejected({ ...giveBack(1), returnOf: made3.id }, 400, 'VALIDATION_FAILED')).message).toBe(
    'returnOf: a fix order has no returns; only buy and sell orders have them.',
  );
  const draft = await made(s.post(DOCUMENTS, giveBack(1)));
  const linked = await refused(s, () => s.patch(`${DOCUMENTS}/${draft}`, { orderId: open.id }), 400, 'VALIDATION_FAILED');
  expect(linked.body.error).toMatchObject({
    message: 'orderId is not allowed on a return, which fulfils no order.',
    fields: [{ path: '/orderId', code: 'not_allowed' }],
  });
});

test('a return of an order that is open again is neither submitted nor approved', async () => {
  const { id, line, giveBack, issueId } = await soldThree();
  const [draft, submitted] = [await made(s.post(DOCUMENTS, giveBack(1))), await made(s.post(DOCUMENTS, giveBack(1)))];
  await ok(s.post(`${DOCUMENTS}/${submitted}/submit`, {}));
  await ok(cancel(issueId));
  await stockUp(s, [{ itemId: line.itemId, quantity: 3 }]);
  expect((await order(id)).status).toBe('in_progress');
  for (const path of [`${draft}/submit`, `${submitted}/approve`]) {
    const { error } = (await refused(s, () => s.post(`${DOCUMENTS}/${path}`, {}), 409, 'INVALID_STATE')).body;
    expect(error.message).toContain('is in_progress. Goods can be returned once it is completed');
  }
});
