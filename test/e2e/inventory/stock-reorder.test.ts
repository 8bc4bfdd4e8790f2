/** Items to reorder at a real terminal, and output that is shorter there. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';
import { openTerminal } from '../../support/cli/terminal.ts';

const SUPPLIER = 'Sawmill of the Serra da Estrela, Manteigas';
const COMMAND = `stockroom orders create --module buy --status open --contact-id '${SUPPLIER}' --line PLANK:12`;
/** A terminal breaks lines anywhere. */
const unwrap = (text: string): string => text.replaceAll(/\s/gu, '');

let shop: Shop;
const run = async (...args: string[]): Promise<string> => {
  const { exit, stdout, stderr } = await shop.home.run(args);
  expect({ exit, stderr }, args.join(' ')).toMatchObject({ exit: 0 });
  return stdout;
};
beforeAll(async () => {
  shop = await openShop([
    { name: 'Plank', sku: 'PLANK' },
    { name: 'Nail', sku: 'NAIL' },
  ]);
  await run('contacts', 'create', '--name', SUPPLIER, '--contact-type', 'supplier');
  await run('items', 'suppliers', 'add', 'PLANK', '--supplier-id', SUPPLIER);
  const [site = ''] = (await run('sites', 'list', '-o', 'id')).split('\n');
  for (const sku of ['PLANK', 'NAIL']) await run('stock', 'levels', 'set', sku, '--site-id', site, '--reorder-point', '6');
});
afterAll(() => shop[Symbol.asyncDispose]());

test('stock reorder prints whole commands below the table of a narrow terminal, and why an item has none', async () => {
  await using terminal = await openTerminal(shop.home, { columns: 80, rows: 24 });
  await terminal.run('stock reorder');
  const { exit, screen } = await terminal.ends();
  expect(exit).toBe(0);
  expect(screen).toMatch(/^SKU +ITEM +REASON +QUANTITY +UNIT/mu);
  expect(screen).toMatch(/^PLANK +Plank +low +12 +–/mu);
  expect(unwrap(screen)).toContain(unwrap(COMMAND));
  expect(screen).toContain('No order for NAIL: no supplier or ingredients');
});

test('a column of commands is not shortened', async () => {
  await using terminal = await openTerminal(shop.home, { columns: 80, rows: 24 });
  await terminal.run('stock reorder --columns sku,reason,command');
  expect(unwrap((await terminal.ends()).screen)).toContain(unwrap(COMMAND));
});

test('stock reorder prints the command, the reason and the note of each item in a pipe', async () => {
  const lines = (await run('stock', 'reorder', '--columns', 'sku,reason,command,note')).split('\n');
  expect(lines.toSorted()).toEqual([
    'NAIL\tlow\t\tno supplier or ingredients',
    `PLANK\tlow\t${COMMAND}\t`,
    'item.sku\treason\tcommand\tnote',
  ]);
});

test('the printed command creates the order', async () => {
  const command = (await run('stock', 'reorder', '--columns', 'command')).split('\n').find((line) => line.startsWith('stockroom')) ?? '';
  await using terminal = await openTerminal(shop.home, { columns: 80, rows: 24 });
  await terminal.run(command.replace(/^stockroom /u, ''));
  expect((await terminal.ends()).exit).toBe(0);
  expect(await run('stock', 'levels', '--search', 'PLANK', '--columns', 'incoming')).toBe('incoming\n12');
});

test('an order shows its number and status below its lines, and only fields with a value', async () => {
  await using terminal = await openTerminal(shop.home, { columns: 80, rows: 24 });
  await terminal.run('orders create --module buy --status draft --line PLANK:12@2');
  const { exit, screen } = await terminal.ends();
  expect(exit).toBe(0);
  expect(screen).toMatch(/^PO-\d+: draft, 24\.00 EUR$/mu);
  expect(screen).not.toContain('Cancel reason');
});

test('stock levels --low-stock shows the reorder point on a narrow terminal', async () => {
  await using terminal = await openTerminal(shop.home, { columns: 80, rows: 24 });
  await terminal.run('stock levels --low-stock');
  expect((await terminal.ends()).screen).toMatch(/ON HAND +PROJECTED +REORDER POINT/u);
});

test('stock reorder --create orders everything once, and prints what it orders and what it does not', async () => {
  const pending = await run('orders', 'list', 'buy', '--status', 'open,draft', '-o', 'id');
  for (const id of pending.split('\n').filter((line) => line !== '')) await run('orders', 'cancel', id);
  const tried = await shop.home.run(['stock', 'reorder', '--create', '--dry-run']);
  const without = 'No order for NAIL: no supplier or ingredients';
  expect([tried.stdout, tried.stderr]).toEqual([
    expect.stringMatching(/^PLANK\tPlank\t12\t/mu),
    `Dry run: would create 1 order\n${without}`,
  ]);
  const { stdout, stderr } = await shop.home.run(['stock', 'reorder', '--create'], { columns: 100 });
  expect(stdout).toMatch(/^ORDER +SKU +ITEM +QUANTITY[^]*^PO-\d+ +PLANK +Plank +12 /mu);
  expect(stderr).toContain('Created 1 order');
  expect((await shop.home.run(['stock', 'reorder', '--create'])).stderr).toBe(`Nothing to order\n${without}`);
});

test('a transfer of stock that orders wait for, and a receipt taken back from a completed order, say what that leaves', async () => {
  await run('sites', 'create', '--name', 'North', '--code', 'NORTH');
  await run('items', 'create', '--name', 'Beam', '--sku', 'BEAM');
  await run('contacts', 'create', '--name', 'Joiner', '--contact-type', 'customer');
  const purchase = JSON.parse(
    await run('orders', 'create', 'buy', '--contact', SUPPLIER, '--status', 'open', '--line', 'BEAM:5', '--json'),
  ) as {
    data: { orderNumber: string };
  };
  const { orderNumber } = purchase.data;
  const receipt = JSON.parse(await run('orders', 'receive', orderNumber, '--json')) as { data: { documentNumber: string } };
  await run('orders', 'complete', orderNumber);
  await run('orders', 'create', 'sell', '--contact', 'Joiner', '--status', 'open', '--line', 'BEAM:3');
  const sites = JSON.parse(await run('sites', 'list', '--json')) as { data: { code: string }[] };
  const code = sites.data.find((site) => site.code !== 'NORTH')?.code;
  await using terminal = await openTerminal(shop.home, { columns: 80, rows: 24 });
  await terminal.run(`stock transfer ${String(code)} NORTH BEAM:4 --dry-run`);
  expect((await terminal.ends()).screen).toMatch(/^Oversold: BEAM at .*: 3 committed, 1 on hand$/mu);
  await terminal.run(`stock documents cancel ${receipt.data.documentNumber}`);
  expect((await terminal.ends()).screen).toMatch(
    new RegExp(`^${orderNumber} is in progress: what the document fulfilled is open again$`, 'mu'),
  );
});

test('an order that commits more than is on hand names what is oversold', async () => {
  await run('contacts', 'create', '--name', 'Buyer', '--contact-type', 'customer');
  await using terminal = await openTerminal(shop.home, { columns: 80, rows: 24 });
  await terminal.run('orders create --module sell --status open --contact-id Buyer --line PLANK:500');
  expect((await terminal.ends()).screen).toMatch(/^Oversold: PLANK by 500\. See what to order with/mu);
});
