/** `stockroom pull` from one daemon to another, each in its own home. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { startBetween } from '../../support/servers/intercepting-proxy.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';

const READ = ['items:read', 'orders:read', 'contacts:read', 'inventory:read', 'organization:read'];
const SLUG = 'kestrel-coffee';
const PROFILE = ['--profile', SLUG];

let there: Home;
let here: Home;
let source: DaemonStatus;
let key: string;
let keyFile: string;
beforeAll(async () => {
  [there, here] = await Promise.all([makeHome(), makeHome()]);
  [source] = await Promise.all([there.start(['--demo', '--tier', 'bulk=1000000', '--tier', 'trickle=30', '--test-clock']), here.start()]);
  key = await readKey('bulk');
  keyFile = here.path('key.txt');
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
});
afterAll(async () => {
  await Promise.all([there[Symbol.asyncDispose](), here[Symbol.asyncDispose]()]);
});

const readKey = async (tier: string) => {
  const scopes = READ.flatMap((scope) => ['--scope', scope]);
  return (await there.json(['keys', 'create', '--tenant', SLUG, '--tier', tier, ...scopes])).body.secret as string;
};
const pull = (...args: string[]) => here.run(['pull', '--from', source.url ?? '', '--from-key-file', keyFile, ...args]);
const rows = async (home: Home, args: readonly string[]) =>
  (await home.run([...args, ...PROFILE, '--all', '-o', 'ndjson'])).stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, never>);

const ORDER = [
  'module',
  'orderNumber',
  'status',
  'orderDate',
  'dueDate',
  'priority',
  'contact.name',
  'site.name',
  'total',
  'fulfilment',
  'closedShort',
  'lineCount',
];
const LEVEL = ['item.name', 'item.sku', 'site.name', 'onHand', 'reorderPoint', 'unit.symbol'];
const at = (row: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], row) ?? null;
const only = (list: readonly unknown[], fields: readonly string[]) =>
  list.map((row) => JSON.stringify(fields.map((field) => at(row, field)))).toSorted();

describe('pull', () => {
  test('requires a key and a URL, and exits with 4 for an invalid key', async () => {
    expect(await here.run(['pull'])).toMatchObject({ exit: 2, stdout: '' });
    expect(await here.run(['pull', '--from', source.url ?? ''])).toMatchObject({ exit: 4, stdout: '' });
    const wrong = await here.run(['pull', '--from', source.url ?? '', '--from-key-file', '-'], { input: 'pk_test_wrong' });
    expect(wrong).toMatchObject({ exit: 4, stdout: '' });
    expect(wrong.stderr).not.toContain('pk_test_wrong');
    expect(await pull('--diff')).toMatchObject({ exit: 2 });
    expect(await here.run(['pull', '--from', 'http://127.0.0.1:9', '--from-key-file', keyFile])).toMatchObject({ exit: 7 });
    await using page = await startReceiver((response) => response.end('<!doctype html>'));
    const foreign = await here.run(['pull', '--from', page.url, '--from-key-file', keyFile]);
    expect(foreign.exit).toBe(7);
    expect(foreign.stderr).toMatch(/is not from a stockroom service\nHint: {2}Check --from$/u);
    expect((await here.json(['tenants', 'list'])).body.data).toHaveLength(1);
  });

  test('copies contacts, items with recipes and suppliers, orders with lines and status, and stock, without changing the source', async () => {
    const before = await there.json(['audit', 'export', ...PROFILE, '--limit', '1000']);
    const { exit, body } = await here.json(['pull', '--from', source.url ?? '', '--from-key-file', keyFile]);
    expect({ exit, refusals: body.data.refusals }).toEqual({ exit: 0, refusals: [] });
    expect(body.data).toMatchObject({ tenant: SLUG, profile: SLUG });
    expect(body.data.orders.copied).toBeGreaterThan(20);
    expect(body.data.stockLevels).toBeGreaterThan(20);

    const contact = ['name', 'email', 'phone', 'company', 'contactType', 'country', 'contactGroup', 'isPrimaryContact', 'isActive'];
    const item = [
      'name',
      'sku',
      'itemType',
      'mpn',
      'barcode',
      'salePrice',
      'purchasePrice',
      'supplierCode',
      'notes',
      'isActive',
      'category.name',
      'supplier.name',
    ];
    for (const [args, fields] of [
      [['contacts', 'list'], contact],
      [['items', 'list'], item],
      [['stock', 'levels'], LEVEL],
    ] as const) {
      // Stock documents are not copied, so neither is what a submitted one announces where nothing is on hand.
      const kept = async (home: Home) => (await rows(home, args)).filter((row) => row['onHand'] !== 0);
      expect(only(await kept(here), fields)).toEqual(only(await kept(there), fields));
    }
    expect((await there.json(['audit', 'export', ...PROFILE, '--limit', '1000'])).body.data).toEqual(before.body.data);
    expect((await here.json(['doctor'])).body.data.ok).toBe(true);
  });

  test('preserves recipes, supplier terms and order lines', async () => {
    const detail = async (home: Home, list: readonly string[], key_: string, get: readonly string[]) => {
      const found = new Map<string, unknown>();
      for (const row of await rows(home, list))
        found.set(String(row[key_]), (await home.json([...get, String(row['id']), ...PROFILE])).body.data);
      return found;
    };
    const [mine, theirs] = await Promise.all(
      [here, there].map((home) => detail(home, ['orders', 'list', 'make'], 'orderNumber', ['orders', 'get', '--lines'])),
    );
    expect(only([...(mine?.values() ?? [])], ORDER)).toEqual(only([...(theirs?.values() ?? [])], ORDER));
    const lines = (orders: Map<string, unknown> | undefined) =>
      only(
        [...(orders?.values() ?? [])].flatMap((order) => (order as { lines: object[]; orderNumber: string }).lines),
        ['kind', 'item.name', 'description', 'quantity', 'unit.symbol', 'unitPrice', 'lineTotal', 'fulfilledQuantity'],
      );
    expect(lines(mine)).toEqual(lines(theirs));
    for (const [what, fields] of [
      ['ingredients', ['ingredient.name', 'quantity', 'perQuantity', 'unit.symbol', 'wastePercent', 'position']],
      ['suppliers', ['supplier.name', 'supplierCode', 'purchasePrice', 'unitsPerPurchaseUnit', 'leadTimeDays', 'isPreferred']],
    ] as const) {
      const of = async (home: Home) => {
        const items = (await rows(home, ['items', 'list', '--item-type', 'product'])).slice(0, 6);
        const lists = await Promise.all(items.map(({ id }) => home.json(['items', what, 'list', String(id), ...PROFILE])));
        return only(
          lists.flatMap(({ body }) => body.data as object[]),
          fields,
        );
      };
      expect(await of(here)).toEqual(await of(there));
    }
  });

  test('copies no unchanged records when repeated, and --diff reports no differences', async () => {
    const [retired] = await rows(there, ['items', 'list', '--search', 'Bag']);
    await there.run(['items', 'update', String(retired?.['id']), '--no-is-active', ...PROFILE]);
    const once = await here.json(['pull', '--from', source.url ?? '', '--from-key-file', keyFile]);
    expect(once.body.data.items).toMatchObject({ copied: 1, refused: 0 });
    const readItemChanges = async () =>
      (await here.json(['audit', 'export', '--resource-type', 'item', ...PROFILE])).body.data as unknown[];
    const before = await readItemChanges();
    const { body } = await here.json(['pull', '--from', source.url ?? '', '--from-key-file', keyFile]);
    for (const kind of ['contacts', 'items', 'recipes', 'suppliers', 'orders'])
      expect(body.data[kind]).toMatchObject({ copied: 0, refused: 0 });
    expect(body.data.stockLevels).toBe(0);
    expect(await pull('--diff')).toEqual({ exit: 0, stdout: '', stderr: 'No differences' });
    expect(await readItemChanges()).toEqual(before);
  });

  test('--diff reports changes on both sides with exit 9 without applying them, and a second pull applies them', async () => {
    const [first] = await rows(there, ['items', 'list', '--search', 'Bag']);
    await there.run(['items', 'update', String(first?.['id']), '--name', 'Renamed there', ...PROFILE]);
    await there.run(['contacts', 'create', '--name', 'New there', ...PROFILE]);
    await here.run(['contacts', 'create', '--name', 'Only here', ...PROFILE]);
    const diff = async () => {
      const { exit, body } = await here.json(['pull', '--from', source.url ?? '', '--from-key-file', keyFile, '--diff']);
      return {
        exit,
        found: (body.data as { name: string; difference: string }[]).map(({ name, difference }) => `${name}: ${difference}`).toSorted(),
      };
    };
    const before = await diff();
    expect(before.exit).toBe(9);
    expect(before.found).toHaveLength(3);
    expect(before.found.join('\n')).toMatch(
      /New there: only there\nOnly here: only here\n.*Renamed there: name: "Bag[^"]*" here, "Renamed there" there/u,
    );
    expect(await diff()).toEqual(before);
    expect(await pull()).toMatchObject({ exit: 0 });
    expect(await diff()).toEqual({ exit: 9, found: ['Only here: only here'] });
  });

  test('copies cleared values and changed orders with lines and status when repeated', async () => {
    const patch = async (path: string, body: object) => {
      const ran = await there.json(['api', 'PATCH', path, '--data', JSON.stringify(body), ...PROFILE]);
      expect(ran.exit, ran.stdout).toBe(0);
      return ran.body.data as { lines: { id: string; quantity: number; itemId: string }[] };
    };
    const noted = (await rows(there, ['items', 'list'])).find((row) => row['notes'] !== null && row['supplierId'] !== null);
    await patch(`/v1/items/${String(noted?.['id'])}`, { notes: null, salePrice: null });
    await patch(`/v1/items/${String(noted?.['id'])}/suppliers/${String(noted?.['supplierId'])}`, {
      leadTimeDays: null,
      supplierCode: null,
    });
    const numbered = async (home: Home, module: string) => rows(home, ['orders', 'list', module, '--sort', 'order_number']);
    const sales = await numbered(there, 'sell');
    const first = (status: string) => String(sales.find((row) => row['status'] === status)?.['id']);
    await patch(`/v1/orders/${first('waiting')}`, { dueDate: '2031-01-01', priority: 'urgent', reference: 'R-2' });
    const { lines } = await patch(`/v1/orders/${first('in_progress')}`, {});
    const [one, ...rest] = lines;
    await patch(`/v1/orders/${first('in_progress')}`, {
      status: 'waiting',
      lines: [
        ...rest.map(({ id }) => ({ id })),
        { id: one?.id, quantity: 77, unitPrice: null, notes: 'more' },
        { itemId: one?.itemId, quantity: 3 },
      ],
    });
    await patch(`/v1/orders/${first('draft')}`, { status: 'open' });
    await patch(`/v1/orders/${first('draft')}`, { status: 'in_progress' });

    const [blend] = await rows(there, ['items', 'list', '--sku', 'KES-HB-250']);
    const [row] = (await there.json(['items', 'ingredients', 'list', String(blend?.['id']), ...PROFILE])).body.data;
    await patch(`/v1/items/${String(blend?.['id'])}/ingredients/${String(row.id)}`, { quantity: 987 });
    const [left, right] = (await rows(there, ['items', 'list', '--search', 'SPR-'])).map(({ id, sku }) => ({
      path: `/v1/items/${String(id)}`,
      sku,
    }));
    await patch(left?.path ?? '', { sku: null });
    await patch(right?.path ?? '', { sku: left?.sku });
    await patch(left?.path ?? '', { sku: right?.sku });
    const seen = (await pull('--diff')).stdout;
    for (const change of [
      /recipe: ".*" here, ".*987 .*" there/u,
      /suppliers: ".*" here, ".*" there/u,
      /lines: ".*" here, ".*77 .*" there/u,
      /reference: .* here, "R-2" there/u,
    ])
      expect(seen).toMatch(change);

    const { body } = await here.json(['pull', '--from', source.url ?? '', '--from-key-file', keyFile]);
    expect(body.data).toMatchObject({ items: { refused: 0 }, suppliers: { refused: 0 }, orders: { copied: 3, refused: 0 } });
    expect((await pull('--diff')).stdout).not.toContain(' there');
    const detailed = async (home: Home) => {
      const found = [];
      for (const { id } of await numbered(home, 'sell'))
        found.push((await home.json(['orders', 'get', String(id), '--lines', ...PROFILE])).body.data);
      return found as { lines: object[] }[];
    };
    const [mine, theirs] = [await detailed(here), await detailed(there)];
    // Partial fulfilment is not copied.
    const whole = theirs.map((order) => ({
      ...order,
      ...('fulfilment' in order && order.fulfilment === 'partial' && { fulfilment: 'none' }),
    }));
    expect(only(mine, [...ORDER, 'reference'])).toEqual(only(whole, [...ORDER, 'reference']));
    const LINE = ['lineNumber', 'item.name', 'quantity', 'unitPrice', 'notes', 'lineTotal'];
    expect(mine.map((order) => only(order.lines, LINE))).toEqual(theirs.map((order) => only(order.lines, LINE)));
    const [copy] = await rows(here, ['items', 'list', '--search', String(noted?.['name'])]);
    expect(copy).toMatchObject({ notes: null, salePrice: null });
    const link = (await here.json(['items', 'suppliers', 'list', String(copy?.['id']), ...PROFILE])).body.data[0];
    expect(link).toMatchObject({ leadTimeDays: null, supplierCode: null });
  });

  test('refuses to write to a tenant that is not a copy of the source, and writes to the one in --tenant', async () => {
    await using other = await makeHome();
    await other.start();
    await other.json(['tenants', 'create', '--name', 'Kestrel Coffee', '--plan', 'pro']);
    const args = ['pull', '--from', source.url ?? '', '--from-key-file', keyFile];
    const refused = await other.run(args);
    expect(refused).toMatchObject({ exit: 2, stdout: '' });
    expect(refused.stderr).toContain('Choose another slug for the copy with --tenant');
    expect((await other.json([...args, '--tenant', 'rehearsal'])).body.data).toMatchObject({ tenant: 'rehearsal', profile: 'rehearsal' });
    expect((await other.run(['contacts', 'list', '--profile', 'rehearsal', '--limit', '1'])).exit).toBe(0);
  });
});

describe('an interrupted pull', () => {
  test('resumes after Ctrl-C or kill -9, with every record once', async () => {
    await using own = await makeHome();
    await own.start();
    const copied = () => {
      const directory = own.path('config', 'stockroom', 'pulls');
      try {
        return readdirSync(directory).reduce((sum, name) => sum + readFileSync(`${directory}/${name}`, 'utf8').split('\n').length, 0);
      } catch {
        return 0;
      }
    };
    // Whatever is asked of the source passes here, so no pull gets to its end before it is cut off.
    let next: { count: number; end: () => void } | undefined;
    await using between = await startBetween(source.url ?? '', key, () => {
      if (next === undefined || copied() < next.count) return;
      next.end();
      next = undefined;
    });
    const args = ['pull', '--from', between.url, '--from-key-file', keyFile];
    const cutOff = (count: number, signal: NodeJS.Signals) => {
      const child = own.spawn(args);
      next = { count, end: () => void child.kill(signal) };
      return child;
    };
    expect((await cutOff(10, 'SIGKILL')).signal).toBe('SIGKILL');
    const { exitCode, stderr } = await cutOff(60, 'SIGINT');
    expect([exitCode, String(stderr)]).toEqual([130, 'Stopped. Run the same command again to continue.']);
    expect((await own.json(args)).body.data.refusals).toEqual([]);
    expect(await own.run([...args, '--diff'])).toEqual({ exit: 0, stdout: '', stderr: 'No differences' });
  });

  test('that stopped before the tenant had its key and profile is completed by the next', async () => {
    await using own = await makeHome();
    await own.start();
    const args = ['pull', '--from', source.url ?? '', '--from-key-file', keyFile];
    expect((await own.json(args)).body.data.refusals).toEqual([]);
    const directory = own.path('config', 'stockroom', 'pulls');
    const path = `${directory}/${String(readdirSync(directory)[0])}`;
    const [state = ''] = readFileSync(path, 'utf8').split('\n');
    expect((await own.run(['reset', '--yes'])).exit).toBe(0);
    await own.run(['profile', 'remove', SLUG, '--yes']);
    await own.json(['tenants', 'create', '--name', 'Kestrel Coffee', '--slug', SLUG, '--negative-stock', 'allow']);
    writeFileSync(path, `${JSON.stringify({ ...(JSON.parse(state) as object), tenantId: '', profile: null, key: '', keyId: '' })}\n`);
    const { body } = await own.json(args);
    expect(body.data).toMatchObject({ tenant: SLUG, profile: SLUG, refusals: [] });
    expect((await own.run(['items', 'list', ...PROFILE])).exit).toBe(0);
    expect((await own.json(['tenants', 'list'])).body.data).toHaveLength(2);
    // As 0.2.0 stored it.
    const [, ...copies] = readFileSync(path, 'utf8').split('\n');
    const { tenantId: _id, profile: _profile, ...old } = JSON.parse(state) as Record<string, string>;
    writeFileSync(path, [JSON.stringify(old), ...copies].join('\n'));
    expect((await own.json(args)).body.data).toMatchObject({ profile: null, items: { copied: 0 }, refusals: [] });
  });

  test('reads the lines of many orders in one request', async () => {
    await using own = await makeHome();
    await own.start();
    const asked: string[] = [];
    await using between = await startBetween(source.url ?? '', key, ({ url = '' }) => void asked.push(url));
    const pulled = await own.json(['pull', '--from', between.url, '--from-key-file', keyFile]);
    expect(pulled.body.data.refusals).toEqual([]);
    expect((await own.json(['orders', 'list', '--all', ...PROFILE])).body.data.length).toBeGreaterThan(20);
    // The currency of the source is found in an order.
    expect(asked.filter((url) => /^\/v1\/orders[/?]/u.test(url)).length).toBeLessThan(20);
  });

  test('exits with 6 at the rate limit of the source if it may not wait', async () => {
    await using own = await makeHome();
    await own.start();
    const args = ['pull', '--from', source.url ?? '', '--from-key-file', '-', '--max-wait', '0'];
    const ran = await own.run(args, { input: await readKey('trickle') });
    expect(ran).toMatchObject({ exit: 6, stdout: '' });
    expect(ran.stderr).toContain('Run the same command again to continue');
  });
});

test('a copy that is gone is copied again completely, but not by --diff and --resume', async () => {
  await using own = await makeHome();
  await own.start();
  const args = ['pull', '--from', source.url ?? '', '--from-key-file', keyFile];
  const first = await own.json(args);
  expect((await own.run(['reset', '--yes'])).exit).toBe(0);
  for (const flag of ['--diff', '--resume'])
    expect(await own.run([...args, flag])).toMatchObject({ exit: 2, stderr: expect.stringContaining('no longer exists') });
  expect((await own.json(['tenants', 'list'])).body.data).toHaveLength(1);
  const again = await own.json(args);
  expect({ ...again.body.data, refusals: [] }).toEqual(first.body.data);
  expect(await own.run([...args, '--diff'])).toEqual({ exit: 0, stdout: '', stderr: 'No differences' });
  expect((await own.run(['items', 'list', ...PROFILE])).exit).toBe(0);
  // One that only has the name of the copy is no copy.
  expect((await own.run(['reset', '--yes'])).exit).toBe(0);
  await own.json(['tenants', 'create', '--name', 'Kestrel Coffee', '--slug', SLUG]);
  expect(await own.run(args)).toMatchObject({ exit: 2, stderr: expect.stringContaining('is not a copy of') });
});

test('no file of the copy contains the source key, and only the owner can read the id map', () => {
  const directory = here.path('config', 'stockroom', 'pulls');
  for (const name of readdirSync(directory)) {
    const path = `${directory}/${name}`;
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain(key);
    // The key that copied was revoked and forgotten.
    expect(text).not.toContain('pk_test_');
  }
  for (const name of ['config.json', 'credentials.json'])
    expect(readFileSync(here.path('config', 'stockroom', name), 'utf8')).not.toContain(key);
});
