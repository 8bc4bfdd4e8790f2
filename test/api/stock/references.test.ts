/** Records that stock refers to: what keeps them from being deleted or changed. D-20. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StockLevel } from '../../../src/contract/resources/stock-levels.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import { made } from '../../support/resources/order-world.ts';
import { type Reply, type TestService, getCode, startService } from '../../support/service/service.ts';
import { stockUp } from '../../support/resources/stock.ts';

let s: TestService;
const list = async (query: string) => (await s.get(`/v1/stock-levels${query}`)).body;
const names = async (query: string) => (await list(query)).data.map(({ item, site }: StockLevel) => `${item.name} ${site.name}`);

beforeAll(async () => {
  s = await startService();
});
afterAll(() => s[Symbol.asyncDispose]());

describe('records referenced by stock', () => {
  const getReferences = (reply: Reply) => [getCode(reply), reply.body.error.details.references];

  test('items, contacts and units of a document cannot be deleted or change it', async () => {
    const unit = await addUnit(s, 'drum', 'count');
    const [item, other] = [
      await made(s.post('/v1/items', { name: 'Held', unitId: unit })),
      await made(s.post('/v1/items', { name: 'Free' })),
    ];
    const supplier = await made(s.post('/v1/contacts', { name: 'Held', contactType: 'supplier' }));
    const draft = await made(
      s.post('/v1/stock-documents', { type: 'receipt', contactId: supplier, lines: [{ itemId: item, quantity: 2 }] }),
    );
    const held = { stockDocumentLines: 1 };
    expect(getReferences(await s.delete(`/v1/items/${item}`))).toEqual(['RESOURCE_IN_USE', held]);
    expect(getReferences(await s.delete(`/v1/contacts/${supplier}`))).toMatchObject(['RESOURCE_IN_USE', { stockDocuments: 1 }]);
    expect(getReferences(await s.patch(`/v1/items/${item}`, { unitId: null }))).toMatchObject([
      'RESOURCE_IN_USE',
      { stockDocumentLines: 1 },
    ]);
    expect(getReferences(await s.patch(`/v1/items/${item}`, { itemType: 'combo' }))).toMatchObject([
      'RESOURCE_IN_USE',
      { stockDocumentLines: 1 },
    ]);
    expect((await s.delete(`/v1/stock-documents/${draft}`)).status).toBe(204);
    expect((await s.delete(`/v1/contacts/${supplier}`)).status).toBe(204);
    expect((await s.patch(`/v1/items/${item}`, { itemType: 'combo' })).status).toBe(200);
    expect((await s.delete(`/v1/items/${item}`)).status).toBe(204);
    expect((await s.delete(`/v1/items/${other}`)).status).toBe(204);
  });

  test('an item with ledger entries cannot be deleted, even if all were reversed', async () => {
    const item = await made(s.post('/v1/items', { name: 'Ledgered' }));
    const document = await stockUp(s, [{ itemId: item, quantity: 5, unitCost: 1 }]);
    expect((await s.post(`/v1/stock-documents/${document}/cancel`, {})).status).toBe(200);
    const [code, references] = getReferences(await s.delete(`/v1/items/${item}`));
    expect([code, references.ledgerEntries, references.stockLevels]).toEqual(['RESOURCE_IN_USE', 2, undefined]);
    expect(await names(`?search=ledgered`)).toEqual([]);
    expect(await names(`?search=ledgered&include_zero=true`)).toEqual(['Ledgered Main']);
  });

  test('a component committed by an open order cannot be deleted, even if the recipe changed', async () => {
    const [part, kit] = [
      await made(s.post('/v1/items', { name: 'Part' })),
      await made(s.post('/v1/items', { name: 'Set', itemType: 'combo' })),
    ];
    const ingredient = await made(s.post(`/v1/items/${kit}/ingredients`, { ingredientItemId: part, quantity: 2 }));
    const contactId = await made(s.post('/v1/contacts', { name: 'Buyer' }));
    const order = await made(s.post('/v1/orders', { module: 'sell', status: 'open', contactId, lines: [{ itemId: kit, quantity: 3 }] }));
    expect((await list(`?item_id=${part}`)).data).toMatchObject([{ onHand: 0, committed: 6, available: -6, projected: -6 }]);
    expect((await s.delete(`/v1/items/${kit}/ingredients/${ingredient}`)).status).toBe(204);
    expect(getReferences(await s.delete(`/v1/items/${part}`))).toMatchObject(['RESOURCE_IN_USE', { stockLevels: 1 }]);
    expect((await s.patch(`/v1/orders/${order}`, { status: 'cancelled' })).status).toBe(200);
    expect((await s.delete(`/v1/items/${part}`)).status).toBe(204);
    expect(await names(`?item_id=${part}&include_zero=true`)).toEqual([]);
  });
});
