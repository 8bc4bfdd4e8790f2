/** Export, edit and import again: exactly the edited rows change. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Home, makeHome } from '../../support/cli/home.ts';

let home: Home;
beforeAll(async () => {
  home = await makeHome();
  await home.start(['--demo', '--test-clock', '--tier', 'bulk=1000000', '--tier', 'few=6']);
  await home.run(['profile', 'use', 'kestrel-coffee']);
  await home.run(['keys', 'create', '--all-scopes', '--tier', 'bulk', '--tenant', 'kestrel-coffee', '--save']);
  await home.run(['items', 'create', '--name', 'No code', '--notes', ' two\nlines, "quoted" ']);
});
afterAll(() => home[Symbol.asyncDispose]());

const save = async (resource: string, path: string) => {
  const ran = await home.run([resource, 'export', '--out', path]);
  expect(ran, ran.stderr).toMatchObject({ exit: 0 });
  return readFile(path, 'utf8');
};
/** Imports a file. Returns the summary and the methods of all requests. */
const load = async (resource: string, path: string, ...more: string[]) => {
  const args = [resource, 'import', path, '--errors', `${path}.errors`, '--verbose', ...more];
  const { exit, body, stderr } = await home.json(args);
  const requests = stderr.match(/^(?:GET|POST|PATCH|DELETE)(?= )/gmu) ?? [];
  return { exit, data: (body as { data: unknown }).data, stderr, writes: requests.filter((method) => method !== 'GET').length };
};

describe.for([
  ['items', 'csv', 'No code', 'No code A'],
  ['items', 'ndjson', 'No code A', 'No code B'],
  ['contacts', 'csv', 'Duarte Pinto', 'Duarte A'],
  ['contacts', 'ndjson', 'Duarte A', 'Duarte B'],
] as const)('an export of all %s of the demo as %s', ([resource, format, name, edited]) => {
  test('imported with --upsert id changes nothing and sends no write; edited rows are changed', async () => {
    const path = home.path(`${resource}.${format}`);
    const text = await save(resource, path);
    const rows = text.trimEnd().split(/\n(?=\{|[\da-f]{8}-)/u).length - (format === 'csv' ? 1 : 0);
    expect(rows).toBeGreaterThan(10);
    expect(await load(resource, path, '--upsert', 'id')).toMatchObject({
      exit: 0,
      writes: 0,
      data: { status: 'done', rows, created: 0, updated: 0, unchanged: rows, repeated: 0, refused: 0 },
    });
    const before = await save(resource, home.path('before.ndjson'));
    await writeFile(path, text.replace(name, edited));
    expect(await load(resource, path, '--upsert', 'id')).toMatchObject({
      exit: 0,
      writes: 1,
      data: { rows, created: 0, updated: 1, unchanged: rows - 1, refused: 0 },
    });
    const after = (await save(resource, home.path('after.ndjson'))).split('\n');
    const changed = before.split('\n').filter((line) => !after.includes(line));
    expect(changed).toHaveLength(1);
    expect(after.filter((line) => line.includes(edited))).toHaveLength(1);
  });
});

describe.for(['csv', 'ndjson'])('an export of items as %s, imported without --upsert', (format) => {
  test('is rejected with a hint for updates and for copies, also by a dry run', async () => {
    const path = home.path(`no-upsert.${format}`);
    await save('items', path);
    for (const more of [[], ['--dry-run'], ['--skip-invalid']]) {
      const { exit, stderr } = await home.run(['items', 'import', path, '--errors', `${path}.errors`, ...more]);
      expect([exit, stderr]).toEqual([
        2,
        `Error: ${path} has ids of existing items, the first in line ${format === 'csv' ? '2' : '1'}\n` +
          'Hint:  Pass --upsert id to update these items, or --map id= to create new ones',
      ]);
    }
    const copies = home.path(`copies.${format}`);
    const { data } = await home
      .json(['items', 'list', '--search', 'No code', '--limit', '1'])
      .then(({ body }) => body as { data: { id: string }[] });
    await writeFile(
      copies,
      format === 'csv'
        ? `id,name\n${data[0]?.id ?? ''},Copy ${format}\n,Copy without id\n`
        : `{"id":"${data[0]?.id ?? ''}","name":"Copy ${format}"}\n`,
    );
    expect(await load('items', copies, '--map', 'id=', '--fresh')).toMatchObject({ exit: 0, data: { updated: 0 } });
  });
});

describe('--upsert', () => {
  test('with --dry-run counts what would be created, updated, unchanged and rejected, and sends nothing', async () => {
    const path = home.path('planned.csv');
    const text = await save('items', path);
    await writeFile(path, text.replace('KES-GU-250', 'KES-GU-251'));
    const run = (...more: string[]) => home.run(['items', 'import', path, '--dry-run', '--upsert', 'id', ...more]);
    const before = await save('items', home.path('before-plan.ndjson'));
    expect(await run()).toMatchObject({
      exit: 0,
      stderr: expect.stringMatching(/^\d+ items checked: 1 to update, \d+ unchanged. Dry run: nothing was sent$/u) as string,
    });
    const unknown = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';
    await writeFile(path, `id,name\n,Planned\n${unknown},Lost\n`);
    expect(await run()).toMatchObject({
      exit: 8,
      stderr: `Line 3: there is no item with the id ${unknown}; omit the id to create one\n2 items checked: 1 to create, 1 to reject. Dry run: nothing was sent`,
    });
    const { body } = await home.json(['items', 'import', path, '--dry-run', '--upsert', 'id']);
    expect((body as { data: unknown }).data).toMatchObject({
      status: 'checked',
      rows: 2,
      created: 1,
      updated: 0,
      unchanged: 0,
      refused: 1,
    });
    expect(await save('items', home.path('after-plan.ndjson'))).toBe(before);
  });

  const list = async (query: string) => (await home.json(['items', 'list', '--search', query])).body.data as Record<string, unknown>[];

  test('sku sends one request per changed row', async () => {
    const path = home.path('prices.csv');
    const rows = (await list('KES-')).map(({ name, sku, salePrice }) => [name, sku, salePrice] as const);
    expect(rows.length).toBeGreaterThan(3);
    const lines = rows.map(
      ([name, sku, price], at) => `"${String(name)}",${String(sku)},${at === 1 ? '99.50' : JSON.stringify(price ?? '')}\n`,
    );
    await writeFile(path, `name,sku,salePrice\n${lines.join('')}`);
    expect(await load('items', path, '--upsert', 'sku')).toMatchObject({
      exit: 0,
      writes: 1,
      data: { updated: 1, unchanged: rows.length - 1 },
    });
    expect(await load('items', path, '--upsert', 'sku')).toMatchObject({ writes: 0, data: { updated: 0, unchanged: rows.length } });
    expect((await list(String(rows[1]?.[1])))[0]).toMatchObject({ salePrice: 99.5 });
  });

  test('sku creates an item again that was imported and deleted since', async () => {
    const path = home.path('deleted.csv');
    await writeFile(path, 'name,sku\nDeleted,DEL-1\n');
    expect(await load('items', path, '--upsert', 'sku')).toMatchObject({ data: { created: 1 } });
    expect(await home.run(['items', 'delete', 'DEL-1', '--yes'])).toMatchObject({ exit: 0 });
    expect(await load('items', path, '--upsert', 'sku')).toMatchObject({ data: { created: 1, repeated: 0 } });
    expect(await list('DEL-1')).toHaveLength(1);
  });

  test('makes a record equal to the file again if it was changed since', async () => {
    const [item] = await list('KES-HB-250');
    const path = home.path('again.csv');
    await writeFile(path, `id,notes\n${String(item?.['id'])},from file\n`);
    expect(await load('items', path, '--upsert', 'id')).toMatchObject({ data: { updated: 1 } });
    expect((await home.run(['items', 'update', String(item?.['id']), '--notes', 'by hand'])).exit).toBe(0);
    expect(await load('items', path, '--upsert', 'id')).toMatchObject({ data: { updated: 1, repeated: 0 } });
    expect((await list('KES-HB-250'))[0]).toMatchObject({ notes: 'from file' });
  });

  test('id creates rows without an id, and rejects unknown ids in a file that can be imported again', async () => {
    const unknown = '7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e';
    const path = home.path('mixed.csv');
    await writeFile(path, `id,name,sku\n,Made by upsert,UPS-1\n${unknown},Lost,UPS-2\n`);
    expect(await load('items', path, '--upsert', 'id')).toMatchObject({ exit: 8, writes: 1, data: { created: 1, refused: 1 } });
    const rejected = JSON.parse(await readFile(`${path}.errors`, 'utf8')) as unknown;
    expect(rejected).toEqual({
      line: 3,
      error: { code: 'NOT_FOUND', message: `there is no item with the id ${unknown}; omit the id to create one` },
      row: { id: unknown, name: 'Lost', sku: 'UPS-2' },
    });
    const [made] = await list('UPS-1');
    const corrected = home.path('corrected.ndjson');
    await writeFile(corrected, (await readFile(`${path}.errors`, 'utf8')).replaceAll(unknown, String(made?.['id'])));
    expect(await load('items', corrected, '--upsert', 'id')).toMatchObject({ exit: 0, data: { updated: 1 } });
    expect(await list('UPS-2')).toMatchObject([{ id: made?.['id'], name: 'Lost' }]);
  });

  test('id rejects a malformed and a repeated id before anything is sent', async () => {
    const [item] = await list('KES-HB-250');
    const path = home.path('malformed.csv');
    await writeFile(path, `id,name\nnope,A\n${String(item?.['id'])},B\n${String(item?.['id'])},C\n`);
    const { exit, body } = await home.json(['items', 'import', path, '--upsert', 'id', '--errors', `${path}.errors`]);
    expect(exit).toBe(2);
    expect((body as { error: { details: unknown } }).error.details).toMatchObject({
      problems: [
        { line: 2, column: 'id', problem: 'id must be a UUID' },
        { line: 4, column: 'id', problem: `duplicate id "${String(item?.['id'])}", also in line 3` },
      ],
    });
  });

  test('sku reads the items of a short file one by one', async () => {
    const many = home.path('many.csv');
    await writeFile(many, `name,sku\n${Array.from({ length: 210 }, (_, at) => `Many ${String(at)},MANY-${String(at)}\n`).join('')}`);
    expect(await load('items', many)).toMatchObject({ data: { created: 210 } });
    const path = home.path('short.csv');
    await writeFile(path, 'name,sku\nMany 7,many-7\n');
    const { stderr, ...result } = await load('items', path, '--upsert', 'sku');
    // The SKU differs in case.
    expect(result).toMatchObject({ writes: 1, data: { updated: 1 } });
    expect(stderr).toMatch(/^GET \S*\/v1\/items\?sku=many-7/mu);
    expect(await load('items', path, '--upsert', 'sku', '--fresh')).toMatchObject({ writes: 0, data: { unchanged: 1 } });
  });

  test('continues with --resume after the rate limit, and reads the records again', async () => {
    const path = home.path('limited.csv');
    const rows = [0, 1, 2, 3].map((at) => `Limited ${String(at)},MANY-${String(at)}\n`);
    await writeFile(path, `name,sku\n${rows.join('')}`);
    const { body } = await home.json(['keys', 'create', '--all-scopes', '--tier', 'few', '--tenant', 'kestrel-coffee']);
    const env = { STOCKROOM_API_KEY: (body as { secret: string }).secret };
    const run = (...more: string[]) =>
      home.json(['items', 'import', path, '--upsert', 'sku', '--max-wait', '0', '--concurrency', '1', ...more], { env });
    // One request for the tenant, one for the number of records, two for their pages, and two for rows.
    const stopped = await run();
    expect(stopped).toMatchObject({ exit: 6 });
    expect(stopped.stderr).toContain('Stopped after row 2 of 4');
    await home.run(['clock', 'advance', '60s']);
    expect((await run('--resume')).body).toMatchObject({
      data: { status: 'done', rows: 4, created: 0, updated: 4, unchanged: 0, repeated: 0, refused: 0 },
    });
  });

  test('email updates the contact with this address, and rejects an address of several', async () => {
    for (const name of ['One', 'Two', 'Other'])
      await home.run(['contacts', 'create', '--name', name, '--email', name === 'Other' ? 'other@x.example' : 'same@x.example']);
    const path = home.path('emails.csv');
    await writeFile(path, 'name,email\nRenamed,OTHER@x.example\nBoth,same@x.example\nNew,new@x.example\n');
    const result = await load('contacts', path, '--upsert', 'email');
    expect(result).toMatchObject({ exit: 8, data: { created: 1, updated: 1, refused: 1 } });
    expect(await readFile(`${path}.errors`, 'utf8')).toContain('several contacts have the email \\"same@x.example\\"');
  });
});
