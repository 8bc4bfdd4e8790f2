/** What a reversal does to values: levels and variances together neither gain nor lose any, and averages stay explained (D-15, D-16). */
import { afterEach, describe, expect, test } from 'vitest';
import type { StockDocument } from '../../../src/contract/resources/stock-documents.ts';
import { checkLineValues } from '../../support/resources/line-values.ts';
import { useOrderStock } from '../../support/resources/order-stock.ts';
import { findProblems, postDocument, withSettings } from '../../support/resources/stock.ts';

const { s, w, item, ok, create, change, level, cancel } = useOrderStock();

const receive = (itemId: string, quantity: number, unitCost?: number, siteId?: string) =>
  postDocument(s, { type: 'receipt', siteId, lines: [{ itemId, quantity, unitCost }] });
const issue = (itemId: string, quantity: number, siteId?: string) =>
  postDocument(s, { type: 'issue', siteId, lines: [{ itemId, quantity }] });
const count = (itemId: string, countedQuantity: number) => postDocument(s, { type: 'count', lines: [{ itemId, countedQuantity }] });
const find = (itemId: string, quantity: number) => postDocument(s, { type: 'adjustment', reason: 'found', lines: [{ itemId, quantity }] });
const allowNegative = (work: () => Promise<void>) => withSettings(s, { negativeStock: 'allow' }, work);
const read = async (id: string): Promise<StockDocument> => (await ok(s.get(`/v1/stock-documents/${id}?include=lines`))).body.data;
/** Value and average of a level. */
const values = async (itemId: string, siteId?: string) => {
  const { value, averageCost } = await level(itemId, siteId);
  return [value, averageCost];
};

/** What the lines of documents show, over all levels: movements and reversals, and the variances of both. */
async function sumShown(ids: readonly string[]) {
  const documents = await Promise.all(ids.map(read));
  const shown = documents.flatMap(({ lines = [] }) => lines.flatMap((line) => [line, ...line.otherLevels]));
  const sum = (of: (value: (typeof shown)[number]) => number): number =>
    Math.round(shown.reduce((all, value) => all + of(value), 0) * 1e6) / 1e6;
  const variances = sum(({ postedVariance, reversedVariance }) => (postedVariance ?? 0) + (reversedVariance ?? 0));
  expect(documents.reduce((all, { totalVariance }) => all + (totalVariance ?? 0), 0)).toBeCloseTo(variances, 6);
  return { levels: sum(({ postedValue, reversedValue }) => (postedValue ?? 0) + (reversedValue ?? 0)), variances };
}

async function checkIntegrity(): Promise<void> {
  await checkLineValues(s);
  expect(await findProblems(s)).toEqual([]);
}

afterEach(checkIntegrity);

describe('the cost of a reversed receipt', () => {
  test.each([
    ['a count', (it: string) => count(it, 5)],
    ['a found piece', (it: string) => find(it, 5)],
    ['a receipt without a cost', (it: string) => receive(it, 5)],
  ])('does not value %s after it', async (_, post) => {
    const it = await item({ purchasePrice: 10 });
    await ok(cancel(await receive(it, 10, 1_000)));
    expect(await values(it)).toEqual([0, null]);
    await post(it);
    expect(await values(it)).toEqual([50, 10]);
  });

  test('gives way to the average before it', async () => {
    const it = await item({ purchasePrice: 99 });
    await receive(it, 4, 7);
    await issue(it, 4);
    await ok(cancel(await receive(it, 10, 1_000)));
    expect(await values(it)).toEqual([0, 7]);
    await count(it, 2);
    expect(await values(it)).toEqual([14, 7]);
  });

  test('is not left in the average of stock that was issued before the reversal', async () => {
    const it = await item();
    await receive(it, 10, 10);
    const wrong = await receive(it, 10, 1_000);
    await issue(it, 10);
    await ok(cancel(wrong));
    expect(await values(it)).toEqual([0, 10]);
    await find(it, 1);
    expect(await values(it)).toEqual([10, 10]);
  });
});

test('found stock has the purchase price when the average is 0', async () => {
  const it = await item({ purchasePrice: 10 });
  await receive(it, 10, 0);
  await issue(it, 10);
  await count(it, 5);
  expect(await values(it)).toEqual([50, 10]);
});

test('an average stays between the costs of what is not reversed: the rest is a variance that the line shows', async () => {
  const it = await item();
  const first = await receive(it, 10, 1);
  await receive(it, 10, 100);
  await issue(it, 9);
  await ok(cancel(first));
  expect(await values(it)).toEqual([100, 100]);
  const { lines, totalVariance } = await read(first);
  // 11 pieces were worth 555.5, and the reversal took 10 of them: 445.5 were lost.
  expect(lines).toMatchObject([{ postedValue: 10, postedVariance: 0, reversedValue: -455.5, reversedVariance: 445.5 }]);
  expect(totalVariance).toBe(445.5);
});

test('the average after the reversal of an expensive receipt is what the rest cost', async () => {
  const it = await item();
  const expensive = await receive(it, 10, 100);
  await receive(it, 100, 10);
  await issue(it, 98);
  await ok(cancel(expensive));
  expect(await values(it)).toEqual([20, 10]);
});

test('reversing a transfer creates no value', async () => {
  const it = await item();
  await receive(it, 10, 100);
  await receive(it, 90, 10, w.site);
  const transfer = await postDocument(s, { type: 'transfer', toSiteId: w.site, lines: [{ itemId: it, quantity: 10 }] });
  const sold = await issue(it, 90, w.site);
  expect([(await read(sold)).totalCost, await values(it), await values(it, w.site)]).toEqual([1_710, [0, 100], [190, 19]]);
  await ok(cancel(transfer));
  expect([await values(it), await values(it, w.site)]).toEqual([
    [1_000, 100],
    [0, 10],
  ]);
  // 190 became 1,000: the issue took 810 too much, which the variance gives back.
  expect(await sumShown([transfer])).toEqual({ levels: 810, variances: -810 });
});

test('reversing a production creates no value', async () => {
  const [part, product] = [await item(), await item()];
  await receive(part, 10, 100);
  await receive(product, 90, 10);
  const lines = [
    { kind: 'output', itemId: product, quantity: 10 },
    { kind: 'component', itemId: part, quantity: 10 },
  ];
  const { id } = (await ok(create({ module: 'make', status: 'open', lines }))).body.data;
  const { stockDocumentIds } = (await ok(change(id, { status: 'completed' }))).body.data;
  await issue(product, 90);
  await ok(cancel(stockDocumentIds[0]));
  expect([await values(part), await values(product)]).toEqual([
    [1_000, 100],
    [0, 10],
  ]);
  expect(await sumShown(stockDocumentIds)).toEqual({ levels: 810, variances: -810 });
  await ok(change(id, { status: 'completed' }));
  expect([await values(part), await values(product)]).toEqual([
    [0, 100],
    [1_000, 100],
  ]);
});

describe('stock owed', () => {
  test('is valued within the costs of what remains when a reversal crosses zero', async () => {
    await allowNegative(async () => {
      const it = await item();
      const expensive = await receive(it, 10, 100);
      await receive(it, 100, 10);
      await issue(it, 101);
      await ok(cancel(expensive));
      expect(await values(it)).toEqual([-10, 10]);
      const more = await issue(it, 10);
      expect((await read(more)).lines).toMatchObject([{ postedUnitCost: 10, postedValue: -100 }]);
      await receive(it, 11, 10);
      expect(await values(it)).toEqual([0, 10]);
    });
  });

  test('that a receipt covers has a variance of its estimated cost, which the reversal takes back', async () => {
    await allowNegative(async () => {
      const it = await item({ purchasePrice: 2 });
      await issue(it, 3);
      const id = await receive(it, 5, 4);
      expect((await read(id)).lines).toMatchObject([{ postedValue: 14, postedVariance: 6, reversedVariance: null }]);
      await ok(cancel(id));
      expect((await read(id)).lines).toMatchObject([{ postedVariance: 6, reversedValue: -14, reversedVariance: -6 }]);
      expect(await values(it)).toEqual([-6, 2]);
    });
  });

  test('that a reversed issue covers is split off: what is on hand has the cost of the issue', async () => {
    await allowNegative(async () => {
      const it = await item();
      await receive(it, 10, 10);
      const big = await issue(it, 15);
      await receive(it, 2, 1_000);
      await ok(cancel(big));
      expect(await values(it)).toEqual([120, 10]);
    });
  });
});

test('a document that is reversed immediately leaves value and average as they were, also when issues have rounded the value', async () => {
  const it = await item();
  const lines = [0.000001, 0].map((unitCost) => ({ itemId: it, quantity: 1, unitCost }));
  await postDocument(s, { type: 'receipt', lines });
  await count(it, 1);
  const before = await values(it);
  await ok(cancel(await receive(it, 1, 0)));
  expect(await values(it)).toEqual(before);
});

test('a document with several lines of an item is reversed as a whole', async () => {
  const it = await item();
  await receive(it, 10, 20);
  const lines = [
    { itemId: it, quantity: 5, unitCost: 10 },
    { itemId: it, quantity: 5, unitCost: 1_000 },
  ];
  const both = await postDocument(s, { type: 'receipt', lines });
  await issue(it, 7);
  await ok(cancel(both));
  expect(await values(it)).toEqual([60, 20]);
  const shown = (await read(both)).lines ?? [];
  const sums = shown.map(
    (line) => (line.postedValue ?? 0) + (line.postedVariance ?? 0) + (line.reversedValue ?? 0) + (line.reversedVariance ?? 0),
  );
  for (const sum of sums) expect(sum).toBeCloseTo(0, 6);
});
