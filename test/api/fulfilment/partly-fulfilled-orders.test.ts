/** Orders that are fulfilled in part: what locks, what fulfils a line, and what reversing a document restores. */
import { expect, test } from 'vitest';
import { made } from '../../support/resources/order-world.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import { findProblems, postDocument, stockUp, submitDocument } from '../../support/resources/stock.ts';
import { refused } from '../../support/service/call-trace.ts';
import { DOCUMENTS, useOrderStock } from '../../support/resources/order-stock.ts';

const { change, create, s, w, item, order, document, cancel, ok, sale, purchase, figures } = useOrderStock();

const receive = (orderId: string, line: object) => postDocument(s, { type: 'receipt', orderId, lines: [line] });

test('an open order keeps contact and site once a part is fulfilled; its other fields stay editable', async () => {
  const it = await item();
  const { id, lines } = await purchase(it, 10);
  const supplier = await made(s.post('/v1/contacts', { name: 'Second supplier', contactType: 'supplier' }));
  const receipt = await receive(id, { itemId: it, quantity: 4, orderLineId: lines[0].id });
  for (const [field, value] of [
    ['contactId', supplier],
    ['siteId', w.site],
  ]) {
    const reply = await refused(s, () => change(id, { [field as string]: value, dueDate: '9999-12-31' }), 409, 'FIELD_LOCKED');
    expect(reply.body.error.details).toEqual({ fields: [field], status: 'open' });
    expect(reply.body.error.message).toMatch(/can no longer change: PO-\d+ is open, fulfilment partial\.$/u);
  }
  for (const field of ['unitId', 'siteId']) {
    const value = field === 'unitId' ? await addUnit(s, 'pair', 'count', [2, 1]) : w.site;
    const reply = await refused(s, () => change(id, { lines: [{ id: lines[0].id, [field]: value }] }), 409, 'FIELD_LOCKED');
    expect(reply.body.error.details.fields).toEqual([`lines.0.${field}`]);
  }
  await ok(change(id, { dueDate: '9999-12-31', orderDate: '2026-01-01', notes: 'late' }));
  await ok(cancel(receipt));
  await ok(change(id, { contactId: supplier, siteId: w.site }));
  expect([await figures(it), await figures(it, w.site)]).toEqual([
    [0, 0, 0],
    [0, 0, 10],
  ]);
});

test('documents of a completed order cannot be created, and earlier ones are cancelled', async () => {
  const it = await item();
  const { id, orderNumber } = await purchase(it, 5);
  const receipt = { type: 'receipt', orderId: id, lines: [{ itemId: it, quantity: 1 }] };
  const [draft, submitted] = [await made(s.post(DOCUMENTS, receipt)), await submitDocument(s, receipt)];
  await ok(change(id, { status: 'completed' }));
  const { error } = (await refused(s, () => s.post(DOCUMENTS, receipt), 409, 'INVALID_STATE')).body;
  expect(error.message).toBe(`Order ${orderNumber} is completed. Its status must be open, in_progress or waiting.`);
  expect(error.details).toEqual({ orderId: id, status: 'completed' });
  await refused(s, () => s.post(`${DOCUMENTS}/${draft}/submit`, {}), 409, 'INVALID_STATE');
  await refused(s, () => s.post(`${DOCUMENTS}/${submitted}/approve`, {}), 409, 'INVALID_STATE');
  expect(await figures(it)).toEqual([5, 0, 0]);
});

test('reversing a document of an order that was closed short reopens it, and it is no longer closed short', async () => {
  const it = await item();
  const { id, lines } = await purchase(it, 10);
  const receipt = await receive(id, { itemId: it, quantity: 4, orderLineId: lines[0].id });
  const closed = (await ok(change(id, { status: 'completed', stock: 'none' }))).body.data;
  expect(closed).toMatchObject({ status: 'completed', fulfilment: 'partial', closedShort: true });
  expect(await figures(it)).toEqual([4, 0, 0]);
  await ok(cancel(receipt));
  expect(await order(id)).toMatchObject({ status: 'in_progress', fulfilment: 'none', closedShort: false, completedAt: null });
  expect(await figures(it)).toEqual([0, 0, 10]);
  const all = (await ok(change(id, { status: 'completed' }))).body.data;
  expect(all).toMatchObject({ fulfilment: 'full', closedShort: false, lines: [{ fulfilledQuantity: 10 }] });
});

test('an order whose lines are all posted is not closed short with stock none', async () => {
  const it = await item();
  const { id, lines } = await purchase(it, 2);
  await receive(id, { itemId: it, quantity: 2, orderLineId: lines[0].id });
  const { data } = (await ok(change(id, { status: 'completed', stock: 'none' }))).body;
  expect(data).toMatchObject({ fulfilment: 'full', closedShort: false });
});

test('a combo line cannot be reduced below the parts that were posted, even if no combo is complete', async () => {
  const [cup, bean] = [await item(), await item()];
  const combo = await item({ itemType: 'combo' });
  await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: cup, quantity: 1 }));
  await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: bean, quantity: 3 }));
  await stockUp(s, [
    { itemId: cup, quantity: 9 },
    { itemId: bean, quantity: 9 },
  ]);
  const { id, lines } = await sale(combo, 5);
  const part = { itemId: bean, quantity: 6, orderLineId: lines[0].id };
  await postDocument(s, { type: 'issue', orderId: id, lines: [part] });
  expect(await order(id)).toMatchObject({ fulfilment: 'partial', lines: [{ fulfilledQuantity: 0 }] });
  const less = await refused(s, () => change(id, { lines: [{ id: lines[0].id, quantity: 1 }] }), 409, 'FIELD_LOCKED');
  expect(less.body.error.details.fields).toEqual(['lines.0.quantity']);
  const other = await refused(s, () => change(id, { lines: [{ id: lines[0].id, itemId: cup }] }), 409, 'FIELD_LOCKED');
  expect(other.body.error.details.fields).toContain('lines.0.itemId');
  const removed = await refused(s, () => change(id, { lines: [{ itemId: cup, quantity: 1 }] }), 409, 'FIELD_LOCKED');
  expect(removed.body.error.details).toEqual({ fields: ['lines'], status: 'open', lineIds: [lines[0].id] });
  await ok(change(id, { lines: [{ id: lines[0].id, quantity: 2 }] }));
  expect([await figures(cup), await figures(bean)]).toEqual([
    [9, 2, 0],
    [3, 0, 0],
  ]);
  const { data } = (await ok(change(id, { status: 'completed' }))).body;
  expect(data).toMatchObject({ fulfilment: 'full', lines: [{ fulfilledQuantity: 2 }] });
  expect((await document(data.stockDocumentIds[1])).lines).toMatchObject([{ itemId: cup, quantity: 2, unitId: w.pcs }]);
});

test('deliveries in the unit of the line add up to it, and a rounded rest in the stock unit stays open', async () => {
  const lb = await addUnit(s, 'lb', 'mass', [45_359_237, 100_000_000]);
  const it = await item({ unitId: await addUnit(s, 'kg3', 'mass', [1, 1], { precision: 3 }) });
  const { id, lines } = await purchase(it, 3, { unitId: lb });
  const state = async () => {
    const {
      fulfilment,
      lines: [line],
    } = await order(id);
    return [fulfilment, line.fulfilledQuantity, line.remainingQuantity, await figures(it)];
  };
  // 3 lb are 1.361 kg, but each of three deliveries of 1 lb is 0.454 kg.
  expect(await state()).toEqual(['none', 0, 3, [0, 0, 1.361]]);
  const first = await receive(id, { itemId: it, quantity: 1, orderLineId: lines[0].id });
  await receive(id, { itemId: it, quantity: 1, orderLineId: lines[0].id });
  expect(await state()).toEqual(['partial', 2, 1, [0.908, 0, 0.453]]);
  await receive(id, { itemId: it, quantity: 1, orderLineId: lines[0].id });
  expect(await state()).toEqual(['full', 3, 0, [1.362, 0, 0]]);
  await ok(cancel(first));
  expect(await state()).toEqual(['partial', 2, 1, [0.908, 0, 0.453]]);
  // The rest but a gram, in kilograms.
  const kilograms = await s.service.store.read(s.tenant.id, (tx) => tx.items.get(it));
  await receive(id, { itemId: it, unitId: kilograms?.unitId, quantity: 0.452, orderLineId: lines[0].id });
  expect(await state()).toEqual(['partial', 2.996326, 0.003674, [1.36, 0, 0.001]]);
  const { data } = (await ok(change(id, { status: 'completed' }))).body;
  expect(data).toMatchObject({ fulfilment: 'full', lines: [{ fulfilledQuantity: 3 }] });
  expect((await document(data.stockDocumentIds.at(-1))).lines).toMatchObject([{ unitId: lb, quantity: 0.003674, postedQuantity: 0.001 }]);
  expect(await figures(it)).toEqual([1.361, 0, 0]);
});

test('only buy orders add the lead time of the supplier to the due date', async () => {
  const both = await made(s.post('/v1/contacts', { name: 'Trader', contactType: 'both' }));
  const it = await item();
  await ok(s.post(`/v1/items/${it}/suppliers`, { supplierId: both, leadTimeDays: 10 }));
  const due = async (module: string) =>
    (await ok(create({ module, contactId: both, orderDate: '2026-03-01', lines: [{ itemId: it, quantity: 1 }] }))).body.data.dueDate;
  const dates = { buy: '2026-03-18', sell: '2026-03-08', make: '2026-03-08', check: '2026-03-08', fix: '2026-03-08' };
  for (const [module, date] of Object.entries(dates)) expect([module, await due(module)]).toEqual([module, date]);
});

test('partly fulfilled orders pass every integrity check', async () => {
  expect(await findProblems(s)).toEqual([]);
});
