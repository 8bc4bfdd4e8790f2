/** `stockroom migrate` through the built command line. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { request } from 'undici';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { getData, getKey } from '../../support/cli/daemon.ts';
import { isLongRun } from '../../support/long-run.ts';
import { createDirectoryWithRows, createTestDatabase, interruptMigration } from '../../support/resources/migrations.ts';

/** With the long run, all of them would need more than the heap. */
const ROWS = isLongRun ? 200_000 : 20_000;
const PROFILE = 'kestrel-coffee';
/** Lists that the daemon itself does not change. */
const PATHS = [
  '/v1/items?page_size=100&sort=name',
  '/v1/items?search=beans',
  '/v1/contacts?page_size=100',
  '/v1/orders?module=sell&page_size=100',
  '/v1/stock-levels?page_size=100',
  '/v1/stock-documents?page_size=100',
  '/v1/organization',
  '/v1/audit/events?limit=100',
  '/v1/webhooks',
];

/** What a daemon replies, by path. */
async function readReplies(url: string, key: string): Promise<Record<string, string>> {
  const replies: Record<string, string> = {};
  for (const path of PATHS) {
    const { statusCode, body } = await request(url + path, { headers: { 'X-API-Key': key } });
    replies[path] = `${String(statusCode)} ${await body.text()}`;
  }
  return replies;
}

async function stop(home: Home, ...args: readonly string[]): Promise<void> {
  const { exit, stderr } = await home.run(['daemon', 'stop', ...args]);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr });
}

test('a daemon on a copied database, and one on the copy of that, reply as before', async () => {
  await using home = await makeHome();
  const database = await createTestDatabase();
  const copy = home.path('copy');
  const { url } = await home.start(['--demo']);
  const key = getKey(home, PROFILE);
  const before = await readReplies(url!, key);
  expect(Object.values(before).map((reply) => reply.slice(0, 4))).toEqual(PATHS.map(() => '200 '));
  await stop(home);

  const there = await home.json(['migrate', '--from', getData(home), '--to', database.address], { env: database.env });
  expect(there).toMatchObject({ exit: 0, body: { data: { ok: true, to: database.address } } });
  const onDatabase = await home.json(['daemon', 'start', '--port', '0', '--data-dir', home.path('other')], { env: database.env });
  expect(await readReplies(onDatabase.body.data.url as string, key)).toEqual(before);
  await stop(home, '--data-dir', home.path('other'));

  const back = await home.run(['migrate', '--from', database.address, '--to', copy], { env: database.env });
  expect(back).toMatchObject({ exit: 0 });
  expect(back.stderr).toMatch(/^Copied [\d,]+ rows to .*copy; all \d+ checks passed$/u);
  expect(back.stdout).toMatch(/^kestrel-coffee\titems\t\d+\ttrue\t[\da-f]{64}$/mu);
  const onCopy = await home.start(['--data-dir', copy]);
  expect(await readReplies(onCopy.url!, key)).toEqual(before);
});

test('daemons refuse an unfinished copy, and the same command completes it', async () => {
  await using home = await makeHome();
  const [directory, database] = [await createDirectoryWithRows(3_000), await createTestDatabase()];
  await interruptMigration(directory, database, 1);
  const start = () => home.json(['daemon', 'start', '--port', '0'], { env: database.env });
  expect(await start()).toMatchObject({
    exit: 7,
    body: { error: { message: expect.stringContaining('The copy into this database is not complete') as unknown } },
  });
  const { exit, stderr } = await home.run(['migrate', '--from', directory, '--to', database.address], { env: database.env });
  expect(exit).toBe(0);
  expect(stderr).toMatch(/\([\d,]+ rows? before the interruption\)/u);
  expect(await start()).toMatchObject({ exit: 0 });
});

test('Ctrl-C ends a copy with a note on how to continue, and the same command continues it', async () => {
  await using home = await makeHome();
  const [directory, copy] = [await createDirectoryWithRows(12_000), home.path('copy')];
  const args = ['migrate', '--from', directory, '--to', copy];
  const { exitCode, stderr } = await home.spawn(args, {
    env: {
      NODE_OPTIONS: `--import=${fileURLToPath(new URL('../../support/interrupt-copy.ts', import.meta.url))}`,
      TEST_INTERRUPT_AT: home.path('copy', 'unfinished-copy.json'),
    },
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: 'Interrupted; run the same command again to continue' });
  expect(await home.json(['daemon', 'start', '--port', '0', '--data-dir', copy])).toMatchObject({
    exit: 7,
    body: { error: { message: `The copy into ${copy} is not complete` } },
  });
  expect(await home.json(args)).toMatchObject({ exit: 0, body: { data: { ok: true, rows: expect.any(Number) as number } } });
});

test(`${String(ROWS)} rows are copied with a heap of 128 MB`, async () => {
  await using home = await makeHome();
  const [directory, database] = [await createDirectoryWithRows(ROWS), await createTestDatabase()];
  const env = { ...database.env, NODE_OPTIONS: '--max-old-space-size=128' };
  const { exit, body } = await home.json(['migrate', '--from', directory, '--to', database.address], { env });
  expect({ exit, ok: body.data.ok as boolean }).toEqual({ exit: 0, ok: true });
});

test('what cannot be copied is one clear sentence with its exit code', async () => {
  await using home = await makeHome();
  const database = await createTestDatabase();
  await home.start();
  const used = getData(home);
  const [empty, file, copy] = [home.path('empty'), home.path('file'), home.path('copy')];
  await mkdir(empty);
  await writeFile(file, '');
  const [secret, withPassword] = ['s3cret', database.address.replace('@', ':s3cret@')];
  const cases: readonly (readonly [args: readonly string[], exit: number, message: string])[] = [
    [['--from', used], 2, 'Missing required flag --to'],
    [['--from', '', '--to', copy], 2, 'Invalid --from: it is empty'],
    [['--from', 'mysql://localhost/x', '--to', copy], 2, 'Invalid --from: a store at mysql:// is not supported, only at postgres://'],
    [['--from', used, '--to', withPassword], 2, 'The password in --to is visible to every user of this machine'],
    [['--from', used, '--to', used], 2, `--from and --to are the same: ${used}`],
    [['--from', home.path('missing'), '--to', copy], 7, `There is no directory ${home.path('missing')}`],
    [['--from', empty, '--to', copy], 7, `${empty} has no data`],
    [['--from', file, '--to', copy], 7, `${file} is a file, not a data directory`],
    [['--from', used, '--to', copy], 7, `A daemon uses the data directory ${used}`],
    [['--from', database.address, '--to', copy], 7, `The database ${database.address} has no data`],
    [
      ['--from', 'postgres://me@127.0.0.1:1/x', '--to', copy],
      7,
      'The store is unavailable: nothing listens at the address of the database (postgres://me@127.0.0.1:1/x)',
    ],
  ];
  for (const [args, exit, message] of cases) {
    const ran = await home.json(['migrate', ...args], { env: database.env });
    expect({ args, exit: ran.exit, message: ran.body.error.message as string }).toEqual({ args, exit, message });
    expect(ran.stdout + ran.stderr).not.toContain(secret);
  }
  expect(existsSync(copy)).toBe(false);
  await stop(home);
  const into = await createDirectoryWithRows(1);
  expect(await home.json(['migrate', '--from', used, '--to', into])).toMatchObject({
    exit: 5,
    body: { error: { message: `${into} already has data`, hint: 'Use an empty target' } },
  });
});
