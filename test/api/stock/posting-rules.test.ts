/** What documents post: order and value of movements, negative stock, counts, and the limits of quantities and values. */
import { describe, expect, test } from 'vitest';
import type { TenantRecord } from '../../../src/domain/kernel/tenant.ts';
import { setReorderPoint } from '../../../src/domain/stock/reorder-points.ts';
import { findProblems, postDocument, stockUp, submitDocument, withSettings } from '../../support/resources/stock.ts';
import { refused } from '../../support/service/call-trace.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import { addSite, made } from '../../support/resources/order-world.ts';
import { contextFor } from '../../support/service/service.ts';
import { DOCUMENTS, useOrderStock } from '../../support/resources/order-stock.ts';

const { create, s, w, item, document, cancel, ok, sale, purchase, level, figures, change, order } = useOrderStock();

const approve = (id: string) => s.post(`${DOCUMENTS}/${id}/approve`, {});
const adjustment = (lines: readonly object[], more: object = {}) => ({ type: 'adjustment', reason: 'other', lines, ...more });
const issue = (itemId: string, quantity: number) => ({ type: 'issue', lines: [{ itemId, quantity }] });
const allowNegative = (work: () => Promise<void>) => withSettings(s, { negativeStock: 'allow' }, work);

describe('counts', () => {
  const count = (...lines: readonly object[]) => submitDocument(s, { type: 'count', lines });

  test('compare expectedQuantity 0 like any other quantity, and list all stale lines', async () => {
    const items = [await item({ sku: 'COUNT-A' }), await item(), await item()];
    await stockUp(
      s,
      items.map((itemId) => ({ itemId, quantity: 5 })),
    );
    const lines = items.map((itemId) => ({ itemId, countedQuantity: 4, expectedQuantity: 0 }));
    const siteId = s.tenant.defaultSiteId;
    for (const [size, more] of [
      [1, ''],
      [2, ', and 1 more stale line'],
      [3, ', and 2 more stale lines'],
    ] as const) {
      const id = await count(...lines.slice(0, size));
      const { error } = (await refused(s, () => approve(id), 409, 'STALE_COUNT')).body;
      expect(error.message).toContain(
        `line 1 expects 0 of COUNT-A, but 5 are on hand${more}. Recall it and count again, or approve it with force.`,
      );
      expect(error.details.stale).toHaveLength(size);
      expect(error.details.stale[0]).toEqual({ lineNumber: 1, itemId: items[0], sku: 'COUNT-A', siteId, expected: 0, onHand: 5 });
    }
    const empty = await item();
    await ok(approve(await count({ itemId: empty, countedQuantity: 2, expectedQuantity: 0 })));
    expect(await figures(empty)).toEqual([2, 0, 0]);
  });

  test('keep expectedQuantity when only the count changes, and drop it with null', async () => {
    const id = await made(s.post(DOCUMENTS, { type: 'count', lines: [{ itemId: w.bolt, countedQuantity: 4, expectedQuantity: 0 }] }));
    const [line] = (await document(id)).lines;
    const patch = async (body: object) => (await ok(s.patch(`${DOCUMENTS}/${id}/lines/${line.id}`, body))).body.data;
    expect(await patch({ countedQuantity: 5 })).toMatchObject({ countedQuantity: 5, expectedQuantity: 0 });
    expect(await patch({ expectedQuantity: 3 })).toMatchObject({ countedQuantity: 5, expectedQuantity: 3 });
    expect(await patch({ expectedQuantity: null })).toMatchObject({ countedQuantity: 5, expectedQuantity: null });
  });

  test('expect what was on hand when their line was created, and are stale once that has changed', async () => {
    const it = await item({ sku: 'COUNT-D' });
    await stockUp(s, [{ itemId: it, quantity: 15 }]);
    const unchanged = await count({ itemId: it, countedQuantity: 12 });
    expect((await document(unchanged)).lines[0]).toMatchObject({ countedQuantity: 12, expectedQuantity: 15 });
    await ok(approve(unchanged));
    const stale = await count({ itemId: it, countedQuantity: 12 });
    await postDocument(s, issue(it, 3));
    const { error } = (await refused(s, () => approve(stale), 409, 'STALE_COUNT')).body;
    expect(error.message).toContain('line 1 expects 12 of COUNT-D, but 9 are on hand');
    expect(await figures(it)).toEqual([9, 0, 0]);
    const line = await made(s.post(DOCUMENTS, { type: 'count' }));
    await stockUp(s, [{ itemId: it, quantity: 1 }]);
    const added = (await ok(s.post(`${DOCUMENTS}/${line}/lines`, { itemId: it, countedQuantity: 8 }))).body.data;
    expect(added.expectedQuantity).toBe(10);
    expect(await findProblems(s)).toEqual([]);
  });

  test('approve with force what was counted, and the audit row says so', async () => {
    const it = await item();
    await stockUp(s, [{ itemId: it, quantity: 15 }]);
    const id = await count({ itemId: it, countedQuantity: 12 });
    await postDocument(s, issue(it, 3));
    await ok(s.post(`${DOCUMENTS}/${id}/approve`, { force: true }));
    expect(await figures(it)).toEqual([12, 0, 0]);
    const { rows } = await s.service.store.read(s.tenant.id, (tx) => tx.auditEvents.listAfter({ limit: 10_000 }));
    expect(rows.findLast(({ resourceId }) => resourceId === id)).toMatchObject({
      action: 'stock_document.approved',
      metadata: { force: true },
    });
    const other = await count({ itemId: it, countedQuantity: 11 });
    expect((await s.post(`${DOCUMENTS}/${other}/approve`, { force: 'yes' })).status).toBe(400);
    await ok(s.post(`${DOCUMENTS}/${other}/approve`, { force: false }));
  });

  test('with expectedQuantity null expect nothing, and keep the expected stock in another unit', async () => {
    const it = await item();
    const dozen = await addUnit(s, 'counted dozen', 'count', [12, 1], { precision: 2 });
    await stockUp(s, [{ itemId: it, quantity: 18 }]);
    const free = await count({ itemId: it, countedQuantity: 12, expectedQuantity: null });
    await postDocument(s, issue(it, 1));
    await ok(approve(free));
    await postDocument(s, issue(it, 1));
    const id = await made(s.post(DOCUMENTS, { type: 'count', lines: [{ itemId: it, countedQuantity: 12, unitId: dozen }] }));
    const [{ id: lineId, expectedQuantity }] = (await document(id)).lines;
    expect(expectedQuantity).toBe(0.916667);
    const patched = (await ok(s.patch(`${DOCUMENTS}/${id}/lines/${lineId}`, { unitId: w.pcs, countedQuantity: 10 }))).body.data;
    expect(patched).toMatchObject({ countedQuantity: 10, expectedQuantity: 11 });
    await ok(s.post(`${DOCUMENTS}/${id}/submit`, {}));
    await ok(approve(id));
    expect(await figures(it)).toEqual([10, 0, 0]);
  });

  test('value a gain at the average cost', async () => {
    const it = await item({ purchasePrice: 9 });
    await stockUp(s, [{ itemId: it, quantity: 2, unitCost: 5 }]);
    await ok(approve(await count({ itemId: it, countedQuantity: 3 })));
    expect(await level(it)).toMatchObject({ figures: [3, 0, 0], value: 15 });
  });
});

describe('negative stock', () => {
  test('takes gains of every type while negativeStock is block, and rejects losses', async () => {
    const it = await item({ purchasePrice: 2 });
    await allowNegative(async () => void (await postDocument(s, issue(it, 9))));
    await postDocument(s, adjustment([{ itemId: it, quantity: 2 }]));
    await postDocument(s, { type: 'receipt', lines: [{ itemId: it, quantity: 1 }] });
    expect(await figures(it)).toEqual([-6, 0, 0]);
    const loss = await submitDocument(s, adjustment([{ itemId: it, quantity: -1 }]));
    const reply = await refused(s, () => approve(loss), 409, 'INSUFFICIENT_STOCK');
    expect(reply.body.error.details.shortages).toMatchObject([{ itemId: it, required: 1, onHand: -6, missing: 7 }]);
    await ok(cancel(loss));
    const none = [2, -2].map((quantity) => ({ itemId: it, quantity }));
    await postDocument(s, adjustment(none));
    const found = await postDocument(s, { type: 'count', lines: [{ itemId: it, countedQuantity: 0 }] });
    expect((await document(found)).lines).toMatchObject([{ postedQuantity: 6, onHandBefore: -6, onHandAfter: 0 }]);
    expect(await level(it)).toMatchObject({ figures: [0, 0, 0], value: 0 });
  });

  test('gives a transfer no negative value', async () => {
    const it = await item({ unitId: w.kg });
    const lot = await addUnit(s, 'lot', 'mass', [300, 1]);
    const { id } = await purchase(it, 1, { unitId: lot, unitPrice: 100 });
    const { stockDocumentIds } = (await ok(change(id, { status: 'completed' }))).body.data;
    await postDocument(s, issue(it, 300));
    await allowNegative(async () => {
      await ok(cancel(stockDocumentIds[0]));
      expect(await level(it)).toMatchObject({ figures: [-300, 0, 300], value: -100, averageCost: 0.333333 });
      // At the rounded average cost, 300.0001 kg owed are worth less than 300 kg at the exact cost.
      await postDocument(s, { type: 'transfer', toSiteId: w.site, lines: [{ itemId: it, quantity: 0.0001 }] });
      expect(await level(it, w.site)).toMatchObject({ figures: [0.0001, 0, 0], value: 0 });
    });
  });
});

describe('movements of one document', () => {
  test('post gains before losses', async () => {
    const it = await item();
    const lines = [
      { itemId: it, quantity: -3 },
      { itemId: it, quantity: 3, unitCost: 4 },
    ];
    const id = await postDocument(s, adjustment(lines));
    expect(await document(id)).toMatchObject({
      totalCost: 0,
      lines: [
        { postedQuantity: -3, onHandBefore: 3, onHandAfter: 0, postedUnitCost: 4 },
        { postedQuantity: 3, onHandBefore: 0, onHandAfter: 3, postedUnitCost: 4 },
      ],
    });
    expect(await level(it)).toMatchObject({ figures: [0, 0, 0], value: 0 });
  });

  test('consume components from stock on hand, not from outputs of the same document', async () => {
    const it = await item();
    const lines = [
      { itemId: it, quantity: 2, direction: 'in' },
      { itemId: it, quantity: 2, direction: 'out' },
    ];
    const id = await submitDocument(s, { type: 'production', lines });
    const reply = await refused(s, () => approve(id), 409, 'INSUFFICIENT_STOCK');
    expect(reply.body.error.details.shortages).toMatchObject([{ itemId: it, required: 2, onHand: 0, missing: 2 }]);
    await stockUp(s, [{ itemId: it, quantity: 2, unitCost: 3 }]);
    await ok(approve(id));
    expect(await level(it)).toMatchObject({ figures: [2, 0, 0], value: 6 });
  });

  test('name the other sites that have what is missing, those with most first', async () => {
    const it = await item({ sku: 'SPREAD' });
    const sites = [w.site, await addSite(s, 'Attic'), await addSite(s, 'Barn'), await addSite(s, 'Cellar')];
    for (const [at, site] of sites.entries()) await stockUp(s, [{ itemId: it, quantity: at + 1 }], site);
    const id = await submitDocument(s, issue(it, 2));
    const { error } = (await refused(s, () => approve(id), 409, 'INSUFFICIENT_STOCK')).body;
    expect(error.message).toBe(
      'Not enough stock: 2 of SPREAD missing (on hand elsewhere: 4 at Site Cellar, 3 at Site Barn, 2 at Site Attic). Nothing was posted.',
    );
  });

  test('name the number of shortages', async () => {
    const items = [await item({ sku: 'NONE-A' }), await item(), await item()];
    const message = async (size: number) => {
      const id = await submitDocument(s, { type: 'issue', lines: items.slice(0, size).map((itemId) => ({ itemId, quantity: 2 })) });
      return (await refused(s, () => approve(id), 409, 'INSUFFICIENT_STOCK')).body.error.message;
    };
    expect(await message(1)).toBe('Not enough stock: 2 of NONE-A missing. Nothing was posted.');
    expect(await message(2)).toBe('Not enough stock: 2 of NONE-A missing, and 1 more shortage. Nothing was posted.');
    expect(await message(3)).toBe('Not enough stock: 2 of NONE-A missing, and 2 more shortages. Nothing was posted.');
  });
});

describe('values', () => {
  test('an issue posts the average cost per unit, also below zero', async () => {
    const it = await item();
    await postDocument(s, { type: 'receipt', lines: [{ itemId: it, quantity: 1, unitCost: 1 }] });
    await postDocument(s, { type: 'receipt', lines: [{ itemId: it, quantity: 3, unitCost: 2 }] });
    const posted = await document(await postDocument(s, issue(it, 2)));
    expect(posted).toMatchObject({
      totalCost: 3.5,
      lines: [{ postedQuantity: -2, postedUnitCost: 1.75, onHandBefore: 4, onHandAfter: 2 }],
    });
    await allowNegative(async () => {
      const below = await document(await postDocument(s, issue(it, 6)));
      expect(below).toMatchObject({ totalCost: 10.5, lines: [{ postedUnitCost: 1.75, onHandAfter: -4 }] });
      // An item without a cost is issued at its purchase price, or at 0.
      for (const [purchasePrice, cost] of [
        [2.5, 2.5],
        [null, 0],
      ]) {
        const unknown = await item({ purchasePrice });
        expect((await document(await postDocument(s, issue(unknown, 2)))).lines).toMatchObject([{ postedUnitCost: cost }]);
      }
    });
  });

  test('a receipt without a cost takes the purchase price, an adjustment the average cost', async () => {
    const [priced, unpriced, fresh] = [await item({ purchasePrice: 9 }), await item(), await item({ purchasePrice: 9 })];
    await stockUp(s, [
      { itemId: priced, quantity: 1, unitCost: 1 },
      { itemId: unpriced, quantity: 1, unitCost: 1 },
    ]);
    await postDocument(s, { type: 'receipt', lines: [priced, unpriced].map((itemId) => ({ itemId, quantity: 1 })) });
    expect([(await level(priced)).value, (await level(unpriced)).value]).toEqual([10, 2]);
    await postDocument(s, adjustment([priced, unpriced, fresh].map((itemId) => ({ itemId, quantity: 2 }))));
    expect([(await level(priced)).value, (await level(unpriced)).value, (await level(fresh)).value]).toEqual([20, 4, 18]);
  });

  test('outputs posted after their components are the total cost of the document', async () => {
    const [part, product] = [await item(), await item()];
    await stockUp(s, [{ itemId: part, quantity: 4, unitCost: 3 }]);
    const { id, lines } = (await ok(create(making(product, part, 4)))).body.data;
    await produce(id, { itemId: part, direction: 'out', quantity: 4, orderLineId: lines[1].id });
    const last = await produce(id, { itemId: product, direction: 'in', quantity: 1, orderLineId: lines[0].id });
    expect(await document(last)).toMatchObject({ totalCost: 12, lines: [{ postedUnitCost: 12 }] });
  });

  test('late components change the value of no other item, and of no output that was reversed', async () => {
    const [part, product] = [await item(), await item()];
    await stockUp(s, [
      { itemId: part, quantity: 6, unitCost: 3 },
      { itemId: product, quantity: 5, unitCost: 1 },
    ]);
    const { id, lines } = (await ok(create(making(product, part, 4)))).body.data;
    const output = { itemId: product, direction: 'in', quantity: 1, orderLineId: lines[0].id };
    await ok(cancel(await produce(id, output)));
    await produce(id, output, { siteId: w.site });
    const late = (quantity: number) => produce(id, { itemId: part, direction: 'out', quantity, orderLineId: lines[1].id });
    await ok(cancel(await late(4)));
    await late(3);
    await late(1);
    expect([(await level(product)).value, (await level(product, w.site)).value, (await level(part)).value]).toEqual([5, 12, 6]);
  });

  const making = (product: string, part: string, quantity: number) => ({
    module: 'make',
    status: 'open',
    lines: [
      { kind: 'output', itemId: product, quantity: 1 },
      { kind: 'component', itemId: part, quantity },
    ],
  });
  const produce = (orderId: string, line: object, more: object = {}) =>
    postDocument(s, { type: 'production', orderId, lines: [line], ...more });
});

describe('limits', () => {
  test('values of one level and of one document stay below 10⁹, also between two lines', async () => {
    const [a, b, c, d] = [await item(), await item(), await item(), await item()];
    const whole = await submitDocument(s, adjustment([a, b].map((itemId) => ({ itemId, quantity: 1, unitCost: 500_000_000 }))));
    const total = await refused(s, () => approve(whole), 409, 'LIMIT_REACHED');
    expect(total.body.error.message).toContain('The total cost of the document');
    await stockUp(s, [{ itemId: c, quantity: 1, unitCost: 600_000_000 }]);
    const lines = [
      { itemId: c, quantity: 1, unitCost: 600_000_000 },
      { itemId: c, quantity: -1 },
    ];
    const between = await submitDocument(s, adjustment(lines));
    const reply = await refused(s, () => approve(between), 409, 'LIMIT_REACHED');
    expect(reply.body.error.details).toEqual({ limit: 1_000_000_000, itemId: c, siteId: s.tenant.defaultSiteId });
    await purchase(d, 600_000_000);
    const more = { module: 'buy', status: 'open', contactId: w.supplier, lines: [{ itemId: d, quantity: 400_000_000 }] };
    const incoming = await refused(s, () => create(more), 409, 'LIMIT_REACHED');
    expect(incoming.body.error.details).toEqual({ limit: 1_000_000_000, fields: ['incoming'] });
  });
});

describe('oversell block', () => {
  test('rejects a count that takes committed stock, and posts what the order itself committed', async () => {
    const it = await item({ sku: 'COMMITTED' });
    await stockUp(s, [{ itemId: it, quantity: 5 }]);
    const [first] = [await sale(it, 4), await sale(it, 2)];
    const loss = await submitDocument(s, { type: 'count', lines: [{ itemId: it, countedQuantity: 3 }] });
    await withSettings(s, { oversell: 'block' }, async () => {
      const reply = await refused(s, () => approve(loss), 409, 'INSUFFICIENT_STOCK');
      expect(reply.body.error.details.shortages).toMatchObject([{ itemId: it, required: 2, onHand: 5, missing: 3 }]);
      // 6 of 5 are committed already, which delivering 4 of them does not change.
      await ok(change(first.id, { status: 'completed' }));
    });
    expect(await figures(it)).toEqual([1, 2, 0]);
  });
});

describe('reorder points', () => {
  test('an item is low when its projected quantity is at most the reorder point, and is listed even without stock', async () => {
    const it = await item();
    const key = { itemId: it, siteId: s.tenant.defaultSiteId };
    await s.service.store.transact(s.tenant.id, (tx) => setReorderPoint(tx, contextFor(s), { ...key, reorderPoint: 5 }));
    const row = async () => {
      const { data } = (await s.get(`/v1/stock-levels?site_id=${key.siteId}&page_size=200`)).body;
      const found = data.find((each: { itemId: string }) => each.itemId === it);
      return found && [found.onHand, found.available, found.projected, found.isLow];
    };
    expect(await row()).toEqual([0, 0, 0, true]);
    const { id, lines } = await purchase(it, 6);
    expect(await row()).toEqual([0, 0, 6, false]);
    await ok(change(id, { lines: [{ id: lines[0].id, quantity: 5 }] }));
    expect(await row()).toEqual([0, 0, 5, true]);
    await ok(change(id, { status: 'completed' }));
    await postDocument(s, issue(it, 5));
    expect(await row()).toEqual([0, 0, 0, true]);
  });
});

test('submitted documents commit what goes out and announce what comes in, and counts neither', async () => {
  const bolt = await item();
  const line = { itemId: bolt, quantity: 2 };
  const levels = async () => [await figures(bolt), await figures(bolt, w.site)];
  const [none, out, incoming] = [
    [0, 0, 0],
    [0, 2, 0],
    [0, 0, 2],
  ];
  for (const [draft, home, away] of [
    [{ type: 'receipt', lines: [line] }, incoming, none],
    [{ type: 'issue', lines: [line] }, out, none],
    [{ type: 'transfer', toSiteId: w.site, lines: [line] }, out, incoming],
    [adjustment([line]), incoming, none],
    [adjustment([{ ...line, quantity: -2 }]), out, none],
    [{ type: 'production', lines: [{ ...line, direction: 'in' }] }, incoming, none],
    [{ type: 'count', lines: [{ itemId: bolt, countedQuantity: 2 }] }, none, none],
  ] as const) {
    const id = await submitDocument(s, draft);
    expect([draft.type, ...(await levels())]).toEqual([draft.type, home, away]);
    await ok(cancel(id));
    expect(await levels()).toEqual([none, none]);
  }
});

describe('headers of documents', () => {
  const setSite = (id: string, isActive: boolean) =>
    s.service.store.transact(s.tenant.id, async (tx) => {
      const site = await tx.sites.get(id);
      if (site) await tx.sites.put({ ...site, isActive });
    });

  test('may continue an order at its site, or at that of a line, after the site was deactivated', async () => {
    const it = await item();
    const [ofOrder, ofLine, other] = [await addSite(s, 'OLD-A'), await addSite(s, 'OLD-B'), await addSite(s, 'OLD-C', false)];
    const lines = [
      { itemId: it, quantity: 1 },
      { itemId: it, quantity: 1, siteId: ofLine },
    ];
    const { id } = (await ok(create({ module: 'buy', status: 'open', contactId: w.supplier, siteId: ofOrder, lines }))).body.data;
    for (const site of [ofOrder, ofLine]) await setSite(site, false);
    const draft = (siteId: string, orderId?: string) => s.post(DOCUMENTS, { type: 'receipt', siteId, orderId, lines: [] });
    for (const site of [ofOrder, ofLine]) expect((await draft(site, id)).status).toBe(201);
    const transfer = await made(s.post(DOCUMENTS, { type: 'transfer', toSiteId: w.site, lines: [] }));
    await setSite(w.site, false);
    await ok(s.patch(`${DOCUMENTS}/${transfer}`, { notes: 'kept', toSiteId: w.site }));
    await setSite(w.site, true);
    for (const attempt of [() => draft(other, id), () => draft(ofOrder), () => draft(ofLine)]) {
      await refused(s, attempt, 409, 'INACTIVE_REFERENCE');
    }
  });

  test('keep a contact that became inactive, and accept it only from their order', async () => {
    const contactId = await made(s.post('/v1/contacts', { name: 'Closing', contactType: 'supplier' }));
    const id = await made(s.post(DOCUMENTS, { type: 'receipt', contactId, lines: [] }));
    const { id: orderId } = (await ok(create({ module: 'buy', status: 'open', contactId, lines: [{ itemId: w.bolt, quantity: 1 }] }))).body
      .data;
    await ok(s.patch(`/v1/contacts/${contactId}`, { isActive: false }));
    expect((await ok(s.patch(`${DOCUMENTS}/${id}`, { notes: 'kept', contactId }))).body.data).toMatchObject({ contactId, notes: 'kept' });
    await made(s.post(DOCUMENTS, { type: 'receipt', orderId, contactId, lines: [] }));
    await refused(s, () => s.post(DOCUMENTS, { type: 'receipt', contactId, lines: [] }), 409, 'INACTIVE_REFERENCE');
  });

  test('use the number prefix of the tenant', async () => {
    const prefixes: Partial<TenantRecord> = { numberPrefixes: { receipt: 'GR/' } };
    const number = async (type: string) => (await ok(s.post(DOCUMENTS, { type, lines: [] }))).body.data.documentNumber;
    await withSettings(s, prefixes, async () => {
      expect([await number('receipt'), await number('issue')]).toEqual([
        expect.stringMatching(/^GR\/\d{6}$/u),
        expect.stringMatching(/^IS-\d{6}$/u),
      ]);
    });
    await withSettings(s, { numberPrefixes: {} }, () => Promise.resolve());
  });
});

test('a quantity must have the precision of its own unit, even if it converts to whole stock units', async () => {
  const box = await addUnit(s, 'box', 'count', [12, 1], { precision: 0 });
  const line = { itemId: w.bolt, unitId: box };
  const reply = await s.post(DOCUMENTS, { type: 'receipt', lines: [{ ...line, quantity: 0.5 }] });
  expect([reply.status, reply.body.error?.fields[0].path]).toEqual([400, '/lines/0/quantity']);
  const counted = await s.post(DOCUMENTS, { type: 'count', lines: [{ ...line, countedQuantity: 1, expectedQuantity: 0.5 }] });
  expect([counted.status, counted.body.error?.fields[0].path]).toEqual([400, '/lines/0/expectedQuantity']);
});

test('a line names what fulfils the order line instead', async () => {
  const { id, lines } = await purchase(w.bolt, 3);
  const draft = (type: string, line: object) => s.post(DOCUMENTS, { type, orderId: id, lines: [{ itemId: w.bolt, quantity: 1, ...line }] });
  const wrong = await draft('issue', { orderLineId: lines[0].id });
  expect(wrong.body.error.message).toMatch(/line 1 of PO-\d+ is fulfilled by receipt lines\.$/u);
  const service = await ok(
    create({ module: 'fix', status: 'open', contactId: w.customer, lines: [{ kind: 'target', itemId: w.bolt, quantity: 1 }] }),
  );
  const fix = service.body.data;
  const none = await s.post(DOCUMENTS, {
    type: 'issue',
    orderId: fix.id,
    lines: [{ itemId: w.bolt, quantity: 1, orderLineId: fix.lines[0].id }],
  });
  expect(none.body.error.message).toMatch(/line 1 of FO-\d+ requires no stock\.?$/u);
});

test('a document without an order line leaves the order lines as they are, but belongs to the order', async () => {
  const it = await item();
  await stockUp(s, [{ itemId: it, quantity: 5 }]);
  const { id } = await sale(it, 3);
  const extra = await postDocument(s, { type: 'issue', orderId: id, lines: [{ itemId: it, quantity: 2 }] });
  expect(await order(id)).toMatchObject({
    status: 'open',
    fulfilment: 'none',
    stockDocumentIds: [extra],
    lines: [{ fulfilledQuantity: 0 }],
  });
  const { stockDocumentIds } = (await ok(change(id, { status: 'completed' }))).body.data;
  await ok(cancel(extra));
  expect(await order(id)).toMatchObject({ status: 'completed', fulfilment: 'full', stockDocumentIds });
  expect(await figures(it)).toEqual([2, 0, 0]);
});

test('posting rules pass every integrity check', async () => {
  expect(await findProblems(s)).toEqual([]);
});
