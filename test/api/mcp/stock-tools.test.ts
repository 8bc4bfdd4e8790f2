/** The stock toolset over HTTP with the official client: reads, and changes that are previewed first. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { TOOLS } from '../../../src/contract/mcp-tools.ts';
import {
  type ToolCallResult,
  type ProtocolVersion,
  type ToolClient,
  PROTOCOL_VERSIONS,
  connectOverHttp,
} from '../../support/mcp/client.ts';
import { stockUp } from '../../support/resources/stock.ts';
import { useOrderStock } from '../../support/resources/order-stock.ts';

const { s, w, item, order, sale, figures } = useOrderStock();
const connect = (version: ProtocolVersion = '2025-11-25', query = '?toolset=stock') => connectOverHttp(s.url, s.key, version, query);
const getToken = ({ data }: ToolCallResult): string => data.preview_token as string;
let calls = 0;

/** Previews a change, then applies it. */
async function apply(tools: ToolClient, name: string, args: object): Promise<{ preview: ToolCallResult; result: ToolCallResult }> {
  const preview = await tools.call(name, { ...args, preview: true });
  expect(preview.isError, preview.texts[0]).toBe(false);
  const idempotency_key = `apply-${String((calls += 1))}`;
  return { preview, result: await tools.call(name, { ...args, preview_token: getToken(preview), confirm: true, idempotency_key }) };
}

describe.for(PROTOCOL_VERSIONS)('MCP client of protocol %s', (version) => {
  test('gets the tools of the toolset after the twelve, only when it asks for them', async () => {
    await using tools = await connect(version);
    const names = (await tools.client.listTools()).tools.map(({ name }) => name);
    expect(names.slice(TOOLS.length)).toEqual([
      'list_stock_levels',
      'get_order',
      'list_shortages',
      'get_reorder_advice',
      'create_order',
      'complete_order',
      'post_stock_document',
    ]);
    await using plain = await connect(version, '');
    expect((await plain.client.listTools()).tools).toHaveLength(TOOLS.length);
    await expect(plain.call('list_stock_levels')).rejects.toThrow('Unknown tool');
    expect((await s.call('POST', '/mcp?toolset=other', { body: {} })).text).toContain('toolset must be one of stock');
  });

  test('posts a receipt, sells it and completes the order, each after its preview', async () => {
    await using tools = await connect(version);
    await tools.client.listTools();
    const it = await item();
    const receipt = { type: 'receipt', lines: [{ itemId: it, quantity: 10, unitCost: 2 }] };
    const received = await apply(tools, 'post_stock_document', receipt);
    expect(received.preview.data.data).toMatchObject({
      status: 'approved',
      stockEffects: [{ itemId: it, quantityDelta: 10, onHandAfter: 10 }],
    });
    expect(received.result.data.data).toMatchObject({ status: 'approved', stockEffects: [{ itemId: it, onHandAfter: 10 }] });
    const sold = await apply(tools, 'create_order', {
      module: 'sell',
      contact_id: w.customer,
      status: 'open',
      lines: [{ itemId: it, quantity: 3 }],
    });
    expect(sold.preview.data.data.stockEffects).toMatchObject([{ quantityDelta: 0, committedAfter: 3, availableAfter: 7 }]);
    const { id } = sold.result.data.data;
    expect((await tools.call('get_order', { order_id: id })).data.data).toMatchObject({ status: 'open', lines: [{ itemId: it }] });
    expect((await tools.call('list_stock_levels', { item_id: it })).data.data).toMatchObject([{ onHand: 10, committed: 3, available: 7 }]);
    const completed = await apply(tools, 'complete_order', { order_id: id });
    expect(completed.preview.data.data.stockEffects).toMatchObject([{ quantityDelta: -3, onHandAfter: 7 }]);
    expect(await figures(it)).toEqual([7, 0, 0]);
    expect((await order(id)).status).toBe('completed');
  });
});

test('a preview changes nothing', async () => {
  await using tools = await connect();
  const it = await item();
  await stockUp(s, [{ itemId: it, quantity: 5 }]);
  const { id } = await sale(it, 2);
  const before = [await order(id), await figures(it)];
  const preview = await tools.call('complete_order', { order_id: id, preview: true });
  expect(preview.data.data.status).toBe('completed');
  // For clients that show the model only one of both.
  expect(preview.texts.at(-1)).toContain(`"preview_token": "${getToken(preview)}"`);
  expect([await order(id), await figures(it)]).toEqual(before);
});

test('a change without preview, with other inputs than its preview, or ten minutes after it, is rejected', async () => {
  await using tools = await connect();
  const it = await item();
  const receipt = { type: 'receipt', lines: [{ itemId: it, quantity: 10, unitCost: 2 }] };
  const other = { ...receipt, lines: [{ itemId: it, quantity: 11, unitCost: 2 }] };
  const call = (args: object) => tools.call('post_stock_document', { confirm: true, idempotency_key: 'k', ...args });
  const preview_token = getToken(await tools.call('post_stock_document', { ...receipt, preview: true }));
  for (const [args, problem] of [
    [receipt, 'preview_token is required'],
    [{ ...receipt, preview_token, confirm: undefined }, 'confirm is required'],
    [{ ...receipt, preview_token, confirm: false }, 'confirm must be true'],
    [{ ...other, preview_token }, 'preview again'],
    [{ ...receipt, preview_token: preview_token.replace(/^\d/u, '9') }, 'preview again'],
  ] as const)
    expect((await call(args)).texts[0]).toContain(problem);
  vi.useFakeTimers({ now: Date.now() + 600_001, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect((await call({ ...receipt, preview_token })).texts[0]).toContain('preview again');
  expect(await figures(it)).toEqual([0, 0, 0]);
});

test('an error names the inputs of the tool, as it accepts them', async () => {
  await using tools = await connect();
  const { texts } = await tools.call('create_order', { module: 'sell', contact_id: 'x', lines: [], preview: true });
  const { error } = JSON.parse(texts[0] ?? '') as { error: { fields: unknown[] } };
  expect(error.fields).toContainEqual(
    expect.objectContaining({ path: '/contact_id', message: expect.stringMatching(/^contact_id must be a UUID/u) }),
  );
});

test('a repeated application with the same idempotency key changes stock once', async () => {
  await using tools = await connect();
  const it = await item();
  const receipt = { type: 'receipt', lines: [{ itemId: it, quantity: 1, unitCost: 2 }] };
  const preview_token = getToken(await tools.call('post_stock_document', { ...receipt, preview: true }));
  const args = { ...receipt, preview_token, confirm: true, idempotency_key: 'once' };
  const [first, second] = [await tools.call('post_stock_document', args), await tools.call('post_stock_document', args)];
  expect(second.data).toEqual(first.data);
  expect(await figures(it)).toEqual([1, 0, 0]);
});

test('shortages are the levels that are low or oversold, and the advice says what to order', async () => {
  await using tools = await connect();
  const it = await item();
  await sale(it, 2);
  const shortages = (await tools.call('list_shortages')).data.data as { itemId: string }[];
  expect(shortages.map(({ itemId }) => itemId)).toContain(it);
  const advice = (await tools.call('get_reorder_advice')).data.data as { itemId: string; reason: string }[];
  expect(advice.find(({ itemId }) => itemId === it)).toMatchObject({ reason: 'oversold' });
});
