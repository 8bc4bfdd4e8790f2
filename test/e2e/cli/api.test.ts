/** `stockroom api` and the commands for settings. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';
import { openTerminal } from '../../support/cli/terminal.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(Array.from({ length: 205 }, (_, at) => ({ name: `Part ${String(at)}` })));
});
afterAll(() => shop[Symbol.asyncDispose]());

describe('api', () => {
  test('prints the response body unchanged, and accepts paths without a leading slash', async () => {
    const { text } = await shop.http('GET', '/v1/items?page_size=2&search=Part');
    expect((await shop.home.run(['api', 'GET', 'v1/items', '-q', 'page_size=2', '-q', 'search=Part'])).stdout).toBe(text);
    expect((await shop.home.run(['api', 'get', '/v1/items?page_size=2&search=Part'])).stdout).toBe(text);
  });

  test('sends paths and query parameters unchanged, including repeated ones', async () => {
    const { text } = await shop.http('GET', '/v1/items?search=Part%200001');
    expect((await shop.home.run(['api', 'GET', '/v1/items?search=Part 0001'])).stdout).toBe(text);
    expect((await shop.home.run(['api', 'GET', '/v1/items/kö ln'])).stderr).toContain('No resource at /v1/items/k%C3%B6%20ln');
    const { stdout } = await shop.home.run(['api', 'POST', '/v1/items', '-q', 'a=1', '-q', 'a=2&b', '--dry-run']);
    expect(stdout).toBe('POST /v1/items?a=1&a=2%26b\n{}');
  });

  test('sends a body with a generated idempotency key and shows the headers', async () => {
    const { exit, stdout } = await shop.home.run(['api', 'POST', '/v1/items', '--data', '-', '-i'], { input: '{"name":"raw"}' });
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^HTTP 201\n/u);
    expect(stdout).toMatch(/^x-request-id: \S+$/mu);
    expect(JSON.parse(stdout.slice(stdout.indexOf('\n\n')))).toMatchObject({ data: { name: 'raw' } });
  });

  test('follows the pages of page-based and cursor-based lists', async () => {
    const items = await shop.home.run(['api', 'GET', '/v1/items', '--paginate', '-q', 'search=Part', '-o', 'id']);
    expect(new Set(items.stdout.split('\n')).size).toBe(205);
    const events = await shop.home.run([
      'api',
      'GET',
      '/v1/audit/events',
      '--paginate',
      '-q',
      'limit=50',
      '-q',
      'action_prefix=item.created',
      '-o',
      'id',
    ]);
    expect(new Set(events.stdout.split('\n')).size).toBe(206);
    expect((await shop.home.run(['api', 'GET', '/v1/usage', '--paginate'])).exit).toBe(2);
  });

  test('prints the request of a dry run as text, and with --json as an object', async () => {
    const args = ['api', 'POST', '/v1/items', '--data', '{"name":"raw"}', '--dry-run'];
    expect(await shop.home.run(args)).toMatchObject({ exit: 0, stdout: 'POST /v1/items\n{"name":"raw"}' });
    expect(await shop.home.json(args)).toMatchObject({ exit: 0, body: { method: 'POST', path: '/v1/items', body: { name: 'raw' } } });
    expect((await shop.home.run([...args, '--jq', '.body.name'])).stdout).toBe('raw');
  });

  test('reports an API error like any other command', async () => {
    const { exit, body } = await shop.home.json(['api', 'GET', '/v1/nothing']);
    expect(exit).toBe(3);
    expect(body.error).toMatchObject({ code: 'NOT_FOUND', status: 404, exit: 3 });
    expect((await shop.home.run(['api', 'PUT', '/v1/items'])).exit).toBe(2);
  });
});

describe('account commands', () => {
  test('capabilities, auth context, organization and usage print the response body', async () => {
    for (const [args, path] of [
      [['capabilities'], '/v1'],
      [['auth', 'context'], '/v1/auth/context'],
      [['organization'], '/v1/organization'],
    ] as const) {
      expect((await shop.home.json(args)).body).toEqual((await shop.http('GET', path)).body);
    }
    const usage = await shop.home.json(['usage']);
    expect(usage.body.data.rate_limit).toMatchObject({ tier: 'bulk', limit_per_minute: 1_000_000 });
  });
});

describe('settings', () => {
  test.for([
    ['sites', ['--name', 'North', '--code', 'N'], ['--address', '1 Dock Road'], { name: 'North', address: '1 Dock Road' }],
    [
      'units',
      ['--name', 'Bag', '--symbol', 'bag60', '--dimension', 'mass', '--factor-num', '60'],
      ['--precision', '2'],
      { symbol: 'bag60', precision: 2 },
    ],
    ['categories', ['--name', 'Roasted'], ['--no-is-active'], { name: 'Roasted', isActive: false }],
  ] as const)('%s are created, updated, listed and deleted', async ([topic, draft, patch, expected]) => {
    const made = await shop.home.json([topic, 'create', ...draft]);
    const { id } = made.body.data as { id: string };
    expect((await shop.home.json([topic, 'update', id, ...patch])).body.data).toMatchObject(expected);
    expect((await shop.home.json([topic, 'get', id])).body.data).toMatchObject(expected);
    expect((await shop.home.run([topic, 'list', '-o', 'id'])).stdout).toContain(id);
    expect((await shop.home.run([topic, 'delete', id])).exit).toBe(0);
    expect((await shop.home.run([topic, 'get', id])).exit).toBe(3);
  });

  test('tenants, users and the organization are created and updated', async () => {
    const made = await shop.home.json(['tenants', 'create', '--name', 'Kestrel Coffee', '--plan', 'pro']);
    expect(made.body.data).toMatchObject({ slug: 'kestrel-coffee', plan: 'pro' });
    const changed = await shop.home.json([
      'tenants',
      'update',
      'kestrel-coffee',
      '--plan',
      'enterprise',
      '--set',
      'numberPrefixes.buy=PUR-',
    ]);
    expect(changed.body.data).toMatchObject({ plan: 'enterprise', numberPrefixes: { buy: 'PUR-' } });
    await shop.home.run(['organization', 'update', '--name', 'Kestrel', '--tenant', 'kestrel-coffee']);
    expect((await shop.home.json(['tenants', 'get', 'kestrel-coffee'])).body.data).toMatchObject({ name: 'Kestrel' });

    const user = await shop.home.json(['users', 'invite', '--email', 'ana@example.com', '--role', 'manager', '--tenant', 'kestrel-coffee']);
    expect(user.body.data).toMatchObject({ email: 'ana@example.com', role: 'manager', status: 'invited' });
    const listed = await shop.home.run(['users', 'list', '--tenant', 'kestrel-coffee', '--columns', 'email,status']);
    expect(listed.stdout).toBe('email\tstatus\nana@example.com\tinvited');
    expect((await shop.home.run(['users', 'list', '--tenant', 'local', '-o', 'id'])).stdout).toBe('');
  });

  test('clock and tier commands change the service, and doctor finds no problems', async () => {
    const before = (await shop.home.json(['clock', 'show'])).body.data as { offsetSeconds: number };
    const { body } = await shop.home.json(['clock', 'advance', '25h']);
    expect(body).toEqual({ data: { now: expect.any(String), offsetSeconds: before.offsetSeconds + 90_000 } });
    expect((await shop.home.json(['clock', 'reset'])).body.data.offsetSeconds).toBe(0);
    expect((await shop.home.json(['tiers', 'set', 'elevated', '900'])).body.data).toEqual({ name: 'elevated', requestsPerMinute: 900 });

    const doctor = await shop.home.json(['doctor']);
    expect(doctor).toMatchObject({ exit: 0, body: { data: { ok: true } } });
  });

  test('seed creates the requested number of items and reports it', async () => {
    await shop.home.run(['tenants', 'create', '--name', 'Seeded']);
    const { exit, body } = await shop.home.json(['seed', '--items', '300', '--seed', '7', '--tenant', 'seeded']);
    expect({ exit, data: body.data }).toMatchObject({ exit: 0, data: { status: 'done', items: 300, error: null } });
    const key = await shop.addKey(['--tenant', 'seeded', '--tier', 'bulk']);
    expect((await shop.http('GET', '/v1/items', undefined, key)).body.pagination.total).toBe(300);
  });

  test('seed reports on Ctrl-C that the daemon continues', async () => {
    await shop.home.run(['tenants', 'create', '--name', 'Left']);
    await using terminal = await openTerminal(shop.home, { columns: 80, rows: 24 });
    await terminal.run('seed --items 20000 --tenant left');
    await terminal.shows(/ of \d+ rows/u);
    await terminal.press('C-c');
    const { exit, screen } = await terminal.ends();
    expect(exit).toBe(130);
    expect(screen).toMatch(/The daemon continues in the background: \d+ of \d+ rows so far/u);
    expect((await shop.home.json(['seed', '--items', '1', '--tenant', 'left'])).body.error).toMatchObject({ code: 'LIMIT_REACHED' });
  });
});

test('api --strict rejects operations, parameters and fields that the given contract does not have', async () => {
  const { home } = shop;
  const check = async (...args: string[]) => (await home.run(['api', ...args, '--strict', '--dry-run'])).stderr.split('\n')[0];
  expect(await check('GET', '/v1/events')).toBe('Error: GET /v1/events is an extension of stockroom');
  expect(await check('GET', '/v1/items?cursor=')).toBe('Error: The parameter cursor is an extension of stockroom');
  expect(await check('POST', '/v1/items', '--data', '{"name":"Bolt","metadata":{"a":"b"}}')).toBe(
    'Error: The field metadata is an extension of stockroom',
  );
  for (const args of [
    ['GET', '/v1/items?page=2'],
    ['POST', '/v1/items', '--data', '{"name":"Bolt"}'],
    ['GET', '/v1/nothing'],
  ])
    expect((await home.run(['api', ...args, '--strict', '--dry-run'])).exit).toBe(0);
});
