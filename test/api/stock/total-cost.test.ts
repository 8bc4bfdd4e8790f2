/** `totalCost` of documents is rounded to the minor unit of the currency, line values and levels are not (D-9). */
import { describe, expect, test } from 'vitest';
import { useOrderStock } from '../../support/resources/order-stock.ts';
import { postDocument, submitDocument, withSettings } from '../../support/resources/stock.ts';
import { refused } from '../../support/service/call-trace.ts';

const { s, change, ok, item, level, purchase, document } = useOrderStock();

const post = async (type: string, lines: readonly object[], more: object = {}) => document(await postDocument(s, { type, ...more, lines }));

describe('totalCost', () => {
  test.each([
    { currency: 'EUR', currencyExponent: 2, unitCost: 0.335, exact: 1.005, total: 1.01 },
    { currency: 'JPY', currencyExponent: 0, unitCost: 0.5, exact: 1.5, total: 2 },
    { currency: 'KWD', currencyExponent: 3, unitCost: 0.3335, exact: 1.0005, total: 1.001 },
    { currency: 'CLF', currencyExponent: 4, unitCost: 0.333_35, exact: 1.000_05, total: 1.0001 },
  ])('is $total in $currency for 3 × $unitCost, while lines and level keep $exact', async (row) => {
    const { currencyExponent, unitCost, exact, total } = row;
    await withSettings(s, { currencyExponent }, async () => {
      const it = await item();
      const receipt = await post('receipt', [{ itemId: it, quantity: 3, unitCost }]);
      expect(receipt).toMatchObject({ totalCost: total, lines: [{ unitCost, postedUnitCost: unitCost, postedValue: exact }] });
      expect(await level(it)).toMatchObject({ value: exact, averageCost: unitCost });
      const loss = await post('adjustment', [{ itemId: it, quantity: -3 }], { reason: 'lost' });
      expect(loss).toMatchObject({ totalCost: -total, lines: [{ postedValue: -exact }] });
    });
  });

  test('is rounded once, after the exact values of the lines were added up', async () => {
    const it = await item();
    const line = { itemId: it, quantity: 3, unitCost: 0.335 };
    expect(await post('receipt', [line, line])).toMatchObject({ totalCost: 2.01, lines: [{ postedValue: 1.005 }, { postedValue: 1.005 }] });
    const half = await item();
    const tiny = { itemId: half, quantity: 1, unitCost: 0.0025 };
    expect((await post('receipt', [tiny, tiny])).totalCost).toBe(0.01);
    expect((await post('issue', [{ itemId: half, quantity: 1 }])).totalCost).toBe(0);
  });

  test('is the total of a purchase of one line, also after a reversal', async () => {
    const it = await item();
    const { id, total } = await purchase(it, 3, { unitPrice: 0.335 });
    const [receipt] = (await ok(change(id, { status: 'completed' }))).body.data.stockDocumentIds;
    expect([total, (await document(receipt)).totalCost]).toEqual([1.01, 1.01]);
    expect((await ok(s.post(`/v1/stock-documents/${receipt}/cancel`, {}))).body.data).toMatchObject({ totalCost: 1.01 });
  });

  test('that reaches the bound of numbers by rounding is rejected', async () => {
    const lines = [
      { itemId: await item(), quantity: 1, unitCost: 999_999_999 },
      { itemId: await item(), quantity: 1, unitCost: 0.999_999 },
    ];
    const id = await submitDocument(s, { type: 'receipt', lines });
    const { body } = await refused(s, () => s.post(`/v1/stock-documents/${id}/approve`, {}), 409, 'LIMIT_REACHED');
    expect(body.error.details).toEqual({ limit: 1_000_000_000 });
  });
});
