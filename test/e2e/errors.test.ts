/** How commands fail: one sentence, one hint, one exit code per kind, and never a stack or a secret. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { execa } from 'execa';
import { request as ask } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBetween } from '../support/between.ts';
import type { Ran } from '../support/cli.ts';
import { makeHome } from '../support/cli.ts';
import { type Shop, openShop } from '../support/shop.ts';
import { openTerminal } from '../support/terminal.ts';

const RUN = new URL('../../bin/run.js', import.meta.url).pathname;
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
/** Whatever happens, a person and a program are told as promised. */
async function fails(
  args: readonly string[],
  expected: { exit: number; code: string; status: number | null },
  options: Parameters<typeof shop.home.run>[1] = {},
) {
  const told = await shop.home.run(args, options);
  const { body, ...ran } = await shop.home.json(args, options);
  expect(body.error).toMatchObject(expected);
  expect(Object.keys(body as object)).toEqual(['error']);
  expect(Object.keys(body.error as object)).toEqual(['code', 'message', 'status', 'exit', 'hint', 'requestId', 'fields', 'details']);
  expect({ exit: ran.exit, stderr: ran.stderr }).toEqual({ exit: expected.exit, stderr: '' });
  expect({ exit: told.exit, stdout: told.stdout }).toEqual({ exit: expected.exit, stdout: '' });
  expect(told.stderr).toMatch(/^Error: \S/u);
  expect(told.stderr + ran.stdout).not.toMatch(/\n {4}at |node_modules/u);
  expect(told.stderr + ran.stdout).not.toContain('\u001b');
  return {
    told: told.stderr,
    error: body.error as { message: string; hint: string | null; requestId: string | null; fields: unknown; details: unknown },
  };
}

describe('exit codes and the error object', () => {
  test('2: a flag that is not there, with the nearest one', async () => {
    const { told } = await fails(['items', 'list', '--serch', 'x'], { exit: 2, code: 'usage', status: null });
    expect(told).toContain('there is no flag --serch');
    expect(told).toContain('did you mean --search?');
  });

  test.for([
    [['items', 'get'], 'missing: ITEM_ID'],
    [['items', 'get', NO_ITEM, 'many'], 'too many arguments: many'],
    [['items', 'get', ''], 'ITEM_ID is empty'],
    [['items', 'delete', '', '--yes'], 'ITEM_ID is empty'],
    [['items', 'create', '--name', 'x', '--idempotency-key', 'größe'], '--idempotency-key travels in a header'],
    [['items', 'create', '--item-type', 'produkt'], '--item-type cannot be "produkt"; it is one of product, material, combo'],
    [['items', 'list', '--item-type', 'product,combi'], '--item-type cannot be "combi"; it takes product, material, combo'],
    [['items', 'list', '--limit', '0'], '--limit: expected an integer greater than or equal to 1'],
    [['items', 'list', '--json', '-o', 'csv'], '--output and --json cannot stand together'],
    [['keys', 'create', '--all-scopes', '--scope', 'items:read'], '--all-scopes and --scope cannot stand together'],
    [['webhooks', 'deliveries', 'resend', '--failed'], '--failed needs --since'],
    [['stock', 'levels', 'set', 'BOLT-M6', '--site', 'MAIN', '--reorder-point', '5'], 'given by ITEM_ID'],
    [['orders', 'list'], 'which orders?'],
    [['webhooks', 'verify'], 'Error: missing flag --body; missing flag --signature; missing flag --timestamp\n'],
    [['items', 'list', '--url', ''], '--url is empty'],
    [['items', 'list', '--profile', ''], '--profile is empty'],
    [['items', 'list', '--api-key-file', ''], '--api-key-file is empty'],
    [['reset', '--yes', '--data-dir', ''], '--data-dir is empty'],
    [['daemon', 'start', '--data-dir', ''], '--data-dir is empty'],
    [['users', 'list', '--tenant', ''], '--tenant is empty'],
    [['items', 'list', '--url', 'ftp://example.com'], '--url: "ftp://example.com" is not an http or https address'],
    [['items', 'list', '--url', 'ana:hunter2@example.com'], 'Error: --url is not an http or https address'],
    [['items', 'list', '--url', 'http://127.0.0.1:8625/v1'], '--url: "http://127.0.0.1:8625/v1" ends with /v1, which every command adds'],
    [['profile', 'add', 'shop', '--url', 'https://example.com/shop/v1/'], 'write https://example.com/shop'],
    [['api', 'GET', '/v1/items', '--paginate', '--data', '{}'], '--paginate sends no body'],
    [['items', 'list', '--url', 'https://ana:hunter2@example.com'], '--url: an address must not hold a user name or password'],
    [['pull', '--from', 'https://ana:hunter2@example.com'], '--from: an address must not hold a user name or password'],
    [['profile', 'add', 'shop', '--url', 'https://ana:hunter2@example.com'], '--url: an address must not hold a user name or password'],
    [['tiers', 'set', 'X Y', '5'], 'the name of a tier is lower-case letters, digits, - and _, such as standard'],
    [['tiers', 'set', 'x'.repeat(41), '5'], 'at most 40 characters'],
    [['tiers', 'set', 'x', '0'], 'given by REQUESTS_PER_MINUTE'],
    [['tiers', 'set', 'x', 'many'], 'REQUESTS_PER_MINUTE has to be a number'],
  ] as const)('2: %j', async ([args, words]) => {
    const { stderr, stdout, exit } = await shop.home.run(args);
    expect(exit).toBe(2);
    expect(stderr + stdout).toContain(words);
  });

  test('2: an unknown command, with the nearest one', async () => {
    const { exit, stderr, stdout } = await shop.home.run(['items', 'lst']);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain('did you mean "items list"?');
  });

  test.for(['items --limit 5', 'items --json', 'stock documents -o id'])(
    '2: a topic with flags, because its command was forgotten: %s',
    async (line) => {
      const { exit, stderr } = await shop.home.run(line.split(' '));
      expect(exit).toBe(2);
      expect(stderr).toMatch(/^"(items|stock documents) -\S+" is not a stockroom command; did you mean "\1/u);
    },
  );

  test.for(['items lst --help', 'itms list --limit 5 -h', '--help itms list'])(
    '2: an unknown command whose help is asked for, told like any other: %s',
    async (line) => {
      const args = line.split(' ');
      const { exit, stderr, stdout } = await shop.home.run(args);
      expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
      expect(stderr).toMatch(/^"ite?ms \w+" is not a stockroom command; did you mean "items list"\?\n?$/u);
      expect((await shop.home.json([...args, '--json'])).body).toMatchObject({ error: { code: 'unknown_command', exit: 2 } });
    },
  );

  test('2: refused by the service, every field with the flag that sets it', async () => {
    const { told, error } = await fails(['items', 'create', '--sale-price', '-1', '--set', 'colour=red'], {
      exit: 2,
      code: 'VALIDATION_FAILED',
      status: 400,
    });
    expect(told).toMatch(/^ {2}--name +name is required$/mu);
    expect(told).toMatch(/^ {2}--sale-price +salePrice must be at least 0$/mu);
    expect(told).toMatch(/^ {2}--set colour +colour is not a known field$/mu);
    expect(told).toMatch(/^Request [\da-f-]{36}$/mu);
    expect(error.fields).toHaveLength(3);
    expect(error.requestId).toMatch(/^[\da-f-]{36}$/u);
  });

  test('2: a working directory that is gone', async () => {
    const script = `mkdir gone && cd gone && rmdir ../gone && '${process.execPath}' '${RUN}' items list`;
    const { exitCode, stderr } = await execa('sh', ['-c', script], {
      cwd: shop.home.directory,
      env: shop.home.env,
      extendEnv: false,
      reject: false,
    });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/Error: the working directory is gone\nHint: {2}go to one that is there$/u);
  });

  test('2: what the service says comes as it was written, also where it is not English', async () => {
    const args = ['webhooks', 'create', '--name', 'x', '--target-url', 'https://example.com/#x', '--event', 'inventory.item.created'];
    const { told } = await fails(args, { exit: 2, code: 'VALIDATION_FAILED', status: 400 });
    expect(told).toContain('a fragment (#…)');
  });

  test('3: not there', async () => {
    const { error } = await fails(['items', 'get', NO_ITEM], { exit: 3, code: 'NOT_FOUND', status: 404 });
    expect(error.message).toContain(NO_ITEM);
  });

  test('4: a key that is not known', async () => {
    const env = { STOCKROOM_API_KEY: `pk_test_${'x'.repeat(46)}` };
    const { error } = await fails(['items', 'list'], { exit: 4, code: 'UNAUTHENTICATED', status: 401 }, { env });
    expect(error.hint).toContain('STOCKROOM_API_KEY');
  });

  test('4: a key that no header can carry, told without the key', async () => {
    const env = { STOCKROOM_API_KEY: `${shop.key}\r` };
    const { told } = await fails(['items', 'list'], { exit: 4, code: 'bad_key', status: null }, { env });
    expect(told).toContain('from STOCKROOM_API_KEY');
    expect(told).not.toContain(shop.key);
  });

  test('4: a scope or a plan that is missing', async () => {
    const env = { STOCKROOM_API_KEY: await limited('contacts:read') };
    const { error } = await fails(['items', 'list'], { exit: 4, code: 'SCOPE_REQUIRED', status: 403 }, { env });
    expect(error.hint).toContain('--scope items:read');

    await shop.home.run(['tenants', 'create', '--name', 'Small', '--plan', 'free']);
    const key = (await shop.home.json(['keys', 'create', '--tenant', 'small', '--all-scopes'])).body.secret as string;
    await fails(['audit', 'export'], { exit: 4, code: 'PLAN_REQUIRED', status: 403 }, { env: { STOCKROOM_API_KEY: key } });
  });

  test('5: taken by another record', async () => {
    const { told } = await fails(['items', 'create', '--name', 'x', '--sku', 'bolt-m6'], { exit: 5, code: 'DUPLICATE_VALUE', status: 409 });
    expect(told).toContain('existingId: ');
  });

  test('7: nobody listens, or no daemon runs', async () => {
    const env = { STOCKROOM_URL: 'http://127.0.0.1:9', STOCKROOM_API_KEY: shop.key };
    const away = await fails(['items', 'list'], { exit: 7, code: 'unreachable', status: null }, { env });
    expect(away.error.hint).toContain('--url');
    const none = await fails(
      ['items', 'list'],
      { exit: 7, code: 'unreachable', status: null },
      { env: { STOCKROOM_DATA_DIR: shop.home.path('nowhere') } },
    );
    expect(none.error.hint).toBe('start it with `stockroom daemon start`');
    await fails(
      ['tenants', 'list'],
      { exit: 7, code: 'unreachable', status: null },
      { env: { STOCKROOM_DATA_DIR: shop.home.path('nowhere') } },
    );
  });

  test('7: a service that speaks no TLS, told without the words of a library', async () => {
    const { told } = await fails(
      ['items', 'list', '--url', String(shop.daemon.url).replace('http:', 'https:'), '--max-wait', '0'],
      { exit: 7, code: 'unreachable', status: null },
      { env: { STOCKROOM_API_KEY: shop.key } },
    );
    expect(told).toContain('TLS failed; perhaps the address begins with http: instead');
    expect(told).not.toContain('EPROTO');
  });

  test('7: a connection that breaks before the answer: only what carries a key is to be repeated with it', async () => {
    const server = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const env = { STOCKROOM_URL: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, STOCKROOM_API_KEY: shop.key };
    const broken = { exit: 7, code: 'unreachable', status: null } as const;
    expect((await fails(['items', 'create', '--name', 'x', '--max-wait', '0'], broken, { env })).error.hint).toContain('--idempotency-key');
    expect((await fails(['items', 'list', '--max-wait', '0'], broken, { env })).error.hint).toBe(
      'try again; `--verbose` tells each request and its answer',
    );
    server.close();
  });

  test('1: something else answers', async () => {
    const server = createServer((_request, response) => response.writeHead(500).end('<h1>Bad gateway</h1>')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const env = { STOCKROOM_URL: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, STOCKROOM_API_KEY: shop.key };
    const { told } = await fails(['items', 'list'], { exit: 1, code: 'HTTP_500', status: 500 }, { env });
    expect(told).not.toContain('<h1>');
    server.close();
  });

  test.for(['<!doctype html>', '{}', '[]', 'null', '"x"', '', '{"data":null}'])('7: something else answers 200 with %j', async (page) => {
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
      const { told } = await fails(args, { exit: 7, code: 'unreachable', status: null }, { env });
      expect(told).toContain('is no stockroom service');
      expect(told).toContain('check --url');
    }
    server.close();
  });

  test('130 and 143: a signal ends a command that waits', async () => {
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

describe('a question at a terminal', () => {
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

  test('is left by Ctrl-C with exit 130, and nothing more is said', async () => {
    const { exit, screen } = await answered('C-c');
    expect(exit).toBe(130);
    expect(screen).not.toContain('Error');
  });

  test('is answered with no by Ctrl-D', async () => {
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

  test('6: is told at once when the wait is longer than allowed', async () => {
    const env = { STOCKROOM_API_KEY: await spent() };
    const { error } = await fails(['items', 'list', '--max-wait', '1'], { exit: 6, code: 'RATE_LIMITED', status: 429 }, { env });
    expect(error.hint).toMatch(/--max-wait \d+/u);
  });

  test('is waited out, and the write then happens exactly once', async () => {
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
    expect(stderr).toMatch(/^Rate limited; try 2 in [1-6] s$/u);
    expect((await shop.http('GET', '/v1/items?sku=PATIENT')).body.pagination.total).toBe(1);
  });

  test('carries the same idempotency key through a busy service and a broken connection', async () => {
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

test('no stream of any command shows a key, also with --verbose and in errors', async () => {
  const secretOf = (ran: Ran) => ran.stdout + ran.stderr;
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
    expect(secretOf(ran)).not.toContain(shop.key);
    expect(secretOf(ran)).not.toContain(shop.key.slice(16));
  }
  const { stderr } = await shop.home.run(['items', 'create', '--name', 'told', '--verbose']);
  expect(stderr).toMatch(/^POST http:\/\/127\.0\.0\.1:\d+\/v1\/items {2}201 {2}\d+ ms {2}idempotency key [\da-f-]{36}$/u);
});

test('without any command there is an overview, in an empty home too', async () => {
  await using home = await makeHome();
  const { exit, stdout, stderr } = await home.run([]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(stdout).toContain('stockroom items list');
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});
