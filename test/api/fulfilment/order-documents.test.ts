/** Stock documents of an order. */
import { describe, expect, test } from 'vitest';
import { made } from '../../support/resources/order-world.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import { findProblems, postDocument, stockUp } from '../../support/resources/stock.ts';
import { refused, trace } from '../../support/service/call-trace.ts';
import { DOCUMENTS, useOrderStock } from '../../support/resources/order-stock.ts';

const { change, s, w, item, order, document, cancel, ok, sale, purchase, level, figures } = useOrderStock();

describe('stock documents of an order', () => {
  test('raise fulfilledQuantity; completing posts only the rest', async () => {
    const it = await item();
    const { id, lines } = await purchase(it, 10);
    const line = { itemId: it, orderLineId: lines[0].id };
    const draft = await made(s.post(DOCUMENTS, { type: 'receipt', orderId: id, lines: [{ ...line, quantity: 4 }] }));
    await ok(s.post(`${DOCUMENTS}/${draft}/submit`, {}));
    expect(await figures(it)).toEqual([0, 0, 10]);
    const { events, actions, bodies } = await trace(s, () => s.post(`${DOCUMENTS}/${draft}/approve`, {}));
    expect(events).toEqual(['stock_document.updated', 'order.updated']);
    expect(actions).toEqual(['stock_document.approved', 'order.fulfilled']);
    expect(bodies[0].data.changes).toEqual(expect.arrayContaining(['lines', 'status']));
    expect(bodies[1].data.changes).toContain('fulfilment');
    expect(await order(id)).toMatchObject({
      status: 'open',
      fulfilment: 'partial',
      stockDocumentIds: [draft],
      lines: [{ fulfilledQuantity: 4, remainingQuantity: 6 }],
    });
    expect(await figures(it)).toEqual([4, 0, 6]);
    await refused(s, () => change(id, { status: 'cancelled' }), 409, 'ORDER_HAS_POSTED_STOCK');
    await refused(s, () => change(id, { lines: [{ id: lines[0].id, quantity: 3 }] }), 409, 'FIELD_LOCKED');
    const { data } = (await ok(change(id, { status: 'completed' }))).body;
    expect((await document(data.stockDocumentIds[1])).lines).toMatchObject([{ quantity: 6 }]);
    expect(await figures(it)).toEqual([10, 0, 0]);
  });

  test('without orderLineId keep their order from being cancelled or recalled until they are reversed', async () => {
    for (const module of ['sell', 'buy', 'check', 'make'] as const) {
      const [it, extra] = [await item(), await item()];
      await stockUp(s, [{ itemId: extra, quantity: 5 }]);
      const contactId = module === 'buy' ? w.supplier : w.customer;
      const lines =
        module === 'make'
          ? [
              { itemId: it, quantity: 1 },
              { kind: 'component', itemId: extra, quantity: 1 },
            ]
          : [{ itemId: it, quantity: 1 }];
      const { id } = (await ok(s.post('/v1/orders', { module, status: 'open', contactId, lines }))).body.data;
      const posted = await postDocument(s, { type: 'issue', orderId: id, lines: [{ itemId: extra, quantity: 2 }] });
      expect(await order(id)).toMatchObject({ fulfilment: 'none', stockDocumentIds: [posted] });
      for (const status of ['cancelled', 'draft']) {
        const { error } = (await refused(s, () => change(id, { status }), 409, 'ORDER_HAS_POSTED_STOCK')).body;
        expect(error.message).toMatch(
          /^Stock was posted for [A-Z]+-\d+\. Cancel its stock documents first, or complete the order with stock "none"\.$/u,
        );
        expect(error.details).toMatchObject({ to: status, stockDocumentIds: [posted] });
      }
      await ok(change(id, { status: 'in_progress' }));
      await refused(s, () => change(id, { status: 'open' }), 409, 'ORDER_HAS_POSTED_STOCK');
      await ok(cancel(posted));
      await ok(change(id, { status: 'cancelled' }));
    }
  });

  test('in another unit than their order line add up without rounding errors', async () => {
    const dozen = await addUnit(s, 'document dozen', 'count', [12, 1], { precision: 0 });
    const it = await item();
    const { id, lines } = await purchase(it, 2, { unitId: dozen });
    const receive = (quantity: number, unitId: string) =>
      postDocument(s, { type: 'receipt', orderId: id, lines: [{ itemId: it, orderLineId: lines[0].id, quantity, unitId }] });
    for (const pieces of [5, 5, 2]) await receive(pieces, w.pcs);
    expect((await order(id)).lines).toMatchObject([{ fulfilledQuantity: 1, remainingQuantity: 1 }]);
    await receive(1, dozen);
    expect(await order(id)).toMatchObject({ fulfilment: 'full' });
  });

  test('are rejected beyond the remaining quantity and for finished orders', async () => {
    const it = await item();
    const { id, lines } = await purchase(it, 10);
    const line = { itemId: it, orderLineId: lines[0].id };
    const submit = async (quantity: number) => {
      const draft = await made(s.post(DOCUMENTS, { type: 'receipt', orderId: id, lines: [{ ...line, quantity }] }));
      await ok(s.post(`${DOCUMENTS}/${draft}/submit`, {}));
      return draft;
    };
    const [first, second] = [await submit(8), await submit(3)];
    await ok(s.post(`${DOCUMENTS}/${first}/approve`, {}));
    const tooMuch = await refused(s, () => s.post(`${DOCUMENTS}/${second}/approve`, {}), 409, 'INVALID_STATE');
    expect(tooMuch.body.error.message).toMatch(/^PO-\d+ needs 2 more of Item \S+, but line 1 of the document has 3\.$/u);
    await ok(change(id, { status: 'completed' }));
    await refused(s, () => s.post(`${DOCUMENTS}/${second}/approve`, {}), 409, 'INVALID_STATE');
    expect(await figures(it)).toEqual([10, 0, 0]);
  });

  test('report what they release at the site of the order line, also when they move stock at another site', async () => {
    const it = await item();
    await stockUp(s, [{ itemId: it, quantity: 10 }]);
    await stockUp(s, [{ itemId: it, quantity: 10 }], w.site);
    const { id, lines } = await sale(it, 3);
    const issue = { type: 'issue', orderId: id, siteId: w.site, lines: [{ itemId: it, quantity: 2, orderLineId: lines[0].id }] };
    const posted = await made(s.post(DOCUMENTS, issue));
    await ok(s.post(`${DOCUMENTS}/${posted}/submit`, {}));
    const released = { siteId: s.tenant.defaultSiteId, quantityDelta: 0, onHandAfter: 10 };
    const approval = await trace(s, () => s.post(`${DOCUMENTS}/${posted}/approve`, {}));
    expect(approval.reply.body.data.stockEffects).toMatchObject([{ siteId: w.site, quantityDelta: -2, onHandAfter: 8 }]);
    expect(approval.bodies[0].data.stockEffects).toMatchObject([
      { siteId: w.site, quantityDelta: -2, onHandAfter: 8, availableAfter: 8 },
      { ...released, committedAfter: 1, availableAfter: 9 },
    ]);
    const reversal = await trace(s, () => cancel(posted));
    expect(reversal.bodies[0].data.stockEffects).toMatchObject([
      { siteId: w.site, quantityDelta: 2, onHandAfter: 10, availableAfter: 10 },
      { ...released, committedAfter: 3, availableAfter: 7 },
    ]);
  });

  test('are rejected at submission beyond the remaining quantity, and stay drafts', async () => {
    const it = await item();
    const { id, lines } = await purchase(it, 10);
    const line = { itemId: it, orderLineId: lines[0].id };
    const draft = await made(s.post(DOCUMENTS, { type: 'receipt', orderId: id, lines: [{ ...line, quantity: 11 }] }));
    const reply = await refused(s, () => s.post(`${DOCUMENTS}/${draft}/submit`, {}), 409, 'INVALID_STATE');
    expect(reply.body.error.message).toMatch(/^PO-\d+ needs 10 more of Item \S+, but line 1 of the document has 11\.$/u);
    expect(await document(draft)).toMatchObject({ status: 'draft' });
    expect(await figures(it)).toEqual([0, 0, 10]);
  });

  test('are rejected at approval if the order line changed its item', async () => {
    const [was, is] = [await item(), await item()];
    const { id, lines } = await purchase(was, 10);
    const receipt = { type: 'receipt', orderId: id, lines: [{ itemId: was, quantity: 4, orderLineId: lines[0].id }] };
    const draft = await made(s.post(DOCUMENTS, receipt));
    await ok(s.post(`${DOCUMENTS}/${draft}/submit`, {}));
    await ok(change(id, { lines: [{ id: lines[0].id, itemId: is }] }));
    const reply = await refused(s, () => s.post(`${DOCUMENTS}/${draft}/approve`, {}), 409, 'INVALID_STATE');
    expect(reply.body.error.message).toMatch(/^Line 1 of the document has a different item than line 1 of \S+\.$/u);
  });

  test('are neither submitted nor approved while their order is a draft again', async () => {
    const it = await item();
    const { id, orderNumber, lines } = await purchase(it, 10);
    const receipt = { type: 'receipt', orderId: id, lines: [{ itemId: it, quantity: 4, orderLineId: lines[0].id }] };
    const [submitted, draft] = [await made(s.post(DOCUMENTS, receipt)), await made(s.post(DOCUMENTS, receipt))];
    await ok(s.post(`${DOCUMENTS}/${submitted}/submit`, {}));
    await ok(change(id, { status: 'draft' }));
    for (const path of [`${submitted}/approve`, `${draft}/submit`]) {
      const { error } = (await refused(s, () => s.post(`${DOCUMENTS}/${path}`, {}), 409, 'INVALID_STATE')).body;
      expect(error.message).toBe(`Order ${orderNumber} is draft. Its status must be open, in_progress or waiting.`);
    }
    await ok(change(id, { status: 'open' }));
    await ok(s.post(`${DOCUMENTS}/${submitted}/approve`, {}));
    expect(await figures(it)).toEqual([4, 0, 6]);
  });

  test('reopen a completed order when reversed', async () => {
    const it = await item();
    await stockUp(s, [{ itemId: it, quantity: 10, unitCost: 0.33 }]);
    const { id } = await sale(it, 3);
    const { stockDocumentIds } = (await ok(change(id, { status: 'completed' }))).body.data;
    const { reply, events, actions, bodies } = await trace(s, () => cancel(stockDocumentIds[0]));
    expect(reply.body.data).toMatchObject({
      status: 'cancelled',
      cancelReason: 'wrong',
      stockEffects: [{ quantityDelta: 3, onHandAfter: 10 }],
    });
    expect(events).toEqual(['stock_document.updated', 'order.updated']);
    expect(actions).toEqual(['stock_document.reversed', 'order.reopened']);
    expect(bodies[1].data).toMatchObject({ status: 'in_progress', previousStatus: 'completed' });
    expect(await order(id)).toMatchObject({
      status: 'in_progress',
      fulfilment: 'none',
      completedAt: null,
      closedShort: false,
      stockDocumentIds,
    });
    expect(await level(it)).toMatchObject({ figures: [10, 3, 0], value: 3.3 });
    await refused(s, () => cancel(stockDocumentIds[0]), 409, 'INVALID_STATE');
    await ok(change(id, { status: 'completed' }));
    expect((await order(id)).stockDocumentIds).toHaveLength(2);
    expect(await figures(it)).toEqual([7, 0, 0]);
  });

  test('keep components of a combo that was closed short locked', async () => {
    const [sent, missing] = [await item(), await item({ unitId: w.kg })];
    const combo = await item({ itemType: 'combo' });
    await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: sent, quantity: 1 }));
    const row = await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: missing, quantity: 1 }));
    await stockUp(s, [{ itemId: sent, quantity: 2 }]);
    const { id, lines, orderNumber } = await sale(combo, 2);
    const posting = { itemId: sent, quantity: 2, orderLineId: lines[0].id };
    const issue = await postDocument(s, { type: 'issue', orderId: id, lines: [posting] });
    await ok(change(id, { status: 'completed', stock: 'none' }));
    await ok(s.delete(`/v1/items/${combo}/ingredients/${row}`));
    const inUse = { references: { orderLinesOfCombos: 1 }, examples: { orderLinesOfCombos: [orderNumber] } };
    for (const attempt of [
      () => s.delete(`/v1/items/${missing}`),
      () => s.patch(`/v1/items/${missing}`, { unitId: w.pcs }),
      () => s.patch(`/v1/items/${missing}`, { itemType: 'combo' }),
    ]) {
      const { error } = (await refused(s, attempt, 409, 'RESOURCE_IN_USE')).body;
      expect(error.message).toMatch(/^The item is in use by 1 order line of combos \(SO-\d+\)\. /u);
      expect(error.details).toEqual(inUse);
    }
    await ok(cancel(issue));
    expect([await figures(sent), await figures(missing)]).toEqual([
      [2, 2, 0],
      [0, 2, 0],
    ]);
    await ok(change(id, { status: 'cancelled' }));
    await ok(s.delete(`/v1/items/${missing}`));
  });

  test('cannot be reversed after the stock has left, and nothing changes', async () => {
    const it = await item();
    const bought = await purchase(it, 5);
    const { stockDocumentIds } = (await ok(change(bought.id, { status: 'completed' }))).body.data;
    await ok(change((await sale(it, 2)).id, { status: 'completed' }));
    const refusal = await refused(s, () => cancel(stockDocumentIds[0]), 409, 'INSUFFICIENT_STOCK');
    expect(refusal.body.error.details.shortages).toMatchObject([{ required: 5, onHand: 3, missing: 2 }]);
    expect((await order(bought.id)).status).toBe('completed');
    expect(await figures(it)).toEqual([3, 0, 0]);
  });

  test('are cancelled with the order unless posted', async () => {
    const it = await item();
    await stockUp(s, [{ itemId: it, quantity: 5 }]);
    const { id, lines } = await sale(it, 3);
    const draft = await made(
      s.post(DOCUMENTS, { type: 'issue', orderId: id, lines: [{ itemId: it, quantity: 1, orderLineId: lines[0].id }] }),
    );
    const submitted = await made(s.post(DOCUMENTS, { type: 'issue', orderId: id, lines: [{ itemId: it, quantity: 1 }] }));
    await ok(s.post(`${DOCUMENTS}/${submitted}/submit`, {}));
    expect(await figures(it)).toEqual([5, 4, 0]);
    const { events, actions } = await trace(s, () => change(id, { status: 'cancelled', cancelReason: 'changed their mind' }));
    expect(events.toSorted()).toEqual(['order.updated', 'stock_document.updated', 'stock_document.updated']);
    expect(actions.toSorted()).toEqual(['order.cancelled', 'stock_document.cancelled', 'stock_document.cancelled']);
    expect([await document(draft), await document(submitted)]).toMatchObject([
      { status: 'cancelled', cancelReason: 'changed their mind' },
      { status: 'cancelled' },
    ]);
    expect(await figures(it)).toEqual([5, 0, 0]);
  });

  test('keep the order lines they name', async () => {
    const it = await item();
    const { id, lines } = await sale(it, 3, {
      lines: [
        { itemId: it, quantity: 3 },
        { itemId: it, quantity: 1 },
      ],
    });
    await made(s.post(DOCUMENTS, { type: 'issue', orderId: id, lines: [{ itemId: it, quantity: 1, orderLineId: lines[0].id }] }));
    const { error } = (await refused(s, () => change(id, { lines: [{ id: lines[1].id }] }), 409, 'FIELD_LOCKED')).body;
    expect(error.message).toMatch(/^Line 1 of SO-\d+ cannot be removed: stock documents reference it\. Include it in lines\.$/u);
    expect(error.details).toEqual({ fields: ['lines'], status: 'open', lineIds: [lines[0].id] });
    expect((await change(id, { lines: [{ id: lines[0].id }] })).status).toBe(200);
  });

  test('compete for the last unit: one is posted, one is rejected', async () => {
    const it = await item();
    await stockUp(s, [{ itemId: it, quantity: 1 }]);
    const ids: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      const id = await made(s.post(DOCUMENTS, { type: 'issue', lines: [{ itemId: it, quantity: 1 }] }));
      await ok(s.post(`${DOCUMENTS}/${id}/submit`, {}));
      ids.push(id);
    }
    const replies = await Promise.all(ids.map((id) => s.post(`${DOCUMENTS}/${id}/approve`, {})));
    expect(replies.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409', '409', '409']);
    expect(await figures(it)).toEqual([0, 3, 0]);
  });
});

test('pass every integrity check afterwards', async () => {
  expect(await findProblems(s)).toEqual([]);
});

test('a line of a combo lists the parts that remain to be issued, once the order has left draft', async () => {
  const [pen, pad, kit] = [await item({ name: 'Pen', sku: 'PEN' }), await item(), await item({ itemType: 'combo', unitId: null })];
  await made(s.post(`/v1/items/${kit}/ingredients`, { ingredientItemId: pen, quantity: 2 }));
  await made(s.post(`/v1/items/${kit}/ingredients`, { ingredientItemId: pad, quantity: 1 }));
  await stockUp(s, [{ itemId: pen, quantity: 10 }]);
  const { id, lines } = await sale(kit, 3);
  await postDocument(s, { type: 'issue', orderId: id, lines: [{ itemId: pen, quantity: 4, orderLineId: lines[0].id }] });
  const [line] = (await order(id)).lines;
  expect(line).toMatchObject({
    fulfilledQuantity: 0,
    parts: [
      { itemId: pen, item: { name: 'Pen', sku: 'PEN' }, requiredQuantity: 6, postedQuantity: 4, remainingQuantity: 2 },
      { itemId: pad, requiredQuantity: 3, postedQuantity: 0, remainingQuantity: 3 },
    ],
  });
  const draft = await sale(kit, 1, { status: 'draft' });
  expect([draft.lines[0], (await sale(pen, 1)).lines[0]].map((other) => 'parts' in other)).toEqual([false, false]);
});
