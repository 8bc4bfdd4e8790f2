/** Approving and reversing stock documents: ledger, levels and rejections. */
import { describe, expect, test } from 'vitest';
import { made } from '../../support/resources/order-world.ts';
import { type Reply, getCode } from '../../support/service/service.ts';
import { postDocument, stockUp, submitDocument, withSettings } from '../../support/resources/stock.ts';
import { refused, trace } from '../../support/service/call-trace.ts';
import { useOrders } from '../../support/resources/orders.ts';

const { s, w } = useOrders();

const PATH = '/v1/stock-documents';
const item = (more: object = {}) => made(s.post('/v1/items', { name: `Item ${s.service.newId()}`, ...more }));
const act = (id: string, action: 'submit' | 'approve' | 'cancel', key = s.key) => s.post(`${PATH}/${id}/${action}`, {}, { key });
const submitted = (body: object) => submitDocument(s, body);
const issue = (itemId: string, quantity: number) => ({ type: 'issue', lines: [{ itemId, quantity }] });
const ledger = () => s.service.store.read(s.tenant.id, async (tx) => (await tx.ledger.listAfter({ limit: 100_000 })).rows);
const level = async (itemId: string, siteId = s.tenant.defaultSiteId) =>
  s.service.store.read(s.tenant.id, (tx) => tx.stockLevels.get(`${itemId} ${siteId}`));
/** A refusal that leaves ledger and levels as they were. */
async function refusedToPost(call: () => Promise<Reply>, code: Parameters<typeof refused>[3]): Promise<Reply> {
  const all = async () => [
    await ledger(),
    await s.service.store.read(s.tenant.id, async (tx) => (await tx.stockLevels.listAfter({ limit: 100_000 })).rows),
  ];
  const before = await all();
  const reply = await refused(s, call, 409, code);
  expect(await all()).toEqual(before);
  return reply;
}

describe('insufficient stock', () => {
  test('lists every shortage and posts nothing', async () => {
    const [bolt, nut, washer] = [await item({ sku: 'S-BOLT' }), await item({ sku: null }), await item()];
    await stockUp(s, [
      { itemId: bolt, quantity: 3 },
      { itemId: washer, quantity: 9 },
    ]);
    const lines = [
      { itemId: bolt, quantity: 2 },
      { itemId: bolt, quantity: 2 },
      { itemId: nut, quantity: 1.5 },
      { itemId: washer, quantity: 9 },
    ];
    const id = await submitted({ type: 'issue', lines });
    const reply = await refusedToPost(() => act(id, 'approve'), 'INSUFFICIENT_STOCK');
    const siteId = s.tenant.defaultSiteId;
    expect(reply.body.error.details.shortages).toEqual([
      { itemId: bolt, sku: 'S-BOLT', siteId, required: 4, onHand: 3, missing: 1 },
      { itemId: nut, sku: null, siteId, required: 1.5, onHand: 0, missing: 1.5 },
    ]);
    expect((await s.get(`${PATH}/${id}`)).body.data.status).toBe('submitted');
  });

  test('rejects a reversal of stock that has left', async () => {
    const bolt = await item();
    const receipt = await postDocument(s, { type: 'receipt', lines: [{ itemId: bolt, quantity: 5, unitCost: 1 }] });
    const taken = await postDocument(s, issue(bolt, 2));
    const reply = await refusedToPost(() => act(receipt, 'cancel'), 'INSUFFICIENT_STOCK');
    expect(reply.body.error.details.shortages).toMatchObject([{ itemId: bolt, required: 5, onHand: 3, missing: 2 }]);
    expect((await act(taken, 'cancel')).status).toBe(200);
    expect((await act(receipt, 'cancel')).status).toBe(200);
    expect(await level(bolt)).toMatchObject({ onHand: 0, stockValue: 0 });
    await refusedToPost(() => act(receipt, 'cancel'), 'INVALID_STATE');
  });

  test('lets one of several concurrent approvals have the last unit', async () => {
    const bolt = await item();
    await stockUp(s, [{ itemId: bolt, quantity: 1 }]);
    const ids: string[] = [];
    for (let at = 0; at < 6; at += 1) ids.push(await submitted(issue(bolt, 1)));
    const replies = await Promise.all(ids.map((id) => act(id, 'approve')));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const reply of replies.filter(({ status }) => status !== 200)) expect(getCode(reply)).toBe('INSUFFICIENT_STOCK');
    expect(await level(bolt)).toMatchObject({ onHand: 0, committed: 5_000_000 });
  });

  test('posts a document once when approved concurrently', async () => {
    const bolt = await item();
    const id = await submitted({ type: 'receipt', lines: [{ itemId: bolt, quantity: 1 }] });
    const replies = await Promise.all(Array.from({ length: 5 }, () => act(id, 'approve')));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
    expect(await level(bolt)).toMatchObject({ onHand: 1_000_000 });
  });

  test('goes below zero with negativeStock allow, and below_zero lists it', async () => {
    const bolt = await item();
    await withSettings(s, { negativeStock: 'allow' }, async () => {
      await postDocument(s, issue(bolt, 2));
      expect(await level(bolt)).toMatchObject({ onHand: -2_000_000, isBelowZero: true });
      await postDocument(s, { type: 'receipt', lines: [{ itemId: bolt, quantity: 2, unitCost: 3 }] });
      expect(await level(bolt)).toMatchObject({ onHand: 0, stockValue: 0, isBelowZero: false });
    });
  });
});

test('rejects submitting beyond available stock with oversell block', async () => {
  const bolt = await item();
  await stockUp(s, [{ itemId: bolt, quantity: 5 }]);
  await withSettings(s, { oversell: 'block' }, async () => {
    const first = await submitted(issue(bolt, 4));
    const second = await made(s.post(PATH, issue(bolt, 2)));
    const reply = await refusedToPost(() => act(second, 'submit'), 'INSUFFICIENT_STOCK');
    expect(reply.body.error.details.shortages).toMatchObject([{ itemId: bolt, required: 2, onHand: 5, missing: 1 }]);
    expect((await act(first, 'cancel')).status).toBe(200);
    expect((await act(second, 'submit')).status).toBe(200);
    expect((await act(second, 'approve')).status).toBe(200);
  });
  // Where it may, the same is submitted.
  await submitted(issue(bolt, 4));
});

describe('count documents', () => {
  const count = (itemId: string, countedQuantity: number, expectedQuantity?: number) => ({
    type: 'count',
    lines: [{ itemId, countedQuantity, ...(expectedQuantity === undefined ? {} : { expectedQuantity }) }],
  });

  test('post the variance against on hand at approval', async () => {
    const bolt = await item();
    await stockUp(s, [{ itemId: bolt, quantity: 10, unitCost: 2 }]);
    const id = await submitted(count(bolt, 7));
    await postDocument(s, issue(bolt, 1));
    const { data } = (await s.post(`/v1/stock-documents/${id}/approve`, { force: true })).body;
    expect(data.lines[0]).toMatchObject({ postedQuantity: -2, onHandBefore: 9, onHandAfter: 7, postedUnitCost: 2 });
    expect(data).toMatchObject({ totalCost: -4, stockEffects: [{ itemId: bolt, quantityDelta: -2, onHandAfter: 7 }] });
  });

  test('answer STALE_COUNT if expectedQuantity differs, and post nothing', async () => {
    const bolt = await item();
    await stockUp(s, [{ itemId: bolt, quantity: 10 }]);
    const [stale, right] = [await submitted(count(bolt, 7, 10)), await submitted(count(bolt, 8, 9))];
    await postDocument(s, issue(bolt, 1));
    const reply = await refusedToPost(() => act(stale, 'approve'), 'STALE_COUNT');
    expect(reply.body.error.details.stale).toMatchObject([{ itemId: bolt, expected: 10, onHand: 9 }]);
    expect((await act(right, 'approve')).status).toBe(200);
    expect(await level(bolt)).toMatchObject({ onHand: 8_000_000 });
  });

  test('record a line without movement when the count equals on hand', async () => {
    const bolt = await item();
    await stockUp(s, [{ itemId: bolt, quantity: 4 }]);
    const entries = (await ledger()).length;
    const id = await submitted(count(bolt, 4));
    expect((await act(id, 'approve')).body.data.lines[0]).toMatchObject({ postedQuantity: 0, onHandBefore: 4, onHandAfter: 4 });
    expect(await ledger()).toHaveLength(entries);
  });
});

describe('valuation', () => {
  test('uses the moving average: receipts change it, issues use it, and value is 0 at 0 on hand', async () => {
    const oil = await item();
    await postDocument(s, { type: 'receipt', lines: [{ itemId: oil, quantity: 3, unitCost: 1 }] });
    await postDocument(s, { type: 'receipt', lines: [{ itemId: oil, quantity: 3, unitCost: 2.000_001 }] });
    expect(await level(oil)).toMatchObject({ onHand: 6_000_000, stockValue: 9_000_003, averageCost: 1_500_001 });
    for (let at = 0; at < 6; at += 1) await postDocument(s, issue(oil, 1));
    expect(await level(oil)).toMatchObject({ onHand: 0, stockValue: 0 });
  });

  test('moves value with a transfer', async () => {
    const oil = await item();
    await stockUp(s, [{ itemId: oil, quantity: 3, unitCost: 0.333_333 }]);
    const before = (await level(oil))?.stockValue ?? 0;
    await postDocument(s, { type: 'transfer', toSiteId: w.site, lines: [{ itemId: oil, quantity: 1 }] });
    const [home, away] = [await level(oil), await level(oil, w.site)];
    expect([home?.onHand, away?.onHand]).toEqual([2_000_000, 1_000_000]);
    expect((home?.stockValue ?? 0) + (away?.stockValue ?? 0)).toBe(before);
  });

  test('values production outputs at the cost of their components', async () => {
    const [bean, roast] = [await item(), await item()];
    await stockUp(s, [{ itemId: bean, quantity: 10, unitCost: 3 }]);
    const lines = [
      { itemId: roast, quantity: 7, direction: 'in' },
      { itemId: bean, quantity: 10, direction: 'out' },
    ];
    const id = await postDocument(s, { type: 'production', lines });
    expect(await level(roast)).toMatchObject({ onHand: 7_000_000, stockValue: 30_000_000 });
    expect((await act(id, 'cancel')).status).toBe(200);
    expect([await level(roast), await level(bean)]).toMatchObject([
      { onHand: 0, stockValue: 0 },
      { onHand: 10_000_000, stockValue: 30_000_000 },
    ]);
  });
});

describe('fourEyes', () => {
  test('requires another approver than the submitter', async () => {
    const bolt = await item();
    await withSettings(s, { fourEyes: true }, async () => {
      const id = await submitted({ type: 'receipt', lines: [{ itemId: bolt, quantity: 1 }] });
      await refusedToPost(() => act(id, 'approve'), 'SAME_APPROVER');
      expect((await act(id, 'approve', await s.addKey())).status).toBe(200);
    });
  });
});

test('the ledger is gapless, append-only and survives a restart', async () => {
  const bolt = await item();
  const before = await ledger();
  const id = await postDocument(s, { type: 'receipt', lines: [{ itemId: bolt, quantity: 2, unitCost: 1 }] });
  const { actions } = await trace(s, () => act(id, 'cancel'));
  expect(actions).toEqual(['stock_document.reversed']);
  const after = await ledger();
  expect(after.map(({ seq }) => seq)).toEqual(after.map((_, at) => at + 1));
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length)).toMatchObject([
    { documentId: id, quantityDelta: 2_000_000, reversalOf: null },
    { documentId: id, quantityDelta: -2_000_000, reversalOf: before.length + 1 },
  ]);
  await s.restart();
  expect(await ledger()).toEqual(after);
});
