/** The MCP server of the built daemon, over HTTP and stdio, with the official client. */
import { execa } from 'execa';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BODY_MAX_BYTES } from '../../../src/contract/limits.ts';
import { TOOLS } from '../../../src/contract/mcp-tools.ts';
import { CLIENT_NAMES } from '../../../src/mcp/client-config.ts';
import { type Home, RUN, makeHome } from '../../support/cli/home.ts';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';
import { PROTOCOL_VERSIONS, type ProtocolVersion, type ToolClient, connectClient, connectOverHttp } from '../../support/mcp/client.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop([{ name: 'Bolt' }, { name: 'Nut' }]);
});
afterAll(() => shop[Symbol.asyncDispose]());

interface Started {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A client that starts `stockroom mcp`; everything that the process says beside the protocol ends up in `said`. */
async function start({ command, args, env }: Started, era: ProtocolVersion = '2025-11-25'): Promise<ToolClient & { said(): string }> {
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...env },
    stderr: 'pipe',
    maxBufferSize: 32 * BODY_MAX_BYTES,
  });
  let said = '';
  transport.stderr?.on('data', (part: Buffer) => (said += part.toString()));
  return { ...(await connectClient(transport, era)), said: () => said };
}
const mcp = ({ env }: Home, args: readonly string[] = [], more: Readonly<Record<string, string>> = {}): Started => ({
  command: process.execPath,
  args: [RUN, 'mcp', ...args],
  env: { ...env, ...more },
});
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'pipe', version: '1' } },
};
const call = (id: number, name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
const lines = (...messages: readonly (object | string)[]): string =>
  messages.map((message) => `${typeof message === 'string' ? message : JSON.stringify(message)}\n`).join('');

describe.for(PROTOCOL_VERSIONS)('an MCP client of protocol %s', (era) => {
  test('calls tools of the daemon over HTTP', async () => {
    await using tools = await connectOverHttp(shop.daemon.url ?? '', shop.key, era);
    expect((await tools.client.listTools()).tools).toHaveLength(TOOLS.length);
    expect((await tools.call('list_items')).texts).toEqual([(await shop.http('GET', '/v1/items')).text]);
  });

  test('gets the same results from a stdio process, which prints nothing else', async () => {
    await using tools = await start(mcp(shop.home), era);
    expect((await tools.client.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    expect((await tools.call('list_items')).texts).toEqual([(await shop.http('GET', '/v1/items')).text]);
    expect((await tools.call('list_items', { page: 0 })).code).toBe('VALIDATION_FAILED');
    expect((await tools.call('create_webhook', { confirm: false })).code).toBe('VALIDATION_FAILED');
    expect(tools.said()).toBe('');
  });
});

test('mcp tools lists the tools that the server offers, without a daemon', async () => {
  await using home = await makeHome();
  const { exit, body } = await home.json(['mcp', 'tools']);
  await using tools = await start(mcp(shop.home));
  const { tools: offered } = await tools.client.listTools();
  expect([exit, (body.data as { name: string }[]).map(({ name }) => name)]).toEqual([0, offered.map(({ name }) => name)]);
  expect(body.data[0]).toEqual({ name: 'list_items', description: 'List items', scope: 'items:read', plan: null, risk: 'read_only' });
  const { stdout } = await home.run(['mcp', 'tools'], { columns: 120 });
  expect(stdout).toMatch(/^list_items +List items +items:read/mu);
});

test('the stdio server matches concurrent calls to their results', async () => {
  await using tools = await start(mcp(shop.home));
  const asked = ['Bolt', 'Nut', 'Bolt', 'nothing', 'Nut', 'Bolt'];
  const results = await Promise.all(asked.map((search) => tools.call('list_items', { search })));
  const names = results.map(({ data }) => (data as { data: { name: string }[] }).data.map(({ name }) => name).join());
  expect(names).toEqual(['Bolt', 'Nut', 'Bolt', '', 'Nut', 'Bolt']);
});

test('--read-only lists and accepts only tools that change nothing', async () => {
  await using tools = await start(mcp(shop.home, ['--read-only']));
  const { tools: list } = await tools.client.listTools();
  expect(list.map(({ annotations }) => annotations?.readOnlyHint)).toEqual(Array.from({ length: 9 }, () => true));
  await expect(tools.call('delete_webhook', { webhook_id: 'x', confirm_delete: true })).rejects.toThrow('Unknown tool');
});

test('a client that closes stdin immediately gets all responses, and nothing else', async () => {
  const asks = [call(2, 'list_items'), 'no json', { jsonrpc: '2.0', id: 3 }, call(4, 'get_organization')];
  const ran = await shop.home.run(['mcp'], { input: lines(initialize, ...asks) });
  const answers = ran.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number | null; error?: { code: number } });
  expect({ exit: ran.exit, stderr: ran.stderr }).toEqual({ exit: 0, stderr: '' });
  expect(answers.map(({ id, error }) => `${String(id)} ${String(error?.code ?? 'ok')}`).sort()).toEqual([
    '1 ok',
    '2 ok',
    '4 ok',
    'null -32600',
    'null -32700',
  ]);
});

test('oversized inputs and messages are rejected, and the connection stays open', async () => {
  const text = 'x'.repeat(10 * BODY_MAX_BYTES);
  await using tools = await start(mcp(shop.home));
  expect((await tools.call('list_items', { search: text })).code).toBe('VALIDATION_FAILED');
  expect((await tools.call('get_item', { item_id: text })).code).toBe('VALIDATION_FAILED');
  const draft = {
    confirm: true,
    idempotency_key: 'large',
    name: text,
    target_url: 'http://127.0.0.1:9/',
    subscribed_events: ['order.created'],
  };
  expect((await tools.call('create_webhook', draft)).code).toBe('PAYLOAD_TOO_LARGE');
  expect((await tools.call('list_items')).isError).toBe(false);
  const ran = await shop.home.run(['mcp'], { input: lines(initialize, 'y'.repeat(17 * BODY_MAX_BYTES), call(2, 'get_organization')) });
  expect(ran.stdout).toContain('the message is larger than');
  expect(ran.stdout).toContain('"slug":"local"');
});

test('the key in the environment is used, and a missing scope is reported', async () => {
  const { body } = await shop.home.json(['keys', 'create', '--scope', 'items:read']);
  await using tools = await start(mcp(shop.home, [], { STOCKROOM_API_KEY: (body as { secret: string }).secret }));
  expect((await tools.call('list_items')).isError).toBe(false);
  expect((await tools.call('get_usage_summary')).code).toBe('SCOPE_REQUIRED');
  await using unauthorized = await start(mcp(shop.home, [], { STOCKROOM_API_KEY: 'pk_test_x' }));
  expect((await unauthorized.call('list_items')).code).toBe('UNAUTHENTICATED');
});

test('an unavailable service is reported in the result, and used once it is available', async () => {
  await using home = await makeHome();
  await using tools = await start(mcp(home));
  expect((await tools.call('list_items')).code).toBe('UNREACHABLE');
  expect(tools.said()).toContain('stockroom daemon start');
  await home.start();
  expect((await tools.call('list_items')).isError).toBe(false);
  await home.run(['daemon', 'restart']);
  expect((await tools.call('list_items')).isError).toBe(false);
  await using elsewhere = await start(mcp(home, ['--url', 'http://127.0.0.1:9'], { STOCKROOM_API_KEY: 'pk_test_x' }));
  expect((await elsewhere.call('list_items')).code).toBe('UNREACHABLE');
});

test('mistakes in the command line are reported immediately', async () => {
  const ran = await shop.home.run(['mcp', '--profile', 'nobody']);
  expect([ran.exit, ran.stdout]).toEqual([2, '']);
  expect(ran.stderr).toContain('No profile "nobody"');
});

test('--verbose logs each request to stderr, without the key', async () => {
  const ran = await shop.home.run(['mcp', '--verbose'], { input: lines(initialize, call(2, 'list_items', { page_size: 1 })) });
  expect(ran.stderr).toMatch(/^GET http:\S+\/v1\/items\?page_size=1 {2}200 {2}\d+ ms$/mu);
  expect(ran.stderr).not.toContain(shop.key);
  for (const line of ran.stdout.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('jsonrpc', '2.0');
});

describe('mcp config', () => {
  test('prints a configuration that works from any directory, without a key', async () => {
    const { exit, stdout } = await shop.home.run(['mcp', 'config', '--read-only']);
    expect(exit).toBe(0);
    expect(stdout).not.toMatch(/pk_(?:test|live)_/u);
    const { stockroom } = (JSON.parse(stdout) as { mcpServers: { stockroom: Started } }).mcpServers;
    // As a desktop starts it: nothing of this shell but what the settings say.
    await using tools = await start({ ...stockroom, env: { PATH: '/usr/bin:/bin', HOME: shop.home.directory, ...stockroom.env } });
    expect((await tools.client.listTools()).tools).toHaveLength(9);
    expect((await tools.call('list_items')).isError).toBe(false);
  });

  test.for(CLIENT_NAMES)('prints only JSON on stdout for %s, also over HTTP without a key', async (name) => {
    const started = await shop.home.run(['mcp', 'config', '--client', name]);
    expect(JSON.parse(started.stdout)).toBeTypeOf('object');
    const called = await shop.home.run(['mcp', 'config', '--client', name, '--http']);
    if (name === 'claude-desktop') {
      expect([called.exit, called.stdout]).toEqual([2, '']);
      return;
    }
    expect(called.stdout).toContain(`"${shop.daemon.url ?? ''}/mcp"`);
    expect(called.stdout).not.toContain(shop.key);
  });

  test('reports that the key of the environment is not included', async () => {
    const env = { STOCKROOM_API_KEY: shop.key, STOCKROOM_URL: shop.daemon.url ?? '' };
    const { stdout, stderr } = await shop.home.run(['mcp', 'config'], { env });
    expect(stdout).not.toContain(shop.key);
    expect(stdout).toContain('"--url"');
    expect(stderr).toContain('profile add');
  });
});

test('the stdio server exits with its client, even if that is killed', async () => {
  const child = execa(process.execPath, [RUN, 'mcp'], {
    env: shop.home.env,
    extendEnv: false,
    stdin: 'pipe',
    reject: false,
  });
  child.stdin.write(lines(initialize));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.stdin.destroy();
  expect((await child).exitCode).toBe(0);
});
