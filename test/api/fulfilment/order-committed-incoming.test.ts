/** Committed and incoming quantities of outstanding orders. */
import { describe, expect, test } from 'vitest';
import { addSite, made } from '../../support/resources/order-world.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import { type Reply, getCode } from '../../support/service/service.ts';
import { findProblems, postDocument, stockUp, withSettings } from '../../support/resources/stock.ts';
import { refused, trace } from '../../support/service/call-trace.ts';
import { useOrderStock } from '../../support/resources/order-stock.ts';

const { change, create, s, w, item, order, document, cancel, ok, sale, purchase, figures } = useOrderStock();

describe('committed and incoming', () => {
  test('ignore drafts, count open sales as committed and open purchases as incoming', async () => {
    const it = await item();
    const draft = (await ok(create({ module: 'sell', contactId: w.customer, lines: [{ itemId: it, quantity: 3 }] }))).body.data;
    expect(await figures(it)).toEqual([0, 0, 0]);
    await ok(change(draft.id, { status: 'open' }));
    await purchase(it, 10);
    expect(await figures(it)).toEqual([0, 3, 10]);
    await ok(change(draft.id, { status: 'draft' }));
    expect(await figures(it)).toEqual([0, 0, 10]);
  });

  test('follow changes of lines and sites', async () => {
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

  test('use the current default site for an order that clears its site', async () => {
    const it = await item();
    const { id } = await sale(it, 2, { siteId: w.site });
    const [old, next] = [s.tenant.defaultSiteId, await addSite(s, 'NEXT')];
    await withSettings(s, { defaultSiteId: next }, async () => {
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

  test('count components and outputs of make orders, and nothing of check orders and services', async () => {
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

  test('count combo components as they were when the order opened', async () => {
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

  test('count the components of every combo in a box', async () => {
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
    expect(getCode(await change(id, { lines: [{ id: lines[0].id, unitId: w.pcs, quantity: 6 }] }))).toBe('FIELD_LOCKED');
    await ok(change(id, { status: 'completed' }));
    expect([await figures(bag), (await order(id)).lines[0].fulfilledQuantity]).toEqual([[6, 0, 0], 2]);
    await ok(cancel(first));
    expect(await figures(bag)).toEqual([18, 12, 0]);
  });

  test('reject opening a sale beyond available stock with oversell block, without traces', async () => {
    const it = await item();
    await stockUp(s, [{ itemId: it, quantity: 5 }]);
    await withSettings(s, { oversell: 'block' }, async () => {
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

  test('of productions may be more than there is, also with oversell block, which is about sales', async () => {
    const [part, output] = [await item(), await item()];
    await stockUp(s, [{ itemId: part, quantity: 2 }]);
    const lines = [
      { kind: 'output', itemId: output, quantity: 1 },
      { kind: 'component', itemId: part, quantity: 3 },
    ];
    await withSettings(s, { oversell: 'block' }, async () => {
      await ok(create({ module: 'make', status: 'open', lines }));
    });
    expect([await figures(part), await figures(output)]).toEqual([
      [2, 3, 0],
      [0, 0, 1],
    ]);
  });
});

describe('order events', () => {
  const effectsOf = async (send: () => Promise<Reply>, event: string) => {
    const { bodies } = await trace(s, send);
    return bodies.find((body) => body.event === event).data.stockEffects;
  };

  test('report available quantities that change without a movement of stock', async () => {
    const it = await item({ sku: 'EVENTS' });
    await stockUp(s, [{ itemId: it, quantity: 5 }]);
    const lines = [{ itemId: it, quantity: 3 }];
    const open = () => create({ module: 'sell', status: 'open', contactId: w.customer, lines });
    const unmoved = { itemId: it, sku: 'EVENTS', siteId: s.tenant.defaultSiteId, quantityDelta: 0, onHandAfter: 5 };
    expect(await effectsOf(open, 'order.created')).toEqual([{ ...unmoved, committedAfter: 3, availableAfter: 2 }]);
    const { id } = (await s.get('/v1/orders?module=sell&sort=-created_at&page_size=1')).body.data[0];
    const draft = () => change(id, { status: 'draft' });
    expect(await effectsOf(draft, 'order.updated')).toEqual([{ ...unmoved, committedAfter: 0, availableAfter: 5 }]);
    expect(await effectsOf(() => change(id, { notes: 'nothing else' }), 'order.updated')).toBeUndefined();
  });

  test('leave movements of stock to the events of documents', async () => {
    const it = await item();
    await stockUp(s, [{ itemId: it, quantity: 5 }]);
    const { id } = await sale(it, 3);
    expect(await effectsOf(() => change(id, { status: 'completed' }), 'order.updated')).toBeUndefined();
    const other = await sale(it, 2);
    const closeShort = () => change(other.id, { status: 'completed', stock: 'none' });
    expect(await effectsOf(closeShort, 'order.updated')).toMatchObject([{ quantityDelta: 0, committedAfter: 0, availableAfter: 2 }]);
  });
});

test('pass every integrity check afterwards', async () => {
  expect(await findProblems(s)).toEqual([]);
});
