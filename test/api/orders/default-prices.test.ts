/** Amounts are computed from a default price as it was entered, not from the rounded price per unit of the line (D-9). */
import { describe, expect, test } from 'vitest';
import { made, unitId } from '../../support/resources/order-world.ts';
import { findProblems } from '../../support/resources/stock.ts';
import { useOrderStock } from '../../support/resources/order-stock.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';

const { create, change, s, w, item, ok, level, order: readOrder, document } = useOrderStock();

const MILLION = 1_000_000;

async function sell(itemId: string, line: object) {
  const { data } = (await ok(create({ module: 'sell', lines: [{ itemId, quantity: MILLION, ...line }] }))).body;
  return { id: data.id, total: data.total, line: data.lines[0] };
}

describe('the default price of a line in a smaller unit than the item', () => {
  test('is shown with six decimals, and amounts and values keep the price per stock unit', async () => {
    const metre = await unitId(s, 'm');
    const millimeter = await addUnit(s, 'small mm', 'length', [1, 1000], { precision: 0 });
    const cable = await item({ unitId: metre, salePrice: 0.0123, purchasePrice: 0.0123 });
    const inMetres = await sell(cable, { quantity: 1000 });
    const inMillimeters = await sell(cable, { unitId: millimeter });
    expect([inMetres.total, inMillimeters.total, inMillimeters.line.lineSubtotal]).toEqual([12.3, 12.3, 12.3]);
    expect(inMillimeters.line.unitPrice).toBe(0.000012);

    const lines = [{ itemId: cable, unitId: millimeter, quantity: MILLION }];
    const { id } = (await ok(create({ module: 'buy', status: 'open', contactId: w.supplier, lines }))).body.data;
    const completed = (await ok(change(id, { status: 'completed' }))).body.data;
    expect(completed.total).toBe(12.3);
    expect(await level(cable)).toMatchObject({ value: 12.3, averageCost: 0.0123 });
    expect((await document(completed.stockDocumentIds[0])).totalCost).toBe(12.3);
    expect(await findProblems(s)).toEqual([]);
  });

  test('keeps the price of the purchase unit of the supplier', async () => {
    const gram = await addUnit(s, 'small gram', 'mass', [1, 1000], { precision: 0 });
    const bag = await addUnit(s, 'bag60', 'count', [1, 1], { precision: 0 });
    const beans = await item({ unitId: w.kg });
    const terms = { supplierId: w.supplier, purchaseUnitId: bag, unitsPerPurchaseUnit: 60, purchasePrice: 312.55 };
    await made(s.post(`/v1/items/${beans}/suppliers`, terms));
    const lines = [{ itemId: beans, unitId: gram, quantity: MILLION, discountPercent: 10 }];
    const { id, subtotal, total } = (await ok(create({ module: 'buy', status: 'open', contactId: w.supplier, lines }))).body.data;
    expect([subtotal, total]).toEqual([5209.17, 4688.25]);
    await ok(change(id, { status: 'completed' }));
    expect((await level(beans)).value).toBe(4688.25);
  });

  test('is rejected if it is too large in the unit of the line, unless a price is entered', async () => {
    const ship = await item({ name: 'Container', unitId: await unitId(s, 'g'), salePrice: 900_000_000 });
    const line = { itemId: ship, unitId: w.kg, quantity: 1 };
    const rejected = await create({ module: 'sell', lines: [line] });
    expect([rejected.status, rejected.body.error.fields]).toEqual([
      400,
      [
        {
          in: 'body',
          path: '/lines/0/unitPrice',
          code: 'too_big',
          message: 'lines.0.unitPrice: the default price of Container is too large in this unit. Set unitPrice',
        },
      ],
    ]);
    await ok(create({ module: 'sell', lines: [{ ...line, unitPrice: 1 }] }));
  });

  test('is replaced by a price that is entered, but not by itself', async () => {
    const metre = await unitId(s, 'm');
    const millimeter = await addUnit(s, 'other mm', 'length', [1, 1000], { precision: 0 });
    const cable = await item({ unitId: metre, salePrice: 0.0123 });
    const { id, line } = await sell(cable, { unitId: millimeter });
    const set = async (body: object) => (await ok(change(id, { lines: [{ id: line.id, ...body }] }))).body.data.total;
    expect(await set({ unitPrice: line.unitPrice })).toBe(12.3);
    expect(await set({ quantity: 2 * MILLION })).toBe(24.6);
    expect(await set({ unitPrice: 0.000013 })).toBe(26);
    expect(await set({ unitPrice: 0.000012 })).toBe(24);
    expect(await readOrder(id)).toMatchObject({ subtotal: 24, lines: [{ unitPrice: 0.000012, lineSubtotal: 24 }] });
    expect((await sell(cable, { unitId: millimeter, unitPrice: 0.000012 })).total).toBe(12);
  });

  test('counts even if it is less than 0.000001 per unit of the line', async () => {
    const metre = await unitId(s, 'm');
    const micrometer = await addUnit(s, 'um', 'length', [1, 1_000_000], { precision: 0 });
    const foil = await item({ unitId: metre, salePrice: 0.25 });
    const { line, total } = await sell(foil, { unitId: micrometer, quantity: 40 * MILLION });
    expect([line.unitPrice, total]).toEqual([0, 10]);
  });
});
