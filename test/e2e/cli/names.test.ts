/** Natural names instead of ids: in arguments, flags, --line, --set and --data. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startStockroom } from '../../../src/embedded/index.ts';
import { makeHome } from '../../support/cli/home.ts';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

const TEXT_LIKE_ID = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';

let shop: Shop;
const ids: Record<string, string> = {};
beforeAll(async () => {
  shop = await openShop();
  await shop.home.run(['organization', 'update', '--plan', 'enterprise']);
  ids['box'] = await create('items', '--name', 'Box large', '--sku', 'BOX:12@B', '--sale-price', '2');
  ids['bolt'] = await create('items', '--name', 'Bolt', '--sku', 'BOLT');
  ids['kit'] = await create('items', '--name', 'Kit', '--item-type', 'combo');
  await create('items', '--name', 'Twin', '--sku', 'TW-1');
  await create('items', '--name', 'twin', '--sku', 'TW-2');
  await create('items', '--name', TEXT_LIKE_ID);
  ids['acme'] = await create('contacts', '--name', 'Acme', '--email', 'buy@acme.example', '--contact-type', 'both');
  ids['duarte'] = await create('contacts', '--name', 'Duarte Pinto', '--company', 'Café Alfama', '--email', 'duarte@alfama.example');
  ids['sofie'] = await create('contacts', '--name', 'Sofie Berg', '--company', 'Nordkaffe');
  ids['northBuyer'] = await create('contacts', '--name', 'Ana Reis', '--company', 'North Roasters');
  ids['northRoasters'] = await create('contacts', '--name', 'North Roasters');
  ids['site'] = await create('sites', '--name', 'North', '--code', 'WN');
  ids['category'] = await create('categories', '--name', 'Fasteners');
  ids['unit'] = await create('units', '--name', 'Crate', '--symbol', 'crt');
  ids['user'] = (await json('users', 'invite', '--email', 'ana@acme.example', '--name', 'Ana')).data.id as string;
  ids['endpoint'] = await create('webhooks', '--name', 'Shop sync', '--target-url', 'http://127.0.0.1:9/', '--event', 'order.created');
  ids['order'] = await create('orders', '--module', 'sell', '--contact-id', 'Acme', '--line', 'BOX:12@B:2');
  ids['document'] = await create('stock', 'documents', '--type', 'receipt', '--line', 'Bolt:5');
});
afterAll(() => shop[Symbol.asyncDispose]());

const json = async (...args: string[]) => {
  const { exit, body, stderr } = await shop.home.json(args);
  expect({ exit, stderr, body: exit === 0 ? null : (body as unknown) }, args.join(' ')).toMatchObject({ exit: 0 });
  return body;
};
/** Creates a record and returns its id. */
const create = async (...args: string[]): Promise<string> => {
  const topics = args.slice(0, args[0] === 'stock' ? 2 : 1);
  return (await json(...topics, 'create', ...args.slice(topics.length))).data.id as string;
};
const fail = async (...args: string[]) => {
  const { exit, body } = await shop.home.json(args);
  return { exit, ...(body as { error: { code: string; message: string; hint: string | null; details: unknown } }).error };
};

describe('a record is found by', () => {
  test.for([
    ['items get', 'bolt', 'bolt', 'its SKU in any case'],
    ['items get', 'Box large', 'box', 'its name'],
    ['items get', 'box:12@b', 'box', 'a SKU with : and @'],
    ['contacts get', 'acme', 'acme', 'its name'],
    ['contacts get', 'BUY@acme.example', 'acme', 'its e-mail'],
    ['contacts get', 'café ALFAMA', 'duarte', 'its company'],
    ['sites get', 'wn', 'site', 'its code'],
    ['sites get', 'North', 'site', 'its name'],
    ['categories get', 'fasteners', 'category', 'its name'],
    ['units get', 'crt', 'unit', 'its symbol'],
    ['users get', 'ana@acme.example', 'user', 'its e-mail'],
    ['webhooks get', 'shop SYNC', 'endpoint', 'its name'],
  ] as const)('%s %s: %s', async ([command, name, key]) => {
    expect((await json(...command.split(' '), name)).data.id).toBe(ids[key]);
  });

  test.for(['BOX:12@B', 'box:12@b', 'Box large'])('%s, the SKU or name of an ingredient', async (name) => {
    const { id } = (await json('items', 'ingredients', 'add', 'Kit', '--ingredient-item-id', 'Box large', '--quantity', '1')).data as {
      id: string;
    };
    expect((await json('items', 'ingredients', 'update', 'Kit', name, '--quantity', '2')).data.id).toBe(id);
    expect((await shop.home.run(['items', 'ingredients', 'remove', 'Kit', name, '--yes'])).exit).toBe(0);
  });

  test('the number of an order or a stock document', async () => {
    const { orderNumber } = (await json('orders', 'get', ids['order'] ?? '')).data as { orderNumber: string };
    expect((await json('orders', 'get', orderNumber.toLowerCase())).data.id).toBe(ids['order']);
    const { documentNumber } = (await json('stock', 'documents', 'get', ids['document'] ?? '')).data as { documentNumber: string };
    expect((await json('stock', 'documents', 'get', documentNumber)).data.id).toBe(ids['document']);
    const [line] = (await json('stock', 'lines', 'list', documentNumber)).data as { lineNumber: number; item: { sku: string } }[];
    expect(line).toMatchObject({ lineNumber: 1, item: { sku: 'BOLT' } });
    for (const name of ['1', 'bolt'])
      expect((await json('stock', 'lines', 'update', documentNumber, name, '--quantity', '7')).data).toMatchObject({ quantity: 7 });
  });

  test('the name of a key or an application', async () => {
    const made = await json('keys', 'create', '--name', 'Spare', '--scope', 'items:read');
    expect((await json('keys', 'revoke', 'spare', '--yes')).data.id).toBe(made.data.id);
    for (const command of [
      ['revoke', 'spare', '--yes'],
      ['rotate', 'spare'],
      ['update', 'Spare', '--name', 'Other'],
    ]) {
      const { exit, body } = await shop.home.json(['keys', ...command]);
      expect([exit, body.error.message]).toEqual([3, `The key "${String(command[1])}" (${String(made.data.prefix)}) is revoked`]);
      expect(body.error.hint).toBe('To refer to a revoked key, pass its prefix instead of its name');
    }
    const app = await json('apps', 'create', '--name', 'Label printer', '--type', 'confidential', '--scope', 'items:read');
    expect((await json('apps', 'get', 'label printer')).data.id).toBe(app.data.id);
    expect((await json('apps', 'get', app.data.clientId as string)).data.id).toBe(app.data.id);
  });

  test('the name of an ingredient or a supplier below an item', async () => {
    await json('items', 'ingredients', 'add', 'kit', '--ingredient-item-id', 'BOLT', '--quantity', '4');
    expect((await json('items', 'ingredients', 'update', 'Kit', 'Bolt', '--quantity', '5')).data).toMatchObject({ quantity: 5 });
    await json('items', 'suppliers', 'add', 'BOLT', '--supplier-id', 'Acme', '--purchase-unit-id', 'pcs');
    expect((await json('items', 'suppliers', 'update', 'BOLT', 'Acme', '--lead-time-days', '3')).data).toMatchObject({ leadTimeDays: 3 });
    expect((await shop.home.run(['items', 'suppliers', 'remove', 'BOLT', 'Acme'])).stderr).toBe('Deleted supplier link Acme');
  });
});

describe('names are accepted', () => {
  const dry = async (...args: string[]) => (await json(...args, '--dry-run')) as { path: string; body: Record<string, unknown> };

  test('in flags and --set of a write, also in a dry run', async () => {
    const { body } = await dry('items', 'update', 'BOLT', '--category-id', 'Fasteners', '--unit-id', 'crt', '--set', 'supplierId=acme');
    expect(body).toEqual({ categoryId: ids['category'], unitId: ids['unit'], supplierId: ids['acme'] });
    expect((await dry('items', 'update', 'BOLT', '--category-id', '')).body).toEqual({ categoryId: null });
  });

  test('in --data and --line', async () => {
    const data = { module: 'sell', contactId: 'buy@acme.example', siteId: 'WN', assignedTo: 'ana@acme.example' };
    const lines = [{ itemId: 'BOX:12@B', quantity: 1, unitId: 'pcs', siteId: 'north' }];
    expect((await dry('orders', 'create', '--data', JSON.stringify({ ...data, lines }))).body).toEqual({
      module: 'sell',
      contactId: ids['acme'],
      siteId: ids['site'],
      assignedTo: ids['user'],
      lines: [{ itemId: ids['box'], quantity: 1, unitId: expect.stringMatching(/^[\da-f-]{36}$/u) as string, siteId: ids['site'] }],
    });
    const { body } = await dry(
      'orders',
      'create',
      '--module',
      'sell',
      '--line',
      'BOX:12@B:2',
      '--line',
      'BOX:12@B:2@9.50',
      '--line',
      'bolt:1',
    );
    expect(body['lines']).toEqual([
      { itemId: ids['box'], quantity: 2 },
      { itemId: ids['box'], quantity: 2, unitPrice: 9.5 },
      { itemId: ids['bolt'], quantity: 1 },
    ]);
  });

  test('for the lines of the order that a write is about', async () => {
    const order = (await json('orders', 'get', ids['order'] ?? '', '--lines')).data as { orderNumber: string; lines: { id: string }[] };
    const line = order.lines[0]?.id;
    const lines = JSON.stringify([{ id: '1', quantity: 3 }]);
    expect((await dry('orders', 'update', order.orderNumber, '--data', `{"lines":${lines}}`)).body).toEqual({
      lines: [{ id: line, quantity: 3 }],
    });
    const { orderNumber } = order;
    const data = JSON.stringify({ type: 'issue', orderId: orderNumber, lines: [{ itemId: 'BOX:12@B', orderLineId: '1', quantity: 1 }] });
    expect((await dry('stock', 'documents', 'create', '--data', data)).body).toMatchObject({
      orderId: ids['order'],
      lines: [{ itemId: ids['box'], orderLineId: line }],
    });
  });

  test('in filters, joined by commas', async () => {
    const { data } = await json('orders', 'list', '--module', 'sell', '--contact-id', 'Acme', '--item-id', 'BOLT,BOX:12@B');
    expect((data as { id: string }[]).map(({ id }) => id)).toEqual([ids['order']]);
    expect((await json('stock', 'levels', '--site-id', 'wn')).data).toEqual([]);
    expect((await json('stock', 'levels', '--site', 'wn')).data).toEqual([]);
  });

  test('of what a record refers to is what details show on a terminal, while pipes and JSON have the id', async () => {
    await json('users', 'update', 'Ana', '--status', 'active');
    const number = await create(
      'orders',
      '--module',
      'buy',
      '--contact',
      'Acme',
      '--line',
      'BOLT:3',
      '--status',
      'open',
      '--assigned-to',
      'Ana',
    );
    await json('orders', 'complete', number);
    const order = (await json('orders', 'get', number)).data as { orderNumber: string; assignedTo: string; stockDocumentIds: string[] };
    expect(order.assignedTo).toBe(ids['user']);
    const document = (await json('stock', 'documents', 'get', order.stockDocumentIds[0] ?? '')).data as { documentNumber: string };
    const show = async (...args: string[]) => (await shop.home.run(args, { columns: 80 })).stdout;
    const details = await show('orders', 'get', number);
    expect(details).toMatch(/^Assigned to +Ana$/mu);
    expect(details).toMatch(new RegExp(`^Stock documents +${document.documentNumber}$`, 'mu'));
    const receipt = await show('stock', 'documents', 'get', document.documentNumber);
    expect(receipt).toMatch(new RegExp(`^Order +${order.orderNumber}$`, 'mu'));
    expect(receipt).toMatch(/^Created by +\S/mu);
    // Its own id is the only one.
    expect([details, receipt].map((text) => text.match(/[\da-f]{8}-[\da-f-]{27}/gu)?.length)).toEqual([1, 1]);
    expect(await show('tenants', 'get', 'local')).toMatch(/^Default site +Main$/mu);
    expect((await shop.home.run(['orders', 'get', number, '--columns', 'assignedTo'])).stdout).toBe(`assignedTo\n${order.assignedTo}`);
  });

  test('by commands of the admin API', async () => {
    expect((await json('stock', 'levels', 'set', 'BOLT', '--site', 'wn', '--reorder-point', '5')).data).toMatchObject({
      itemId: ids['bolt'],
      siteId: ids['site'],
    });
    expect((await shop.home.json(['webhooks', 'test', 'Shop sync'])).body).toMatchObject({ data: { ok: false } });
    const since = ['--failed', '--since', '1h'];
    expect(await json('webhooks', 'deliveries', 'resend', ...since, '--webhook', 'shop sync')).toMatchObject({ data: [] });
  });
});

describe('a name', () => {
  test('of several records is rejected with the candidates', async () => {
    const error = await fail('items', 'delete', 'Twin', '--yes');
    expect(error).toMatchObject({
      exit: 2,
      code: 'AMBIGUOUS_NAME',
      message: '2 items have the SKU or name "Twin"',
      hint: 'Pass the id instead',
    });
    expect(error.details).toEqual({
      candidates: [
        { sku: 'TW-1', name: 'Twin', id: expect.any(String) as string },
        { sku: 'TW-2', name: 'twin', id: expect.any(String) as string },
      ],
    });
  });

  test('of a contact and of the company of another one is rejected with both', async () => {
    const error = await fail('orders', 'create', '--module', 'sell', '--contact-id', 'north roasters');
    expect(error).toMatchObject({
      exit: 2,
      code: 'AMBIGUOUS_NAME',
      message: '2 contacts have the name, e-mail or company "north roasters"',
    });
    const { candidates } = error.details as { candidates: unknown[] };
    expect(candidates).toHaveLength(2);
    expect(candidates).toEqual(
      expect.arrayContaining([
        { name: 'Ana Reis', email: '', company: 'North Roasters', id: ids['northBuyer'] },
        { name: 'North Roasters', email: '', company: '', id: ids['northRoasters'] },
      ]),
    );
  });

  test.for([
    ['items get BOLZ', 'No item with SKU or name "BOLZ"', 'Did you mean BOLT (Bolt)?'],
    ['items get twi', 'No item with SKU or name "twi"', 'Did you mean TW-1 (Twin) or TW-2 (twin)?'],
    [
      'orders create --module sell --contact-id nope',
      'No contact with name, e-mail or company "nope"',
      'List the contacts with `stockroom contacts list`',
    ],
    ['contacts get nordkaffee', 'No contact with name, e-mail or company "nordkaffee"', 'Did you mean Sofie Berg (Nordkaffe)?'],
    [
      'contacts get alfama',
      'No contact with name, e-mail or company "alfama"',
      'Did you mean Duarte Pinto (duarte@alfama.example, Café Alfama)?',
    ],
    ['orders get SO-9999', 'No order with number "SO-9999"', 'List the orders with `stockroom orders list MODULE`'],
    [
      'stock documents create --type receipt --line NONE:5',
      'No item with SKU or name "NONE"',
      'List the items with `stockroom items list`',
    ],
    ['stock levels set BOLT --site WX --reorder-point 1', 'No site with code or name "WX"', 'Did you mean WN (North)?'],
    ['keys revoke nope --yes', 'No key with prefix or name "nope"', 'List the keys with `stockroom keys list`'],
  ] as const)('of no record is reported by %s', async ([command, message, hint]) => {
    expect(await fail(...command.split(' '))).toMatchObject({ exit: 3, code: 'NOT_FOUND', message, hint });
  });

  test('in the form of an id is an id', async () => {
    expect(await fail('items', 'get', TEXT_LIKE_ID)).toMatchObject({ exit: 3, code: 'NOT_FOUND' });
  });

  test('of a record needs the scope of its list', async () => {
    const key = (await json('keys', 'create', '--scope', 'orders:write')).secret as string;
    const env = { STOCKROOM_API_KEY: key };
    const { exit, body } = await shop.home.json(['orders', 'create', '--module', 'sell', '--contact-id', 'Acme'], { env });
    expect({ exit, error: (body as { error: unknown }).error }).toMatchObject({
      exit: 4,
      error: {
        code: 'SCOPE_REQUIRED',
        message: 'The contact "Acme" cannot be looked up by its name, e-mail or company: the key needs the scope contacts:read',
      },
    });
  });

  test('that thousands of records contain is found by SKU only', async () => {
    await json('seed', '--items', '1100');
    ids['item'] = await create('items', '--name', 'Short code', '--sku', 'GEN');
    expect((await json('items', 'get', 'gen')).data.id).toBe(ids['item']);
    expect(await fail('items', 'get', 'GEN-')).toMatchObject({
      exit: 2,
      message: 'Too many items contain "GEN-"',
      hint: 'Pass the id instead',
    });
  });

  test('is looked up in a remote service over /v1, also that of a site, which a service of the given contract does not list', async () => {
    await using home = await makeHome();
    const env = { STOCKROOM_URL: shop.daemon.url ?? '', STOCKROOM_API_KEY: shop.key };
    expect((await home.json(['items', 'get', 'BOLT'], { env })).body).toMatchObject({ data: { id: ids['bolt'] } });
    const list = ['stock', 'levels', '--site-id'];
    expect((await home.json([...list, 'wn'], { env })).exit).toBe(0);
    expect((await home.json([...list, 'XX'], { env })).body).toMatchObject({
      error: { exit: 3, message: 'No site with code or name "XX"' },
    });
    await using strict = await startStockroom({ contract: 'strict' });
    const other = { env: { STOCKROOM_URL: strict.url, STOCKROOM_API_KEY: strict.apiKey } };
    expect((await home.json([...list, 'WN'], other)).body).toMatchObject({
      error: { exit: 2, message: 'The site "WN" cannot be looked up by its code or name: the service has no list of sites' },
    });
  });

  test('costs one request, an id none', async () => {
    const requests = async (...args: string[]) =>
      (await shop.home.run([...args, '--verbose'])).stderr.match(/^(?:GET|PATCH) .*$/gmu)?.length;
    expect(await requests('items', 'get', ids['bolt'] ?? '')).toBe(1);
    expect(await requests('items', 'get', 'BOLT')).toBe(2);
  });
});
