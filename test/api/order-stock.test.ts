import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkTenant } from '../../src/domain/checks.ts';
import type { TenantRecord } from '../../src/domain/tenants.ts';
import { type OrderWorld, addSite, made, orderWorld } from '../support/orders.ts';
import { addUnit } from '../support/records.ts';
import { type Reply, type TestService, codeOf, startService } from '../support/service.ts';
import { postDocument, stockUp } from '../support/stock.ts';
import { refused, trace } from '../support/trace.ts';

let s: TestService;
let w: OrderWorld;
beforeAll(async () => {
  s = await startService();
  w = await orderWorld(s);
});
afterAll(async () => s[Symbol.asyncDispose]());

const DOCUMENTS = '/v1/stock-documents';
const create = (body: object) => s.post('/v1/orders', body);
const change = (id: string, body: object) => s.patch(`/v1/orders/${id}`, body);
const item = (more: object = {}) => made(s.post('/v1/items', { name: `Item ${s.service.newId()}`, unitId: w.pcs, ...more }));
const order = async (id: string) => (await s.get(`/v1/orders/${id}?include=lines`)).body.data;
const document = async (id: string) => (await s.get(`${DOCUMENTS}/${id}?include=lines`)).body.data;
const cancel = (id: string) => s.post(`${DOCUMENTS}/${id}/cancel`, { reason: 'wrong' });
const ok = async (reply: Promise<Reply>): Promise<Reply> => {
  const { status, text } = await reply;
  expect(status, text).toBeLessThan(300);
  return reply;
};
const sale = async (itemId: string, quantity: number, more: object = {}) =>
  (await ok(create({ module: 'sell', status: 'open', contactId: w.customer, lines: [{ itemId, quantity }], ...more }))).body.data;
const purchase = async (itemId: string, quantity: number, line: object = {}) =>
  (await ok(create({ module: 'buy', status: 'open', contactId: w.supplier, lines: [{ itemId, quantity, ...line }] }))).body.data;

/** On hand, committed and incoming; with `value` what it is worth. */
async function level(itemId: string, siteId = s.tenant.defaultSiteId) {
  const { body } = await s.get(`/v1/stock-levels?item_id=${itemId}&site_id=${siteId}&include_zero=true`);
  const { onHand = 0, committed = 0, incoming = 0, stockValue = 0, averageCost = null } = body.data[0] ?? {};
  return { figures: [onHand, committed, incoming], value: stockValue, averageCost };
}
const figures = async (itemId: string, siteId?: string) => (await level(itemId, siteId)).figures;

/** Runs with other settings of the tenant. */
async function withSettings(settings: Partial<TenantRecord>, work: () => Promise<void>): Promise<void> {
  const put = (more: Partial<TenantRecord>) =>
    s.service.store.transact(s.tenant.id, async (tx) => {
      const tenant = await tx.tenants.get(s.tenant.id);
      if (tenant) await tx.tenants.put({ ...tenant, ...more });
    });
  const { negativeStock, oversell, fourEyes, defaultSiteId } = s.tenant;
  await put(settings);
  try {
    await work();
  } finally {
    await put({ negativeStock, oversell, fourEyes, defaultSiteId });
  }
}

describe('announcing', () => {
  test('a draft announces nothing, an open sale is committed, an open purchase is incoming', async () => {
    const it = await item();
    const draft = (await ok(create({ module: 'sell', contactId: w.customer, lines: [{ itemId: it, quantity: 3 }] }))).body.data;
    expect(await figures(it)).toEqual([0, 0, 0]);
    await ok(change(draft.id, { status: 'open' }));
    await purchase(it, 10);
    expect(await figures(it)).toEqual([0, 3, 10]);
    await ok(change(draft.id, { status: 'draft' }));
    expect(await figures(it)).toEqual([0, 0, 10]);
  });

  test('lines that change, come and go, and a site that changes, move what is announced', async () => {
    const [it, other] = [await item(), await item()];
    const { id, lines } = await sale(it, 3);
    await ok(
      change(id, {
        lines: [
          { id: lines[0].id, quantity: 5 },
          { itemId: other, quantity: 2 },
        ],
      }),
    );
    expect([await figures(it), await figures(other)]).toEqual([
      [0, 5, 0],
      [0, 2, 0],
    ]);
    await ok(change(id, { siteId: w.site, lines: [{ id: lines[0].id }] }));
    expect([await figures(it), await figures(it, w.site), await figures(other)]).toEqual([
      [0, 0, 0],
      [0, 5, 0],
      [0, 0, 0],
    ]);
    await ok(change(id, { status: 'in_progress' }));
    await ok(change(id, { status: 'waiting' }));
    expect(await figures(it, w.site)).toEqual([0, 5, 0]);
    await ok(change(id, { status: 'cancelled' }));
    expect(await figures(it, w.site)).toEqual([0, 0, 0]);
  });

  test('an open order that lets go of its site goes to the default site of now, not to the one that was deleted since', async () => {
    const it = await item();
    const { id } = await sale(it, 2, { siteId: w.site });
    const [old, next] = [s.tenant.defaultSiteId, await addSite(s, 'NEXT')];
    await withSettings({ defaultSiteId: next }, async () => {
      expect((await ok(change(id, { siteId: null }))).body.data.siteId).toBeNull();
    });
    expect([await figures(it, w.site), await figures(it, next), await figures(it, old)]).toEqual([
      [0, 0, 0],
      [0, 2, 0],
      [0, 0, 0],
    ]);
    // From now on a change of the default changes nothing that is promised.
    await ok(change(id, { siteId: null, status: 'in_progress' }));
    expect(await figures(it, next)).toEqual([0, 2, 0]);
  });

  test('a make order commits its components and expects its outputs; check orders and services announce nothing', async () => {
    const [part, product, checked] = [await item(), await item(), await item()];
    const lines = [
      { kind: 'output', itemId: product, quantity: 2 },
      { kind: 'component', itemId: part, quantity: 6 },
    ];
    await ok(create({ module: 'make', status: 'open', lines }));
    await ok(create({ module: 'check', status: 'open', lines: [{ itemId: checked, quantity: 4 }] }));
    await ok(
      create({
        module: 'fix',
        status: 'open',
        contactId: w.customer,
        lines: [
          { kind: 'target', itemId: checked, quantity: 1 },
          { kind: 'service', description: 'Work', quantity: 1 },
        ],
      }),
    );
    expect([await figures(part), await figures(product), await figures(checked)]).toEqual([
      [0, 6, 0],
      [0, 0, 2],
      [0, 0, 0],
    ]);
  });

  test('a combo commits its parts as they were when the order opened', async () => {
    const [kit, bag, mug] = [await item({ itemType: 'combo' }), await item(), await item()];
    const row = await made(s.post(`/v1/items/${kit}/ingredients`, { ingredientItemId: bag, quantity: 3 }));
    await made(s.post(`/v1/items/${kit}/ingredients`, { ingredientItemId: mug, quantity: 1 }));
    const { id } = await sale(kit, 2);
    expect([await figures(kit), await figures(bag), await figures(mug)]).toEqual([
      [0, null, null],
      [0, 6, 0],
      [0, 2, 0],
    ]);
    await ok(s.patch(`/v1/items/${kit}/ingredients/${row}`, { quantity: 10 }));
    await ok(change(id, { notes: 'still the same' }));
    expect(await figures(bag)).toEqual([0, 6, 0]);
    await stockUp(s, [
      { itemId: bag, quantity: 6 },
      { itemId: mug, quantity: 2 },
    ]);
    const { data } = (await ok(change(id, { status: 'completed' }))).body;
    expect([data.fulfilment, data.lines[0].fulfilledQuantity]).toEqual(['full', 2]);
    expect([await figures(bag), await figures(mug)]).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
    const issue = await document(data.stockDocumentIds[0]);
    expect(issue.lines.map((line: { itemId: string; quantity: number }) => [line.itemId, line.quantity])).toEqual([
      [bag, 6],
      [mug, 2],
    ]);
  });

  test('a combo that is sold by the box takes the parts of each combo in the box', async () => {
    const box = await addUnit(s, 'box6', 'count', [6, 1], { precision: 0 });
    const [kit, bag] = [await item({ itemType: 'combo' }), await item()];
    await made(s.post(`/v1/items/${kit}/ingredients`, { ingredientItemId: bag, quantity: 2 }));
    await stockUp(s, [{ itemId: bag, quantity: 30 }]);
    const { id, lines } = await sale(kit, 2, { lines: [{ itemId: kit, unitId: box, quantity: 2 }] });
    expect(await figures(bag)).toEqual([30, 24, 0]);
    const posting = { itemId: bag, quantity: 12, orderLineId: lines[0].id };
    const issue = { type: 'issue', orderId: id, lines: [posting] };
    const first = await postDocument(s, issue);
    expect((await order(id)).lines[0].fulfilledQuantity).toBe(1);
    expect(codeOf(await change(id, { lines: [{ id: lines[0].id, unitId: w.pcs, quantity: 6 }] }))).toBe('FIELD_LOCKED');
    await ok(change(id, { status: 'completed' }));
    expect([await figures(bag), (await order(id)).lines[0].fulfilledQuantity]).toEqual([[6, 0, 0], 2]);
    await ok(cancel(first));
    expect(await figures(bag)).toEqual([18, 12, 0]);
  });

  test('with oversell block a sale opens only for what is available, and nothing of a refused one remains', async () => {
    const it = await item();
    await stockUp(s, [{ itemId: it, quantity: 5 }]);
    await withSettings({ oversell: 'block' }, async () => {
      const { id, lines } = await sale(it, 3);
      const refusal = await refused(
        s,
        () => create({ module: 'sell', status: 'open', contactId: w.customer, lines: [{ itemId: it, quantity: 3 }] }),
        409,
        'INSUFFICIENT_STOCK',
      );
      expect(refusal.body.error.details.shortages).toMatchObject([{ itemId: it, required: 3, onHand: 5, missing: 1 }]);
      await refused(s, () => change(id, { lines: [{ id: lines[0].id, quantity: 6 }] }), 409, 'INSUFFICIENT_STOCK');
      expect(await figures(it)).toEqual([5, 3, 0]);
      await ok(change(id, { status: 'completed' }));
      expect(await figures(it)).toEqual([2, 0, 0]);
    });
  });
});

describe('completing', () => {
  test('a purchase posts a receipt at the price of its lines, told as one new document', async () => {
    const it = await item({ purchasePrice: 9 });
    const { id } = await purchase(it, 4, { unitPrice: 2.5, discountPercent: 10 });
    const { reply, events, actions, bodies } = await trace(s, () => change(id, { status: 'completed' }));
    expect(reply.status, reply.text).toBe(200);
    const { data } = reply.body;
    expect(data).toMatchObject({ status: 'completed', fulfilment: 'full', closedShort: false });
    expect(data.stockDocumentIds).toHaveLength(1);
    expect(await level(it)).toEqual({ figures: [4, 0, 0], value: 9, averageCost: 2.25 });
    expect(events.toSorted()).toEqual(['order.updated', 'stock_document.created']);
    expect(actions.toSorted()).toEqual(['order.completed', 'stock_document.approved', 'stock_document.created']);
    const told = bodies.find(({ event }) => event === 'stock_document.created').data;
    expect(told).toMatchObject({
      status: 'approved',
      type: 'receipt',
      orderId: id,
      stockEffects: [{ itemId: it, quantityDelta: 4, onHandAfter: 4 }],
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

  test('a purchase by the dozen is worth what was paid, also when it comes in parts', async () => {
    const dozen = await addUnit(s, 'dozen', 'count', [12, 1], { precision: 0 });
    const it = await item();
    const { id, lines } = await purchase(it, 3, { unitId: dozen, unitPrice: 10 });
    const receipt = { type: 'receipt', orderId: id, lines: [{ itemId: it, unitId: w.pcs, quantity: 13, orderLineId: lines[0].id }] };
    await postDocument(s, receipt);
    expect((await level(it)).value).toBe(10.833333);
    await ok(change(id, { status: 'completed' }));
    expect(await level(it)).toEqual({ figures: [36, 0, 0], value: 30, averageCost: 0.833333 });
  });

  test('a sale without enough stock is refused with every shortage, and nothing has changed', async () => {
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

  test('with negativeStock allow it is posted below zero', async () => {
    const it = await item({ purchasePrice: 2 });
    await withSettings({ negativeStock: 'allow' }, async () => {
      const { id } = await sale(it, 3);
      await ok(change(id, { status: 'completed' }));
      expect(await level(it)).toEqual({ figures: [-3, 0, 0], value: -6, averageCost: 2 });
      const late = await purchase(it, 5, { unitPrice: 4 });
      await ok(change(late.id, { status: 'completed' }));
      expect(await level(it)).toEqual({ figures: [2, 0, 0], value: 8, averageCost: 4 });
    });
  });

  test('with stock none nothing is posted and the rest is let go', async () => {
    const it = await item();
    const { id } = await sale(it, 3);
    const { data } = (await ok(change(id, { status: 'completed', stock: 'none' }))).body;
    expect(data).toMatchObject({ fulfilment: 'none', closedShort: true, stockDocumentIds: [] });
    expect(await figures(it)).toEqual([0, 0, 0]);
  });

  test('a make order uses up its components, and what it makes is worth what they were', async () => {
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

  test('what a make order used up in an earlier document goes into what it makes', async () => {
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

  test('what a make order uses up after it has made everything goes into what it has made', async () => {
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
    const told = (await s.events()).findLast(({ resourceId }) => resourceId === late);
    expect(JSON.parse(told?.body ?? '')).toMatchObject({
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

  test('what came in for a make order by other documents takes nothing from the value of what it makes', async () => {
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

  test('a check order takes away what it scraps, and only that', async () => {
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

  test('a check order that is completed again scraps what was taken back, and nothing twice', async () => {
    const it = await item();
    await stockUp(s, [{ itemId: it, quantity: 10 }]);
    await stockUp(s, [{ itemId: it, quantity: 10 }], w.site);
    const failed = { failedQuantity: 3, failureReason: 'broken', failedDisposition: 'scrap' };
    const lines = [
      { itemId: it, quantity: 4, ...failed },
      { itemId: it, quantity: 4, ...failed, siteId: w.site },
    ];
    const created = (await ok(create({ module: 'check', status: 'open', lines }))).body.data;
    const { stockDocumentIds } = (await ok(change(created.id, { status: 'completed' }))).body.data;
    await ok(cancel(stockDocumentIds[0]));
    // What the other document has scrapped is still gone.
    for (const status of ['open', 'cancelled']) {
      const held = await change(created.id, { status });
      expect([held.status, codeOf(held)]).toEqual([409, 'ORDER_HAS_POSTED_STOCK']);
    }
    // One more has failed meanwhile where the scrap is still posted.
    const more = [{ id: created.lines[0].id }, { id: created.lines[1].id, failedQuantity: 4 }];
    const again = (await ok(change(created.id, { status: 'completed', lines: more }))).body.data;
    const posted = await Promise.all(again.stockDocumentIds.slice(2).map(document));
    expect(posted.map(({ siteId, lines: [line] }) => [siteId, line.quantity])).toEqual([
      [s.tenant.defaultSiteId, -3],
      [w.site, -1],
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

  test('a fix order issues its parts, and fulfils its work with them', async () => {
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

  test('an order whose lines are at several sites posts one document at each', async () => {
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

  test('four eyes concern documents that somebody submits, not the completing of an order', async () => {
    const it = await item();
    await withSettings({ fourEyes: true }, async () => {
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

describe('documents of an order', () => {
  test('deliveries raise what is fulfilled, completing posts the rest only', async () => {
    const it = await item();
    const { id, lines } = await purchase(it, 10);
    const line = { itemId: it, orderLineId: lines[0].id };
    const draft = await made(s.post(DOCUMENTS, { type: 'receipt', orderId: id, lines: [{ ...line, quantity: 4 }] }));
    await ok(s.post(`${DOCUMENTS}/${draft}/submit`, {}));
    expect(await figures(it)).toEqual([0, 0, 10]);
    const { events, actions, bodies } = await trace(s, () => s.post(`${DOCUMENTS}/${draft}/approve`, {}));
    expect(events).toEqual(['stock_document.updated', 'order.updated']);
    expect(actions).toEqual(['stock_document.approved', 'order.fulfilled']);
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

  test('more than a line waits for is refused, and so is a document of an order that is done', async () => {
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
    expect(tooMuch.body.error.message).toMatch(/^Line 1 posts more than line 1 of \S+ still waits for; change it first\.$/u);
    await ok(change(id, { status: 'completed' }));
    await refused(s, () => s.post(`${DOCUMENTS}/${second}/approve`, {}), 409, 'INVALID_STATE');
    expect(await figures(it)).toEqual([10, 0, 0]);
  });

  test('a document line whose order line has got another item says so when it is to be posted', async () => {
    const [was, is] = [await item(), await item()];
    const { id, lines } = await purchase(was, 10);
    const receipt = { type: 'receipt', orderId: id, lines: [{ itemId: was, quantity: 4, orderLineId: lines[0].id }] };
    const draft = await made(s.post(DOCUMENTS, receipt));
    await ok(s.post(`${DOCUMENTS}/${draft}/submit`, {}));
    await ok(change(id, { lines: [{ id: lines[0].id, itemId: is }] }));
    const reply = await refused(s, () => s.post(`${DOCUMENTS}/${draft}/approve`, {}), 409, 'INVALID_STATE');
    expect(reply.body.error.message).toMatch(/^Line 1 is of another item than line 1 of \S+; change it first\.$/u);
  });

  test('reversing a document of a completed order reopens it, and what it fulfilled waits again', async () => {
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

  test('a part of a combo that was closed short may be asked for again, so it stays what it is', async () => {
    const [sent, missing] = [await item(), await item({ unitId: w.kg })];
    const combo = await item({ itemType: 'combo' });
    await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: sent, quantity: 1 }));
    const row = await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: missing, quantity: 1 }));
    await stockUp(s, [{ itemId: sent, quantity: 2 }]);
    const { id, lines } = await sale(combo, 2);
    const posting = { itemId: sent, quantity: 2, orderLineId: lines[0].id };
    const issue = await postDocument(s, { type: 'issue', orderId: id, lines: [posting] });
    await ok(change(id, { status: 'completed', stock: 'none' }));
    await ok(s.delete(`/v1/items/${combo}/ingredients/${row}`));
    const inUse = { references: { orderLinesOfCombos: 1 } };
    for (const attempt of [
      () => s.delete(`/v1/items/${missing}`),
      () => s.patch(`/v1/items/${missing}`, { unitId: w.pcs }),
      () => s.patch(`/v1/items/${missing}`, { itemType: 'combo' }),
    ]) {
      expect((await refused(s, attempt, 409, 'RESOURCE_IN_USE')).body.error.details).toEqual(inUse);
    }
    await ok(cancel(issue));
    expect([await figures(sent), await figures(missing)]).toEqual([
      [2, 2, 0],
      [0, 2, 0],
    ]);
    await ok(change(id, { status: 'cancelled' }));
    await ok(s.delete(`/v1/items/${missing}`));
  });

  test('reversing what has gone on is refused, and nothing has changed', async () => {
    const it = await item();
    const bought = await purchase(it, 5);
    const { stockDocumentIds } = (await ok(change(bought.id, { status: 'completed' }))).body.data;
    await ok(change((await sale(it, 2)).id, { status: 'completed' }));
    const refusal = await refused(s, () => cancel(stockDocumentIds[0]), 409, 'INSUFFICIENT_STOCK');
    expect(refusal.body.error.details.shortages).toMatchObject([{ required: 5, onHand: 3, missing: 2 }]);
    expect((await order(bought.id)).status).toBe('completed');
    expect(await figures(it)).toEqual([3, 0, 0]);
  });

  test('cancelling an order cancels its documents that are not posted, in the same step', async () => {
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

  test('a line that a document names stays in the order', async () => {
    const it = await item();
    const { id, lines } = await sale(it, 3, {
      lines: [
        { itemId: it, quantity: 3 },
        { itemId: it, quantity: 1 },
      ],
    });
    await made(s.post(DOCUMENTS, { type: 'issue', orderId: id, lines: [{ itemId: it, quantity: 1, orderLineId: lines[0].id }] }));
    await refused(s, () => change(id, { lines: [{ id: lines[1].id }] }), 409, 'FIELD_LOCKED');
    expect((await change(id, { lines: [{ id: lines[0].id }] })).status).toBe(200);
  });

  test('two approvals for the last unit: one posts, one is refused', async () => {
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

test('after all of this everything that can be derived again says the same', async () => {
  const tenant = (await s.service.store.read(s.tenant.id, (tx) => tx.tenants.get(s.tenant.id))) ?? s.tenant;
  const findings = await checkTenant((work) => s.service.store.read(s.tenant.id, work), tenant, new Set());
  expect(findings.flatMap(({ problems }) => problems)).toEqual([]);
});
