/** The value of produced stock: what its components cost, however production is split (D-16). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PROPERTY_TIMEOUT_MS, checkProperty } from '../../support/property.ts';
import { checkLineValues } from '../../support/resources/line-values.ts';
import { findProblems, postDocument, stockUp, withSettings } from '../../support/resources/stock.ts';
import { useOrderStock } from '../../support/resources/order-stock.ts';

const { change, create, s, w, item, ok, level, cancel, document, order: readOrder } = useOrderStock();

/** A make order for `quantity` products of three parts each, with the parts on hand at cost 1. */
async function openMakeOrder(quantity: number, product: object = {}) {
  const [part, made] = [await item(), await item(product)];
  await stockUp(s, [{ itemId: part, quantity: 3 * quantity, unitCost: 1 }]);
  const lines = [
    { kind: 'output', itemId: made, quantity },
    { kind: 'component', itemId: part, quantity: 3 * quantity },
  ];
  const open = async () => {
    const { id, lines: own } = (await ok(create({ module: 'make', status: 'open', lines }))).body.data;
    const post = (parts: number, products: number) =>
      postDocument(s, {
        type: 'production',
        orderId: id,
        lines: [
          { itemId: part, direction: 'out', quantity: parts, orderLineId: own[1].id },
          { itemId: made, direction: 'in', quantity: products, orderLineId: own[0].id },
        ].filter((line) => line.quantity > 0),
      });
    return { id, post, complete: () => ok(change(id, { status: 'completed' })) };
  };
  return { part, product: made, open };
}

describe('production into negative stock', () => {
  test.each([[null], [2], [4], [10]])(
    'values the stock left over at the cost of its components, however it is split, with a purchase price of %s',
    async (purchasePrice) => {
      await withSettings(s, { negativeStock: 'allow' }, async () => {
        const values: unknown[] = [];
        for (const isSplit of [false, true]) {
          const { part, product, open } = await openMakeOrder(16, { purchasePrice });
          await postDocument(s, { type: 'issue', lines: [{ itemId: product, quantity: 5 }] });
          const order = await open();
          if (isSplit) await order.post(24, 8);
          await order.complete();
          values.push([await level(product), await level(part)]);
        }
        expect(values[1]).toEqual(values[0]);
        expect(values[0]).toMatchObject([
          { figures: [11, 0, 0], value: 33, averageCost: 3 },
          { figures: [0, 0, 0], value: 0 },
        ]);
      });
      expect(await findProblems(s)).toEqual([]);
    },
  );

  test('any split of a production is worth the same', { timeout: PROPERTY_TIMEOUT_MS }, async () => {
    const owed = fc.integer({ min: 0, max: 9 });
    const parts = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 });
    await withSettings(s, { negativeStock: 'allow' }, () =>
      checkProperty(
        fc.asyncProperty(owed, parts, fc.option(fc.nat({ max: 12 })), async (issued, quantities, purchasePrice) => {
          const total = quantities.reduce((sum, quantity) => sum + quantity, 0);
          const { product, open } = await openMakeOrder(total, { purchasePrice });
          if (issued > 0) await postDocument(s, { type: 'issue', lines: [{ itemId: product, quantity: issued }] });
          const order = await open();
          for (const quantity of quantities.slice(1)) await order.post(3 * quantity, quantity);
          await order.complete();
          const { figures, value } = await level(product);
          expect(figures).toEqual([total - issued, 0, 0]);
          // Stock that is still owed keeps its estimated cost.
          expect(value).toBe(total >= issued ? 3 * (total - issued) : (total - issued) * (purchasePrice ?? 0) + 0);
        }),
        { isSlow: true },
      ),
    );
    expect(await findProblems(s)).toEqual([]);
  });

  test.each([[null], [2], [10]])(
    'reversing it restores the value of the negative stock, with a purchase price of %s',
    async (purchasePrice) => {
      await withSettings(s, { negativeStock: 'allow' }, async () => {
        const { part, product, open } = await openMakeOrder(8, { purchasePrice });
        await postDocument(s, { type: 'issue', lines: [{ itemId: product, quantity: 5 }] });
        const before = [await level(product), await level(part)];
        const order = await open();
        const posted = await order.post(24, 8);
        expect(await level(product)).toMatchObject({ figures: [3, 0, 0], value: 9 });
        await ok(cancel(posted));
        const after = [await level(product), await level(part)];
        expect(after.map(({ value }) => value)).toEqual(before.map(({ value }) => value));
      });
      expect(await findProblems(s)).toEqual([]);
    },
  );
});

describe('components posted after the outputs were issued', () => {
  test('are booked as a variance of the order, which leaves no value unaccounted for', async () => {
    const { part, product, open } = await openMakeOrder(10);
    const order = await open();
    await order.post(0, 10);
    await postDocument(s, { type: 'issue', lines: [{ itemId: product, quantity: 10 }] });
    await order.complete();
    expect([await level(part), await level(product)]).toMatchObject([{ value: 0 }, { figures: [0, 0, 0], value: 0 }]);
    const entries = await listLedger(order.id);
    const variances = entries.filter(({ revaluation }) => revaluation === 'variance');
    expect(variances).toMatchObject([{ itemId: product, quantityDelta: 0, valueDelta: -30_000_000, valueAfter: 0 }]);
    const conserved = entries.filter(({ revaluation }) => revaluation !== 'variance');
    expect(conserved.reduce((sum, { valueDelta }) => sum + valueDelta, 0)).toBe(0);
    expect(await findProblems(s)).toEqual([]);
  });

  test('go to the outputs on hand, and no variance is booked', async () => {
    const { product, open } = await openMakeOrder(10);
    const order = await open();
    await order.post(0, 10);
    await postDocument(s, { type: 'issue', lines: [{ itemId: product, quantity: 9 }] });
    await order.complete();
    expect(await level(product)).toMatchObject({ figures: [1, 0, 0], value: 30 });
    expect((await listLedger(order.id)).filter(({ revaluation }) => revaluation === 'variance')).toEqual([]);
  });

  test('show the value that they add to outputs of an earlier document, at its site, as another level of their line', async () => {
    const { part, product, open } = await openMakeOrder(10);
    const order = await open();
    await order.post(0, 10);
    await postDocument(s, { type: 'transfer', toSiteId: w.site, lines: [{ itemId: part, quantity: 30 }] });
    const lineId = (await readOrder(order.id)).lines[1].id;
    const component = { itemId: part, direction: 'out', quantity: 30, orderLineId: lineId };
    const late = await postDocument(s, { type: 'production', orderId: order.id, siteId: w.site, lines: [component] });
    const other = { itemId: product, siteId: s.tenant.defaultSiteId, postedValue: 30 };
    expect((await document(late)).lines).toMatchObject([{ postedValue: -30, reversedValue: null, otherLevels: [other] }]);
    await postDocument(s, { type: 'issue', lines: [{ itemId: product, quantity: 5 }] });
    await ok(cancel(late));
    expect((await document(late)).lines).toMatchObject([
      { postedValue: -30, reversedValue: 30, otherLevels: [{ ...other, reversedValue: -15 }] },
    ]);
    await checkLineValues(s);
  });

  test('reversing the document with a variance removes the variance', async () => {
    const { part, product, open } = await openMakeOrder(10);
    const order = await open();
    await order.post(0, 10);
    await postDocument(s, { type: 'issue', lines: [{ itemId: product, quantity: 10 }] });
    const { data } = (await order.complete()).body;
    await ok(cancel(data.stockDocumentIds.at(-1)));
    expect([await level(part), await level(product)]).toMatchObject([{ value: 30 }, { figures: [0, 0, 0], value: 0 }]);
    expect(await findProblems(s)).toEqual([]);
  });
});

test('doctor reports a completed make order whose components are worth more than its outputs', async () => {
  const { open } = await openMakeOrder(2);
  const order = await open();
  await order.complete();
  const output = (await listLedger(order.id)).find(({ quantityDelta }) => quantityDelta > 0)!;
  const put = (entry: typeof output) => s.service.store.transact(s.tenant.id, (tx) => tx.ledger.put(entry));
  await put({ ...output, revaluation: 'owed_stock' });
  expect(await findProblems(s)).toEqual([
    expect.stringMatching(/the components of MO-\d+ are worth 6000000 more than its outputs and variances/u),
  ]);
  await put(output);
});

/** The ledger entries of an order, by number. */
const listLedger = (orderId: string) =>
  s.service.store.read(s.tenant.id, async (tx) =>
    (await tx.ledger.listAfter({ orderBy: 'seq', limit: Number.MAX_SAFE_INTEGER })).rows.filter((entry) => entry.orderId === orderId),
  );
