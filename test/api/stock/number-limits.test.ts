/** Levels and costs stay within the range of numbers of the API. D-9, D-16, D-17. */
import { describe, expect, test } from 'vitest';
import { made } from '../../support/resources/order-world.ts';
import { useOrderStock } from '../../support/resources/order-stock.ts';
import { findProblems, postDocument, stockUp, submitDocument, withSettings } from '../../support/resources/stock.ts';
import { refused } from '../../support/service/call-trace.ts';

const { s, w, create, change, ok, level, item, sale, purchase, cancel, document } = useOrderStock();
const MAX = 999_999_999.999_999;

describe('projected', () => {
  test('stays below the limit of quantities: purchases that could exceed it are rejected', async () => {
    const id = await item({ name: 'Sand' });
    await stockUp(s, [{ itemId: id, quantity: 600_000_000, unitCost: 0 }]);
    const draft = { module: 'buy', status: 'open', contactId: w.supplier, lines: [{ itemId: id, quantity: 400_000_000 }] };
    const reply = await refused(s, () => create(draft), 409, 'LIMIT_REACHED');
    expect(reply.body.error).toMatchObject({
      message: 'Sand: onHand plus incoming at one site must be below 1000000000. Use smaller quantities or costs.',
      details: { limit: 1_000_000_000, fields: ['projected'] },
    });
    await purchase(id, 399_999_999);
    expect((await level(id)).figures).toEqual([600_000_000, 0, 399_999_999]);
  });

  test('cannot exceed the limit when a sale is cancelled, which releases its commitment', async () => {
    const id = await item();
    await stockUp(s, [{ itemId: id, quantity: 600_000_000, unitCost: 0 }]);
    const { id: sold } = await sale(id, 500_000_000);
    await refused(
      s,
      () => create({ module: 'buy', status: 'open', contactId: w.supplier, lines: [{ itemId: id, quantity: 500_000_000 }] }),
      409,
      'LIMIT_REACHED',
    );
    await purchase(id, 300_000_000);
    expect((await change(sold, { status: 'cancelled' })).status).toBe(200);
    const { body } = await s.get(`/v1/stock-levels?item_id=${id}`);
    expect(body.data[0]).toMatchObject({ available: 600_000_000, projected: 900_000_000 });
  });

  test('counts submitted documents', async () => {
    const id = await item();
    await stockUp(s, [{ itemId: id, quantity: 999_999_999, unitCost: 0 }]);
    const receipt = (await ok(s.post('/v1/stock-documents', { type: 'receipt', lines: [{ itemId: id, quantity: 1, unitCost: 0 }] }))).body
      .data;
    const reply = await refused(s, () => s.post(`/v1/stock-documents/${receipt.id as string}/submit`, {}), 409, 'LIMIT_REACHED');
    expect(reply.body.error.details.fields).toEqual(['projected']);
  });
});

test('available stays above the limit: commitments on top of negative stock are rejected', async () => {
  await withSettings(s, { negativeStock: 'allow' }, async () => {
    const id = await item({ name: 'Gravel' });
    await postDocument(s, { type: 'issue', lines: [{ itemId: id, quantity: 600_000_000 }] });
    const draft = { module: 'sell', status: 'open', contactId: w.customer, lines: [{ itemId: id, quantity: 400_000_000 }] };
    const reply = await refused(s, () => create(draft), 409, 'LIMIT_REACHED');
    expect(reply.body.error).toMatchObject({
      message: 'Gravel: committed less onHand at one site must be below 1000000000. Use smaller quantities or costs.',
      details: { limit: 1_000_000_000, fields: ['available'] },
    });
    await sale(id, 399_999_999);
  });
});

test('the computed level of a combo is at most the limit of quantities', async () => {
  const [kit, part] = [await item({ itemType: 'combo', unitId: null }), await item({ unitId: null })];
  await made(s.post(`/v1/items/${kit}/ingredients`, { ingredientItemId: part, quantity: 0.000_001 }));
  await stockUp(s, [{ itemId: part, quantity: 900_000_000, unitCost: 0 }]);
  const { body } = await s.get(`/v1/stock-levels?item_id=${kit}&site_id=${s.tenant.defaultSiteId}`);
  expect(body.data[0]).toMatchObject({ onHand: 999_999_999, isVirtual: true });
});

describe('unit costs beyond the limit', () => {
  test('are stored as the limit when a very small quantity is produced; its value is exact', async () => {
    const [output, part] = [await item({ unitId: null }), await item()];
    await stockUp(s, [{ itemId: part, quantity: 3, unitCost: 700 }]);
    const lines = [
      { kind: 'output', itemId: output, quantity: 0.000_001 },
      { kind: 'component', itemId: part, quantity: 3 },
    ];
    const order = (await ok(create({ module: 'make', status: 'open', lines }))).body.data;
    const completed = await change(order.id, { status: 'completed' });
    expect(completed.status, completed.text).toBe(200);
    expect(await level(output)).toEqual({ figures: [0.000_001, 0, 0], value: 2_100, averageCost: MAX });
    const [produced] = completed.body.data.stockDocumentIds as string[];
    const posted = await document(produced ?? '');
    expect(posted.totalCost).toBe(2_100);
    expect(posted.lines.find(({ direction }: { direction: string }) => direction === 'in')).toMatchObject({ postedUnitCost: MAX });
    // Issued again, the exact value leaves.
    const issue = await postDocument(s, { type: 'issue', lines: [{ itemId: output, quantity: 0.000_001 }] });
    expect(await level(output)).toMatchObject({ figures: [0, 0, 0], value: 0 });
    expect((await document(issue)).totalCost).toBe(2_100);
    await ok(cancel(issue));
    await ok(cancel(produced ?? ''));
    expect([await level(output), await level(part)]).toMatchObject([{ value: 0 }, { figures: [3, 3, 0], value: 2_100 }]);
    expect(await findProblems(s)).toEqual([]);
  });

  test('do not reject receipts whose rounded value exceeds the cost, nor later receipts', async () => {
    const id = await item({ unitId: null });
    await postDocument(s, { type: 'receipt', lines: [{ itemId: id, quantity: 0.000_001, unitCost: MAX }] });
    expect(await level(id)).toEqual({ figures: [0.000_001, 0, 0], value: 1_000, averageCost: MAX });
    await stockUp(s, [{ itemId: id, quantity: 0.999_999, unitCost: 0 }]);
    expect(await level(id)).toEqual({ figures: [1, 0, 0], value: 1_000, averageCost: 1_000 });
  });

  test('do not raise the limit of values', async () => {
    const id = await item({ unitId: null });
    const receipt = await submitDocument(s, { type: 'receipt', lines: [{ itemId: id, quantity: 2, unitCost: 600_000_000 }] });
    const reply = await refused(s, () => s.post(`/v1/stock-documents/${receipt}/approve`, {}), 409, 'LIMIT_REACHED');
    expect(reply.body.error.message).toContain('Quantity and value of');
  });
});

test('unitPrice is per unit of the line, unitCost per stock unit of the item', async () => {
  const id = await item();
  const dozen = (await s.service.store.read(s.tenant.id, (tx) => tx.units.get(w.pcs)))!;
  const unitId = s.service.newId();
  await s.service.store.transact(s.tenant.id, (tx) =>
    tx.units.put({ ...dozen, id: unitId, symbol: 'limit-dozen', name: 'Dozen', factorNum: 12 }),
  );
  const bought = await purchase(id, 2, { unitId, unitPrice: 12 });
  expect(bought.total).toBe(24);
  await ok(change(bought.id, { status: 'completed' }));
  expect(await level(id)).toEqual({ figures: [24, 0, 0], value: 24, averageCost: 1 });
  const received = await postDocument(s, { type: 'receipt', lines: [{ itemId: id, quantity: 2, unitId, unitCost: 1 }] });
  expect(await document(received)).toMatchObject({ totalCost: 24, lines: [{ unitCost: 1, postedUnitCost: 1, stockQuantity: 24 }] });
});

// The last test, because the level that it stores has no ledger entries.
test('levels beyond the limit, stored by earlier releases, can shrink but not grow', async () => {
  const id = await item();
  const bought = await purchase(id, 500_000_000);
  const more = await purchase(id, 400_000_000);
  const key = `${id} ${s.tenant.defaultSiteId}`;
  await s.service.store.transact(s.tenant.id, async (tx) => {
    const row = await tx.stockLevels.get(key);
    if (row)
      await tx.stockLevels.put({ ...row, onHand: 999_000_000_000_000, available: 999_000_000_000_000, projected: 1_899_000_000_000_000 });
  });
  await refused(s, () => change(more.id, { lines: [{ id: more.lines[0].id, quantity: 400_000_001 }] }), 409, 'LIMIT_REACHED');
  expect((await change(more.id, { status: 'cancelled' })).status).toBe(200);
  expect((await change(bought.id, { status: 'cancelled' })).status).toBe(200);
});
