/** The business rules await each write before the next one: otherwise a slower store, or a failing write, would leave half a change. */
import { expect, test } from 'vitest';
import { createCategory, deleteCategory, updateCategory } from '../../../src/domain/catalog/categories.ts';
import { createUnit, deleteUnit, updateUnit } from '../../../src/domain/catalog/units.ts';
import { setReorderPoint } from '../../../src/domain/stock/reorder-points.ts';
import { findProblems, postDocument, stockUp, submitDocument } from '../../support/resources/stock.ts';
import { DOCUMENTS, useOrderStock } from '../../support/resources/order-stock.ts';
import { made, unitId } from '../../support/resources/order-world.ts';
import { contextFor } from '../../support/service/service.ts';
import { slowDownTables } from '../../support/service/slow-tables.ts';

const { change, create, s, w, item, ok, cancel, sale, purchase } = useOrderStock();

test('orders, documents and catalog await every write', async () => {
  const notAwaited = slowDownTables(s);
  const [part, product, combo] = [await item({ supplierId: w.supplier }), await item(), await item({ itemType: 'combo' })];
  await documents(part);
  await orders(part, product, combo);
  await catalog(part, combo);
  expect(notAwaited).toEqual([]);
  expect(await findProblems(s)).toEqual([]);
});

async function documents(it: string): Promise<void> {
  await stockUp(s, [{ itemId: it, quantity: 100, unitCost: 2 }]);
  const draft = await made(s.post(DOCUMENTS, { type: 'issue', lines: [{ itemId: it, quantity: 1 }] }));
  await ok(s.patch(`${DOCUMENTS}/${draft}`, { notes: 'changed' }));
  const lines = `${DOCUMENTS}/${draft}/lines`;
  const [first, second] = [await made(s.post(lines, { itemId: it, quantity: 2 })), await made(s.post(lines, { itemId: it, quantity: 3 }))];
  await ok(s.patch(`${lines}/${second}`, { quantity: 4 }));
  await ok(s.delete(`${lines}/${first}`));
  await ok(s.post(`${DOCUMENTS}/${draft}/submit`, {}));
  await ok(s.patch(`${DOCUMENTS}/${draft}`, { status: 'draft' }));
  await ok(s.delete(`${DOCUMENTS}/${draft}`));
  await ok(cancel(await submitDocument(s, { type: 'count', lines: [{ itemId: it, countedQuantity: 1 }] })));
  await ok(cancel(await postDocument(s, { type: 'transfer', toSiteId: w.site, lines: [{ itemId: it, quantity: 1 }] })));
}

async function orders(part: string, product: string, combo: string): Promise<void> {
  await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: part, quantity: 2 }));
  await made(s.post(`/v1/items/${product}/ingredients`, { ingredientItemId: part, quantity: 3 }));
  const bought = await purchase(part, 5);
  const receipt = { type: 'receipt', orderId: bought.id, lines: [{ itemId: part, quantity: 1, orderLineId: bought.lines[0].id }] };
  const posted = await postDocument(s, receipt);
  await ok(
    change(bought.id, {
      lines: [
        { id: bought.lines[0].id, quantity: 6 },
        { itemId: product, quantity: 1 },
      ],
    }),
  );
  await ok(change(bought.id, { status: 'completed' }));
  await ok(cancel(posted));
  const sold = await sale(combo, 2);
  await submitDocument(s, { type: 'issue', orderId: sold.id, lines: [{ itemId: part, quantity: 1 }] });
  await made(s.post(DOCUMENTS, { type: 'issue', orderId: sold.id, lines: [{ itemId: part, quantity: 1 }] }));
  await ok(change(sold.id, { status: 'cancelled' }));
  const making = (await ok(create({ module: 'make', lines: [{ itemId: product, quantity: 1 }] }))).body.data;
  await ok(change(making.id, { status: 'open' }));
  const out = { itemId: part, quantity: 1, direction: 'out', orderLineId: making.lines[1].id };
  await postDocument(s, { type: 'production', orderId: making.id, lines: [out] });
  await ok(change(making.id, { status: 'completed' }));
  const failed = { failedQuantity: 1, failureReason: 'broken', failedDisposition: 'scrap' };
  const checked = (await ok(create({ module: 'check', status: 'open', lines: [{ itemId: part, quantity: 2, ...failed }] }))).body.data;
  await ok(change(checked.id, { status: 'completed' }));
}

async function catalog(part: string, combo: string): Promise<void> {
  await s.service.store.transact(s.tenant.id, async (tx) => {
    const context = contextFor(s);
    const { id } = await createCategory(tx, context, { name: 'Category', parentId: null, isActive: true });
    await updateCategory(tx, context, id, { name: 'Renamed' });
    await deleteCategory(tx, context, id);
    const unit = await createUnit(tx, context, {
      name: 'Pack',
      symbol: 'pack',
      dimension: 'count',
      factorNum: 6,
      factorDen: 1,
      precision: 0,
      isActive: true,
    });
    await updateUnit(tx, context, unit.id, { name: 'Renamed' });
    await deleteUnit(tx, context, unit.id);
    await setReorderPoint(tx, context, { itemId: part, siteId: s.tenant.defaultSiteId, reorderPoint: 5 });
  });
  const [{ id: ingredient }] = (await s.get(`/v1/items/${combo}/ingredients`)).body.data;
  const other = await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: w.bolt, quantity: 1 }));
  await ok(s.patch(`/v1/items/${combo}/ingredients/${ingredient}`, { quantity: 4, position: 2 }));
  await ok(s.delete(`/v1/items/${combo}/ingredients/${other}`));
  const supplier = await made(s.post('/v1/contacts', { name: 'Second', contactType: 'supplier' }));
  await ok(s.post(`/v1/items/${part}/suppliers`, { supplierId: supplier, isPreferred: true }));
  await ok(s.patch(`/v1/items/${part}/suppliers/${w.supplier}`, { isPreferred: true }));
  await ok(s.delete(`/v1/items/${part}/suppliers/${w.supplier}`));
  await ok(s.patch(`/v1/items/${part}`, { name: 'Renamed', supplierId: w.supplier }));
  await ok(s.patch(`/v1/contacts/${supplier}`, { name: 'Renamed' }));
  await ok(s.delete(`/v1/contacts/${supplier}`));
  await ok(s.delete(`/v1/items/${await item({ supplierId: w.supplier })}`));
  const kit = await item({ unitId: w.kg });
  await made(s.post(`/v1/items/${kit}/ingredients`, { ingredientItemId: part, quantity: 1 }));
  await made(s.post(`/v1/items/${kit}/ingredients`, { ingredientItemId: w.bolt, quantity: 1 }));
  for (const [at, supplierId] of [w.supplier, await made(s.post('/v1/contacts', { name: 'Third', contactType: 'supplier' }))].entries()) {
    await ok(s.post(`/v1/items/${kit}/suppliers`, { supplierId, purchasePrice: 3, isPreferred: at === 0 }));
  }
  const [, { supplierId }] = (await s.get(`/v1/items/${kit}/suppliers`)).body.data;
  await ok(s.patch(`/v1/items/${kit}`, { supplierId }));
  await ok(s.patch(`/v1/items/${kit}`, { unitId: await unitId(s, 'g') }));
  await ok(change((await purchase(kit, 1)).id, { status: 'draft', lines: [{ itemId: part, quantity: 1 }] }));
  await ok(s.delete(`/v1/items/${kit}`));
}
