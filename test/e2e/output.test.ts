/** What a reader gets: a program in a pipe, a pager that stalls, somebody who has seen enough. */
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openExport } from '../../src/cli/export-file.ts';
import { readFile } from 'node:fs/promises';
import { type Shop, openShop } from '../support/shop.ts';

const COUNT = 450;
const NASTY = { name: 'Ünïcode "quoted", 咖啡', sku: 'NASTY', notes: 'two\nlines\tand a tab' };
const RUN = new URL('../../bin/run.js', import.meta.url).pathname;

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

describe('in a pipe', () => {
  test('a list is tab-separated with a header, one record a line, nothing shortened', async () => {
    const { stdout, stderr } = await run(...nasty);
    expect(stdout).toBe(`name\tsku\tnotes\tsalePrice\tisActive\n${NASTY.name}\tNASTY\ttwo\\nlines\\tand a tab\t\ttrue`);
    expect(stderr).toBe('');
  });

  test.for(['table', 'json', 'ndjson', 'csv', 'yaml', 'id'])('-o %s has no escape codes on either stream', async (format) => {
    const { exit, stdout, stderr } = await run('items', 'list', '--limit', '3', '-o', format);
    expect(exit).toBe(0);
    expect(stdout).not.toBe('');
    expect(stdout + stderr).not.toContain('\u001b');
  });

  test('--json is the body of the service, byte for byte', async () => {
    const { text } = await shop.http('GET', '/v1/items?search=NASTY');
    expect((await run('items', 'list', '--search', 'NASTY', '--json')).stdout).toBe(text);
  });

  test('ndjson, csv, yaml and id keep the data', async () => {
    const format = async (name: string) => (await run(...nasty, '-o', name)).stdout;
    const record = { name: NASTY.name, sku: 'NASTY', notes: NASTY.notes, salePrice: null, isActive: true };
    expect(JSON.parse(await format('ndjson'))).toEqual(record);
    expect(await format('csv')).toBe(`name,sku,notes,salePrice,isActive\r\n"Ünïcode ""quoted"", 咖啡",NASTY,"two\nlines\tand a tab",,true`);
    expect(await format('yaml')).toBe(
      `- name: ${JSON.stringify(NASTY.name)}\n  sku: NASTY\n  notes: "two\\nlines\\tand a tab"\n  salePrice: null\n  isActive: true`,
    );
    expect(await format('id')).toMatch(/^[\da-f-]{36}$/u);
  });

  test('-o id is refused where there is none', async () => {
    expect(await run('usage', '-o', 'id')).toMatchObject({ exit: 2, stdout: '' });
  });

  test('a wrong column is refused with the right ones, before anything is asked of the service', async () => {
    const { exit, stdout, stderr } = await run('items', 'list', '--columns', 'naem', '--url', 'http://127.0.0.1:1');
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain('did you mean "name"?');
    expect(stderr).toContain('columns: id, name, itemType');
  });
});

test('on a terminal that has not been told its size, a table is as wide as 80 columns', async () => {
  const list = ['items', 'list', '--limit', '3', '--no-color'];
  const { stdout } = await shop.home.terminal(list, { columns: 0 });
  expect(stdout).toBe((await shop.home.terminal(list, { columns: 80 })).stdout);
  expect(stdout).toMatch(/^NAME +SKU/u);
});

test.for([['snapshot'], ['faults'], ['webhooks']])('%s list of no rows says so on a terminal, and nothing in a pipe', async ([topic]) => {
  expect((await shop.home.terminal([String(topic), 'list'])).stdout).toBe('nothing found');
  expect((await shop.home.run([String(topic), 'list'])).stderr).toBe('');
});

describe('how much of a list', () => {
  test('a page that is not the whole says so on stderr', async () => {
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
  ] as const)('%j prints that many rows', async ([args, expected]) => {
    const { stdout } = await run('items', 'list', ...args, '-o', 'id');
    expect(stdout === '' ? [] : stdout.split('\n')).toHaveLength(expected);
  });

  test('--all --json is one body with every record once', async () => {
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

  test('that has seen enough ends the command silently and well', async () => {
    const { exitCode, stdout, stderr } = await pipeline('"$NODE" "$RUN" items list --all -o ndjson | head -1');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ id: expect.any(String) });
  });

  test('that stalls loses nothing', async () => {
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

describe('an audit export', () => {
  const out = () => shop.home.path('audit.ndjson');

  test('is one event a line in a pipe, and the last page with its cursor with --json', async () => {
    const { stdout } = await run('audit', 'export', '--action-prefix', 'item.', '--limit', '5');
    expect(stdout.split('\n').map((line) => (JSON.parse(line) as { action: string }).action)).toEqual(
      Array.from({ length: 5 }, () => 'item.created'),
    );
    const { body } = await shop.home.json(['audit', 'export', '--action-prefix', 'item.']);
    expect(body.data).toHaveLength(COUNT);
    expect(body.pagination).toEqual({ hasMore: false, nextCursor: { createdAt: body.data.at(-1).createdAt, id: body.data.at(-1).id } });
  });

  test('goes to a file that is whole or not there, and --resume adds what is new', async () => {
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

  test('that was cut off in the middle of a page goes on behind the last whole one', async () => {
    const path = shop.home.path('cut.ndjson');
    const { body } = await shop.home.json(['audit', 'export', '--action-prefix', 'item.']);
    const events = body.data as { createdAt: string; id: string }[];
    const cut = await openExport(path, JSON.stringify({ format: 'ndjson', action_prefix: 'item.' }), false);
    const whole = events.slice(0, 100);
    await cut.write(whole.map((event) => `${JSON.stringify(event)}\n`).join(''));
    await cut.mark({ createdAt: whole.at(-1)?.createdAt ?? '', id: whole.at(-1)?.id ?? '' });
    await cut.write('{"id":"half a li');
    await cut.close();

    const resumed = await run('audit', 'export', '--action-prefix', 'item.', '--out', path, '--resume');
    expect(resumed).toMatchObject({ exit: 0, stderr: `${String(COUNT - 100)} events written to ${path}` });
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(events);
  });
});
