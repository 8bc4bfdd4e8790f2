/** `fixtures`: files of fixtures at the command line, and in daemons that other commands start. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseFixtures } from '../../../src/fixtures/read-fixtures.ts';
import { makeHome } from '../../support/cli/home.ts';

const KEY = `pk_test_${'B'.repeat(46)}`;
const FIXTURES = `tenants:
  - slug: shop
    name: Shop
    plan: enterprise
    keys: [{ name: tests, secret: ${KEY} }]
    items: [{ sku: BOLT, name: Bolt, unit: pcs }]
    stock: [{ item: BOLT, quantity: 7, unitCost: 2 }]
`;

test('fixtures init writes a file that check accepts, apply applies twice and export reads back', async () => {
  await using home = await makeHome();
  expect((await home.json(['fixtures', 'init'])).body.data).toEqual({
    file: 'stockroom.fixtures.yaml',
    schema: 'stockroom.fixtures.schema.json',
  });
  const text = readFileSync(home.path('stockroom.fixtures.yaml'), 'utf8');
  expect(text).toMatch(/^# yaml-language-server: \$schema=\.\/stockroom\.fixtures\.schema\.json\n/u);
  expect(await home.json(['fixtures', 'schema'])).toMatchObject({ exit: 0, body: { title: 'Fixtures of stockroom' } });
  expect(readFileSync(home.path('stockroom.fixtures.schema.json'), 'utf8').trim()).toBe(
    (await home.run(['fixtures', 'schema'])).stdout.trim(),
  );
  expect((await home.run(['fixtures', 'init'])).exit).toBe(2);
  const checked = await home.json(['fixtures', 'check']);
  await home.start();
  const first = await home.json(['fixtures', 'apply']);
  expect(first.body, first.stderr).toMatchObject({ data: { changed: 0, unchanged: 0 } });
  const { created } = first.body.data as { created: number };
  expect(checked, 'counts as apply does').toMatchObject({ exit: 0, body: { data: [{ slug: 'shop', records: created }] } });
  expect((await home.json(['fixtures', 'apply', 'stockroom.fixtures.yaml'])).body.data).toMatchObject({ created: 0, unchanged: created });
  const exported = await home.run(['fixtures', 'export', '--tenant', 'shop']);
  expect(exported.exit, exported.stderr).toBe(0);
  const { document } = parseFixtures(exported.stdout, 'exported');
  expect(document.tenants[0]).toMatchObject({ slug: 'shop', orders: [{ status: 'open', contact: 'Ana Reis' }] });
});

test('every problem of a file is printed with its place, with exit code 2, and nothing is started or applied', async () => {
  await using home = await makeHome();
  writeFileSync(home.path('bad.yaml'), FIXTURES.replace('item: BOLT', 'item: BLOT').replace('unit: pcs', 'unit: pcs, colour: red'));
  const expected = [
    'bad.yaml:6:49 tenants.0.items.0.colour is not a known field',
    'bad.yaml:7:21 there is no item "BLOT" (did you mean "BOLT"?)',
  ];
  const { exit, stderr } = await home.run(['fixtures', 'check', 'bad.yaml']);
  expect([
    exit,
    stderr
      .split('\n')
      .slice(1, 3)
      .map((line) => line.trim()),
  ]).toEqual([2, expected]);
  const { body } = await home.json(['fixtures', 'check', 'bad.yaml']);
  expect(body.error).toMatchObject({
    code: 'INVALID_FIXTURES',
    fields: [
      { line: 6, column: 49 },
      { line: 7, column: 21, path: '/tenants/0/stock/0/item' },
    ],
  });
  for (const args of [
    ['exec', '--fixtures', 'bad.yaml', '--', process.execPath, '-e', 'console.log("ran")'],
    ['daemon', 'start', '--fixtures', 'bad.yaml', '--port', '0'],
  ]) {
    const started = await home.run(args);
    expect([started.exit, started.stdout]).toEqual([2, '']);
  }
  expect((await home.json(['daemon', 'list', '--all'])).body.data).toEqual([]);
  expect((await home.run(['fixtures', 'check'])).stderr).toContain('No file of fixtures here');
});

test('exec applies the fixtures of the project and passes their key, and daemon start saves it', async () => {
  await using home = await makeHome();
  const project = home.path('project');
  mkdirSync(project);
  writeFileSync(`${project}/stockroom.fixtures.yaml`, FIXTURES);
  const script = `
    const { STOCKROOM_URL: url, STOCKROOM_API_KEY: key, STOCKROOM_CONTROL_URL: control, STOCKROOM_CONTROL_TOKEN: token } = process.env;
    const read = async (base, path, headers) => (await (await fetch(base + path, { headers })).json()).data;
    const levels = await read(url, '/v1/stock-levels', { 'x-api-key': key });
    const tenants = await read(control, '/control/tenants', { authorization: 'Bearer ' + token });
    console.log(JSON.stringify({ key, onHand: levels.map((level) => level.onHand), tenants: tenants.map((tenant) => tenant.slug) }));`;
  writeFileSync(`${project}/script.mjs`, script);
  const ran = await home.run(['exec', '--', process.execPath, 'script.mjs'], { cwd: project });
  expect(ran.exit, ran.stderr).toBe(0);
  expect(JSON.parse(ran.stdout)).toEqual({ key: KEY, onHand: [7], tenants: ['shop'] });
  expect((await home.json(['daemon', 'start', '--port', '0', '--record', '--fixtures', `${project}/stockroom.fixtures.yaml`])).exit).toBe(
    0,
  );
  expect((await home.json(['items', 'list'])).body.data).toMatchObject([{ sku: 'BOLT' }]);
  expect((await home.json(['items', 'create', '--name', "Ana's nut"])).exit).toBe(0);
  const curl = (await home.run(['requests', 'export', '--curl', '--operation', 'items.create'])).stdout;
  expect(curl).toMatch(
    /^curl -sS -X POST "\$STOCKROOM_URL"\/v1\/items -H "X-API-Key: \$STOCKROOM_API_KEY" -H 'content-type: application\/json' -H 'idempotency-key: .+' --data-raw '\{"name":"Ana'\\''s nut"\}'$/mu,
  );
  const har = JSON.parse((await home.run(['requests', 'export', '--har'])).stdout) as { log: { entries: { request: { url: string } }[] } };
  expect(har.log.entries.map(({ request }) => new URL(request.url).pathname)).toContain('/v1/items');
  expect(JSON.stringify(har)).not.toContain(KEY);
  expect((await home.json(['requests', 'verify', '--operation', 'items.create', '--count', '1'])).body.data).toEqual({ count: 1 });
  expect((await home.run(['requests', 'verify', '--operation', 'orders.create'])).exit).toBe(5);
  writeFileSync(`${project}/requests.har`, JSON.stringify(har));
  const replayed = await home.json(['requests', 'replay', `${project}/requests.har`]);
  expect([replayed.exit, replayed.body]).toMatchObject([
    9,
    { data: [{ number: 1, request: 'GET /v1/items', what: 'rows of data', expected: '1', got: '2' }], played: 1 },
  ]);
  expect((await home.run(['tenants', 'reset', 'shop', '--yes'])).exit).toBe(0);
  const again = await home.run(['requests', 'replay', `${project}/requests.har`]);
  expect([again.exit, again.stdout, again.stderr]).toEqual([0, '', expect.stringMatching(/^\d requests: no difference$/u)]);
  const none = await home.run(['requests', 'replay', `${project}/script.mjs`]);
  expect([none.exit, none.stderr]).toEqual([2, expect.stringContaining('has no recorded requests')]);
});
