/** `stockroom conform`: two services of the same contract do not differ, and twenty planted differences are found. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpReply, type HttpRequest, type Transport, createHttpTransport } from '../../../src/client/transport/transport.ts';
import { listReads } from '../../../src/conform/probes.ts';
import { type FoundDifference, type Outcome, playSteps } from '../../../src/conform/run.ts';
import { listWrites } from '../../../src/conform/story.ts';
import { listStrictOperations } from '../../../src/contract/strict.ts';
import { type Stockroom, startStockroom } from '../../../src/embedded/index.ts';
import { makeHome } from '../../support/cli/home.ts';

const operations = listStrictOperations();
const stack = new AsyncDisposableStack();
let reference: Stockroom;
let other: Stockroom;
beforeAll(async () => {
  reference = stack.use(await startStockroom({ contract: 'strict', demo: true }));
  other = stack.use(await startStockroom({ contract: 'strict', demo: true }));
});
afterAll(() => stack.disposeAsync());

type Change = (request: HttpRequest, reply: HttpReply) => HttpReply;
let runs = 0;

/** Plays all steps against a service whose replies are changed. */
function play(change: Change = (_request, reply) => reply): Promise<Outcome> {
  const open = ({ url }: Stockroom): Transport => createHttpTransport({ url });
  const real = open(other);
  runs += 1;
  const steps = [...listReads(operations), ...listWrites(operations, `t${String(runs)}`)];
  const changed: Transport = async (request) => change(request, await real(request));
  return playSteps({ transport: open(reference), key: reference.apiKey }, { transport: changed, key: other.apiKey }, steps, {
    operations,
    pace: () => Promise.resolve(),
    onProgress: () => undefined,
    signal: new AbortController().signal,
  });
}

test('two services of the same contract do not differ, and only what has no DELETE is left', async () => {
  const { played, skipped, differences, left } = await play();
  expect([differences, skipped]).toEqual([[], []]);
  expect(played).toBeGreaterThan(400);
  // What an order or a document that stays refers to, stays, too.
  expect(new Set(left.map((path) => path.split('/')[2]))).toEqual(new Set(['contacts', 'items', 'orders', 'stock-documents']));
});

const withBody = (reply: HttpReply, change: (text: string) => string): HttpReply => ({ ...reply, text: change(reply.text) });
const withStatus = (reply: HttpReply, status: number, text = reply.text): HttpReply => ({ ...reply, status, text });
const without = (reply: HttpReply, header: string): HttpReply => ({ ...reply, headers: { ...reply.headers, [header]: undefined } });

/** What is planted, where, and how it shows. */
const PLANTED: readonly [
  what: string,
  when: (request: HttpRequest, reply: HttpReply) => boolean,
  Change,
  found: Partial<FoundDifference>,
][] = [
  [
    'a field that is missing in rows',
    ({ method, path }) => method === 'GET' && path.startsWith('/v1/items?'),
    (_request, reply) => withBody(reply, (text) => text.replaceAll('"mpn":', '"manufacturerNumber":')),
    { operation: 'items.list', what: 'data[].mpn', got: 'absent' },
  ],
  [
    'a number as text',
    ({ method, path }) => method === 'GET' && /^\/v1\/items\/[^/?]+$/u.test(path),
    (_request, reply) => withBody(reply, (text) => text.replace(/"isActive":(true|false)/u, '"isActive":"$1"')),
    { operation: 'items.get', what: 'data.isActive', got: 'string' },
  ],
  [
    'no total of a list',
    ({ path }) => path.startsWith('/v1/contacts?') || path === '/v1/contacts',
    (_request, reply) => withBody(reply, (text) => text.replace(/"total":\d+,?/u, '')),
    { operation: 'contacts.list', what: 'pagination.total', got: 'absent' },
  ],
  [
    'an unknown value of a filter that is accepted',
    ({ path }) => path.includes('status=conform_unknown') && path.startsWith('/v1/orders'),
    (_request, reply) => withStatus(reply, 200, '{"data":[],"pagination":{}}'),
    { operation: 'orders.list', probe: 'status unknown', got: '200' },
  ],
  [
    'a required parameter that is not required',
    ({ method, path }) => method === 'GET' && path === '/v1/orders',
    (_request, reply) => withStatus(reply, 200, '{"data":[],"pagination":{}}'),
    { operation: 'orders.list', probe: 'without module' },
  ],
  [
    'another status for an unknown id',
    ({ method, path }, { status }) => method === 'GET' && /^\/v1\/items\/[^/?]+$/u.test(path) && status === 404,
    (_request, reply) => withStatus(reply, 400),
    { operation: 'items.get', probe: 'unknown item_id' },
  ],
  [
    'a larger page than the largest',
    ({ path }) => path.includes('page_size=201'),
    (_request, reply) => withStatus(reply, 200, '{"data":[],"pagination":{}}'),
    { probe: 'page_size above 200', got: '200' },
  ],
  [
    'another status without a key',
    ({ path, headers }) => path.startsWith('/v1/usage') && headers['x-api-key'] === undefined,
    (_request, reply) => withStatus(reply, 403),
    { operation: 'usage.get', probe: 'without a key' },
  ],
  [
    'another code of an error',
    ({ path, headers }) => path.startsWith('/v1/usage') && headers['x-api-key']?.includes('conform') === true,
    (_request, reply) => withBody(reply, (text) => text.replace('UNAUTHENTICATED', 'BAD_KEY')),
    { operation: 'usage.get', what: 'error.code', got: 'BAD_KEY' },
  ],
  [
    'an unknown parameter that is accepted',
    ({ path }) => path.startsWith('/v1/webhooks?conform_unknown='),
    (_request, reply) => withStatus(reply, 200, '{"data":[]}'),
    { operation: 'webhooks.list', probe: 'unknown parameter' },
  ],
  [
    'no Location of a new record',
    ({ method, path }, { status }) => method === 'POST' && path === '/v1/contacts' && status === 201,
    (_request, reply) => without(reply, 'location'),
    { operation: 'contacts.create', what: 'header location' },
  ],
  [
    'a text that is too long and accepted',
    ({ method, path, body = '' }) => method === 'POST' && path === '/v1/items' && /"sku":"x{60,}"/u.test(body),
    (_request, reply) => withStatus(reply, 201, '{"data":{}}'),
    { operation: 'items.create', got: '201' },
  ],
  [
    'a price in another unit',
    ({ method, path }, { status }) => method === 'PATCH' && path.startsWith('/v1/items/') && status === 200,
    (_request, reply) => withBody(reply, (text) => text.replace('"salePrice":0.4', '"salePrice":40')),
    { operation: 'items.update', what: 'data.salePrice', got: '40' },
  ],
  [
    'another code of a duplicate',
    ({ method, path }, { status }) => method === 'POST' && path === '/v1/items' && status === 409,
    (_request, reply) => withStatus(reply, 422),
    { operation: 'items.create', probe: 'a SKU that exists', got: expect.stringContaining('422') as string },
  ],
  [
    'a repetition that is not marked',
    ({ path }, { headers }) => path === '/v1/contacts' && headers['idempotent-replayed'] !== undefined,
    (_request, reply) => without(reply, 'idempotent-replayed'),
    { operation: 'contacts.create', what: 'header idempotent-replayed' },
  ],
  [
    'a key that is used for another body',
    ({ path }, { status }) => path === '/v1/contacts' && status === 409,
    (_request, reply) => withStatus(reply, 201, '{"data":{}}'),
    { operation: 'contacts.create', probe: 'a key with another body' },
  ],
  [
    'a transition that is not allowed',
    ({ path, body }, { status }) => path.startsWith('/v1/orders/') && body === '{"status":"completed"}' && status === 409,
    (_request, reply) => withStatus(reply, 200, '{"data":{"status":"completed"}}'),
    { operation: 'orders.update', probe: 'draft to completed', got: '200' },
  ],
  [
    'no signing secret of a new endpoint',
    ({ method, path }, { status }) => method === 'POST' && path === '/v1/webhooks' && status === 201,
    (_request, reply) => withBody(reply, (text) => text.replace(/"signingSecret":"[^"]*",?/u, '')),
    { operation: 'webhooks.create', what: expect.stringContaining('signingSecret') as string },
  ],
  [
    'another word for a status',
    ({ path }, { status }) => path.endsWith('/submit') && status === 200,
    (_request, reply) => withBody(reply, (text) => text.replace('"status":"submitted"', '"status":"pending"')),
    { operation: 'stock_documents.submit', what: 'data.status', got: 'pending' },
  ],
  [
    'no header of the rate limit',
    ({ path }, { status }) => path === '/v1/organization' && status === 200,
    (_request, reply) => without(reply, 'x-ratelimit-remaining'),
    { operation: 'organization.get', what: 'header x-ratelimit-remaining' },
  ],
];

test('at least nineteen of twenty planted differences are found, and nothing else', async () => {
  const { differences } = await play((request, reply) =>
    PLANTED.reduce((now, [, when, change]) => (when(request, reply) ? change(request, now) : now), reply),
  );
  const isOf = (found: Partial<FoundDifference>) => (difference: FoundDifference) => {
    try {
      expect(difference).toMatchObject(found);
      return true;
    } catch {
      return false;
    }
  };
  const missed = PLANTED.filter(([, , , found]) => !differences.some(isOf(found))).map(([what]) => what);
  expect(missed.length, missed.join(', ')).toBeLessThanOrEqual(1);
  const planted = new Set(PLANTED.map(([, , , { operation }]) => operation));
  expect(differences.filter(({ operation, probe }) => !planted.has(operation) && probe !== 'page_size above 200')).toEqual([]);
});

test('the command prints the differences and exits with 9, and writes only to the tenant that is named', async () => {
  await using home = await makeHome();
  await home.start(['--demo']);
  const run = (...args: string[]) => home.run(['conform', '--against', 'kestrel-coffee', '--per-minute', '100000', ...args]);
  const found = await run('--json');
  expect(found.exit).toBe(9);
  const { data, played, left } = JSON.parse(found.stdout) as { data: FoundDifference[]; played: number; left: string[] };
  expect(data).toContainEqual({ operation: 'organization.get', probe: 'valid', what: 'data.currency', expected: 'absent', got: 'string' });
  expect([played > 100, left]).toEqual([true, []]);
  expect((await run('--write', '--tenant', 'spoke-chain')).stderr).toContain('belongs to tenant kestrel-coffee, not spoke-chain');
  expect((await run('--write')).exit).toBe(2);
});
