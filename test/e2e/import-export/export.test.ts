/** Exports to files and pipes: complete, resumable, and consistent during concurrent writes. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { execa } from 'execa';
import { parse } from 'csv-parse/sync';
import { request } from 'undici';
import { startBetween } from '../../support/servers/intercepting-proxy.ts';
import { RUN } from '../../support/cli/home.ts';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

const COUNT = 1_000;
const NASTY = { name: 'Ünïcode "quoted", 咖啡; ', sku: 'NASTY', notes: 'two\r\nlines\tand a tab', salePrice: 0.1 };

let shop: Shop;
let ids: string[];
beforeAll(async () => {
  shop = await openShop([NASTY]);
  const input = Array.from({ length: COUNT - 1 }, (_, at) =>
    JSON.stringify({ name: `Part ${String(at)}`, sku: `P-${String(at)}`, notes: 'x'.repeat(100) }),
  );
  const { exit, stderr } = await shop.home.run(['items', 'import', '-'], { input: `${input.join('\n')}\n` });
  if (exit !== 0) throw new Error(stderr);
  ids = (await shop.home.run(['items', 'list', '--all', '--sort', 'created_at', '-o', 'id'])).stdout.split('\n');
});
afterAll(() => shop[Symbol.asyncDispose]());

const run = (...args: string[]) => shop.home.run(args);
/** For a proxy, to which the saved key is not sent. */
const withKey = () => ({ env: { STOCKROOM_API_KEY: shop.key } });
const runAt = (url: string, ...args: string[]) => shop.home.run([...args, '--url', url], withKey());
const path = (name: string) => shop.home.path(name);
const records = (csv: string) => parse(csv, { columns: true }) as unknown as Record<string, string>[];
const getIds = (ndjson: string) =>
  ndjson
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: string }).id);

describe('an export', () => {
  test('to a file has all rows, columns and characters, and leaves no temporary files', async () => {
    const out = path('all.csv');
    expect(await run('items', 'export', '--out', out)).toEqual({ exit: 0, stdout: '', stderr: `1,000 items written to ${out}` });
    const rows = records(await readFile(out, 'utf8'));
    expect(rows.map(({ id }) => id)).toEqual(ids);
    expect(rows[0]).toMatchObject({
      name: NASTY.name.trim(),
      sku: 'NASTY',
      notes: NASTY.notes,
      salePrice: '0.1',
      isActive: 'true',
      'supplier.name': '',
    });
    expect([existsSync(`${out}.partial`), existsSync(`${out}.checkpoint`)]).toEqual([false, false]);
    expect((await stat(out)).mode & 0o777).toBe(0o600);
  });

  test('as NDJSON has the rows as the service sends them', async () => {
    const { stdout } = await run('items', 'export', '--format', 'ndjson', '--search', 'NASTY');
    const { text } = await shop.http('GET', '/v1/items?search=NASTY');
    expect(`{"data":[${stdout}],`).toBe(text.slice(0, stdout.length + 11));
  });

  test('to a pipe is CSV without escape codes, accepts filters and columns, and with --json is the list body', async () => {
    const { stdout, stderr } = await run('items', 'export', '--search', 'Part 99', '--columns', 'sku,name');
    expect(stdout.split('\r\n').slice(0, 2)).toEqual(['sku,name', 'P-99,Part 99']);
    expect(stdout + stderr).not.toContain('\u001b');
    expect(records(stdout)).toHaveLength(10);
    expect((await shop.home.json(['items', 'export', '--search', 'NASTY'])).body.data).toHaveLength(1);
    const contacts = await run('contacts', 'export');
    expect(contacts.stdout.split('\r\n')[0]).toBe(
      'id,name,email,phone,company,contactType,country,contactGroup,isPrimaryContact,isActive,createdAt,updatedAt,externalId,metadata',
    );
  });
});

/** Does something when a page is asked for. */
const between = (onPage: (page: number) => Promise<void> | void) =>
  startBetween(shop.daemon.url ?? '', shop.key, ({ url }) => onPage(Number(new URL(url ?? '', 'http://x').searchParams.get('page'))));

test('to a missing directory fails with a clear message and writes nothing', async () => {
  const out = path('nowhere/items.csv');
  const { exit, stdout, stderr } = await run('items', 'export', '--out', out);
  expect([exit, stdout]).toEqual([2, '']);
  expect(stderr).toBe(`Error: Cannot write ${out}: no such directory`);
});

test('to a file with an unsupported extension is rejected, unless a format is given', async () => {
  for (const name of ['all.json', 'all.xls', 'all.tsv', 'all.csv.gz']) {
    const out = path(name);
    const { exit, stderr } = await run('items', 'export', '--out', out);
    expect([exit, stderr]).toEqual([
      2,
      `Error: Unsupported file extension: ${out}\nHint:  Use .csv, .ndjson or .xlsx, or choose the format with --format`,
    ]);
    expect(existsSync(out)).toBe(false);
  }
  expect(await run('items', 'export', '--out', path('all.json'), '--format', 'ndjson')).toMatchObject({ exit: 0 });
  expect(await run('items', 'export', '--out', path('all.v2'))).toMatchObject({ exit: 0 });
  expect(await readFile(path('all.v2'), 'utf8')).toMatch(/^id,/u);
});

test('of the audit log to a .csv file is CSV, unless another format is given', async () => {
  const out = path('audit.csv');
  expect(await run('audit', 'export', '--limit', '2', '--out', out)).toMatchObject({ exit: 0 });
  expect(await readFile(out, 'utf8')).toMatch(/^id,/u);
  await run('audit', 'export', '--limit', '2', '--out', out, '--format', 'ndjson');
  expect(await readFile(out, 'utf8')).toMatch(/^\{"/u);
});

test.for([
  ['items', 'export'],
  ['audit', 'export'],
])('%s %s to a directory is rejected before any request and leaves no temporary files', async ([topic = '', verb = '']) => {
  const directory = shop.home.path(`out-${topic}`);
  await mkdir(directory);
  const { exit, stderr } = await runAt('http://127.0.0.1:9', topic, verb, '--out', directory);
  expect({ exit, stderr }).toEqual({
    exit: 2,
    stderr: `Error: Cannot write ${directory}: it is a directory\nHint:  Choose a file in it`,
  });
  expect(existsSync(`${directory}.partial`)).toBe(false);
});

describe('an export during concurrent writes', () => {
  // Pages are asked for ahead: those around the deletion come from before it and from after it.
  test.each([
    [3, 150],
    [4, 1],
    [2, 99],
  ])('has every row once when earlier rows are deleted at page %i', async (at, count) => {
    const out = path('deleting.ndjson');
    const gone = ids.slice(0, count);
    let deleted = false;
    await using proxy = await between(async (page) => {
      if (page !== at || deleted) return;
      deleted = true;
      for (const id of gone)
        await request(`${shop.daemon.url ?? ''}/v1/items/${id}`, { method: 'DELETE', headers: { 'x-api-key': shop.key } });
    });
    expect(await runAt(proxy.url, 'items', 'export', '--out', out)).toMatchObject({ exit: 0 });
    expect(deleted).toBe(true);
    expect(getIds(await readFile(out, 'utf8'))).toEqual(ids);
    ids = ids.slice(count);
  });

  test('has every row when as many rows are deleted as created', async () => {
    const out = path('exchanged.ndjson');
    const [gone = ''] = ids;
    let fresh = '';
    await using proxy = await between(async (page) => {
      if (page !== 2 || fresh !== '') return;
      await request(`${shop.daemon.url ?? ''}/v1/items/${gone}`, { method: 'DELETE', headers: { 'x-api-key': shop.key } });
      fresh = (await shop.http('POST', '/v1/items', { name: 'Fresh' })).body.data.id as string;
    });
    const expected = () => [...ids, fresh];
    expect(await runAt(proxy.url, 'items', 'export', '--out', out)).toMatchObject({ exit: 0 });
    expect(getIds(await readFile(out, 'utf8'))).toEqual(expected());
    ids = expected().slice(1);
  });

  test('has no row twice when earlier rows start to match the filter', async () => {
    const out = path('matching.ndjson');
    const [first = '', ...others] = ids;
    expect(await run('items', 'update', first, '--no-is-active')).toMatchObject({ exit: 0 });
    let changed = false;
    await using proxy = await between(async (page) => {
      if (page !== 2 || changed) return;
      changed = true;
      await run('items', 'update', first, '--is-active');
    });
    expect(await runAt(proxy.url, 'items', 'export', '--is-active', '--out', out)).toMatchObject({ exit: 0 });
    expect(getIds(await readFile(out, 'utf8'))).toEqual(others);
  });
});

describe('an interrupted export', () => {
  test('reports a full disk, leaves no file of that name, and continues with --resume', async () => {
    const out = path('full.ndjson');
    const limited = await execa('prlimit', ['--fsize=100000', process.execPath, RUN, 'items', 'export', '--out', out], {
      env: { ...shop.home.env },
      extendEnv: false,
      reject: false,
    });
    expect([limited.exitCode, limited.stdout]).toEqual([1, '']);
    expect(limited.stderr).toContain(`Cannot write ${out}: no space left on the disk`);
    expect(limited.stderr).toContain('Free some space, then continue with --resume');
    expect(existsSync(out)).toBe(false);
    expect(await run('items', 'export', '--out', out, '--resume')).toMatchObject({ exit: 0 });
    expect(getIds(await readFile(out, 'utf8'))).toEqual(ids);
  });

  test('exits with 130 on Ctrl-C and resumes after its last page', async () => {
    const out = path('interrupted.csv');
    let asked = 0;
    await using proxy = await between((page) => {
      asked = page;
      // The page after the one that is being written is held back until the signal has come.
      if (page === 3) child.kill('SIGINT');
    });
    const child = shop.home.spawn(['items', 'export', '--out', out, '--url', proxy.url], withKey());
    const { exitCode, stderr } = await child;
    expect(exitCode).toBe(130);
    expect(String(stderr)).toContain('continue with --resume');
    expect(asked).toBeLessThanOrEqual(4);
    expect(existsSync(out)).toBe(false);
    expect(await runAt(proxy.url, 'items', 'export', '--out', out, '--resume')).toMatchObject({ exit: 0 });
    expect(records(await readFile(out, 'utf8')).map(({ id }) => id)).toEqual(ids);
  });

  test('of another tenant is not continued', async () => {
    expect((await run('tenants', 'create', '--slug', 'other', '--name', 'Other')).exit).toBe(0);
    const env = { STOCKROOM_API_KEY: await shop.addKey(['--tenant', 'other']) };
    const out = path('items-of-other.csv');
    await using proxy = await between((page) => void (page === 3 && child.kill('SIGINT')));
    const child = shop.home.spawn(['items', 'export', '--out', out, '--url', proxy.url], withKey());
    expect((await child).exitCode).toBe(130);
    const audit = ['audit', 'export', '--out', path('audit-of-other.ndjson'), '--resume'];
    expect(await run(...audit)).toMatchObject({ exit: 0 });
    for (const args of [['items', 'export', '--out', out, '--resume'], audit]) {
      const { exit, stderr } = await shop.home.run(args, { env });
      expect([exit, stderr]).toEqual([2, expect.stringContaining('or of another service or tenant')]);
    }
    expect(await runAt(proxy.url, 'items', 'export', '--out', out, '--resume')).toMatchObject({ exit: 0 });
    expect(await run(...audit)).toMatchObject({ exit: 0 });
  });

  test('leaves no file of that name after kill -9, and completes with and without --resume', async () => {
    for (const more of [[], ['--resume']]) {
      const out = path(`killed-${String(more.length)}.ndjson`);
      await using proxy = await between(async (page) => {
        if (page < 3) return;
        child.kill('SIGKILL');
        await child;
      });
      const child = shop.home.spawn(['items', 'export', '--out', out, '--url', proxy.url], withKey());
      await child;
      expect([existsSync(out), existsSync(`${out}.partial`)]).toEqual([false, true]);
      expect(await runAt(proxy.url, 'items', 'export', '--out', out, ...more)).toMatchObject({ exit: 0 });
      expect(getIds(await readFile(out, 'utf8'))).toEqual(ids);
    }
  });

  test('to the file of another export that is not finished is refused, and the first one completes', async () => {
    const out = path('shared.ndjson');
    let second: unknown;
    await using proxy = await between(async (page) => {
      if (page === 3) second = await run('items', 'export', '--out', out);
    });
    const first = await shop.home.spawn(['items', 'export', '--out', out, '--url', proxy.url], withKey());
    expect(second).toMatchObject({ exit: 5, stderr: expect.stringContaining(`Another export is writing ${out}`) as string });
    expect(first.exitCode).toBe(0);
    expect(getIds(await readFile(out, 'utf8'))).toEqual(ids);
    expect((await readdir(dirname(out))).filter((name) => name.startsWith('shared.'))).toEqual(['shared.ndjson']);
  });

  test('whose file another program replaces meanwhile fails, and does not rename what it did not write', async () => {
    const out = path('replaced.ndjson');
    await using proxy = await between(async (page) => {
      if (page !== 3) return;
      await rm(`${out}.partial`);
      await writeFile(`${out}.partial`, 'of another program');
    });
    const { exitCode, stderr } = await shop.home.spawn(['items', 'export', '--out', out, '--url', proxy.url], withKey());
    expect([exitCode, existsSync(out)]).toEqual([1, false]);
    expect(String(stderr)).toContain('was removed or replaced by another program');
    expect(await readFile(`${out}.partial`, 'utf8')).toBe('of another program');
  });

  test('a full disk of a redirected stdout is reported in one sentence, without a stack trace', async () => {
    const command = `prlimit --fsize=4096 "$0" "$1" items export > "${path('redirected.csv')}"`;
    const { exitCode, stderr } = await execa('sh', ['-c', command, process.execPath, RUN], {
      env: { ...shop.home.env },
      extendEnv: false,
      reject: false,
    });
    expect([exitCode, stderr]).toEqual([1, 'Error: Cannot write output: no space left on the disk']);
  });
});

test('--csv-safe keeps formulas out of every CSV output', async () => {
  const formula = '=cmd|calc';
  const { body } = await shop.http('POST', '/v1/items', { name: formula });
  const id = (body as { data: { id: string } }).data.id;
  try {
    const out = path('safe.csv');
    for (const args of [
      ['items', 'list', '--all', '-o', 'csv'],
      ['items', 'get', id],
      ['items', 'export'],
    ]) {
      expect((await run(...args, '--csv-safe')).stdout).toContain(`,'${formula},`);
      expect((await run(...args, ...(args[1] === 'get' ? ['-o', 'csv'] : []))).stdout).toContain(`,${formula},`);
    }
    expect(await run('items', 'export', '--csv-safe', '--out', out)).toMatchObject({ exit: 0 });
    expect(await readFile(out, 'utf8')).toContain(`,'${formula},`);
    expect((await run('audit', 'export', '--csv-safe')).stdout).toMatch(/^id,createdAt,/u);
    for (const args of [
      ['items', 'list', '-o', 'yaml'],
      ['items', 'export', '--out', path('safe.ndjson')],
      ['audit', 'export', '--format', 'ndjson'],
      ['items', 'list', '--json'],
    ])
      expect((await run(...args, '--csv-safe')).exit, args.join(' ')).toBe(2);
  } finally {
    await run('items', 'delete', id, '--yes');
  }
});
