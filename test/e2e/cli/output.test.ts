/** Output of commands: formats, tables, pipes that close or stall, and audit exports. */
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openExport } from '../../../src/cli/bulk/files/export-file.ts';
import { readFile, writeFile } from 'node:fs/promises';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

const COUNT = 450;
const NASTY = { name: 'Ünïcode "quoted", 咖啡', sku: 'NASTY', notes: 'two\nlines\tand a tab' };
const RUN = new URL('../../../bin/run.js', import.meta.url).pathname;

let shop: Shop;
beforeAll(async () => {
  const many = Array.from({ length: COUNT - 1 }, (_, at) => ({
    name: `Part ${String(at).padStart(4, '0')}`,
    sku: `P-${String(at)}`,
    notes: 'x'.repeat(200),
  }));
  shop = await openShop([...many, NASTY]);
});
afterAll(() => shop[Symbol.asyncDispose]());

const run = (...args: string[]) => shop.home.run(args);
const nasty = ['items', 'list', '--search', 'NASTY', '--columns', 'name,sku,notes,salePrice,isActive'];

describe('output to a pipe', () => {
  test('is tab-separated with a header, one record per line, untruncated', async () => {
    const { stdout, stderr } = await run(...nasty);
    expect(stdout).toBe(`name\tsku\tnotes\tsalePrice\tisActive\n${NASTY.name}\tNASTY\ttwo\\nlines\\tand a tab\t\ttrue`);
    expect(stderr).toBe('');
  });

  test.for(['table', 'json', 'ndjson', 'csv', 'yaml', 'id'])('has no escape codes on stdout or stderr with -o %s', async (format) => {
    const { exit, stdout, stderr } = await run('items', 'list', '--limit', '3', '-o', format);
    expect(exit).toBe(0);
    expect(stdout).not.toBe('');
    expect(stdout + stderr).not.toContain('\u001b');
  });

  test('is what a jq expression selects, and a wrong one is reported before anything is sent', async () => {
    const selected = await run('items', 'list', '--search', 'NASTY', '--jq', String.raw`.data[] | "\(.sku): \(.notes | length)", {sku}`);
    expect(selected).toEqual({ exit: 0, stdout: 'NASTY: 19\n{"sku":"NASTY"}', stderr: '' });
    expect((await run('items', 'list', '--all', '--jq', '.data | length')).stdout).toBe(String(COUNT));
    const wrong = await run('items', 'create', '--name', 'Never created', '--jq', '.data[');
    expect(wrong).toMatchObject({
      exit: 2,
      stderr: expect.stringMatching(/^Error: Invalid --jq: syntax error, unexpected end of file\nHint:/u),
    });
    expect((await run('items', 'list', '--search', 'Never created', '--jq', '.pagination.total')).stdout).toBe('0');
    const unfit = await run('items', 'list', '--limit', '1', '--jq', '.data.sku');
    expect(unfit).toMatchObject({ exit: 2, stdout: '', stderr: expect.stringContaining('Cannot index array with string ("sku")') });
    expect(await run('items', 'get', 'NOPE', '--jq', '.data')).toMatchObject({
      exit: 3,
      stdout: '',
      stderr: expect.stringContaining('No item'),
    });
  });

  test('is the exact response body with --json', async () => {
    const { text } = await shop.http('GET', '/v1/items?search=NASTY');
    expect((await run('items', 'list', '--search', 'NASTY', '--json')).stdout).toBe(text);
  });

  test('has the same data as ndjson, csv, tsv, yaml and id', async () => {
    const format = async (name: string) => (await run(...nasty, '-o', name)).stdout;
    const record = { name: NASTY.name, sku: 'NASTY', notes: NASTY.notes, salePrice: null, isActive: true };
    expect(JSON.parse(await format('ndjson'))).toEqual(record);
    expect(await format('csv')).toBe(`name,sku,notes,salePrice,isActive\r\n"Ünïcode ""quoted"", 咖啡",NASTY,"two\nlines\tand a tab",,true`);
    expect(await format('yaml')).toBe(
      `- name: ${JSON.stringify(NASTY.name)}\n  sku: NASTY\n  notes: "two\\nlines\\tand a tab"\n  salePrice: null\n  isActive: true`,
    );
    expect(await format('tsv')).toBe((await run(...nasty)).stdout);
    expect(await format('id')).toMatch(/^[\da-f-]{36}$/u);
  });

  test('-o id is rejected for output without ids', async () => {
    expect(await run('usage', '-o', 'id')).toMatchObject({ exit: 2, stdout: '' });
  });

  test('an unknown column is rejected before any request, with the valid ones', async () => {
    const { exit, stdout, stderr } = await run('items', 'list', '--columns', 'naem', '--url', 'http://127.0.0.1:1');
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain('Did you mean "name"?');
    expect(stderr).toContain('Columns: id, name, itemType');
  });

  test.for([
    ['onhand', 'Did you mean "onHand"?'],
    ['SKU', 'Did you mean "sku"?'],
    ['price', 'Did you mean "salePrice" or "purchasePrice"?'],
  ] as const)('a column in another case or named in part is rejected, and the one that was meant is named: %s', async ([column, text]) => {
    const { exit, stdout, stderr } = await run('items', 'list', '--columns', column);
    expect([exit, stdout, stderr]).toEqual([2, '', expect.stringContaining(text)]);
  });

  test('the last part of a path is enough for a column', async () => {
    const { stdout } = await run('items', 'list', '--columns', 'sku,company,onHand', '--limit', '1');
    expect(stdout.split('\n')[0]).toBe('sku\tsupplier.company\tonHand');
  });
});

test('a table is 80 columns wide in a terminal of unknown size', async () => {
  const list = ['items', 'list', '--limit', '3', '--no-color'];
  const { stdout } = await shop.home.terminal(list, { columns: 0 });
  expect(stdout).toBe((await shop.home.terminal(list, { columns: 80 })).stdout);
  expect(stdout).toMatch(/^NAME +SKU/u);
});

test.for([['snapshot'], ['faults'], ['webhooks']])('an empty %s list prints a message only in a terminal', async ([topic]) => {
  expect((await shop.home.terminal([String(topic), 'list'])).stdout).toBe('No results');
  expect((await shop.home.run([String(topic), 'list'])).stderr).toBe('');
});

describe('length of a list', () => {
  test('an incomplete list is reported on stderr', async () => {
    const { stdout, stderr } = await run('items', 'list', '--columns', 'sku');
    expect(stdout.split('\n')).toHaveLength(51);
    expect(stderr).toBe(`50 of ${String(COUNT)} — use --all for every row`);
  });

  test.for([
    [['--limit', '7'], 7],
    [['--limit', '333'], 333],
    [['--all'], COUNT],
    [['--page', '9', '--page-size', '50'], 50],
    [['--page', '10'], 0],
  ] as const)('%j prints the requested number of rows', async ([args, expected]) => {
    const { stdout } = await run('items', 'list', ...args, '-o', 'id');
    expect(stdout === '' ? [] : stdout.split('\n')).toHaveLength(expected);
  });

  test.for([['-o', 'csv'], ['-o', 'table'], ['--json']])('--all --stock %j adds the stock of each item', async (format) => {
    const { exit, stdout, stderr } = await run('items', 'list', '--all', '--stock', '--columns', 'sku,onHand', ...format);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout.match(/P-\d+(?:,|\s+)0\b|"onHand":0\b/gu)).toHaveLength(format.includes('--json') ? COUNT : COUNT - 1);
  });

  test('--all --json prints one body with every record once', async () => {
    const { body } = await shop.home.json(['items', 'list', '--all']);
    expect(body.pagination).toEqual({ page: 1, pageSize: COUNT, total: COUNT, totalPages: 1 });
    expect(new Set((body.data as { id: string }[]).map(({ id }) => id)).size).toBe(COUNT);
  });
});

describe('a reader', () => {
  const pipeline = (script: string) =>
    execa('bash', ['-o', 'pipefail', '-c', script], {
      env: { ...shop.home.env, RUN, NODE: process.execPath },
      extendEnv: false,
      reject: false,
    });

  test('that closes the pipe ends the command without an error', async () => {
    const { exitCode, stdout, stderr } = await pipeline('"$NODE" "$RUN" items list --all -o ndjson | head -1');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ id: expect.any(String) });
  });

  test.for([
    ['of messages', '2>&4'],
    ['of the output', '--json >&4'],
  ])('%s that closes the pipe neither ends an import nor turns its failure into success', async ([, redirect = '']) => {
    const path = shop.home.path(`closed-${String(redirect.length)}.csv`);
    const name = `Closed ${String(redirect.length)}`;
    await writeFile(path, `name,email\n${name},one@example.com\n${name},wrong\n${name},two@example.com\n`);
    // A pipe whose reader has gone before the command starts.
    const pipe = shop.home.path(`pipe-${String(redirect.length)}`);
    const { exitCode } = await pipeline(
      `mkfifo '${pipe}'; exec 3<>'${pipe}' 4>'${pipe}' 3<&-; "$NODE" "$RUN" contacts import '${path}' --skip-invalid --errors '${path}.errors' ${redirect}`,
    );
    expect(exitCode).toBe(8);
    expect((await shop.home.json(['contacts', 'list', '--search', name])).body.pagination.total).toBe(2);
  });

  test('that stalls loses no output', async () => {
    const child = shop.home.spawn(['items', 'list', '--all', '-o', 'ndjson']);
    child.stdout?.pause();
    // Far more than a pipe holds is waiting while another command runs from start to end.
    await run('items', 'list', '--limit', '1');
    child.stdout?.resume();
    const { exitCode, stdout } = await child;
    expect(exitCode).toBe(0);
    expect(String(stdout).split('\n')).toHaveLength(COUNT);
  });
});

test.for([
  [['webhooks', 'listen', '-o', 'csv'], 'does not support -o csv'],
  [['webhooks', 'listen', '--columns', 'event'], 'does not support --columns'],
  [['usage', '--watch', '-o', 'csv'], 'does not support -o csv'],
  [['usage', '--watch', '--columns', 'keyId'], 'does not support --columns'],
] as const)('%j is rejected at a terminal and in a pipe instead of ignored', async ([args, reason]) => {
  for (const options of [{}, { columns: 80 }]) {
    const { exit, stdout, stderr } = await shop.home.run(args, options);
    expect([exit, stdout, stderr]).toEqual([2, '', expect.stringContaining(reason)]);
  }
});

describe('an audit export', () => {
  const out = () => shop.home.path('audit.ndjson');

  test('prints one event per line in a pipe, and the last page and its cursor with --json', async () => {
    const { stdout } = await run('audit', 'export', '--action-prefix', 'item.', '--limit', '5');
    expect(stdout.split('\n').map((line) => (JSON.parse(line) as { action: string }).action)).toEqual(
      Array.from({ length: 5 }, () => 'item.created'),
    );
    const { body } = await shop.home.json(['audit', 'export', '--action-prefix', 'item.']);
    expect(body.data).toHaveLength(COUNT);
    expect(body.pagination).toEqual({ hasMore: false, nextCursor: { createdAt: body.data.at(-1).createdAt, id: body.data.at(-1).id } });
  });

  test('writes its file atomically, and --resume appends new events', async () => {
    const first = await run('audit', 'export', '--action-prefix', 'item.', '--out', out(), '--resume', '--limit', '400');
    expect(first).toMatchObject({ exit: 0, stderr: `400 events written to ${out()}` });
    const second = await run('audit', 'export', '--action-prefix', 'item.', '--out', out(), '--resume');
    expect(second.stderr).toBe(`50 events written to ${out()}`);
    const lines = (await readFile(out(), 'utf8')).trimEnd().split('\n');
    const { body } = await shop.home.json(['audit', 'export', '--action-prefix', 'item.']);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(body.data);

    const other = await run('audit', 'export', '--action-prefix', 'order.', '--out', out(), '--resume');
    expect(other.exit).toBe(2);
    expect(other.stderr).toContain('other filters');
  });

  test('interrupted within a page resumes after the last complete page', async () => {
    const path = shop.home.path('cut.ndjson');
    const { body } = await shop.home.json(['audit', 'export', '--action-prefix', 'item.']);
    const events = body.data as { createdAt: string; id: string }[];
    const { tenant } = (await shop.home.json(['auth', 'context'])).body.data as { tenant: { id: string } };
    const fingerprint = JSON.stringify({ format: 'ndjson', action_prefix: 'item.', destination: [shop.daemon.dataDir, tenant.id] });
    const cut = await openExport(path, () => Promise.resolve(fingerprint), false);
    const whole = events.slice(0, 100);
    await cut.write(whole.map((event) => `${JSON.stringify(event)}\n`).join(''));
    await cut.saveCheckpoint({ createdAt: whole.at(-1)?.createdAt ?? '', id: whole.at(-1)?.id ?? '' });
    await cut.write('{"id":"half a li');
    await cut.close();

    const resumed = await run('audit', 'export', '--action-prefix', 'item.', '--out', path, '--resume');
    expect(resumed).toMatchObject({ exit: 0, stderr: `${String(COUNT - 100)} events written to ${path}` });
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(events);
  });
});
