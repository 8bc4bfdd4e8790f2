/** Items to reorder over the admin API: the printed command is the request that replenishes them. */
import { expect, test } from 'vitest';
import { ORDER_LINES_MAX } from '../../../src/contract/limits.ts';
import { made } from '../../support/resources/order-world.ts';
import { stockUp } from '../../support/resources/stock.ts';
import { startAdmin } from '../../support/service/admin.ts';

interface Row {
  readonly itemId: string;
  readonly available: number;
  readonly command: string | null;
}

interface Ordered {
  readonly orderId: string;
  readonly orderNumber: string;
  readonly module: string;
  readonly status: string;
  readonly quantity: number;
  readonly item: { readonly name: string };
  readonly supplier: { readonly name: string } | null;
  readonly site: { readonly id: string };
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

test('an item is not ordered already by a draft that needs it as an ingredient', async () => {
  await using a = await startAdmin();
  const create = (path: string, body: object): Promise<string> => made(a.s.post(path, body));
  const customer = await create('/v1/contacts', { name: 'Shop', contactType: 'customer' });
  const [flour, dough, cake] = [
    await create('/v1/items', { name: 'Flour' }),
    await create('/v1/items', { name: 'Dough', sku: 'DOUGH' }),
    await create('/v1/items', { name: 'Cake' }),
  ];
  await create(`/v1/items/${dough}/ingredients`, { ingredientItemId: flour, quantity: 1 });
  await create(`/v1/items/${cake}/ingredients`, { ingredientItemId: dough, quantity: 1 });
  await create('/v1/orders', { module: 'make', status: 'draft', lines: [{ itemId: cake, quantity: 3 }] });
  await create('/v1/orders', { module: 'sell', status: 'open', contactId: customer, lines: [{ itemId: dough, quantity: 2 }] });
  const list = async () => (await a.get('/admin/stock/reorder')).body.data as (Row & { readonly note: string | null })[];
  expect((await list()).map(({ itemId, command }) => [itemId, command])).toEqual([
    [dough, 'stockroom orders create --module make --status open --line DOUGH:2'],
  ]);
  const { orderNumber } = (await a.s.post('/v1/orders', { module: 'make', status: 'open', lines: [{ itemId: dough, quantity: 2 }] })).body
    .data;
  expect((await list()).find(({ itemId }) => itemId === dough)).toMatchObject({
    command: null,
    note: `incoming with ${String(orderNumber)}`,
  });
});

test('what a draft brings is not ordered again, however many sales of the item are older', async () => {
  await using a = await startAdmin();
  const create = (path: string, body: object): Promise<string> => made(a.s.post(path, body));
  const supplier = await create('/v1/contacts', { name: 'Mill', contactType: 'supplier' });
  const customer = await create('/v1/contacts', { name: 'Shop', contactType: 'customer' });
  const bag = await create('/v1/items', { name: 'Bag', sku: 'BAG' });
  expect((await a.s.post(`/v1/items/${bag}/suppliers`, { supplierId: supplier })).status).toBe(201);
  const sale = { module: 'sell', status: 'open', contactId: customer, lines: [{ itemId: bag, quantity: 1 }] };
  const sales = 500;
  for (let count = 0; count < sales; count += 50) await Promise.all(Array.from({ length: 50 }, () => create('/v1/orders', sale)));
  const ordered = (await a.post('/admin/stock/reorder', { draft: true })).body.data as Ordered[];
  expect(ordered.map(({ module, status, quantity }) => [module, status, quantity])).toEqual([['buy', 'draft', sales]]);
  expect((await a.post('/admin/stock/reorder', { draft: true })).body.data).toEqual([]);
});

test('what is missing beyond drafts is ordered once, as drafts or open orders', async () => {
  await using a = await startAdmin();
  const create = (path: string, body: object): Promise<string> => made(a.s.post(path, body));
  const supplier = await create('/v1/contacts', { name: 'Mill', contactType: 'supplier' });
  const [bag, cake, lost] = [
    await create('/v1/items', { name: 'Bag', sku: 'BAG' }),
    await create('/v1/items', { name: 'Cake', sku: 'CAKE' }),
    await create('/v1/items', { name: 'Lost', sku: 'LOST' }),
  ];
  expect((await a.s.post(`/v1/items/${bag}/suppliers`, { supplierId: supplier })).status).toBe(201);
  const flour = await create('/v1/items', { name: 'Flour' });
  expect((await a.s.post(`/v1/items/${cake}/ingredients`, { ingredientItemId: flour, quantity: 1 })).status).toBe(201);
  for (const itemId of [bag, cake, lost])
    await a.post('/admin/stock/reorder-points', { itemId, siteId: a.s.tenant.defaultSiteId, reorderPoint: 100 });
  await stockUp(a.s, [{ itemId: bag, quantity: 14 }]);
  const draft = async (module: string, itemId: string, quantity: number): Promise<string> => {
    const contact = module === 'buy' ? { contactId: supplier } : {};
    const id = await create('/v1/orders', { module, status: 'draft', ...contact, lines: [{ itemId, quantity }] });
    return (await a.s.get(`/v1/orders/${id}`)).body.data.orderNumber;
  };
  const [first, second] = [await draft('buy', bag, 1), await draft('buy', bag, 2)];
  const making = await draft('make', cake, 5);
  const losing = await draft('buy', lost, 4);
  const rows = (await a.get('/admin/stock/reorder')).body.data as (Row & {
    quantity: number | null;
    drafted: number;
    note: string | null;
  })[];
  expect(Object.fromEntries(rows.map(({ itemId, quantity, drafted, note }) => [itemId, [quantity, drafted, note]]))).toEqual({
    [bag]: [183, 3, `3 on draft orders ${first}, ${second}`],
    [cake]: [195, 5, `5 on draft order ${making}`],
    [lost]: [null, 4, `no supplier or ingredients; 4 on draft order ${losing}`],
  });
  for (const isDraft of [true, false]) {
    const { data } = (await a.post('/admin/stock/reorder?dry_run=true', { draft: isDraft })).body as { data: Ordered[] };
    expect(data.map(({ module, quantity }) => `${module} ${String(quantity)}`).toSorted()).toEqual(['buy 183', 'make 195']);
  }
  expect((await a.post('/admin/stock/reorder', { draft: true })).body.data).toHaveLength(2);
  expect((await a.post('/admin/stock/reorder', {})).body.data).toEqual([]);
});

test('all items that are low are listed and ordered, in as many orders as their lines need', async () => {
  await using a = await startAdmin();
  const supplierId = await made(a.s.post('/v1/contacts', { name: 'Mill', contactType: 'supplier' }));
  const count = ORDER_LINES_MAX + 20;
  for (let done = 0; done < count; done += 20)
    await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const itemId = await made(a.s.post('/v1/items', { name: `Bag ${String(done + at)}`, supplierId }));
        await a.post('/admin/stock/reorder-points', { itemId, siteId: a.s.tenant.defaultSiteId, reorderPoint: 1 });
      }),
    );
  const list = async () => (await a.get('/admin/stock/reorder')).body.data as Row[];
  expect(new Set((await list()).map(({ itemId }) => itemId)).size).toBe(count);
  expect((await a.s.get('/v1/reorder-advice')).body.data).toHaveLength(count);
  const ordered = (await a.post('/admin/stock/reorder', { draft: true })).body.data as Ordered[];
  const sizes = [...Map.groupBy(ordered, ({ orderNumber }) => orderNumber).values()].map(({ length }) => length);
  expect(sizes).toEqual([ORDER_LINES_MAX, 20]);
  expect((await list()).filter(({ command }) => command !== null)).toEqual([]);
});

test('an order counts at the site of each line, which is that of the order only if the line has none', async () => {
  await using a = await startAdmin();
  const create = (path: string, body: object): Promise<string> => made(a.s.post(path, body));
  const main = a.s.tenant.defaultSiteId;
  const north = await made(a.post('/admin/sites', { name: 'North', code: 'N' }));
  const supplier = await create('/v1/contacts', { name: 'Mill', contactType: 'supplier' });
  const [bag, box] = [await create('/v1/items', { name: 'Bag', sku: 'BAG' }), await create('/v1/items', { name: 'Box', sku: 'BOX' })];
  for (const itemId of [bag, box]) {
    expect((await a.s.post(`/v1/items/${itemId}/suppliers`, { supplierId: supplier })).status).toBe(201);
    for (const siteId of [main, north]) await a.post('/admin/stock/reorder-points', { itemId, siteId, reorderPoint: 5 });
  }
  const lines = [
    { itemId: bag, quantity: 6, siteId: north },
    { itemId: box, quantity: 7 },
  ];
  const drafted = await create('/v1/orders', { module: 'buy', status: 'draft', contactId: supplier, lines });
  const { orderNumber } = (await a.s.get(`/v1/orders/${drafted}`)).body.data;
  const list = async () => {
    const rows = (await a.get('/admin/stock/reorder')).body.data as (Row & { siteId: string; note: string | null })[];
    const names: Readonly<Record<string, string>> = { [bag]: 'bag', [box]: 'box', [main]: 'main', [north]: 'north' };
    return rows.map(({ itemId, siteId, note, command }) => [names[itemId], names[siteId], note ?? command?.split(' --line ')[1]].join(' '));
  };
  expect((await list()).toSorted()).toEqual([
    'bag main BAG:10',
    `bag north 6 on draft order ${String(orderNumber)}`,
    `box main 7 on draft order ${String(orderNumber)}`,
    'box north BOX:10',
  ]);
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

test('POST /admin/stock/reorder orders everything: one order per supplier and site, one per output, and what productions need; once', async () => {
  await using a = await startAdmin();
  const create = (path: string, body: object): Promise<string> => made(a.s.post(path, body));
  const [mill, dairy] = [
    await create('/v1/contacts', { name: 'Mill', contactType: 'supplier' }),
    await create('/v1/contacts', { name: 'Dairy', contactType: 'supplier' }),
  ];
  const north = await made(a.post('/admin/sites', { name: 'North', code: 'N' }));
  const item = async (name: string, supplierId: string | null): Promise<string> => {
    const id = await create('/v1/items', { name, sku: name.toUpperCase() });
    if (supplierId !== null) expect((await a.s.post(`/v1/items/${id}/suppliers`, { supplierId, purchasePrice: 2 })).status).toBe(201);
    return id;
  };
  const [flour, sugar, milk] = [await item('Flour', mill), await item('Sugar', mill), await item('Milk', dairy)];
  const [cake, dough] = [await item('Cake', null), await item('Dough', null)];
  for (const [itemId, ingredientItemId] of [
    [cake, dough],
    [cake, milk],
    [dough, flour],
  ] as const)
    expect((await a.s.post(`/v1/items/${itemId}/ingredients`, { ingredientItemId, quantity: 2 })).status).toBe(201);
  const main = a.s.tenant.defaultSiteId;
  const low: readonly (readonly [string, string, number])[] = [
    [cake, main, 1],
    [sugar, main, 5],
    [sugar, north, 3],
  ];
  for (const [itemId, siteId, reorderPoint] of low) await a.post('/admin/stock/reorder-points', { itemId, siteId, reorderPoint });

  const drafted = (await a.post('/admin/stock/reorder', { draft: true })).body.data as Ordered[];
  expect(drafted.map(({ module, status, item: { name } }) => `${module} ${name} ${status}`)).toEqual([
    'make Cake draft',
    'buy Sugar draft',
    'buy Sugar draft',
  ]);
  expect(new Set(drafted.map(({ orderNumber }) => orderNumber)).size).toBe(3);
  expect((await a.post('/admin/stock/reorder', { draft: true })).body.data).toEqual([]);
  const [row] = (await a.get('/admin/stock/reorder')).body.data as { note: string | null; command: string | null }[];
  expect([row?.command, row?.note]).toEqual([null, expect.stringMatching(/^2 on draft order /u)]);
  for (const { orderId } of drafted) expect((await a.s.patch(`/v1/orders/${orderId}`, { status: 'cancelled' })).status).toBe(200);

  const ordered = (await a.post('/admin/stock/reorder', {})).body.data as Ordered[];
  const rows = ordered.map(({ module, item: { name }, quantity, supplier, site }) =>
    [module, name, quantity, supplier?.name ?? 'none', site.id === main ? 'main' : 'north'].join(' '),
  );
  expect(rows.toSorted()).toEqual([
    'buy Flour 8 Mill main',
    'buy Milk 4 Dairy main',
    'buy Sugar 10 Mill main',
    'buy Sugar 6 Mill north',
    'make Cake 2 none main',
    'make Dough 4 none main',
  ]);
  expect(new Set(ordered.map(({ orderNumber }) => orderNumber)).size).toBe(5);
  expect((await a.post('/admin/stock/reorder', {})).body.data).toEqual([]);
});

test('POST /admin/stock/reorder that cannot create one order creates none', async () => {
  await using a = await startAdmin();
  const supplier = await made(a.s.post('/v1/contacts', { name: 'Mill', contactType: 'supplier' }));
  const [first, second] = [await made(a.s.post('/v1/items', { name: 'A' })), await made(a.s.post('/v1/items', { name: 'B' }))];
  expect((await a.s.post(`/v1/items/${first}/ingredients`, { ingredientItemId: second, quantity: 1 })).status).toBe(201);
  expect((await a.s.post(`/v1/items/${second}/suppliers`, { supplierId: supplier })).status).toBe(201);
  for (const itemId of [first, second])
    await a.post('/admin/stock/reorder-points', { itemId, siteId: a.s.tenant.defaultSiteId, reorderPoint: 5 });
  expect((await a.s.patch(`/v1/contacts/${supplier}`, { isActive: false })).status).toBe(200);
  const { status, body } = await a.post('/admin/stock/reorder', {});
  expect([status, body.error.code]).toEqual([409, 'INACTIVE_REFERENCE']);
  for (const module of ['make', 'buy']) expect((await a.s.get(`/v1/orders?module=${module}`)).body.data).toEqual([]);
});
