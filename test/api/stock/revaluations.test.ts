/** Revaluation documents: they set the unit cost of stock without moving it (D-12). */
import { expect, test } from 'vitest';
import { checkLineValues } from '../../support/resources/line-values.ts';
import { useOrderStock } from '../../support/resources/order-stock.ts';
import { findProblems, postDocument, stockUp, submitDocument, withSettings } from '../../support/resources/stock.ts';
import { refused } from '../../support/service/call-trace.ts';

const { s, item, ok, level, document, cancel } = useOrderStock();

const revaluation = (lines: readonly object[], more: object = {}) => ({ type: 'revaluation', reason: 'damaged', lines, ...more });

test('a revaluation changes the value without moving stock, and its variance is the difference', async () => {
  const it = await item();
  await stockUp(s, [{ itemId: it, quantity: 10, unitCost: 3 }]);
  const id = await submitDocument(s, revaluation([{ itemId: it, unitCost: 1.25 }]));
  expect(await level(it)).toMatchObject({ figures: [10, 0, 0], value: 30 });
  const { data } = (await ok(s.post(`/v1/stock-documents/${id}/approve`, {}))).body;
  expect(data).toMatchObject({ reason: 'damaged', totalCost: -17.5, totalVariance: 17.5, stockEffects: [] });
  expect(data.documentNumber).toMatch(/^RV-\d{6}$/u);
  expect(data.lines).toMatchObject([
    {
      quantity: null,
      postedQuantity: 0,
      postedUnitCost: 1.25,
      onHandBefore: 10,
      onHandAfter: 10,
      postedValue: -17.5,
      postedVariance: 17.5,
    },
  ]);
  expect(await level(it)).toMatchObject({ value: 12.5, averageCost: 1.25 });
  await ok(cancel(id));
  expect(await level(it)).toMatchObject({ value: 30, averageCost: 3 });
  expect(await document(id)).toMatchObject({ totalVariance: 0, lines: [{ reversedValue: 17.5, reversedVariance: -17.5 }] });
});

test('the reversal of a revaluation gives no more than what is left cost', async () => {
  const it = await item();
  await stockUp(s, [{ itemId: it, quantity: 10, unitCost: 3 }]);
  const id = await postDocument(s, revaluation([{ itemId: it, unitCost: 1 }]));
  await postDocument(s, { type: 'issue', lines: [{ itemId: it, quantity: 9 }] });
  await ok(cancel(id));
  // 9 were issued for 9; 1 is worth 3 again, and 18 are lost to the cost of the issue.
  expect(await level(it)).toMatchObject({ value: 3, averageCost: 3 });
  expect(await document(id)).toMatchObject({ totalVariance: 18 });
});

test('a revaluation values stock owed', async () => {
  await withSettings(s, { negativeStock: 'allow' }, async () => {
    const it = await item({ purchasePrice: 2 });
    await postDocument(s, { type: 'issue', lines: [{ itemId: it, quantity: 3 }] });
    await postDocument(s, revaluation([{ itemId: it, unitCost: 5 }]));
    expect(await level(it)).toMatchObject({ figures: [-3, 0, 0], value: -15, averageCost: 5 });
  });
});

test('a revaluation needs a reason, a cost on each line, one line per item, and stock', async () => {
  const [it, empty] = [await item(), await item({ name: 'Nothing here' })];
  await stockUp(s, [{ itemId: it, quantity: 1, unitCost: 3 }]);
  const create = (body: object) => s.post('/v1/stock-documents', body);
  const none = await create({ ...revaluation([{ itemId: it, unitCost: 1 }]), reason: null });
  expect([none.status, none.body.error.fields[0]]).toMatchObject([400, { path: '/reason' }]);
  const noCost = await create(revaluation([{ itemId: it }]));
  expect([noCost.status, noCost.body.error.fields[0]]).toMatchObject([
    400,
    { path: '/lines/0/unitCost', message: expect.stringContaining('required') },
  ]);
  const quantity = await create(revaluation([{ itemId: it, unitCost: 1, quantity: 2 }]));
  expect([quantity.status, quantity.body.error.fields[0]]).toMatchObject([400, { path: '/lines/0/quantity' }]);
  const twice = [1, 2].map((unitCost) => ({ itemId: it, unitCost }));
  await refused(s, () => create(revaluation(twice)), 409, 'DUPLICATE_VALUE');
  const id = await submitDocument(
    s,
    revaluation([
      { itemId: it, unitCost: 1 },
      { itemId: empty, unitCost: 1 },
    ]),
  );
  const reply = await refused(s, () => s.post(`/v1/stock-documents/${id}/approve`, {}), 409, 'INVALID_STATE');
  expect(reply.body.error.message).toContain('Cannot revalue line 2 of RV-');
});

test('revaluations pass every integrity check', async () => {
  await checkLineValues(s);
  expect(await findProblems(s)).toEqual([]);
});
