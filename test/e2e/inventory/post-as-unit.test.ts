/** Posting takes several requests, but is one unit: a command that fails or is interrupted leaves nothing behind. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop([{ name: 'Bolt', sku: 'BOLT' }]);
});
afterAll(() => shop[Symbol.asyncDispose]());
beforeEach(() => shop.home.run(['faults', 'clear']));

const json = (...args: string[]) => shop.home.json(args);
const run = (...args: string[]) => shop.home.run(args);
const CREATE = ['stock', 'documents', 'create', '--type', 'issue', '--line', 'BOLT:10'];
const POST = [...CREATE, '--post'];

const listDocuments = async () => (await json('stock', 'documents', 'list', '--columns', 'documentNumber,status')).body.data as unknown[];
const getCommitted = async () =>
  ((await json('stock', 'levels', '--include-zero')).body.data as { committed: number }[]).reduce(
    (sum, { committed }) => sum + committed,
    0,
  );

test('create --post that fails leaves no document and reserves nothing, however often it is repeated', async () => {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { exit, body } = await json(...POST);
    expect({ exit, body }).toMatchObject({
      exit: 5,
      body: { error: { code: 'INSUFFICIENT_STOCK', hint: expect.stringMatching(/^Nothing was created/u) } },
    });
  }
  expect(await listDocuments()).toEqual([]);
  expect(await getCommitted()).toBe(0);
  expect((await json('stock', 'reorder')).body.data).toEqual([]);
});

test('documents post that fails leaves the draft, which reserves nothing', async () => {
  const { documentNumber } = (await json(...CREATE)).body.data as { documentNumber: string };
  const { exit, stderr } = await run('stock', 'documents', 'post', documentNumber);
  expect([exit, stderr]).toEqual([5, expect.stringContaining(`${documentNumber} is a draft again`)]);
  expect((await json('stock', 'documents', 'get', documentNumber)).body.data.status).toBe('draft');
  expect(await getCommitted()).toBe(0);
  await run('stock', 'documents', 'delete', documentNumber, '--yes');
});

test('documents post that fails leaves a document submitted that was submitted before', async () => {
  const { documentNumber } = (await json(...CREATE)).body.data as { documentNumber: string };
  await run('stock', 'documents', 'submit', documentNumber);
  expect((await run('stock', 'documents', 'post', documentNumber)).exit).toBe(5);
  expect((await json('stock', 'documents', 'get', documentNumber)).body.data.status).toBe('submitted');
  await run('stock', 'documents', 'cancel', documentNumber);
});

test('create --post removes the document if the service fails in between', async () => {
  await run('faults', 'set', 'POST /v1/stock-documents/*', '--status', '500', '--times', '20');
  const before = await listDocuments();
  const { exit, stderr } = await run(...POST);
  expect([exit, stderr]).toEqual([1, expect.stringContaining('Nothing was created')]);
  expect(await listDocuments()).toEqual(before);
});

test('create --post says which document it could not remove', async () => {
  await run('faults', 'set', 'DELETE /v1/stock-documents/*', '--status', '500', '--times', '20');
  const before = (await listDocuments()).length;
  const { exit, stderr } = await run(...POST);
  expect([exit, stderr]).toEqual([5, expect.stringMatching(/IS-\d+ could not be removed.*`stockroom stock documents delete IS-\d+`/su)]);
  await run('faults', 'clear');
  const left = (await listDocuments()) as { documentNumber: string; status: string }[];
  expect(left).toHaveLength(before + 1);
  expect(await getCommitted()).toBe(0);
});

test('a post whose connection is lost says what it left', async () => {
  await run('faults', 'set', 'POST /v1/stock-documents/*/approve', '--drop', 'before', '--times', '20');
  const before = await listDocuments();
  const removed = await run(...POST);
  expect([removed.exit, removed.stderr]).toEqual([7, expect.stringMatching(/Hint: {2}Nothing was created: IS-\d+ was removed/u)]);
  expect(await listDocuments()).toEqual(before);

  const { documentNumber } = (await json(...CREATE)).body.data as { documentNumber: string };
  const post = () => run('stock', 'documents', 'post', documentNumber);
  const recalled = await post();
  expect([recalled.exit, recalled.stderr]).toEqual([7, expect.stringContaining(`Hint:  ${documentNumber} is a draft again`)]);
  await run('faults', 'clear');
  await run('faults', 'set', 'POST /v1/stock-documents/*/submit', '--drop', 'after', '--times', '20');
  const unknown = await post();
  expect([unknown.exit, unknown.stderr.replaceAll(/\s+/gu, ' ')]).toEqual([
    7,
    expect.stringContaining(`Hint: ${documentNumber} may be submitted: see its status with`),
  ]);
  expect((await json('stock', 'documents', 'get', documentNumber)).body.data.status).toBe('submitted');
  for (const { stderr } of [removed, recalled, unknown]) expect(stderr).not.toContain('--idempotency-key');
  await run('stock', 'documents', 'cancel', documentNumber);
});

test('create --post that is interrupted removes the document, and exits with 130', async () => {
  await run('faults', 'set', 'POST /v1/stock-documents/*', '--latency', '3s', '--times', '1');
  const before = (await listDocuments()).length;
  const child = shop.home.spawn(POST);
  await expect.poll(async () => (await listDocuments()).length, { timeout: 30_000 }).toBe(before + 1);
  child.kill('SIGINT');
  const { exitCode, stderr } = await child;
  expect([exitCode, stderr]).toEqual([130, expect.stringContaining('Nothing was created')]);
  expect(await listDocuments()).toHaveLength(before);
});

test('create --post with the idempotency key of a failed attempt asks for a new key', async () => {
  await json(...POST, '--idempotency-key', 'issue-1');
  const { exit, body } = await json(...POST, '--idempotency-key', 'issue-1');
  expect([exit, body.error]).toEqual([
    5,
    expect.objectContaining({ code: 'CONFLICT', hint: expect.stringContaining('--idempotency-key') }),
  ]);
});

test('create --post whose stock suffices posts at once', async () => {
  const posted = await json(
    'stock',
    'documents',
    'create',
    '--type',
    'receipt',
    '--line',
    'BOLT:10@1',
    '--post',
    '--idempotency-key',
    'r-1',
  );
  expect(posted.body.data).toMatchObject({ status: 'approved', stockEffects: [{ onHandAfter: 10 }] });
  const again = await json(
    'stock',
    'documents',
    'create',
    '--type',
    'receipt',
    '--line',
    'BOLT:10@1',
    '--post',
    '--idempotency-key',
    'r-1',
  );
  expect(again.body).toEqual(posted.body);
});
