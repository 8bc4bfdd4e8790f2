/** What completing an order posts. */
import { describe, expect, test } from 'vitest';
import { STOCK_LINES_MAX } from '../../../src/contract/limits.ts';
import { getCode } from '../../support/service/service.ts';
import { made } from '../../support/resources/order-world.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import { findProblems, postDocument, stockUp, withSettings } from '../../support/resources/stock.ts';
import { refused, trace } from '../../support/service/call-trace.ts';
import { DOCUMENTS, useOrderStock } from '../../support/resources/order-stock.ts';

const { change, create, s, w, item, order, document, cancel, ok, sale, purchase, level, figures } = useOrderStock();

describe('completing an order', () => {
  test('posts a receipt at the line prices of a buy order, and sends its stock effects in stock_document.updated', async () => {
    const it = await item({ purchasePrice: 9 });
    const { id } = await purchase(it, 4, { unitPrice: 2.5, discountPercent: 10 });
    const { reply, events, actions, bodies } = await trace(s, () => change(id, { status: 'completed' }));
    expect(reply.status, reply.text).toBe(200);
    const { data } = reply.body;
    expect(data).toMatchObject({ status: 'completed', fulfilment: 'full', closedShort: false });
    expect(data.stockDocumentIds).toHaveLength(1);
    expect(await level(it)).toEqual({ figures: [4, 0, 0], value: 9, averageCost: 2.25 });
    expect(events.toSorted()).toEqual(['order.updated', 'stock_document.created', 'stock_document.updated']);
    expect(actions.toSorted()).toEqual(['order.completed', 'stock_document.approved', 'stock_document.created']);
    const created = bodies.find(({ event }) => event === 'stock_document.created').data;
    expect(created).toMatchObject({ status: 'approved', type: 'receipt', orderId: id });
    expect(created).not.toHaveProperty('stockEffects');
    expect(bodies.find(({ event }) => event === 'stock_document.updated').data).toMatchObject({
      id: created.id,
      changes: ['status', 'submittedAt', 'submittedBy', 'approvedAt', 'approvedBy', 'totalCost', 'lines'],
      stockEffects: [{ itemId: it, quantityDelta: 4, onHandAfter: 4, committedAfter: 0, availableAfter: 4 }],
    });
    expect(await document(data.stockDocumentIds[0])).toMatchObject({
      type: 'receipt',
      status: 'approved',
      orderId: id,
      contactId: w.supplier,
      totalCost: 9,
      lines: [{ quantity: 4, postedQuantity: 4, postedUnitCost: 2.25, onHandBefore: 0, onHandAfter: 4, orderLineId: data.lines[0].id }],
    });
  });

  test('values a purchase in a purchase unit at the price paid, also in parts', async () => {
    const dozen = await addUnit(s, 'dozen', 'count', [12, 1], { precision: 0 });
    const it = await item();
    const { id, lines } = await purchase(it, 3, { unitId: dozen, unitPrice: 10 });
    const receipt = { type: 'receipt', orderId: id, lines: [{ itemId: it, unitId: w.pcs, quantity: 13, orderLineId: lines[0].id }] };
    await postDocument(s, receipt);
    expect((await level(it)).value).toBe(10.833333);
    await ok(change(id, { status: 'completed' }));
    expect(await level(it)).toEqual({ figures: [36, 0, 0], value: 30, averageCost: 0.833333 });
  });

  test('rejects a sale with insufficient stock, lists every shortage and changes nothing', async () => {
    const [a, b, c] = [await item({ sku: 'SHORT-A' }), await item(), await item()];
    await stockUp(s, [
      { itemId: a, quantity: 1 },
      { itemId: c, quantity: 9 },
    ]);
    const { id } = await sale(a, 4, {
      lines: [
        { itemId: a, quantity: 3 },
        { itemId: b, quantity: 2 },
        { itemId: c, quantity: 9 },
        { itemId: a, quantity: 1 },
      ],
    });
    const refusal = await refused(s, () => change(id, { status: 'completed' }), 409, 'INSUFFICIENT_STOCK');
    expect(refusal.body.error.details.shortages).toEqual([
      { itemId: a, sku: 'SHORT-A', siteId: s.tenant.defaultSiteId, required: 4, onHand: 1, missing: 3 },
      { itemId: b, sku: null, siteId: s.tenant.defaultSiteId, required: 2, onHand: 0, missing: 2 },
    ]);
    expect([await figures(a), await figures(b), await figures(c)]).toEqual([
      [1, 4, 0],
      [0, 2, 0],
      [9, 9, 0],
    ]);
    expect(await order(id)).toMatchObject({ status: 'open', fulfilment: 'none', stockDocumentIds: [] });
  });

  test('posts below zero with negativeStock allow', async () => {
    const it = await item({ purchasePrice: 2 });
    await withSettings(s, { negativeStock: 'allow' }, async () => {
      const { id } = await sale(it, 3);
      await ok(change(id, { status: 'completed' }));
      expect(await level(it)).toEqual({ figures: [-3, 0, 0], value: -6, averageCost: 2 });
      const late = await purchase(it, 5, { unitPrice: 4 });
      await ok(change(late.id, { status: 'completed' }));
      expect(await level(it)).toEqual({ figures: [2, 0, 0], value: 8, averageCost: 4 });
    });
  });

  test('posts nothing with stock none and releases the rest', async () => {
    const it = await item();
    const { id } = await sale(it, 3);
    const { data } = (await ok(change(id, { status: 'completed', stock: 'none' }))).body;
    expect(data).toMatchObject({ fulfilment: 'none', closedShort: true, stockDocumentIds: [] });
    expect(await figures(it)).toEqual([0, 0, 0]);
  });

  test('consumes components of a make order and values outputs at their cost', async () => {
    const [part, other, product] = [await item(), await item(), await item()];
    await stockUp(s, [
      { itemId: part, quantity: 10, unitCost: 1.5 },
      { itemId: other, quantity: 1, unitCost: 1 },
    ]);
    const lines = [
      { kind: 'output', itemId: product, quantity: 3 },
      { kind: 'component', itemId: part, quantity: 6 },
      { kind: 'component', itemId: other, quantity: 1 },
    ];
    const { id } = (await ok(create({ module: 'make', status: 'open', lines }))).body.data;
    const { data } = (await ok(change(id, { status: 'completed' }))).body;
    expect(await level(part)).toMatchObject({ figures: [4, 0, 0], value: 6 });
    expect(await level(product)).toEqual({ figures: [3, 0, 0], value: 10, averageCost: 3.333333 });
    expect(await document(data.stockDocumentIds[0])).toMatchObject({ type: 'production', totalCost: 10 });
  });

  test('includes components posted in earlier documents in the value of outputs', async () => {
    const [part, product] = [await item(), await item()];
    await stockUp(s, [{ itemId: part, quantity: 6, unitCost: 2 }]);
    const lines = [
      { kind: 'output', itemId: product, quantity: 3 },
      { kind: 'component', itemId: part, quantity: 6 },
    ];
    const { id, lines: own } = (await ok(create({ module: 'make', status: 'open', lines }))).body.data;
    await postDocument(s, {
      type: 'production',
      orderId: id,
      lines: [{ itemId: part, direction: 'out', quantity: 6, orderLineId: own[1].id }],
    });
    await ok(change(id, { status: 'completed' }));
    expect(await level(product)).toEqual({ figures: [3, 0, 0], value: 12, averageCost: 4 });
  });

  test('adds components posted after all outputs to the value of the outputs', async () => {
    const [part, glue, product] = [await item(), await item({ unitId: w.kg }), await item()];
    await stockUp(s, [
      { itemId: part, quantity: 10, unitCost: 2 },
      { itemId: glue, quantity: 1, unitCost: 1.000001 },
    ]);
    const lines = [
      { kind: 'output', itemId: product, quantity: 3 },
      { kind: 'output', itemId: product, quantity: 1, siteId: w.site },
      { kind: 'component', itemId: part, quantity: 6 },
      { kind: 'component', itemId: glue, quantity: 1 },
    ];
    const { id, lines: own } = (await ok(create({ module: 'make', status: 'open', lines }))).body.data;
    const production = (line: object, more: object = {}) => postDocument(s, { type: 'production', orderId: id, lines: [line], ...more });
    await production({ itemId: product, direction: 'in', quantity: 3, orderLineId: own[0].id });
    await production({ itemId: product, direction: 'in', quantity: 1, orderLineId: own[1].id }, { siteId: w.site });
    const late = await production({ itemId: part, direction: 'out', quantity: 4, orderLineId: own[2].id });
    const values = async () =>
      [await level(part), await level(glue), await level(product), await level(product, w.site)].map(({ value }) => value);
    expect(await values()).toEqual([12, 1.000001, 6, 2]);
    expect((await document(late)).lines).toMatchObject([
      { itemId: part, postedQuantity: -4, postedUnitCost: 2, onHandBefore: 10, onHandAfter: 6 },
    ]);
    expect((await document(late)).totalCost).toBe(8);
    const event = (await s.events()).findLast(({ resourceId }) => resourceId === late);
    expect(JSON.parse(event?.body ?? '')).toMatchObject({
      data: { stockEffects: [{ itemId: part, quantityDelta: -4, onHandAfter: 6 }] },
    });

    // All of one place is sold before the rest is used up.
    await postDocument(s, { type: 'issue', siteId: w.site, lines: [{ itemId: product, quantity: 1 }] });
    const { data } = (await ok(change(id, { status: 'completed' }))).body;
    expect(await values()).toEqual([8, 0, 11.000001, 0]);
    expect(await level(product)).toMatchObject({ figures: [3, 0, 0], averageCost: 3.666667 });
    // Both can be taken back, and then nothing of it remains.
    await ok(cancel(data.stockDocumentIds.at(-1)));
    await ok(cancel(late));
    expect(await values()).toEqual([20, 1.000001, 0, 0]);
  });

  test('lowers the value of outputs when components are reversed and posted at a lower cost', async () => {
    const [product, part] = [await item(), await item()];
    await stockUp(s, [{ itemId: part, quantity: 5, unitCost: 2 }]);
    const lines = [
      { kind: 'output', itemId: product, quantity: 1 },
      { kind: 'component', itemId: part, quantity: 5 },
    ];
    const { id, lines: own } = (await ok(create({ module: 'make', status: 'open', lines }))).body.data;
    const post = (at: number, direction: string, itemId: string, quantity: number) =>
      postDocument(s, { type: 'production', orderId: id, lines: [{ itemId, direction, quantity, orderLineId: own[at].id }] });
    const used = await post(1, 'out', part, 5);
    await post(0, 'in', product, 1);
    expect((await level(product)).value).toBe(10);
    await ok(cancel(used));
    await stockUp(s, [{ itemId: part, quantity: 5, unitCost: 1 }]);
    const again = await post(1, 'out', part, 5);
    expect([await level(product), await level(part)]).toMatchObject([
      { figures: [1, 0, 0], value: 7.5, averageCost: 7.5 },
      { figures: [5, 0, 0], value: 7.5 },
    ]);
    // Taken back once more, both are worth what they were before.
    await ok(cancel(again));
    expect([(await level(product)).value, (await level(part)).value]).toEqual([10, 15]);
    // What was sold meanwhile cannot be worth less any more.
    await postDocument(s, { type: 'issue', lines: [{ itemId: product, quantity: 1 }] });
    await post(1, 'out', part, 5);
    expect([(await level(product)).value, (await level(part)).value]).toEqual([0, 7.5]);
    expect(await findProblems(s)).toEqual([]);
  });

  test('keeps the value of outputs independent of other receipts', async () => {
    const [part, product] = [await item(), await item()];
    await stockUp(s, [{ itemId: part, quantity: 10, unitCost: 6 }]);
    const lines = [
      { kind: 'output', itemId: product, quantity: 1 },
      { kind: 'component', itemId: part, quantity: 10 },
    ];
    const { id, lines: own } = (await ok(create({ module: 'make', status: 'open', lines }))).body.data;
    await postDocument(s, {
      type: 'production',
      orderId: id,
      lines: [{ itemId: part, direction: 'out', quantity: 10, orderLineId: own[1].id }],
    });
    await postDocument(s, { type: 'receipt', orderId: id, lines: [{ itemId: part, quantity: 10, unitCost: 10 }] });
    await ok(change(id, { status: 'completed' }));
    expect([(await level(product)).value, (await level(part)).value]).toEqual([60, 100]);
  });

  test('posts only scrapped quantities of a check order', async () => {
    const [it, kept] = [await item(), await item()];
    await stockUp(s, [
      { itemId: it, quantity: 10 },
      { itemId: kept, quantity: 10 },
    ]);
    const failed = { failedQuantity: 3, passedQuantity: 1, failureReason: 'broken' };
    const lines = [
      { itemId: it, quantity: 4, ...failed, failedDisposition: 'scrap' },
      { itemId: kept, quantity: 4, ...failed },
    ];
    const { id } = (await ok(create({ module: 'check', status: 'open', lines }))).body.data;
    const { data } = (await ok(change(id, { status: 'completed' }))).body;
    expect(data.fulfilment).toBe('full');
    expect(await document(data.stockDocumentIds[0])).toMatchObject({
      type: 'adjustment',
      reason: 'scrap',
      lines: [{ itemId: it, quantity: -3 }],
    });
    expect([await figures(it), await figures(kept)]).toEqual([
      [7, 0, 0],
      [10, 0, 0],
    ]);
    await ok(cancel(data.stockDocumentIds[0]));
    expect(await order(id)).toMatchObject({ status: 'in_progress', fulfilment: 'none', completedAt: null });
    expect(await figures(it)).toEqual([10, 0, 0]);
  });

  test('scraps all that failed, whatever other adjustments of a check order have taken', async () => {
    const it = await item();
    await stockUp(s, [{ itemId: it, quantity: 10 }]);
    const failed = { failedQuantity: 3, failureReason: 'broken', failedDisposition: 'scrap' };
    const { id } = (await ok(create({ module: 'check', status: 'open', lines: [{ itemId: it, quantity: 4, ...failed }] }))).body.data;
    await postDocument(s, { type: 'adjustment', reason: 'damaged', orderId: id, lines: [{ itemId: it, quantity: -2 }] });
    await ok(change(id, { status: 'completed' }));
    expect(await figures(it)).toEqual([5, 0, 0]);
  });

  test('scraps a quantity in another unit to the precision of the stock', async () => {
    const [kilogram, gram] = [
      await addUnit(s, 'scrap-kg', 'mass', [1, 1], { precision: 3 }),
      await addUnit(s, 'scrap-g', 'mass', [1, 1000], { precision: 3 }),
    ];
    const it = await item({ unitId: kilogram });
    await stockUp(s, [{ itemId: it, quantity: 1 }]);
    const failed = { failedQuantity: 1.4, failureReason: 'wet', failedDisposition: 'scrap' };
    const lines = [{ itemId: it, quantity: 5, unitId: gram, ...failed }];
    const { id } = (await ok(create({ module: 'check', status: 'open', lines }))).body.data;
    const { stockDocumentIds } = (await ok(change(id, { status: 'completed' }))).body.data;
    expect((await document(stockDocumentIds[0])).lines).toMatchObject([{ quantity: -1.4, unitId: gram, stockQuantity: -0.001 }]);
    expect(await figures(it)).toEqual([0.999, 0, 0]);
  });

  test('scraps reversed quantities again when a check order is completed again, and nothing twice', async () => {
    const [it, same] = [await item(), await item()];
    await stockUp(s, [{ itemId: it, quantity: 10 }]);
    await stockUp(
      s,
      [
        { itemId: it, quantity: 10 },
        { itemId: same, quantity: 10 },
      ],
      w.site,
    );
    const failed = { failedQuantity: 3, failureReason: 'broken', failedDisposition: 'scrap' };
    const lines = [
      { itemId: it, quantity: 4, ...failed },
      { itemId: it, quantity: 4, ...failed, siteId: w.site },
      { itemId: same, quantity: 4, ...failed, siteId: w.site },
    ];
    const created = (await ok(create({ module: 'check', status: 'open', lines }))).body.data;
    const { stockDocumentIds } = (await ok(change(created.id, { status: 'completed' }))).body.data;
    await ok(cancel(stockDocumentIds[0]));
    // What the other document has scrapped is still gone.
    for (const status of ['open', 'cancelled']) {
      const held = await change(created.id, { status });
      expect([held.status, getCode(held)]).toEqual([409, 'ORDER_HAS_POSTED_STOCK']);
    }
    // One more has failed meanwhile where the scrap is still posted.
    const [first, second, third] = created.lines;
    const more = [{ id: first.id }, { id: second.id, failedQuantity: 4 }, { id: third.id }];
    const again = (await ok(change(created.id, { status: 'completed', lines: more }))).body.data;
    const posted = await Promise.all(again.stockDocumentIds.slice(2).map(document));
    expect(posted.map(({ siteId, lines: rows }) => [siteId, rows.map(({ quantity }: { quantity: number }) => quantity)])).toEqual([
      [s.tenant.defaultSiteId, [-3]],
      [w.site, [-1]],
    ]);
    expect([await figures(it), await figures(it, w.site)]).toEqual([
      [7, 0, 0],
      [6, 0, 0],
    ]);
    for (const id of again.stockDocumentIds.slice(1)) await ok(cancel(id));
    expect((await ok(change(created.id, { status: 'cancelled' }))).body.data.status).toBe('cancelled');
    expect([await figures(it), await figures(it, w.site)]).toEqual([
      [10, 0, 0],
      [10, 0, 0],
    ]);
  });

  test('issues parts of a fix order and fulfils its services', async () => {
    const [bike, tube] = [await item(), await item()];
    await stockUp(s, [{ itemId: tube, quantity: 2 }]);
    const lines = [
      { kind: 'target', itemId: bike, quantity: 1 },
      { kind: 'part', itemId: tube, quantity: 2 },
      { kind: 'service', description: 'Work', quantity: 1 },
    ];
    const { id } = (await ok(create({ module: 'fix', status: 'open', contactId: w.customer, lines }))).body.data;
    const { data } = (await ok(change(id, { status: 'completed' }))).body;
    expect(data.lines.map((line: { fulfilledQuantity: number }) => line.fulfilledQuantity)).toEqual([1, 2, 1]);
    expect([await figures(bike), await figures(tube)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  test('posts one document per site', async () => {
    const it = await item();
    await stockUp(s, [{ itemId: it, quantity: 5 }]);
    await stockUp(s, [{ itemId: it, quantity: 5 }], w.site);
    const { id } = await sale(it, 1, {
      lines: [
        { itemId: it, quantity: 2 },
        { itemId: it, quantity: 3, siteId: w.site },
      ],
    });
    const { data } = (await ok(change(id, { status: 'completed' }))).body;
    expect(data.stockDocumentIds).toHaveLength(2);
    expect([await figures(it), await figures(it, w.site)]).toEqual([
      [3, 0, 0],
      [2, 0, 0],
    ]);
  });

  test('posts as many documents as its lines need', async () => {
    const combo = await item({ itemType: 'combo', unitId: null });
    const parts = await Promise.all(Array.from({ length: 100 }, () => item({ itemType: 'material' })));
    for (const ingredientItemId of parts) await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId, quantity: 1 }));
    await stockUp(
      s,
      parts.map((itemId) => ({ itemId, quantity: 11 })),
    );
    for (const [combos, sizes] of [
      [STOCK_LINES_MAX / 100, [STOCK_LINES_MAX]],
      [STOCK_LINES_MAX / 100 + 1, [STOCK_LINES_MAX, 100]],
    ] as const) {
      const { id } = await sale(combo, 1, { lines: Array.from({ length: combos }, () => ({ itemId: combo, quantity: 1 })) });
      const { data } = (await ok(change(id, { status: 'completed' }))).body;
      const documents = await Promise.all((data.stockDocumentIds as string[]).map(document));
      expect(documents.map(({ lines }) => lines.length as number)).toEqual(sizes);
    }
    expect(await figures(parts[99]!)).toEqual([0, 0, 0]);
  });

  test('is not subject to fourEyes', async () => {
    const it = await item();
    await withSettings(s, { fourEyes: true }, async () => {
      await ok(change((await purchase(it, 4)).id, { status: 'completed' }));
      const id = await made(s.post(DOCUMENTS, { type: 'issue', lines: [{ itemId: it, quantity: 1 }] }));
      await ok(s.post(`${DOCUMENTS}/${id}/submit`, {}));
      await refused(s, () => s.post(`${DOCUMENTS}/${id}/approve`, {}), 409, 'SAME_APPROVER');
      expect(await figures(it)).toEqual([4, 1, 0]);
      await ok(s.post(`${DOCUMENTS}/${id}/approve`, {}, { key: await s.addKey() }));
      expect(await figures(it)).toEqual([3, 0, 0]);
    });
  });
});

test('passes every integrity check afterwards', async () => {
  expect(await findProblems(s)).toEqual([]);
});
