/** The items commands of the CLI against a real daemon. */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop[Symbol.asyncDispose]());

const create = async (...args: string[]) => {
  const { exit, body, stderr } = await shop.home.json(['items', 'create', ...args]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return (body as { data: Record<string, unknown> & { id: string } }).data;
};
const auditActions = async (id: string): Promise<string[]> => {
  const { body } = await shop.http('GET', '/v1/audit/events?limit=1000');
  return (body.data as { action: string; resourceId: string }[]).filter((row) => row.resourceId === id).map(({ action }) => action);
};

describe('an item', () => {
  test('is created from flags, shown, changed and deleted', async () => {
    const item = await create(
      '--name',
      'Hex bolt M6',
      '--sku',
      'BOLT-M6',
      '--sale-price',
      '0.35',
      '--item-type',
      'material',
      '--no-is-active',
    );
    expect(item).toMatchObject({ name: 'Hex bolt M6', sku: 'BOLT-M6', salePrice: 0.35, itemType: 'material', isActive: false });

    const changed = await shop.home.json(['items', 'update', item.id, '--sale-price', '0.4', '--sku', '', '--is-active']);
    expect(changed.body.data).toMatchObject({ name: 'Hex bolt M6', sku: null, salePrice: 0.4, isActive: true });

    expect((await shop.home.json(['items', 'get', item.id])).body).toEqual(changed.body);

    const gone = await shop.home.run(['items', 'delete', item.id]);
    expect(gone).toEqual({ exit: 0, stdout: '', stderr: `Deleted item ${item.id}` });
    expect((await shop.home.run(['items', 'get', item.id])).exit).toBe(3);
    expect(await auditActions(item.id)).toEqual(['item.created', 'item.updated', 'item.deleted']);
  });

  test('is deleted with others, each with its result, and the exit code says that a part failed', async () => {
    const used = await create('--name', 'Used plank', '--sku', 'USED');
    const bench = await create('--name', 'Bench of planks');
    await shop.home.run(['items', 'ingredients', 'add', bench.id, '--ingredient-item-id', used.id, '--quantity', '1']);
    for (const sku of ['DEL-A', 'DEL-B', 'DEL-C', 'DEL-D']) await create('--name', sku, '--sku', sku);

    const unset = await shop.home.run(['items', 'delete', 'DEL-A', '']);
    expect(unset).toMatchObject({ exit: 2, stderr: expect.stringContaining('ITEM_ID must not be empty') });

    const { exit, stdout, stderr } = await shop.home.run(['items', 'delete', '--yes', 'DEL-A', 'nope', 'USED', 'DEL-B']);
    expect({ exit, stdout }).toEqual({ exit: 8, stdout: '' });
    expect(stderr).toMatch(
      /^Deleted item DEL-A\nNot deleted: item nope\nError: No item .*\nNot deleted: item USED\nError: In use by 1 ingredient \(Bench of planks\).*update USED --no-is-active`.*\nDeleted item DEL-B$/su,
    );

    const { exit: code, body } = await shop.home.json(['items', 'delete', 'DEL-C', 'nope', 'DEL-D']);
    expect({ code, body }).toEqual({
      code: 8,
      body: {
        data: [
          { target: 'DEL-C', deleted: true, error: null },
          { target: 'nope', deleted: false, error: expect.objectContaining({ code: 'NOT_FOUND', exit: 3 }) as unknown },
          { target: 'DEL-D', deleted: true, error: null },
        ],
        error: expect.objectContaining({ code: 'PARTLY_FAILED', message: '1 of 3 records were not deleted', exit: 8 }) as unknown,
      },
    });
    const none = await shop.home.json(['items', 'delete', 'nope', 'USED']);
    expect(none).toMatchObject({ exit: 5, body: { error: { code: 'RESOURCE_IN_USE', exit: 5 } } });
    const dry = await shop.home.run(['items', 'delete', 'USED', bench.id, '--dry-run']);
    expect(dry.stdout.split('\n')).toEqual([`DELETE /v1/items/${used.id}`, `DELETE /v1/items/${bench.id}`]);
  });

  test('has ingredients and suppliers', async () => {
    const [parent, part] = [await create('--name', 'Bench'), await create('--name', 'Plank')];
    const supplier = (await shop.home.json(['contacts', 'create', '--name', 'Sawmill', '--contact-type', 'supplier'])).body.data as {
      id: string;
    };

    const added = await shop.home.json(['items', 'ingredients', 'add', parent.id, '--ingredient-item-id', part.id, '--quantity', '4']);
    expect(added.body.data).toMatchObject({ quantity: 4, ingredient: { name: 'Plank' } });
    const ingredient = (added.body.data as { id: string }).id;
    const more = await shop.home.json(['items', 'ingredients', 'update', parent.id, ingredient, '--quantity', '5']);
    expect(more.body.data).toMatchObject({ quantity: 5 });

    const linked = await shop.home.json(['items', 'suppliers', 'add', part.id, '--supplier-id', supplier.id, '--lead-time-days', '3']);
    expect(linked.body.data).toMatchObject({ leadTimeDays: 3, isPreferred: true });
    const listed = await shop.home.run(['items', 'suppliers', 'list', part.id, '--columns', 'supplier.name,leadTimeDays']);
    expect(listed.stdout).toBe('supplier.name\tleadTimeDays\nSawmill\t3');

    expect((await shop.home.run(['items', 'ingredients', 'remove', parent.id, ingredient])).exit).toBe(0);
    expect((await shop.home.run(['items', 'suppliers', 'remove', part.id, supplier.id])).exit).toBe(0);
    expect((await shop.home.json(['items', 'ingredients', 'list', parent.id])).body.data).toEqual([]);
  });
});

describe('the body of a write', () => {
  test('is read from stdin, a file or the command line; --set overrides it and flags override both', async () => {
    const file = shop.home.path('item.json');
    await writeFile(file, '{"name":"from file","notes":"file","mpn":"file"}');
    const { stdout } = await shop.home.run([
      'items',
      'create',
      '--data',
      `@${file}`,
      '--set',
      'notes=set',
      '--set',
      'mpn=set',
      '--mpn',
      'flag',
      '--dry-run',
      '--json',
    ]);
    expect(JSON.parse(stdout)).toEqual({ method: 'POST', path: '/v1/items', body: { name: 'from file', notes: 'set', mpn: 'flag' } });

    const piped = await shop.home.json(['items', 'create', '--data', '-'], { input: '{"name":"from stdin"}' });
    expect(piped.body.data).toMatchObject({ name: 'from stdin' });
    expect(await create('--data', '{"name":"from argument"}')).toMatchObject({ name: 'from argument' });
  });

  test('keeps every digit of a number from any source', async () => {
    const { stdout } = await shop.home.run([
      'items',
      'create',
      '--sale-price',
      '0.10',
      '--set',
      'purchasePrice=0.1000000000000000055',
      '--name',
      'exact',
      '--dry-run',
      '--json',
    ]);
    expect(stdout).toBe(
      '{"method":"POST","path":"/v1/items","body":{"purchasePrice":0.1000000000000000055,"name":"exact","salePrice":0.10}}',
    );
    const fromData = await shop.home.run(['items', 'create', '--data', '-', '--dry-run', '--json'], {
      input: '{"name":"exact","salePrice":1.2000000000000000055}',
    });
    expect(fromData.stdout).toBe('{"method":"POST","path":"/v1/items","body":{"name":"exact","salePrice":1.2000000000000000055}}');
  });

  test('is not sent by a dry run', async () => {
    const before = (await shop.http('GET', '/v1/items')).body.pagination.total as number;
    const { exit, stdout, stderr } = await shop.home.run(['items', 'create', '--name', 'never', '--dry-run']);
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: 'POST /v1/items\n{"name":"never"}', stderr: 'Dry run: nothing was sent' });
    expect((await shop.http('GET', '/v1/items')).body.pagination.total).toBe(before);
  });

  test('sent twice with the same idempotency key creates one item', async () => {
    const key = `e2e-${String(process.pid)}`;
    const first = await create('--name', 'once', '--idempotency-key', key);
    const second = await create('--name', 'once', '--idempotency-key', key);
    expect(second.id).toBe(first.id);
    const other = await shop.home.json(['items', 'create', '--name', 'twice', '--idempotency-key', key]);
    expect(other).toMatchObject({ exit: 5, body: { error: { code: 'CONFLICT', status: 409, exit: 5 } } });
  });

  test.for([
    [['--data', '{"name":'], '--data is not valid JSON'],
    [['--data', '[1]'], '--data must be a JSON object'],
    [['--data', '@/nowhere/item.json'], 'Cannot read /nowhere/item.json: no such file\n'],
    [['--data', '@/tmp'], 'Cannot read /tmp: it is a directory\n'],
    [['--data', '@'], 'Error: Missing file name after --data @\n'],
    [['--sale-price', 'cheap'], 'Invalid --sale-price "cheap". Expected a number'],
    [['--set', 'salePrice=cheap'], 'Invalid --set salePrice "cheap". Expected a number'],
    [['--set', '=1'], 'Invalid --set "=1". Expected PATH=VALUE'],
    [['--set', 'name.first=x'], 'name must be a string'],
  ] as const)('that is invalid is rejected with exit 2: %j', async ([args, words]) => {
    const { exit, stderr, stdout } = await shop.home.run(['items', 'create', ...args]);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(`${stderr}\n`).toContain(words);
    expect(stderr).not.toMatch(/\n {4}at /u);
  });

  test('without changes is rejected before it is sent', async () => {
    const { exit, stderr } = await shop.home.run(['items', 'update', '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e']);
    expect({ exit, stderr }).toMatchObject({ exit: 2 });
    expect(stderr).toContain('No changes given');
  });
});

describe('a list of items', () => {
  test('has the stock at all sites in tables and with --stock', async () => {
    const { id } = await create('--name', 'Stocked bolt', '--sku', 'STOCKED');
    for (const site of ['SHOP', 'YARD']) {
      await shop.home.json(['sites', 'create', '--name', site, '--code', site]);
      const receipt = ['--type', 'receipt', '--site-id', site, '--line', `${id}:2.1@1`];
      await shop.home.json(['stock', 'documents', 'create', ...receipt, '--post']);
    }
    const table = await shop.home.run(['items', 'list', '--sku', 'STOCKED'], { columns: 200 });
    expect(table.stdout).toMatch(/^NAME +SKU +ON HAND +AVAILABLE[^]*Stocked bolt +STOCKED +4\.2 +4\.2/u);
    const plain = await shop.home.json(['items', 'list', '--sku', 'STOCKED']);
    expect(plain.body.data[0]).not.toHaveProperty('onHand');
    const asked = await shop.home.json(['items', 'list', '--sku', 'STOCKED', '--stock', '--all']);
    expect(asked.body.data).toMatchObject([{ sku: 'STOCKED', onHand: 4.2, available: 4.2 }]);
    const piped = await shop.home.run(['items', 'list', '--sku', 'STOCKED', '--stock']);
    expect(piped.stdout).toMatch(/^id\tname\tsku\tonHand\tavailable\t[^]*\tStocked bolt\tSTOCKED\t4\.2\t4\.2\t/u);
    const chosen = await shop.home.run(['items', 'list', '--sku', 'STOCKED', '--columns', 'sku,onHand', '-o', 'csv']);
    expect(chosen.stdout).toBe('sku,onHand\r\nSTOCKED,4.2');
    expect((await shop.home.run(['items', 'get', id], { columns: 80 })).stdout).toMatch(/^On hand +4\.2$/mu);
  });

  test('has no stock in tables if the key may not read it', async () => {
    const key = (await shop.home.json(['keys', 'create', '--scope', 'items:read'])).body.secret as string;
    const table = await shop.home.run(['items', 'list', '--limit', '1'], { columns: 200, env: { STOCKROOM_API_KEY: key } });
    expect(table).toMatchObject({ exit: 0, stdout: expect.not.stringContaining('ON HAND') });
    const asked = await shop.home.run(['items', 'list', '--stock'], { env: { STOCKROOM_API_KEY: key } });
    expect(asked).toMatchObject({ exit: 4, stderr: expect.stringContaining('inventory:read') });
  });
});

test('stock levels --as-of a day shows the stock at its end', async () => {
  const { id } = await create('--name', 'Counted nut', '--sku', 'COUNTED');
  await shop.home.json(['stock', 'adjust', 'COUNTED:7@1', '--reason', 'found']);
  // Local time, as in the command.
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toLocaleDateString('sv');
  const read = async (at: string) => (await shop.home.json(['stock', 'levels', '--item-id', id, '--as-of', at])).body.data as unknown[];
  expect(await read(day(0))).toMatchObject([{ onHand: 7, stockValue: 7 }]);
  expect(await read(day(-2))).toEqual([]);
});

describe('an order', () => {
  test('is created with lines from stdin, shown with them, and changes its status', async () => {
    const item = await create('--name', 'Mug', '--sale-price', '9.5');
    const customer = (await shop.home.json(['contacts', 'create', '--name', 'Café'])).body.data as { id: string };
    const input = JSON.stringify({ module: 'sell', contactId: customer.id, lines: [{ itemId: item.id, quantity: 2 }] });
    const created = await shop.home.json(['orders', 'create', '--data', '-', '--status', 'open'], { input });
    expect(created).toMatchObject({ exit: 0, body: { data: { status: 'open', total: 19, lines: [{ quantity: 2 }] } } });
    const { id, orderNumber } = created.body.data as { id: string; orderNumber: string };

    const typed = await shop.home.json([
      'orders',
      'create',
      '--module',
      'sell',
      '--contact-id',
      customer.id,
      '--line',
      `${item.id}:3@8.25`,
    ]);
    expect(typed.body.data).toMatchObject({ status: 'draft', total: 24.75 });

    const listed = await shop.home.run(['orders', 'list', 'sell', '--status', 'open', '--columns', 'orderNumber,contact.name,status']);
    expect(listed.stdout).toBe(`orderNumber\tcontact.name\tstatus\n${orderNumber}\tCafé\topen`);
    expect((await shop.home.run(['orders', 'lines', id, '--columns', 'lineNumber,description,lineTotal'])).stdout).toBe(
      'lineNumber\tdescription\tlineTotal\n1\tMug\t19',
    );
    expect((await shop.home.json(['orders', 'get', id, '--lines'])).body.data.lines).toHaveLength(1);
    expect((await shop.home.json(['orders', 'get', id])).body.data.lines).toBeUndefined();
    expect((await shop.home.run(['orders', 'get', id, '--columns', 'lines'])).stdout).toContain('Mug');
    const totals = await shop.home.run(['orders', 'list', 'sell', '--columns', 'orderNumber,total']);
    expect(totals.stdout).toContain(`${orderNumber}\t19`);
    const bought = await shop.home.json(['orders', 'create', '--module', 'buy', '--line', `${item.id}:1@2`]);
    // New columns come last, for programs that count them.
    const [header, row] = (await shop.home.run(['orders', 'list', 'sell', '--limit', '1'])).stdout
      .split('\n')
      .map((line) => line.split('\t'));
    expect(header?.slice(-5)).toEqual(['updatedAt', 'contact.company', 'fulfilment', 'total', 'currency']);
    expect(row?.slice(-3)).toEqual(['none', expect.stringMatching(/^[\d.]+$/u), 'EUR']);
    const all = await shop.home.run(['orders', 'list', '--columns', 'orderNumber']);
    expect(all.stdout.split('\n')).toEqual(
      expect.arrayContaining([orderNumber, (bought.body.data as { orderNumber: string }).orderNumber]),
    );
    for (const module of [[], ['sell']])
      expect((await shop.home.json(['orders', 'list', ...module])).body.data).toContainEqual(
        expect.objectContaining({ orderNumber, total: 19, currency: 'EUR', fulfilment: 'none' }),
      );
    const table = await shop.home.run(['orders', 'list', 'sell'], { columns: 200 });
    expect(table.stdout).toMatch(/^ORDER +STATUS +CONTACT.* FULFILMENT +TOTAL \(EUR\)/u);
    expect(table.stdout).toMatch(new RegExp(`^${orderNumber} +open .* none +19\\.00 `, 'mu'));
    // A table has the lines, and their tax; programs ask for them.
    expect((await shop.home.run(['orders', 'get', id], { columns: 100 })).stdout).toMatch(/^LINE .*LINE TOTAL +LINE TAX[^]*Mug/mu);

    const moved = await shop.home.json(['orders', 'update', id, '--status', 'in_progress']);
    expect(moved.body.data).toMatchObject({ status: 'in_progress' });
    const back = await shop.home.json(['orders', 'update', id, '--status', 'draft']);
    expect(back).toMatchObject({
      exit: 5,
      body: { error: { code: 'INVALID_TRANSITION', exit: 5, details: { allowed: expect.any(Array) } } },
    });
  });
});

test('a table of items names the currency of their prices, if the key may read it', async () => {
  await create('--name', 'Priced', '--sale-price', '1.5');
  const { stdout } = await shop.home.run(['items', 'list'], { columns: 160 });
  expect(stdout).toContain('SALE PRICE (EUR)');
  const { body } = await shop.home.json(['keys', 'create', '--name', 'Items only', '--scope', 'items:read']);
  const limited = await shop.home.run(['items', 'list'], { columns: 160, env: { STOCKROOM_API_KEY: body.secret as string } });
  expect([limited.exit, limited.stdout.includes('(EUR)'), limited.stdout.includes('SALE PRICE')]).toEqual([0, false, true]);
});
