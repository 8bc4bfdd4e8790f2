/** Stock documents for orders through the CLI: partial receipts and shipments. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop([
    { name: 'Green Guji', sku: 'GRN', itemType: 'material', purchasePrice: 8 },
    { name: 'Bag 250 g', sku: 'BAG', itemType: 'material' },
    { name: 'House Blend 250 g', sku: 'BLEND', salePrice: 9.5 },
    { name: 'Gift set', sku: 'KIT', itemType: 'combo', salePrice: 30 },
  ]);
  for (const ingredient of [
    ['BLEND', '2'],
    ['BAG', '1'],
  ]) {
    await shop.home.json(['items', 'ingredients', 'add', 'KIT', '--ingredient-item-id', ingredient[0]!, '--quantity', ingredient[1]!]);
  }
});
afterAll(() => shop[Symbol.asyncDispose]());

const run = (...args: string[]) => shop.home.run(['stock', ...args]);
const json = (...args: string[]) => shop.home.json(['stock', ...args]);

describe('a document for an order', () => {
  /** An open order; its number. */
  const order = async (module: string, ...lines: string[]): Promise<string> => {
    const kind = module === 'buy' ? 'supplier' : 'customer';
    const contact = await shop.home.json(['contacts', 'create', '--name', `Partner ${randomUUID()}`, '--contact-type', kind]);
    const args = ['orders', 'create', '--module', module, '--status', 'open', '--contact-id', contact.body.data.id as string];
    const { body } = await shop.home.json([...args, ...lines.flatMap((line) => ['--line', line])]);
    return body.data.orderNumber as string;
  };
  const fulfilled = async (number: string) =>
    ((await shop.home.json(['orders', 'lines', number])).body.data as { fulfilledQuantity: number }[]).map(
      ({ fulfilledQuantity }) => fulfilledQuantity,
    );

  test('fulfils the line of the same item, and without lines all that is open', async () => {
    const number = await order('buy', 'GRN:50', 'BAG:20');
    const create = ['documents', 'create', '--type', 'receipt', '--order-id', number];
    expect(await json(...create, '--line', 'GRN:30', '--post')).toMatchObject({ exit: 0, body: { data: { status: 'approved' } } });
    expect(await fulfilled(number)).toEqual([30, 0]);
    expect(await json(...create, '--post')).toMatchObject({ exit: 0, body: { data: { status: 'approved' } } });
    expect(await fulfilled(number)).toEqual([50, 20]);
    const message = (text: string, exit = 5) => ({ exit, body: { error: { message: expect.stringContaining(text) } } });
    expect(await json(...create)).toMatchObject(message('has nothing left to receive'));
    expect(await json(...create, '--line', 'GRN:1')).toMatchObject(message('has nothing left to receive of GRN'));
    expect(await json(...create, '--line', 'BLEND:1')).toMatchObject(message('has no line of BLEND', 2));
  });

  test('takes the open parts of a combo, and fulfils it by its parts', async () => {
    const stockUp = [
      'documents',
      'create',
      '--type',
      'adjustment',
      '--reason',
      'opening',
      '--line',
      'BLEND:40',
      '--line',
      'BAG:40',
      '--post',
    ];
    expect((await json(...stockUp)).exit).toBe(0);
    const number = await order('sell', 'KIT:3', 'GRN:1');
    const create = ['documents', 'create', '--type', 'issue', '--order-id', number];
    const part = await json(...create, '--line', 'BLEND:4', '--post');
    expect(part).toMatchObject({ exit: 0, body: { data: { status: 'approved', lines: [{ item: { sku: 'BLEND' }, quantity: 4 }] } } });
    expect(await fulfilled(number)).toEqual([0, 0]);
    expect(await json(...create, '--line', 'KIT:1')).toMatchObject({
      exit: 2,
      body: { error: { message: 'KIT is a combo, which is shipped as its parts: BLEND, BAG' } },
    });
    const draft = await run(...create, '--data', '{}', '-o', 'id');
    expect(await json('lines', 'add', draft.stdout, '--order-line-id', '1')).toMatchObject({ exit: 2 });
    expect(await json('lines', 'add', draft.stdout, '--order-line-id', '1', '--item-id', 'bag')).toMatchObject({
      exit: 0,
      body: { data: { item: { sku: 'BAG' }, quantity: 3 } },
    });
    await json('documents', 'post', draft.stdout);
    expect((await json(...create, '--line', 'BAG:1')).body.error.message).toContain('has nothing left to ship of BAG');
    await json('documents', 'create', '--type', 'receipt', '--line', 'GRN:5', '--post');
    const rest = await json(...create, '--post');
    expect(rest).toMatchObject({ exit: 0, body: { data: { status: 'approved' } } });
    expect(rest.body.data.lines.map((line: { item: { sku: string }; quantity: number }) => [line.item.sku, line.quantity])).toEqual([
      ['BLEND', 2],
      ['GRN', 1],
    ]);
    expect(await fulfilled(number)).toEqual([3, 1]);
  });

  test('with an item that is open in two lines needs the number of one', async () => {
    const number = await order('buy', 'GRN:5', 'GRN:7');
    const refused = await json('documents', 'create', '--type', 'receipt', '--order-id', number, '--line', 'GRN:5');
    expect(refused).toMatchObject({ exit: 2, body: { error: { message: `Order ${number} has GRN in lines 1 and 2` } } });
    const created = await run('documents', 'create', '--type', 'receipt', '--order-id', number, '--data', '{}', '-o', 'id');
    const id = created.stdout;
    expect(await json('lines', 'add', id, '--order-line-id', '2')).toMatchObject({ exit: 0, body: { data: { quantity: 7 } } });
    expect(await json('lines', 'add', id, '--order-line-id', '1', '--quantity', '2')).toMatchObject({
      exit: 0,
      body: { data: { quantity: 2 } },
    });
    expect(await json('lines', 'add', id, '--order-line-id', '3')).toMatchObject({
      exit: 3,
      body: { error: { hint: 'Its lines are 1 (GRN), 2 (GRN)' } },
    });
    await json('documents', 'post', id);
    expect(await fulfilled(number)).toEqual([2, 7]);
  });

  test('must be reversed before the order is cancelled, and a hint names the commands', async () => {
    const number = await order('buy', 'BAG:5');
    await json('documents', 'create', '--type', 'receipt', '--order-id', number, '--line', 'BAG:2', '--post');
    const cancel = ['orders', 'update', number, '--status', 'cancelled'];
    const hint = `List them with \`stockroom stock documents list --order-id ${number} --status approved\``;
    const refused = await shop.home.run(cancel);
    expect([refused.exit, refused.stderr]).toEqual([5, expect.stringContaining(hint)]);
    expect(refused.stderr).not.toContain('stockDocumentIds');
    await shop.home.run(['orders', 'update', number, '--status', 'completed']);
    expect((await shop.home.run(cancel)).stderr).toContain(
      `completed is final.\nHint:  Reversing its stock documents opens the order again. ${hint}`,
    );
  });

  test('that is not posted is cancelled when the order is closed short, and a note names it', async () => {
    const number = await order('buy', 'BAG:5');
    const create = ['documents', 'create', '--type', 'receipt', '--order-id', number, '--line', 'BAG:2'];
    const draft = (await json(...create)).body.data.documentNumber as string;
    const closed = await shop.home.run(['orders', 'update', number, '--status', 'completed', '--stock', 'none']);
    expect(closed).toMatchObject({ exit: 0, stderr: expect.stringContaining(`not posted are cancelled: ${draft}`) });
    expect((await json('documents', 'get', draft)).body.data).toMatchObject({
      status: 'cancelled',
      cancelReason: `${number} was completed.`,
    });
  });

  test('returns goods of a completed sale at the cost that left, found by their item', async () => {
    await json('documents', 'create', '--type', 'receipt', '--line', 'GRN:9@5', '--post');
    const number = await order('sell', 'GRN:3', 'KIT:1');
    const create = ['documents', 'create', '--type', 'receipt', '--return-of', number];
    expect((await json(...create, '--line', 'GRN:1')).body.error.message).toContain('has nothing left to return of GRN');
    await json('documents', 'create', '--type', 'receipt', '--line', 'BLEND:2', '--line', 'BAG:1', '--post');
    expect((await shop.home.json(['orders', 'update', number, '--status', 'completed'])).exit).toBe(0);
    const returned = await json(...create, '--line', 'GRN:1', '--line', 'BLEND:2', '--post');
    expect(returned).toMatchObject({ exit: 0, body: { data: { status: 'approved', lines: [{ quantity: 1 }, { quantity: 2 }] } } });
    const { data } = (await shop.home.json(['orders', 'lines', number])).body;
    expect(data[0]).toMatchObject({ fulfilledQuantity: 3, returnedQuantity: 1 });
    expect(data[1].parts[0]).toMatchObject({ postedQuantity: 2, returnedQuantity: 2 });
    expect((await json(...create, '--line', 'BLEND:1')).body.error.message).toContain('has nothing left to return of BLEND');
    expect((await json(...create, '--line', 'MISSING:1')).exit).toBe(3);
    expect((await shop.home.run(['doctor'])).exit).toBe(0);
  });

  test('that cannot be posted is removed, and the hint says so', async () => {
    const number = await order('sell', 'BLEND:4000');
    const { exit, stderr } = await run('documents', 'create', '--type', 'issue', '--order-id', number, '--post');
    expect(exit).toBe(5);
    expect(stderr).toMatch(/Nothing was created: IS-\d+ was removed/u);
    expect(await fulfilled(number)).toEqual([0]);
  });

  test('with more than the order needs is removed, and the error says what remains', async () => {
    const number = await order('buy', 'BAG:600');
    const { exit, stderr } = await run('documents', 'create', '--type', 'receipt', '--order-id', number, '--line', 'BAG:4000', '--post');
    expect(exit).toBe(5);
    expect(stderr).toContain(`${number} needs 600 more of BAG, but line 1 of the document has 4000`);
    expect(stderr).toMatch(/Nothing was created: RC-\d+ was removed/u);
  });
});

test('--line and lines in --data or --set are not combined, because one would replace the other', async () => {
  const lines = '{"lines":[{"itemId":"GRN","quantity":1}]}';
  for (const others of [
    ['--data', lines],
    ['--set', 'lines.0.quantity=2'],
  ]) {
    const message = '--line cannot be combined with lines in --data or --set';
    const stock = await json('documents', 'create', '--type', 'receipt', '--line', 'BAG:1', ...others);
    const sale = await shop.home.json(['orders', 'create', '--module', 'sell', '--line', 'BAG:1', ...others]);
    for (const refused of [stock, sale]) expect(refused).toMatchObject({ exit: 2, body: { error: { message } } });
  }
});
