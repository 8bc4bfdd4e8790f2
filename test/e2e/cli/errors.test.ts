/** Errors of commands: a sentence, a hint, the exit code, and no stack trace or secret. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { execa } from 'execa';
import { request as ask } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBetween } from '../../support/servers/intercepting-proxy.ts';
import type { Ran } from '../../support/cli/home.ts';
import { makeHome } from '../../support/cli/home.ts';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';
import { openTerminal } from '../../support/cli/terminal.ts';

const RUN = new URL('../../../bin/run.js', import.meta.url).pathname;
const NO_ITEM = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop([{ name: 'Hex bolt M6', sku: 'BOLT-M6' }]);
});
afterAll(() => shop[Symbol.asyncDispose]());

const limited = async (...scopes: string[]): Promise<string> => {
  const { body } = await shop.home.json(['keys', 'create', ...scopes.flatMap((scope) => ['--scope', scope])]);
  return (body as { secret: string }).secret;
};
/** Every failure prints a message for people and an error object for programs. */
async function fails(
  args: readonly string[],
  expected: { exit: number; code: string; status: number | null },
  options: Parameters<typeof shop.home.run>[1] = {},
) {
  const human = await shop.home.run(args, options);
  const { body, ...ran } = await shop.home.json(args, options);
  expect(body.error).toMatchObject(expected);
  expect(Object.keys(body as object)).toEqual(['error']);
  expect(Object.keys(body.error as object)).toEqual(['code', 'message', 'status', 'exit', 'hint', 'requestId', 'fields', 'details']);
  expect({ exit: ran.exit, stderr: ran.stderr }).toEqual({ exit: expected.exit, stderr: '' });
  expect({ exit: human.exit, stdout: human.stdout }).toEqual({ exit: expected.exit, stdout: '' });
  expect(human.stderr).toMatch(/^Error: \S/u);
  expect(human.stderr + ran.stdout).not.toMatch(/\n {4}at |node_modules/u);
  expect(human.stderr + ran.stdout).not.toContain('\u001b');
  return {
    message: human.stderr,
    error: body.error as { message: string; hint: string | null; requestId: string | null; fields: unknown; details: unknown },
  };
}

describe('exit codes and the error object', () => {
  test('2: an unknown flag suggests the most similar one', async () => {
    const { message } = await fails(['items', 'list', '--serch', 'x'], { exit: 2, code: 'USAGE', status: null });
    expect(message).toContain('Unknown flag --serch');
    expect(message).toContain('Did you mean --search?');
  });

  test.for([
    [['items', 'get'], 'Missing required argument ITEM_ID'],
    [['items', 'get', NO_ITEM, 'many'], 'Unexpected argument: many'],
    [['stock', 'levels', 'BOLT'], 'Unexpected argument: BOLT\nHint:  Pass it as a flag: `stockroom stock levels --item-id BOLT`'],
    [['stock', 'levels', 'get', 'BOLT'], '`stockroom stock levels --item-id BOLT`'],
    [['stock', 'levels', 'list'], 'Did you mean "stock levels"?'],
    [['stock', 'levels', 'point'], 'Did you mean "stock levels points"?'],
    [['stock', 'movements', 'list', 'BOLT'], '`stockroom stock movements list --item-id BOLT`'],
    [['stock', 'documents', 'list', 'SR-000001'], '`stockroom stock documents list --search SR-000001`'],
    [['items', 'list', 'Hex bolt'], "`stockroom items list --search 'Hex bolt'`"],
    [['items', 'list', 'material'], '`stockroom items list --item-type material`'],
    [['items', 'create', 'Hex', 'bolt'], "`stockroom items create --name 'Hex bolt'`"],
    [['orders', 'list', 'sell', 'open'], '`stockroom orders list sell --status open`'],
    [['orders', 'export', 'sell', 'Ana'], '`stockroom orders export sell --search Ana`'],
    [['audit', 'list', 'BOLT'], '`stockroom audit list --record BOLT`'],
    [['events', 'tail', 'BOLT'], '`stockroom events tail --resource-id BOLT`'],
    [['items', 'update', NO_ITEM, 'Bolt'], `\`stockroom items update ${NO_ITEM} --name Bolt\``],
    [['daemon', 'stop', 'now'], '"daemon stop" takes no arguments: see `stockroom daemon stop --help`'],
    [['items', 'get', ''], 'ITEM_ID must not be empty'],
    [['items', 'delete', '', '--yes'], 'ITEM_ID must not be empty'],
    [['items', 'create', '--name', 'x', '--idempotency-key', 'größe'], '--idempotency-key must contain only ASCII characters'],
    [['items', 'create', '--item-type', 'produkt'], 'Invalid --item-type "produkt". Valid values: product, material, combo'],
    [['items', 'list', '--item-type', 'product,combi'], 'Invalid --item-type "combi". Valid values: product, material, combo'],
    [['items', 'list', '--limit', '0'], 'Invalid --limit "0". Expected an integer of at least 1'],
    [['items', 'list', '--json', '-o', 'csv'], '--json cannot be used with --output'],
    [['keys', 'create', '--all-scopes', '--scope', 'items:read'], '--scope cannot be used with --all-scopes'],
    [['webhooks', 'deliveries', 'resend', '--failed'], '--failed requires --since'],
    [['keys', 'create', '-o', 'secret'], 'Invalid --output "secret". Valid values: table'],
    [['keys', 'create', '-o', 'secret'], 'Print only the secret with `--json | jq -r .secret`'],
    [['stock', 'levels', 'set', '', '--site-id', 'MAIN', '--reorder-point', '5'], 'Error: ITEM_ID must not be empty'],
    [['orders', 'list', 'sell', '--module', 'buy'], 'MODULE and --module differ'],
    [['orders', 'export', 'sell', '--module', 'buy'], 'MODULE and --module differ'],
    [['webhooks', 'verify'], 'Error: Missing required flags --body, --timestamp, --signature\n'],
    [['items', 'list', '--url', ''], '--url must not be empty'],
    [['items', 'list', '--profile', ''], '--profile must not be empty'],
    [['items', 'list', '--api-key-file', ''], '--api-key-file must not be empty'],
    [['reset', '--yes', '--data-dir', ''], '--data-dir must not be empty'],
    [['daemon', 'start', '--data-dir', ''], '--data-dir must not be empty'],
    [['users', 'list', '--tenant', ''], '--tenant must not be empty'],
    [['items', 'list', '--url', 'ftp://example.com'], '--url: "ftp://example.com" is not an http or https URL'],
    [['items', 'list', '--url', 'ana:hunter2@example.com'], 'Error: --url is not an http or https URL'],
    [['items', 'list', '--url', 'http://127.0.0.1:8625/v1'], '--url: "http://127.0.0.1:8625/v1" must not end with /v1, which commands add'],
    [['profile', 'add', 'shop', '--url', 'https://example.com/shop/v1/'], 'Use https://example.com/shop'],
    [['api', 'GET', '/v1/items', '--paginate', '--data', '{}'], '--paginate cannot be combined with --data or --set'],
    [['items', 'list', '--url', 'https://ana:hunter2@example.com'], '--url: a URL must not contain a user name or password'],
    [['conform', '--against', 'nobody'], 'No profile "nobody" (from --against)'],
    [['pull', '--from', 'https://ana:hunter2@example.com'], '--from: a URL must not contain a user name or password'],
    [['profile', 'add', 'shop', '--url', 'https://ana:hunter2@example.com'], '--url: a URL must not contain a user name or password'],
    [['tiers', 'set', 'X Y', '5'], 'Invalid TIER "X Y". Expected lowercase letters, digits, hyphens and underscores, such as standard'],
    [['tiers', 'set', 'x'.repeat(41), '5'], 'at most 40 characters'],
    [['tiers', 'set', 'x', '0'], 'Error: REQUESTS_PER_MINUTE must be'],
    [['tiers', 'set', 'x', 'many'], 'Invalid REQUESTS_PER_MINUTE "many". Expected a number'],
  ] as const)('2: %j', async ([args, words]) => {
    const { stderr, stdout, exit } = await shop.home.run(args);
    expect(exit).toBe(2);
    expect(stderr + stdout).toContain(words);
  });

  test('2: restore suggests the command that restores a snapshot', async () => {
    expect(await shop.home.run(['restore', 'base'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('Did you mean "snapshot load"?'),
    });
  });

  test.for(['stock set BOLT 40', 'stock levels set BOLT --on-hand 40', 'stock levels set BOLT --quantity=40'])(
    '2: %s suggests the commands that change the quantity on hand',
    async (line) => {
      const { exit, stderr } = await shop.home.run(line.split(' '));
      expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining('stock count BOLT-M6:40') });
    },
  );

  test.for(['items list --low-stock', 'stock reorder --low-stock'])('2: %s suggests the command with that flag', async (line) => {
    const { exit, stderr } = await shop.home.run(line.split(' '));
    expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining('stock levels --low-stock') });
  });

  test('2: an unknown command suggests the most similar one', async () => {
    const { exit, stderr, stdout } = await shop.home.run(['items', 'lst']);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain('Did you mean "items list"?');
  });

  test.for([
    ['stock scrap BOLT:1', 'stock scrap BOLT:1', 'stock adjust --reason scrap'],
    ['stocks adjust BOLT:1', 'stocks adjust BOLT:1', 'Did you mean "stock adjust"?'],
    ['stock:lst', 'stock lst', 'Did you mean "stock'],
  ] as const)('2: an unknown command is quoted as typed: %s', async ([line, quoted, hint]) => {
    const { exit, stderr } = await shop.home.run(line.split(' '));
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`Error: Unknown command "${quoted}"`)]);
    expect(stderr).toContain(hint);
  });

  test.for(['items --limit 5', 'items --json', 'stock documents -o id'])(
    '2: a topic with flags but without a command: %s',
    async (line) => {
      const { exit, stderr } = await shop.home.run(line.split(' '));
      expect(exit).toBe(2);
      expect(stderr).toMatch(/^Error: Unknown command "(items|stock documents) -\S+"\nHint: {2}Did you mean "\1/u);
    },
  );

  test.for(['items lst --help', 'itms list --limit 5 -h', '--help itms list'])(
    '2: help for an unknown command reports the unknown command: %s',
    async (line) => {
      const args = line.split(' ');
      const { exit, stderr, stdout } = await shop.home.run(args);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
      expect(stderr).toMatch(/^Error: Unknown command "ite?ms \w+"\nHint: {2}Did you mean "items list"\?\n?$/u);
      expect((await shop.home.json([...args, '--json'])).body).toMatchObject({ error: { code: 'UNKNOWN_COMMAND', exit: 2 } });
    },
  );

  test('2: a validation error of the service names the flag of each field', async () => {
    const { message, error } = await fails(['items', 'create', '--sale-price', '-1', '--set', 'colour=red'], {
      exit: 2,
      code: 'VALIDATION_FAILED',
      status: 400,
    });
    expect(message).toMatch(/^ {2}Missing required flag --name$/mu);
    expect(message).toMatch(/^ {2}--sale-price must be at least 0$/mu);
    expect(message).toMatch(/^ {2}--set: colour is not a known field$/mu);
    expect(message).toMatch(/^Request [\da-f-]{36}$/mu);
    expect(error.fields).toHaveLength(3);
    expect(error.requestId).toMatch(/^[\da-f-]{36}$/u);
  });

  test('2: the working directory was deleted', async () => {
    const script = `mkdir gone && cd gone && rmdir ../gone && '${process.execPath}' '${RUN}' items list`;
    const { exitCode, stderr } = await execa('sh', ['-c', script], {
      cwd: shop.home.directory,
      env: shop.home.env,
      extendEnv: false,
      reject: false,
    });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/Error: The working directory does not exist any more\nHint: {2}Change to another directory$/u);
  });

  test('2: messages of the service are printed unchanged, including special characters', async () => {
    const args = ['webhooks', 'create', '--name', 'x', '--target-url', 'https://example.com/#x', '--event', 'inventory.item.created'];
    const { message } = await fails(args, { exit: 2, code: 'VALIDATION_FAILED', status: 400 });
    expect(message).toContain('a fragment (#…)');
  });

  test('3: a record is not found', async () => {
    const { error } = await fails(['items', 'get', NO_ITEM], { exit: 3, code: 'NOT_FOUND', status: 404 });
    expect(error.message).toContain(NO_ITEM);
  });

  test('2: a workbook is asked of a list, and the export that writes one is named', async () => {
    const { exit, stderr } = await shop.home.run(['orders', 'list', '-o', 'xlsx']);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('`stockroom orders export --out orders.xlsx`')]);
  });

  test('1: the command waits for something that never comes, which is no success', async () => {
    // Its output is never written, and nothing else keeps Node running.
    const env = { NODE_OPTIONS: '--import=data:text/javascript,process.stdout.write=()=>false' };
    const { exit, stderr } = await shop.home.run(['config', 'show'], { env });
    expect([exit, stderr]).toEqual([1, expect.stringContaining('The command ended before it was done')]);
  });

  test('4: the API key is unknown', async () => {
    const env = { STOCKROOM_API_KEY: `pk_test_${'x'.repeat(46)}` };
    const { error } = await fails(['items', 'list'], { exit: 4, code: 'UNAUTHENTICATED', status: 401 }, { env });
    expect(error.hint).toContain('STOCKROOM_API_KEY');
  });

  test.each(['items list', 'keys list', 'sites list'])(
    '4: a key that is invalid in a header is rejected without printing it: %s',
    async (line) => {
      const env = { STOCKROOM_API_KEY: `${shop.key}\r` };
      const { message } = await fails(line.split(' '), { exit: 4, code: 'BAD_KEY', status: null }, { env });
      expect(message).toContain('from STOCKROOM_API_KEY');
      expect(message).not.toContain(shop.key);
    },
  );

  test('4: a scope or plan is missing', async () => {
    const env = { STOCKROOM_API_KEY: await limited('contacts:read') };
    const { error } = await fails(['items', 'list'], { exit: 4, code: 'SCOPE_REQUIRED', status: 403 }, { env });
    // Saving a key with this scope alone would replace a key of the profile that has others.
    expect(error.hint).toContain('keys create --all-scopes --save');
    expect(error.hint).toContain('then unset STOCKROOM_API_KEY');

    await shop.home.run(['tenants', 'create', '--name', 'Small', '--plan', 'free']);
    const key = (await shop.home.json(['keys', 'create', '--tenant', 'small', '--all-scopes'])).body.secret as string;
    await fails(['audit', 'export'], { exit: 4, code: 'PLAN_REQUIRED', status: 403 }, { env: { STOCKROOM_API_KEY: key } });
  });

  test('5: a value is used by another record', async () => {
    const { message } = await fails(['items', 'create', '--name', 'x', '--sku', 'bolt-m6'], {
      exit: 5,
      code: 'DUPLICATE_VALUE',
      status: 409,
    });
    expect(message).toContain('existingId: ');
  });

  test('7: the connection is refused, or no daemon is running', async () => {
    const env = { STOCKROOM_URL: 'http://127.0.0.1:9', STOCKROOM_API_KEY: shop.key };
    const away = await fails(['items', 'list'], { exit: 7, code: 'UNREACHABLE', status: null }, { env });
    expect(away.error.hint).toContain('--url');
    const none = await fails(
      ['items', 'list'],
      { exit: 7, code: 'UNREACHABLE', status: null },
      { env: { STOCKROOM_DATA_DIR: shop.home.path('nowhere') } },
    );
    expect(none.error.hint).toBe('Start the daemon with `stockroom daemon start`');
    await fails(
      ['tenants', 'list'],
      { exit: 7, code: 'UNREACHABLE', status: null },
      { env: { STOCKROOM_DATA_DIR: shop.home.path('nowhere') } },
    );
  });

  test('7: a service without TLS is reported without library messages', async () => {
    const { message } = await fails(
      ['items', 'list', '--url', String(shop.daemon.url).replace('http:', 'https:'), '--max-wait', '0'],
      { exit: 7, code: 'UNREACHABLE', status: null },
      { env: { STOCKROOM_API_KEY: shop.key } },
    );
    expect(message).toContain('TLS failed; the URL may have to start with http: instead');
    expect(message).not.toContain('EPROTO');
  });

  test('7: a connection lost before the response suggests a retry only with an idempotency key', async () => {
    const server = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const env = { STOCKROOM_URL: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, STOCKROOM_API_KEY: shop.key };
    const broken = { exit: 7, code: 'UNREACHABLE', status: null } as const;
    expect((await fails(['items', 'create', '--name', 'x', '--max-wait', '0'], broken, { env })).error.hint).toContain('--idempotency-key');
    expect((await fails(['items', 'list', '--max-wait', '0'], broken, { env })).error.hint).toBe('Try again; --verbose logs each request');
    server.close();
  });

  test('1: another server responds', async () => {
    const server = createServer((_request, response) => response.writeHead(500).end('<h1>Bad gateway</h1>')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const env = { STOCKROOM_URL: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, STOCKROOM_API_KEY: shop.key };
    const { message } = await fails(['items', 'list'], { exit: 1, code: 'HTTP_500', status: 500 }, { env });
    expect(message).not.toContain('<h1>');
    server.close();
  });

  test.for(['<!doctype html>', '{}', '[]', 'null', '"x"', '', '{"data":null}'])('7: another server responds 200 with %j', async (page) => {
    const server = createServer((_request, response) => response.end(page)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const env = { STOCKROOM_URL: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, STOCKROOM_API_KEY: shop.key };
    for (const args of [
      ['items', 'list'],
      ['items', 'list', '--all'],
      ['items', 'get', NO_ITEM],
      ['items', 'create', '--name', 'x'],
      ['items', 'export'],
      ['audit', 'export'],
      ['capabilities'],
    ]) {
      const { message } = await fails(args, { exit: 7, code: 'UNREACHABLE', status: null }, { env });
      expect(message).toContain('is not from a stockroom service');
      expect(message).toContain('Check --url');
    }
    server.close();
  });

  test('130 and 143: a signal ends a waiting command', async () => {
    for (const [signal, exit] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const server = createServer(() => child.kill(signal)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const env = {
        ...shop.home.env,
        STOCKROOM_URL: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
        STOCKROOM_API_KEY: shop.key,
      };
      const child = execa('bash', ['-c', `exec "${process.execPath}" "${RUN}" items list`], { env, extendEnv: false, reject: false });
      const ended = await child;
      expect(ended.exitCode ?? (ended.signal === signal ? exit : null)).toBe(exit);
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('a prompt in a terminal', () => {
  const answered = async (key: string) => {
    const [item] = (await shop.http('GET', '/v1/items?search=BOLT-M6')).body.data as { id: string }[];
    await using terminal = await openTerminal(shop.home, { columns: 80, rows: 24 });
    await terminal.run(`items delete ${item?.id ?? ''}`);
    await terminal.shows(/\[y\/N\]/u);
    await terminal.press(key);
    const ended = await terminal.ends();
    expect(ended.screen).not.toContain('unexpected');
    expect((await shop.http('GET', `/v1/items/${item?.id ?? ''}`)).status).toBe(200);
    return ended;
  };

  test('exits with 130 on Ctrl-C without further output', async () => {
    const { exit, screen } = await answered('C-c');
    expect(exit).toBe(130);
    expect(screen).not.toContain('Error');
  });

  test('takes Ctrl-D as no', async () => {
    const { exit, screen } = await answered('C-d');
    expect(exit).toBe(2);
    expect(screen).toContain('nothing was deleted');
  });
});

describe('a rate limit', () => {
  /** Uses up a fresh key of three requests a minute. */
  const spent = async (): Promise<string> => {
    const key = await shop.addKey(['--tier', 'trickle']);
    for (let count = 0; count < 3; count += 1) expect((await shop.http('GET', '/v1/items', undefined, key)).status).toBe(200);
    return key;
  };

  test('6: fails immediately if the wait exceeds the maximum', async () => {
    const env = { STOCKROOM_API_KEY: await spent() };
    const { error } = await fails(['items', 'list', '--max-wait', '1'], { exit: 6, code: 'RATE_LIMITED', status: 429 }, { env });
    expect(error.hint).toMatch(/--max-wait \d+/u);
  });

  test('is waited for, and the write happens exactly once', async () => {
    const key = await spent();
    let refused = 0;
    // The window is nearly over when the command comes to ask, however long it took to start.
    await using between = await startBetween(shop.daemon.url ?? '', key, async () => {
      if ((refused += 1) > 1) return;
      const { headers, body } = await ask(`${shop.daemon.url ?? ''}/v1/items`, { headers: { 'x-api-key': key } });
      await body.dump();
      const at = new Date((Number(headers['x-ratelimit-reset']) - 5) * 1_000).toISOString();
      expect((await shop.home.run(['clock', 'set', at])).exit).toBe(0);
    });
    const { exit, stdout, stderr } = await shop.home.run(['items', 'create', '--name', 'Patient', '--sku', 'PATIENT', '-o', 'id'], {
      env: { STOCKROOM_URL: between.url, STOCKROOM_API_KEY: key },
    });
    expect({ exit, lines: stdout.split('\n').length }).toEqual({ exit: 0, lines: 1 });
    expect(stderr).toMatch(/^429 \(rate limited\); retrying in [1-6] s \(attempt 2\)$/u);
    expect((await shop.http('GET', '/v1/items?sku=PATIENT')).body.pagination.total).toBe(1);
  });

  test('retries use the same idempotency key after a 503 and a lost connection', async () => {
    const keys: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      keys.push(request.headers['idempotency-key'] as string | undefined);
      if (keys.length === 1) response.writeHead(503, { 'retry-after': '0' }).end('{"error":{"code":"STORE_UNAVAILABLE"}}');
      else if (keys.length === 2) request.socket.destroy();
      else response.writeHead(201, { 'content-type': 'application/json' }).end('{"data":{"id":"made"}}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const env = { STOCKROOM_URL: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, STOCKROOM_API_KEY: shop.key };
    const { exit, stdout, stderr } = await shop.home.run(['items', 'create', '--name', 'x', '-o', 'id'], { env });
    expect({ exit, stdout, waits: stderr.split('\n').length }).toEqual({ exit: 0, stdout: 'made', waits: 2 });
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[\da-f-]{36}$/u);
    server.close();
  });
});

test('no command prints a key, even with --verbose or in errors', async () => {
  const getSecret = (ran: Ran) => ran.stdout + ran.stderr;
  const commands = [
    ['items', 'list', '--verbose'],
    ['items', 'create', '--verbose', '--json'],
    ['config', 'show', '--origin'],
    ['profile', 'show', '--json'],
    ['profile', 'list'],
    ['auth', 'context'],
    ['keys', 'list', '--json'],
    ['api', 'GET', '/v1/usage', '-i'],
    ['items', 'list', '--bad-flag', '--json'],
  ];
  for (const args of commands) {
    const ran = await shop.home.run(args, { env: { STOCKROOM_API_KEY: shop.key } });
    expect(getSecret(ran)).not.toContain(shop.key);
    expect(getSecret(ran)).not.toContain(shop.key.slice(16));
  }
  const { stderr } = await shop.home.run(['items', 'create', '--name', 'washer', '--verbose']);
  expect(stderr).toMatch(/^POST http:\/\/127\.0\.0\.1:\d+\/v1\/items {2}201 {2}\d+ ms {2}idempotency key [\da-f-]{36}$/u);
});

test('stockroom without a command prints an overview, even in an empty home', async () => {
  await using home = await makeHome();
  const { exit, stdout, stderr } = await home.run([]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(stdout).toContain('stockroom items list');
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});
