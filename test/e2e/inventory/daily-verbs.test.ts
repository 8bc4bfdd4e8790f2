/** One command for each thing that happens to stock: it posts at once, shows its effect, and leaves nothing if it fails. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop([
    { name: 'Bolt', sku: 'BOLT' },
    { name: 'Nut', sku: 'NUT' },
  ]);
  await shop.home.run(['sites', 'create', '--name', 'North', '--code', 'NORTH']);
  await shop.home.run(['contacts', 'create', '--name', 'Ana', '--contact-type', 'supplier']);
  await shop.home.run(['contacts', 'create', '--name', 'Rui', '--contact-type', 'customer']);
});
afterAll(() => shop[Symbol.asyncDispose]());

const run = (line: string) => shop.home.run(line.split(' '));
const json = async (line: string) => {
  const { exit, body, stderr } = await shop.home.json(line.split(' '));
  expect({ exit, stderr }, `${line}: ${JSON.stringify(body)}`).toMatchObject({ exit: 0 });
  return body.data;
};
const getOnHand = async (sku: string): Promise<Record<string, number>> => {
  const levels = (await json(`stock levels --search ${sku} --include-zero`)) as { site: { name: string }; onHand: number }[];
  return Object.fromEntries(levels.map(({ site, onHand }) => [site.name, onHand]));
};
const countDocuments = async () => ((await json('stock documents list --all')) as unknown[]).length;

describe('stock', () => {
  test('receive, issue, transfer, adjust and count post one document each', async () => {
    await json('stock receive BOLT:10@2 NUT:5@1');
    await json('stock issue BOLT:1 --line NUT:1');
    const [main = ''] = Object.keys(await getOnHand('BOLT'));
    const [{ code }] = (await json(`sites list --search ${main.split(' ')[0] ?? ''}`)) as [{ code: string }];
    expect(await json(`stock transfer ${code} NORTH BOLT:4`)).toMatchObject({ type: 'transfer', status: 'approved' });
    await json('stock adjust --reason damaged BOLT:-2');
    await json('stock count BOLT:7');
    expect(await getOnHand('BOLT')).toEqual({ [main]: 7, North: 4 });
    expect(await getOnHand('NUT')).toEqual({ [main]: 4 });
  });

  test('the effect is a table with the quantity before and after', async () => {
    const { stdout } = await shop.home.run(['stock', 'count', 'BOLT:6'], { columns: 80 });
    expect(stdout).toMatch(/^ITEM +SKU +SITE +BEFORE +CHANGE +AFTER +POSTED VALUE$/mu);
    expect(stdout).toMatch(/^Bolt +BOLT +\S.* 7 +-1 +6 +-2\.00$/mu);
  });

  test('--dry-run shows the same effect without changing anything, or why it fails', async () => {
    const before = [await getOnHand('BOLT'), await countDocuments()];
    const { exit, stdout } = await shop.home.run(['stock', 'issue', 'BOLT:2', '--dry-run'], { columns: 100 });
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/^DRY RUN .*nothing was changed\n\n[^]*^Bolt .* 6 +-2 +4 +-4\.00 +\S+$/mu)]);
    expect(await run('stock issue BOLT:7 --dry-run')).toMatchObject({ exit: 5, stderr: expect.stringContaining('1 of BOLT missing') });
    expect([await getOnHand('BOLT'), await countDocuments()]).toEqual(before);
  });

  test('--draft leaves a draft that moves nothing', async () => {
    const before = await getOnHand('BOLT');
    const { documentNumber, status } = (await json('stock issue BOLT:2 --draft')) as { documentNumber: string; status: string };
    expect(status).toBe('draft');
    expect(await getOnHand('BOLT')).toEqual(before);
    await run(`stock documents delete ${documentNumber} --yes`);
  });

  test('a command that fails leaves no document, and names the flag that keeps one', async () => {
    const before = await countDocuments();
    expect(await run('stock issue BOLT:700')).toMatchObject({
      exit: 5,
      stderr: expect.stringMatching(/Nothing was created: IS-\d+ was removed\. With --draft, it stays a draft/u),
    });
    expect(await countDocuments()).toBe(before);
  });

  test('a line is required, and --data may contain the lines', async () => {
    expect(await run('stock count')).toMatchObject({ exit: 2, stderr: expect.stringContaining('Missing ITEM:COUNTED') });
    const [{ id }] = (await json('items list --search BOLT')) as [{ id: string }];
    await json(`stock count --data {"lines":[{"itemId":"${id}","countedQuantity":8}]}`);
    expect(Object.values(await getOnHand('BOLT'))).toContain(8);
  });
});

describe('orders', () => {
  test('receive takes lines or everything that is open, and says what is left', async () => {
    const { orderNumber } = await json('orders create buy --status open --contact Ana --line BOLT:10@2 --line NUT:4@1');
    const first = await shop.home.run(['orders', 'receive', orderNumber, 'BOLT:6'], { columns: 100 });
    expect(first).toMatchObject({ exit: 0, stderr: expect.stringContaining(`${orderNumber} is open; left: 4 of BOLT, 4 of NUT`) });
    const second = await shop.home.run(['orders', 'receive', orderNumber], { columns: 100 });
    expect(second).toMatchObject({ exit: 0, stderr: expect.stringContaining(`stockroom orders complete ${String(orderNumber)}`) });
    expect(await json(`orders complete ${orderNumber}`)).toMatchObject({ status: 'completed' });
    expect(await run(`orders receive ${orderNumber}`)).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('nothing left to receive'),
    });
  });

  test('ship needs a sales order, receive a purchase order', async () => {
    const { orderNumber } = await json('orders create sell --status open --contact Rui --line BOLT:1');
    expect(await run(`orders receive ${orderNumber}`)).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/is a sales order\n.*orders ship SO-/u),
    });
    expect(await json(`orders ship ${orderNumber} --dry-run`)).toMatchObject({ stockEffects: [{ quantityDelta: -1 }] });
    expect(await json(`orders ship ${orderNumber}`)).toMatchObject({ status: 'approved', order: { orderNumber } });
  });

  test('open and cancel set the status', async () => {
    const { orderNumber } = await json('orders create sell --contact Rui --line BOLT:1');
    expect(await json(`orders open ${orderNumber}`)).toMatchObject({ status: 'open' });
    expect(await json(`orders cancel ${orderNumber} --cancel-reason Twice`)).toMatchObject({ status: 'cancelled', cancelReason: 'Twice' });
    const { orderNumber: other } = await json('orders create sell --contact Rui --line BOLT:1');
    expect(await json(`orders cancel ${other as string} --reason Late`)).toMatchObject({ status: 'cancelled', cancelReason: 'Late' });
  });

  test('update --set changes a field of one line, and keeps the others', async () => {
    const { orderNumber } = await json('orders create sell --contact Rui --line BOLT:2 --line NUT:3');
    await json(`orders update ${orderNumber} --set lines.1.quantity=5`);
    const lines = (await json(`orders lines ${orderNumber}`)) as { itemSku: string; quantity: number }[];
    expect(lines.map(({ itemSku, quantity }) => [itemSku, quantity])).toEqual([
      ['BOLT', 2],
      ['NUT', 5],
    ]);
    const added = await run(`orders update ${orderNumber} --set lines.2.quantity=1`);
    expect([added.exit, added.stderr]).toEqual([2, expect.stringContaining('lines.2.itemId')]);
  });

  test('produce posts the output of a production order with its ingredients', async () => {
    await json('items create --name Kit --sku KIT');
    await json('items ingredients add KIT --ingredient BOLT --quantity 2');
    const { orderNumber } = await json('orders create make --status open --line KIT:1');
    const { stockEffects } = await json(`orders produce ${orderNumber}`);
    expect(new Set((stockEffects as { quantityDelta: number }[]).map(({ quantityDelta }) => quantityDelta))).toEqual(new Set([-2, 1]));
  });

  test('produce posts the ingredients of a part in proportion, what was posted before counted, and the rest with the last part', async () => {
    await json('items create --name Set --sku SET');
    await json('items ingredients add SET --ingredient BOLT --quantity 2');
    await json('stock adjust BOLT:20 --reason found');
    const { orderNumber } = await json('orders create make --status open --line SET:10');
    const produce = async (...lines: string[]) => {
      const { stockEffects } = await json(['orders produce', orderNumber, ...lines].join(' '));
      return (stockEffects as { quantityDelta: number }[]).map(({ quantityDelta }) => quantityDelta).toSorted((a, b) => a - b);
    };
    expect(await produce('SET:4')).toEqual([-8, 4]);
    expect(await produce('SET:1', 'BOLT:-5')).toEqual([-5, 1]);
    expect(await produce('SET:3')).toEqual([-3, 3]);
    expect(await produce('SET:2')).toEqual([-4, 2]);
    expect(await json(`orders complete ${String(orderNumber)}`)).toMatchObject({ status: 'completed' });
  });

  test('produce rounds ingredients of a part up to the decimal places of their unit, and never above what the order needs', async () => {
    await json('items create --name Crate --sku CRATE --unit-id pcs');
    await json('items create --name Lid --sku LID --unit-id pcs');
    await json('items create --name Glue --sku GLUE --unit-id kg');
    await json('items ingredients add CRATE --ingredient LID --quantity 25 --per-quantity 24');
    await json('items ingredients add CRATE --ingredient GLUE --quantity 1 --per-quantity 24');
    await json('stock adjust LID:30 GLUE:2 --reason found');
    const { orderNumber } = await json('orders create make --status open --line CRATE:24');
    const produce = async (line: string) => {
      const { stockEffects } = await json(`orders produce ${String(orderNumber)} ${line}`);
      return (stockEffects as { quantityDelta: number }[]).map(({ quantityDelta }) => quantityDelta).toSorted((a, b) => a - b);
    };
    expect(await produce('CRATE:10')).toEqual([-11, -0.416667, 10]);
    expect(await produce('CRATE:14')).toEqual([-14, -0.583333, 14]);
  });
});

describe('edit', () => {
  /** An editor that runs a command of sed on the file. */
  const edit = (line: string, script: string) => shop.home.run(line.split(' '), { env: { EDITOR: `sed -i '${script}'` } });

  test('sends only what was changed, and keeps the text if that fails', async () => {
    const done = await edit('items edit NUT --json', 's/^name: Nut$/name: Lock nut/');
    expect([done.exit, JSON.parse(done.stdout)]).toMatchObject([0, { data: { name: 'Lock nut', sku: 'NUT' } }]);
    expect((await edit('items edit NUT', '')).stderr).toContain('Nothing was changed');
    const failed = await edit('items edit NUT', 's/^name: .*/name: ""/');
    expect([failed.exit, failed.stderr]).toEqual([2, expect.stringMatching(/^Your changes are in \/.*\.yaml$/mu)]);
    const broken = await edit('items edit NUT', 's/^name: .*/name: "/');
    expect([broken.exit, broken.stderr]).toEqual([2, expect.stringMatching(/not valid YAML: .* at line \d+, column \d+/u)]);
  });

  test('opens no editor that needs a user without a terminal, such as the one that npx names', async () => {
    const { exit, stderr } = await shop.home.run(['items', 'edit', 'NUT'], { env: { EDITOR: 'vi', VISUAL: '' } });
    expect([exit, stderr]).toEqual([2, 'Error: Without a terminal, or with --no-input, editing requires VISUAL or EDITOR']);
  });

  test('changes lines of an order, and shows the request with --dry-run', async () => {
    const { orderNumber } = await json('orders create sell --contact Rui --line BOLT:1');
    const dry = await edit(`orders edit ${String(orderNumber)} --dry-run`, 's/quantity: 1$/quantity: 3/');
    expect(dry.stdout).toMatch(/^PATCH \/v1\/orders\/[^]*"quantity":3/u);
    expect((await edit(`orders edit ${String(orderNumber)}`, 's/quantity: 1$/quantity: 3/')).exit).toBe(0);
    expect(await json(`orders get ${String(orderNumber)} --lines`)).toMatchObject({ lines: [{ quantity: 3 }] });
  });
});
