/** The value that each line of a posted or reversed document shows: the lines of an item and site add up to the level (D-13). */
import { afterEach, describe, expect, test } from 'vitest';
import { checkLineValues } from '../../support/resources/line-values.ts';
import { stockUp, withSettings } from '../../support/resources/stock.ts';
import { PATH, useStockDocuments } from '../../support/resources/stock-documents.ts';

const { s, w, act, read, submitted, approved, draft, item } = useStockDocuments();

const home = () => s.tenant.defaultSiteId;
const receive = (itemId: string, quantity: number, unitCost: number) =>
  approved({ type: 'receipt', lines: [{ itemId, quantity, unitCost }] });
const issue = (itemId: string, quantity: number) => approved({ type: 'issue', lines: [{ itemId, quantity }] });
const firstLine = async (id: string) => (await read(id)).lines[0];

afterEach(() => checkLineValues(s));

describe('lines of a document', () => {
  test('have no values before the approval, and no reversed value before the reversal', async () => {
    const bolt = await item();
    const receipt = { type: 'receipt', lines: [{ itemId: bolt, quantity: 3, unitCost: 0.335 }] };
    for (const id of [await draft(receipt), await submitted(receipt)]) {
      expect(await firstLine(id)).toMatchObject({ postedValue: null, reversedValue: null, otherLevels: [] });
      expect((await act(id, 'cancel')).body.data.lines[0]).toMatchObject({ postedValue: null, reversedValue: null, otherLevels: [] });
    }
    const id = await submitted(receipt);
    const values = { postedValue: 1.005, reversedValue: null, otherLevels: [] };
    expect((await act(id, 'approve')).body.data.lines[0]).toMatchObject(values);
    expect(await firstLine(id)).toMatchObject(values);
    expect((await s.get(`${PATH}/${id}/lines`)).body.data[0]).toMatchObject(values);
  });

  test('show a reversal that could not take back the whole value', async () => {
    const bolt = await item();
    const expensive = await receive(bolt, 10, 10);
    await receive(bolt, 10, 2.1);
    await issue(bolt, 10);
    const reversed = (await act(expensive, 'cancel')).body.data;
    expect(reversed.lines[0]).toMatchObject({ postedQuantity: 10, postedValue: 100, reversedValue: -60.5, otherLevels: [] });
    expect(await firstLine(expensive)).toEqual(reversed.lines[0]);
  });

  test('show the value at both sites of a transfer, posted and reversed', async () => {
    const oil = await item();
    await stockUp(s, [{ itemId: oil, quantity: 3, unitCost: 0.333_333 }]);
    const id = await approved({ type: 'transfer', toSiteId: w.site, lines: [{ itemId: oil, quantity: 1 }] });
    const posted = { postedValue: -0.333333, otherLevels: [{ itemId: oil, siteId: w.site, postedValue: 0.333333, reversedValue: null }] };
    expect(await firstLine(id)).toMatchObject({ ...posted, reversedValue: null });
    await approved({ type: 'receipt', siteId: w.site, lines: [{ itemId: oil, quantity: 1, unitCost: 0 }] });
    await approved({ type: 'issue', siteId: w.site, lines: [{ itemId: oil, quantity: 1 }] });
    await act(id, 'cancel');
    expect(await firstLine(id)).toMatchObject({
      postedValue: -0.333333,
      reversedValue: 0.333333,
      otherLevels: [{ itemId: oil, siteId: w.site, postedValue: 0.333333, reversedValue: -0.166666 }],
    });
  });

  test('show 0 for a count without a variance', async () => {
    const bolt = await item();
    await stockUp(s, [{ itemId: bolt, quantity: 4, unitCost: 1 }]);
    const id = await approved({ type: 'count', lines: [{ itemId: bolt, countedQuantity: 4 }] });
    expect(await firstLine(id)).toMatchObject({ postedValue: 0, reversedValue: null });
    await act(id, 'cancel');
    expect(await firstLine(id)).toMatchObject({ postedValue: 0, reversedValue: 0 });
  });

  test('include the revaluation of stock owed that a receipt covers', async () => {
    await withSettings(s, { negativeStock: 'allow' }, async () => {
      const bolt = await item({ purchasePrice: 2 });
      await issue(bolt, 3);
      const id = await receive(bolt, 5, 4);
      expect(await firstLine(id)).toMatchObject({ postedUnitCost: 4, postedValue: 14, reversedValue: null });
      await act(id, 'cancel');
      expect(await firstLine(id)).toMatchObject({ postedValue: 14, reversedValue: -14 });
    });
  });

  test('keep the values of two lines with the same item apart', async () => {
    const bolt = await item();
    const lines = [
      { itemId: bolt, quantity: 1, unitCost: 2 },
      { itemId: bolt, quantity: 2, unitCost: 3 },
    ];
    const { lines: shown } = await read(await approved({ type: 'receipt', lines }));
    expect(shown.map(({ postedValue }: { postedValue: number }) => postedValue)).toEqual([2, 6]);
  });
});

test('a reversed document keeps its posting date, and the reversal has its own', async () => {
  const bolt = await item();
  const id = await receive(bolt, 2, 1);
  const before = await read(id);
  s.clock.advance(86_400);
  const since = s.clock.now().toISOString();
  const { data } = (await act(id, 'cancel', { reason: 'wrong item' })).body;
  const { approvedAt, approvedBy, documentDate, totalCost } = before;
  expect(data).toMatchObject({ status: 'cancelled', approvedAt, approvedBy, documentDate, totalCost });
  expect(data.reversedAt >= since && approvedAt < since).toBe(true);
  expect([data.cancelledAt, data.updatedAt]).toEqual([data.reversedAt, data.reversedAt]);
  // The lines changed with the reversal, so readers of changes get them.
  const changed = (await s.get(`${PATH}/${id}/lines?updated_since=${since}`)).body.data;
  expect(changed).toMatchObject([{ postedValue: 2, reversedValue: -2 }]);
  const stored = await s.service.store.read(s.tenant.id, (tx) => tx.stockLevels.get(`${bolt} ${home()}`));
  expect((stored?.lastMovementAt ?? '') >= since).toBe(true);
});
