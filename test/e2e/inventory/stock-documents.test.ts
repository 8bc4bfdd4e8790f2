/** Stock documents through the CLI: receipts, counts, transfers, productions, sales, shortages and reversals. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeHome } from '../../support/cli/home.ts';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

const NOTHING = '0197a3c0-7f20-7d11-8c42-1b6d5e9a2f30';

let shop: Shop;
/** By SKU. */
const items: Record<string, string> = {};
const sites: Record<'main' | 'north', string> = { main: '', north: '' };

beforeAll(async () => {
  shop = await openShop([
    { name: 'Green Guji', sku: 'GRN', itemType: 'material', purchasePrice: 8 },
    { name: 'Bag 250 g', sku: 'BAG', itemType: 'material' },
    { name: 'House Blend 250 g', sku: 'BLEND', salePrice: 9.5 },
    { name: 'Gift set', sku: 'SET', itemType: 'combo' },
  ]);
  const listed = await shop.http('GET', '/v1/items');
  for (const { id, sku } of listed.body.data as { id: string; sku: string }[]) items[sku] = id;
  const { body } = await shop.home.json(['sites', 'list']);
  sites.main = (body.data as { id: string; isDefault: boolean }[]).find(({ isDefault }) => isDefault)?.id ?? '';
  sites.north = (await shop.home.json(['sites', 'create', '--name', 'Warehouse North', '--code', 'WN'])).body.data.id as string;
});
afterAll(() => shop[Symbol.asyncDispose]());

const run = (...args: string[]) => shop.home.run(['stock', ...args]);
const json = (...args: string[]) => shop.home.json(['stock', ...args]);
/** A draft; its id. */
const draft = async (type: string, ...args: string[]): Promise<string> => {
  const { exit, stdout, stderr } = await run('documents', 'create', '--type', type, ...args, '-o', 'id');
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  return stdout;
};
const post = async (type: string, ...args: string[]): Promise<string> => {
  const id = await draft(type, ...args);
  expect(await json('documents', 'post', id)).toMatchObject({ exit: 0, body: { data: { id, status: 'approved' } } });
  return id;
};
const getStatus = async (id: string) => (await json('documents', 'get', id)).body.data.status as string;
const level = async (sku: string, site: 'main' | 'north' = 'main') => {
  const { body } = await json('levels', '--item-id', items[sku] ?? '', '--site-id', sites[site], '--include-zero');
  return (body.data as Record<string, unknown>[])[0];
};
/** The rows of a tab-separated table, without its head. */
const cells = (stdout: string) =>
  stdout
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'));

describe('a receipt', () => {
  test('goes from draft to posted, and a dry run shows the steps without executing them', async () => {
    const created = await json(
      'documents',
      'create',
      '--type',
      'receipt',
      '--reference',
      'Note 4711',
      '--line',
      'GRN:60@8.40',
      '--line',
      `${items['BAG'] ?? ''}:500@0.12`,
    );
    expect(created).toMatchObject({
      exit: 0,
      body: { data: { type: 'receipt', status: 'draft', lineCount: 2, lines: [{ quantity: 60, unitCost: 8.4 }, { quantity: 500 }] } },
    });
    const { id, documentNumber } = created.body.data as { id: string; documentNumber: string };
    expect(documentNumber).toMatch(/^RC-\d{6}$/u);
    expect((await json('levels')).body.data).toEqual([]);

    const dry = await run('documents', 'submit', id, '--dry-run');
    expect(dry).toMatchObject({ exit: 0, stderr: expect.stringContaining('DRY RUN') });
    expect(await getStatus(id)).toBe('draft');

    expect((await json('documents', 'submit', id)).body.data.status).toBe('submitted');
    expect(await level('GRN')).toMatchObject({ onHand: 0, incoming: 60, projected: 60 });

    const asked = await run('documents', 'approve', id, '--dry-run', '--columns', 'item.sku,quantityDelta,onHandAfter');
    expect(asked.exit).toBe(0);
    expect(asked.stdout).toBe('item.sku\tquantityDelta\tonHandAfter\nGRN\t60\t60\nBAG\t500\t500');
    expect(asked.stderr).toBe(`DRY RUN  ${documentNumber} would be approved; nothing was changed`);
    expect(await getStatus(id)).toBe('submitted');
    expect(await level('GRN')).toMatchObject({ onHand: 0 });

    const approved = await json('documents', 'approve', id);
    expect(approved).toMatchObject({ exit: 0, stderr: '', body: { data: { status: 'approved', totalCost: 564 } } });
    expect(approved.body.data.stockEffects).toHaveLength(2);
    expect(await level('GRN')).toMatchObject({ onHand: 60, incoming: 0, averageCost: 8.4, stockValue: 504 });

    const again = await json('documents', 'approve', id);
    expect(again).toMatchObject({ exit: 5, body: { error: { code: 'INVALID_STATE' } } });
    expect(await level('GRN')).toMatchObject({ onHand: 60 });
  });

  test('is created from stdin, and its lines can be added, changed and removed in a draft', async () => {
    const input = JSON.stringify({ type: 'receipt', lines: [{ itemId: items['BAG'], quantity: 1 }] });
    const { stdout: id } = await shop.home.run(['stock', 'documents', 'create', '--data', '-', '-o', 'id'], { input });
    const added = await json('lines', 'add', id, '--item-id', items['GRN'] ?? '', '--quantity', '5', '--unit-cost', '0.30');
    expect(added.body.data).toMatchObject({ lineNumber: 2, quantity: 5, unitCost: 0.3, item: { sku: 'GRN' } });
    const line = (added.body.data as { id: string }).id;
    expect((await json('lines', 'update', id, line, '--quantity', '6')).body.data).toMatchObject({ id: line, quantity: 6, unitCost: 0.3 });
    expect((await run('lines', 'list', id, '--columns', 'lineNumber,item.sku,quantity')).stdout).toBe(
      'lineNumber\titem.sku\tquantity\n1\tBAG\t1\n2\tGRN\t6',
    );
    expect(await run('lines', 'remove', id, line)).toEqual({ exit: 0, stdout: '', stderr: `Deleted stock line ${line}` });
    expect((await json('documents', 'get', id, '--lines')).body.data.lines).toHaveLength(1);
    expect((await json('documents', 'get', id)).body.data.lines).toBeUndefined();
    expect((await json('documents', 'update', id, '--reference', 'Note 4712')).body.data.reference).toBe('Note 4712');
    expect(await run('documents', 'delete', id)).toEqual({ exit: 0, stdout: '', stderr: `Deleted stock document ${id}` });
    expect((await run('documents', 'get', id)).exit).toBe(3);
  });

  test('is printed but not sent by create --dry-run', async () => {
    const total = (await shop.http('GET', '/v1/stock-documents')).body.pagination.total as number;
    const { stdout, stderr } = await run('documents', 'create', '--type', 'receipt', '--line', 'GRN:1.10@0.30', '--dry-run', '--json');
    expect(stdout).toBe(
      `{"method":"POST","path":"/v1/stock-documents","body":{"type":"receipt","lines":[{"itemId":"${items['GRN'] ?? ''}","quantity":1.10,"unitCost":0.30}]}}`,
    );
    expect(stderr).toBe('Dry run: nothing was sent');
    expect((await shop.http('GET', '/v1/stock-documents')).body.pagination.total).toBe(total);
  });
});

describe('posting', () => {
  test('submits and approves, is idempotent with one key, and continues from a submitted document', async () => {
    const id = await draft('adjustment', '--reason', 'damaged', '--line', 'GRN:-2');
    const first = await json('documents', 'post', id, '--idempotency-key', `post-${id}`);
    expect(first).toMatchObject({
      exit: 0,
      body: { data: { status: 'approved', stockEffects: [{ quantityDelta: -2, onHandAfter: 58 }] } },
    });
    expect((await json('documents', 'post', id, '--idempotency-key', `post-${id}`)).stdout).toBe(first.stdout);
    expect(await level('GRN')).toMatchObject({ onHand: 58 });

    const second = await json('documents', 'post', id);
    expect(second).toMatchObject({ exit: 5, body: { error: { code: 'INVALID_STATE' } } });
    expect(second.body.error.hint ?? '').not.toContain('stays submitted');

    const waiting = await draft('adjustment', '--reason', 'found', '--line', 'GRN:2');
    await json('documents', 'submit', waiting);
    expect((await json('documents', 'post', waiting)).body.data).toMatchObject({ status: 'approved', stockEffects: [{ onHandAfter: 60 }] });
  });

  test('has a dry run that shows its effect', async () => {
    const id = await draft('adjustment', '--reason', 'lost', '--line', 'GRN:-1');
    const ask = () => run('documents', 'post', id, '--dry-run', '--columns', 'item.name,site.name,quantityDelta,onHandAfter');
    for (const status of ['draft', 'submitted']) {
      if (status === 'submitted') await json('documents', 'submit', id);
      const asked = await ask();
      expect(asked.stderr).toMatch(/^DRY RUN {2}AD-\d{6} would be approved; nothing was changed$/u);
      expect(cells(asked.stdout)).toEqual([['Green Guji', expect.any(String), '-1', '59']]);
      expect(await getStatus(id)).toBe(status);
    }
    expect(await level('GRN')).toMatchObject({ onHand: 60 });
    await json('documents', 'cancel', id);
  });

  test('without enough stock lists all shortages and leaves the draft', async () => {
    const args = ['--line', 'GRN:1000', '--line', 'BAG:500.5'];
    const id = await draft('issue', ...args);
    const rejected = await run('documents', 'post', id);
    expect({ exit: rejected.exit, stdout: rejected.stdout }).toEqual({ exit: 5, stdout: '' });
    expect(rejected.stderr).toMatch(/^ {2}SKU +REQUIRED +ON HAND +MISSING +ITEM ID +SITE ID$/mu);
    expect(rejected.stderr).toMatch(/^ {2}GRN +1000 +60 +940 /mu);
    expect(rejected.stderr).toMatch(/^ {2}BAG +500\.5 +500 +0\.5 /mu);
    expect(rejected.stderr).toContain(`${id} is a draft again`);
    expect(await getStatus(id)).toBe('draft');

    await json('documents', 'submit', id);
    const { exit, stderr, body } = await json('documents', 'approve', id);
    expect({ exit, stderr }).toEqual({ exit: 5, stderr: '' });
    expect(body.error).toMatchObject({
      code: 'INSUFFICIENT_STOCK',
      details: {
        shortages: [
          { sku: 'GRN', required: 1000, onHand: 60, missing: 940 },
          { sku: 'BAG', missing: 0.5 },
        ],
      },
    });
    expect((await json('documents', 'approve', id, '--dry-run')).body.error.code).toBe('INSUFFICIENT_STOCK');

    expect((await json('documents', 'update', id, '--status', 'draft')).body.data.status).toBe('draft');
    const posted = await post('receipt', '--line', 'GRN:1@2');
    expect(await run('documents', 'delete', posted, '--yes')).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining(`Cancel it instead: \`stockroom stock documents cancel ${posted}\``),
    });
    await json('documents', 'cancel', posted, '--reason', 'test');
    expect((await run('documents', 'delete', id, '--yes')).exit).toBe(0);
    expect(await level('GRN')).toMatchObject({ onHand: 60, committed: 0 });
  });
});

describe('a count', () => {
  test('posts the variance, and a count of 0 empties the stock', async () => {
    const id = await post('count', '--line', 'GRN:59', '--line', 'BLEND:0');
    expect(cells((await run('lines', 'list', id, '--columns', 'item.sku,countedQuantity,postedQuantity,onHandAfter')).stdout)).toEqual([
      ['GRN', '59', '-1', '59'],
      ['BLEND', '0', '0', '0'],
    ]);
  });

  test('is rejected if the stock has changed since', async () => {
    const line = { itemId: items['GRN'], countedQuantity: 55, expectedQuantity: 59 };
    const id = await draft('count', '--data', JSON.stringify({ lines: [line] }));
    await post('adjustment', '--reason', 'lost', '--line', 'GRN:-1');
    const { exit, body } = await json('documents', 'post', id);
    expect({ exit, code: body.error.code }).toEqual({ exit: 5, code: 'STALE_COUNT' });
    expect(body.error.hint).toMatch(/is a draft again\. .*--force/u);
    expect(await level('GRN')).toMatchObject({ onHand: 58 });
    expect((await json('documents', 'cancel', id, '--reason', 'Count again')).body.data).toMatchObject({
      status: 'cancelled',
      cancelReason: 'Count again',
      reversedAt: null,
    });
  });
});

test('a count without an expectation is rejected if the stock has changed since, until it is forced', async () => {
  items['MUG'] = (await shop.http('POST', '/v1/items', { name: 'Mug', sku: 'MUG', itemType: 'material' })).body.data.id;
  const id = await draft('count', '--line', 'MUG:7');
  await post('adjustment', '--reason', 'found', '--line', 'MUG:2');
  const refused = await json('documents', 'post', id);
  expect([refused.exit, refused.body.error.code]).toEqual([5, 'STALE_COUNT']);
  expect(await level('MUG')).toMatchObject({ onHand: 2 });
  expect((await run('documents', 'post', id, '--force')).exit).toBe(0);
  expect(await level('MUG')).toMatchObject({ onHand: 7 });
  const free = await draft('count', '--line', 'MUG:8');
  await post('adjustment', '--reason', 'lost', '--line', 'MUG:-1');
  await json('documents', 'submit', free);
  expect((await json('documents', 'approve', free)).body.error.code).toBe('STALE_COUNT');
  expect((await json('documents', 'approve', free, '--force')).exit).toBe(0);
  await post('count', '--line', 'MUG:0');
});

describe('stock', () => {
  test('is transferred between sites with its value', async () => {
    const id = await draft('transfer', '--to-site-id', sites.north, '--line', 'GRN:8');
    const { body } = await json('documents', 'post', id);
    expect(body.data.stockEffects).toMatchObject([
      { siteId: sites.main, quantityDelta: -8, onHandAfter: 50 },
      { siteId: sites.north, quantityDelta: 8, onHandAfter: 8 },
    ]);
    expect(await level('GRN', 'north')).toMatchObject({ onHand: 8, averageCost: 8.4, site: { name: 'Warehouse North' } });
  });

  test('is consumed and produced by a production', async () => {
    const id = await draft('production', '--line', 'GRN:-5', '--line', 'BAG:-20', '--line', 'BLEND:20');
    const { body } = await json('documents', 'post', id);
    expect(body.data.lines).toMatchObject([{ direction: 'out' }, { direction: 'out' }, { direction: 'in', quantity: 20 }]);
    expect(await level('BLEND')).toMatchObject({ onHand: 20, stockValue: 44.4 });
  });

  test('is allocated when a sales order opens and issued when it is completed', async () => {
    const customer = (await shop.home.json(['contacts', 'create', '--name', 'Café', '--contact-type', 'customer'])).body.data.id as string;
    const opened = await shop.home.json([
      'orders',
      'create',
      '--module',
      'sell',
      '--contact-id',
      customer,
      '--status',
      'open',
      '--line',
      `${items['BLEND'] ?? ''}:3`,
    ]);
    const order = (opened.body.data as { id: string }).id;
    expect(await level('BLEND')).toMatchObject({ onHand: 20, committed: 3, available: 17 });
    expect((await shop.home.json(['orders', 'update', order, '--status', 'completed'])).body.data.status).toBe('completed');
    expect(await level('BLEND')).toMatchObject({ onHand: 17, committed: 0 });
    const listed = await run('documents', 'list', '--order-id', order, '--columns', 'type,status,lineCount');
    expect(listed.stdout).toBe('type\tstatus\tlineCount\nissue\tapproved\t1');

    const more = await shop.home.json([
      'orders',
      'create',
      '--module',
      'sell',
      '--contact-id',
      customer,
      '--status',
      'open',
      '--line',
      `${items['BLEND'] ?? ''}:40`,
    ]);
    const short = await shop.home.run(['orders', 'update', (more.body.data as { id: string }).id, '--status', 'completed']);
    expect(short.exit).toBe(5);
    expect(short.stderr).toMatch(/^ {2}BLEND +40 +17 +23 /mu);
    await shop.home.run(['orders', 'update', (more.body.data as { id: string }).id, '--status', 'cancelled']);
    expect(await level('BLEND')).toMatchObject({ onHand: 17, committed: 0 });
  });

  test('posted by mistake is reversed once by cancelling', async () => {
    const id = await post('receipt', '--line', 'BLEND:7@2');
    expect(await level('BLEND')).toMatchObject({ onHand: 24 });
    const asked = await run('documents', 'cancel', id, '--dry-run', '--columns', 'item.sku,quantityDelta,onHandAfter');
    expect(cells(asked.stdout)).toEqual([['BLEND', '-7', '17']]);
    expect(asked.stderr).toMatch(/^DRY RUN .* would be cancelled; nothing was changed$/u);
    expect(await level('BLEND')).toMatchObject({ onHand: 24 });

    const cancelled = await json('documents', 'cancel', id, '--reason', 'Booked twice');
    expect(cancelled.body.data).toMatchObject({ status: 'cancelled', cancelReason: 'Booked twice', reversedAt: expect.any(String) });
    expect(await level('BLEND')).toMatchObject({ onHand: 17, stockValue: 37.74 });
    expect(await json('documents', 'cancel', id)).toMatchObject({ exit: 5, body: { error: { code: 'INVALID_STATE' } } });
  });
});

describe('levels', () => {
  test('show LOW at the reorder point, which is set by item and site', async () => {
    const set = await shop.home.json(['stock', 'levels', 'set', items['BLEND'] ?? '', '--site-id', sites.main, '--reorder-point', '17']);
    expect(set).toMatchObject({ exit: 0, body: { data: { reorderPoint: 17, isLow: true, item: { sku: 'BLEND' } } } });
    expect((await run('levels', '--low-stock', '--columns', 'item.name,alert,onHand,reorderPoint')).stdout).toBe(
      'item.name\talert\tonHand\treorderPoint\nHouse Blend 250 g\tLOW\t17\t17',
    );
    const [head = '', ...rows] = (await run('levels', '--sort', 'sku')).stdout.split('\n').map((line) => line.split('\t'));
    expect(head.slice(0, 7)).toEqual(['item.name', 'item.sku', 'site.name', 'alert', 'onHand', 'available', 'projected']);
    expect(rows.map((row) => [row[1], row[3]])).toEqual([
      ['BAG', ''],
      ['BLEND', 'LOW'],
      ['GRN', ''],
      ['GRN', ''],
    ]);
    expect((await json('levels', '--low-stock')).body.data[0]).not.toHaveProperty('alert');

    await shop.home.run(['stock', 'levels', 'set', items['BLEND'] ?? '', '--site-id', sites.main, '--reorder-point', '']);
    expect((await json('levels', '--low-stock')).body.data).toEqual([]);
  });

  test('accept a site code in any case', async () => {
    const set = await shop.home.json(['stock', 'levels', 'set', items['GRN'] ?? '', '--site-id', 'wn', '--reorder-point', '0.5']);
    expect(set.body.data).toMatchObject({ siteId: sites.north, reorderPoint: 0.5, isLow: false });
    const wrong = await run('levels', 'set', items['GRN'] ?? '', '--site-id', 'nowhere', '--reorder-point', '1');
    expect(wrong.exit).toBe(3);
    expect(wrong.stderr).toContain('No site with code or name "nowhere"');
  });

  test('show BELOW ZERO if the tenant allows negative stock', async () => {
    await shop.home.run(['organization', 'update', '--negative-stock', 'allow']);
    await post('issue', '--line', 'BLEND:20');
    expect((await run('levels', '--below-zero', '--columns', 'item.sku,alert,onHand')).stdout).toBe(
      'item.sku\talert\tonHand\nBLEND\tBELOW ZERO\t-3',
    );
    await post('receipt', '--line', 'BLEND:20@2');
    await shop.home.run(['organization', 'update', '--negative-stock', 'block']);
    expect((await json('levels', '--below-zero')).body.data).toEqual([]);
  });
});

describe('invalid input', () => {
  test.for(['GRN', 'GRN:', ':5', 'GRN:many', 'GRN:5@', 'GRN:5@cheap'])('--line %s is rejected with the valid format', async (line) => {
    const { exit, stdout, stderr } = await run('documents', 'create', '--type', 'receipt', '--line', line);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain(`Invalid line "${line}". Expected ITEM:QUANTITY[UNIT][@COST]`);
  });

  test.for([
    [['documents', 'create', '--type', 'gift'], 2, 'Invalid --type "gift". Valid values: receipt, issue'],
    [['documents', 'create', '--type', 'receipt', '--line', 'NONE:5'], 3, 'No item with SKU or name "NONE"'],
    [['documents', 'create', '--type', 'receipt', '--line', 'GRN:0'], 2, 'quantity'],
    [['documents', 'create', '--type', 'receipt', '--line', 'GRN:-5'], 2, 'quantity'],
    [['documents', 'create', '--type', 'receipt', '--line', 'GRN:1.0000001'], 2, 'quantity'],
    [['documents', 'create', '--type', 'receipt', '--line', 'SET:1'], 5, 'combo'],
    [['documents', 'create', '--type', 'transfer', '--line', 'GRN:1'], 2, '--to-site-id'],
    [['documents', 'create', '--type', 'adjustment', '--line', 'GRN:1'], 2, '--reason'],
    [['documents', 'list', '--status', 'posted'], 2, 'Invalid --status "posted"'],
    [['documents', 'post', NOTHING], 3, NOTHING],
    [['documents', 'approve'], 2, 'Missing required argument DOCUMENT_ID'],
    [['lines', 'update', NOTHING, NOTHING], 2, 'No changes given'],
    [['levels', '--columns', 'alarm'], 2, 'Unknown column "alarm"'],
    [['levels', 'set', NOTHING, '--reorder-point', '1'], 2, '--site-id'],
    [['levels', 'set', NOTHING, '--site-id', NOTHING, '--reorder-point', 'few'], 2, 'Invalid --reorder-point "few". Expected a number'],
  ] as const)('%j is rejected and creates no document', async ([args, expected, words]) => {
    const before = (await shop.http('GET', '/v1/stock-documents')).body.pagination.total as number;
    const { exit, stdout, stderr } = await run(...args);
    expect({ exit, stdout }).toEqual({ exit: expected, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/\n {4}at /u);
    expect((await shop.http('GET', '/v1/stock-documents')).body.pagination.total).toBe(before);
  });
});

test('stock documents, ledger and levels are consistent', async () => {
  expect((await json('documents', 'list', '--status', 'approved')).body.data).not.toEqual([]);
  expect(await shop.home.json(['doctor'])).toMatchObject({ exit: 0, body: { data: { ok: true } } });
});

describe('without a daemon', () => {
  test.for([
    [['documents', 'list']],
    [['documents', 'post', NOTHING]],
    [['documents', 'approve', NOTHING, '--dry-run']],
    [['documents', 'create', '--type', 'receipt', '--line', 'GRN:1']],
    [['levels']],
    [['levels', 'set', NOTHING, '--site-id', 'WN', '--reorder-point', '1']],
  ] as const)('%j ends with exit 7 and explains how to start one', async ([args]) => {
    await using home = await makeHome();
    const { exit, body, stderr } = await home.json(['stock', ...args]);
    expect({ exit, stderr, code: body.error.code }).toEqual({ exit: 7, stderr: '', code: 'UNREACHABLE' });
    expect(body.error.hint).toContain('stockroom daemon start');
  });
});
