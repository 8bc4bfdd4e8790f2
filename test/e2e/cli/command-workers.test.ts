/** The other tests run most commands in workers: here a worker and a process run the same commands and must print the same. */
import { mkdir, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isLongRun } from '../../support/long-run.ts';
import { type RunOptions, type Ran } from '../../support/cli/home.ts';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop([
    { name: 'Hex bolt M6', sku: 'BOLT-M6' },
    { name: 'Wing nut ½"', sku: 'NUT-12' },
  ]);
});
afterAll(() => shop[Symbol.asyncDispose]());

async function runInProcess(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { exitCode, stdout, stderr } = await shop.home.spawn(args, options);
  return { exit: exitCode ?? -1, stdout: String(stdout), stderr: String(stderr) };
}

const COMMANDS: readonly [readonly string[], RunOptions?][] = [
  [['items', 'list']],
  [['items', 'list', '--json']],
  [['items', 'list', '-o', 'csv']],
  [['items', 'list', '--help']],
  [['help', 'profiles']],
  [[]],
  [['items', 'list', '--all', '-o', 'ndjson', '--columns', 'name,sku']],
  [['items', 'get', 'no-such-item']],
  [['items', 'get', 'no-such-item', '--json']],
  [['items', 'lst']],
  [['items', 'lst', '--json']],
  [['no-such-command']],
  [['items', 'list', '--no-such-flag']],
  [['items', 'create', '--data', '-', '--dry-run', '--no-such-flag', '--json'], { input: '{}' }],
  [['items', 'create', '--data', '-'], { input: '{"name":""}' }],
  [['items', 'import', '-', '--dry-run'], { input: 'name,sku\nBolt,B-1\n,B-2\n' }],
  [['items', 'list'], { env: { STOCKROOM_API_KEY: 'pk_test_invalid' } }],
  [['items', 'list'], { env: { STOCKROOM_DATA_DIR: '/nowhere' } }],
  [['items', 'list', '--url', 'http://127.0.0.1:1', '--max-wait', '0', '--json']],
  [['config', 'show', '--origin']],
  [['profile', 'list']],
  [['daemon', 'status', '--json']],
  [['tenants', 'list', '--json']],
  [['completion', 'bash']],
  [['openapi']],
];
/** Each kind of output, of input and of failure is among every second one. */
const COMPARED = isLongRun ? COMMANDS : COMMANDS.filter((_, at) => at % 2 === 0);

test.for(COMPARED)('a worker prints and exits like a process: %j', async ([args, options]) => {
  const inProcess = await runInProcess(args, options);
  const inWorker = await shop.home.run(args, options);
  // Request ids and response times differ between any two runs.
  const normalize = ({ stdout, stderr, ...ran }: Ran) => ({
    ...ran,
    stdout: stdout.replaceAll(/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/gu, 'UUID'),
    stderr: stderr.replaceAll(/[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/gu, 'UUID'),
  });
  expect(normalize(inWorker)).toEqual(normalize(inProcess));
  // The worker is as new for the next command.
  expect(normalize(await shop.home.run(args, options))).toEqual(normalize(inProcess));
});

test('a worker runs each command in its own directory and environment', async () => {
  const [first, second] = [shop.home.path('first'), shop.home.path('second')];
  for (const [directory, name] of [
    [first, 'Ada'],
    [second, 'Grace'],
  ] as const) {
    await mkdir(directory);
    await writeFile(`${directory}/item.json`, JSON.stringify({ name }));
  }
  const createItem = async (cwd: string) =>
    (await shop.home.json(['items', 'create', '--data', '@item.json'], { cwd })).body.data.name as string;
  expect([await createItem(first), await createItem(second)]).toEqual(['Ada', 'Grace']);
  expect((await shop.home.run(['items', 'list'], { env: { STOCKROOM_PROFILE: 'absent' } })).stderr).toContain('"absent"');
  expect((await shop.home.run(['items', 'list'])).stderr).toBe('');
});

test('concurrent commands run in different workers', async () => {
  const names = ['one', 'two', 'three', 'four'];
  const created = await Promise.all(names.map((name) => shop.home.json(['items', 'create', '--name', name])));
  expect(created.map(({ body }) => body.data.name as string)).toEqual(names);
});

test('profiles saved by one command are read by the next', async () => {
  expect((await shop.home.run(['profile', 'add', 'staging', '--url', 'http://127.0.0.1:1'])).exit).toBe(0);
  expect((await shop.home.run(['profile', 'list'])).stdout).toContain('staging');
  expect((await shop.home.run(['profile', 'remove', 'staging'])).exit).toBe(0);
  expect((await shop.home.run(['profile', 'list'])).stdout).not.toContain('staging');
});
