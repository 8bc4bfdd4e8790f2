/** Items to reorder over the admin API: the printed command is the request that replenishes them. */
import { expect, test } from 'vitest';
import { made } from '../../support/resources/order-world.ts';
import { stockUp } from '../../support/resources/stock.ts';
import { startAdmin } from '../../support/service/admin.ts';

interface Row {
  readonly itemId: string;
  readonly available: number;
  readonly command: string | null;
}

test('low and oversold items are listed, oversold ones first, with the order that replenishes each', async () => {
  await using a = await startAdmin();
  const create = (path: string, body: object): Promise<string> => made(a.s.post(path, body));
  const supplier = await create('/v1/contacts', { name: 'Mill', contactType: 'supplier' });
  const customer = await create('/v1/contacts', { name: 'Shop', contactType: 'customer' });
  const [bag, cake, lost, full] = [
    await create('/v1/items', { name: 'Bag' }),
    await create('/v1/items', { name: 'Cake', sku: 'CAKE-1' }),
    await create('/v1/items', { name: 'Lost' }),
    await create('/v1/items', { name: 'Full' }),
  ];
  const terms = { supplierId: supplier, minOrderQuantity: 300 };
  expect((await a.s.post(`/v1/items/${bag}/suppliers`, terms)).status).toBe(201);
  expect((await a.s.post(`/v1/items/${cake}/ingredients`, { ingredientItemId: bag, quantity: 1 })).status).toBe(201);
  await stockUp(
    a.s,
    [bag, cake, full].map((itemId) => ({ itemId, quantity: 10 })),
  );
  for (const [itemId, reorderPoint] of [
    [bag, 50],
    [lost, 5],
    [full, 9],
  ] as const)
    await a.post('/admin/stock/reorder-points', { itemId, siteId: a.s.tenant.defaultSiteId, reorderPoint });
  await create('/v1/orders', { module: 'sell', status: 'open', contactId: customer, lines: [{ itemId: cake, quantity: 17 }] });

  const list = async () => (await a.get('/admin/stock/reorder')).body.data as Row[];
  expect((await list()).map(({ itemId, available, command }) => [itemId, available, command])).toEqual([
    [cake, -7, `stockroom orders create --module make --status open --line CAKE-1:7`],
    [lost, 0, null],
    [bag, 10, `stockroom orders create --module buy --status open --contact-id Mill --line ${bag}:300`],
  ]);
  await create('/v1/orders', { module: 'buy', status: 'open', contactId: supplier, lines: [{ itemId: bag, quantity: 300 }] });
  expect((await list()).map(({ itemId }) => itemId)).toEqual([cake, lost]);
});

test('the command names a supplier by its name and a site by its code, unless another record has it or a shell could misread it', async () => {
  await using a = await startAdmin();
  const create = (path: string, body: object): Promise<string> => made(a.s.post(path, body));
  const site = await made(a.post('/admin/sites', { name: 'Porto', code: 'PORTO' }));
  const supplier = await create('/v1/contacts', { name: 'Mill & Sons', contactType: 'supplier' });
  const item = await create('/v1/items', { name: 'Bag', sku: 'BAG' });
  expect((await a.s.post(`/v1/items/${item}/suppliers`, { supplierId: supplier })).status).toBe(201);
  await a.post('/admin/stock/reorder-points', { itemId: item, siteId: site, reorderPoint: 5 });
  const getTerms = async (): Promise<readonly [string | undefined, string | undefined]> => {
    const [row] = (await a.get('/admin/stock/reorder')).body.data as Row[];
    const { contact, site: siteTerm } = /--contact-id (?<contact>.*) --site-id (?<site>\S+) /u.exec(row?.command ?? '')?.groups ?? {};
    return [contact, siteTerm];
  };
  expect(await getTerms()).toEqual(["'Mill & Sons'", 'PORTO']);
  const other = await create('/v1/contacts', { name: 'Ana', company: 'MILL & sons', contactType: 'supplier' });
  await made(a.post('/admin/sites', { name: 'porto', code: 'P2' }));
  expect(await getTerms()).toEqual([supplier, site]);
  expect((await a.s.delete(`/v1/contacts/${other}`)).status).toBe(204);
  for (const name of ["O'Neill", '$(reboot)', '--json']) {
    expect((await a.s.patch(`/v1/contacts/${supplier}`, { name })).status).toBe(200);
    expect((await getTerms())[0]).toBe(supplier);
  }
});
