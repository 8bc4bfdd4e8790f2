/** Imports from the command line: valid files, invalid files, and interruptions. */
import { existsSync, readFileSync } from 'node:fs';
import { appendFile, mkdir, readFile, readdir, readlink, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasProcessEnded } from '../../../src/platform/process-ended.ts';
import { RUN } from '../../support/cli/home.ts';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';
import { startBetween } from '../../support/servers/intercepting-proxy.ts';
import { isLongRun } from '../../support/long-run.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop[Symbol.asyncDispose]());

const POLL_MS = 5;
let serial = 0;
const fresh = (suffix: string) => shop.home.path(`import-${String((serial += 1))}${suffix}`);
const file = async (suffix: string, content: string | Buffer) => {
  const path = fresh(suffix);
  await writeFile(path, content);
  return path;
};
const load = (...args: string[]) => shop.home.run(['items', 'import', ...args, '--errors', `${args[0] ?? ''}.errors`]);
const total = async (what: string, search: string) =>
  (await shop.http('GET', `/v1/${what}?page_size=1&search=${encodeURIComponent(search)}`)).body.pagination.total as number;
const rowsFile = (prefix: string, count: number) =>
  file('.csv', `name,sku\n${Array.from({ length: count }, (_, at) => `${prefix} ${String(at)},${prefix}-${String(at)}\n`).join('')}`);

/** Resolves with the number of rows in the checkpoint of a running import, once it has any. */
async function someRows(path: string): Promise<number> {
  for (;;) {
    if (existsSync(`${path}.checkpoint`)) {
      const { rows } = JSON.parse(readFileSync(`${path}.checkpoint`, 'utf8')) as { rows: number };
      if (rows > 0) return rows;
    }
    await sleep(POLL_MS);
  }
}

describe('a valid file', () => {
  test('is imported with all values and leaves no temporary files', async () => {
    const path = await file(
      '.csv',
      '\uFEFFName;SKU;Sale Price;Item Type;Is Active;Notes\r\n"Bolt; ""M6""";IMP-1;0.10;Material;no;"two\r\nlines"\r\nNut;IMP-2;;;;\r\n',
    );
    expect(await load(path)).toEqual({ exit: 0, stdout: '', stderr: expect.stringMatching(/^2 items in \d+ s: 2 created$/u) as string });
    const { body } = await shop.http('GET', '/v1/items?sku=imp-1');
    expect(body.data).toMatchObject([
      { name: 'Bolt; "M6"', sku: 'IMP-1', salePrice: 0.1, itemType: 'material', isActive: false, notes: 'two\r\nlines' },
    ]);
    expect((await shop.http('GET', '/v1/items?sku=IMP-2')).body.data).toMatchObject([
      { salePrice: null, itemType: 'product', isActive: true },
    ]);
    expect([existsSync(`${path}.checkpoint`), existsSync(`${path}.errors`)]).toEqual([false, false]);
  });

  test('creates nothing when imported again, unless requested', async () => {
    const path = await file('.ndjson', '{"name":"Twin contact"}\n{"name":"Twin contact"}\n');
    const run = async (...more: string[]) => (await shop.home.json(['contacts', 'import', path, ...more])).body.data as unknown;
    expect(await run()).toMatchObject({ status: 'done', rows: 2, created: 2, repeated: 0 });
    expect(await run()).toMatchObject({ status: 'done', rows: 2, created: 0, repeated: 2 });
    expect(await total('contacts', 'Twin contact')).toBe(2);
    expect(await run('--fresh')).toMatchObject({ created: 2 });
    expect(await total('contacts', 'Twin contact')).toBe(4);
  });

  test('creates only the corrected rows when it is imported again after a correction', async () => {
    const header = 'name,email,company\n';
    const valid = 'Ana Twice,ana@twice.example,\nAna Twice,ana@twice.example,\nBo Twice,bo@twice.example,Old & Sons\n';
    const path = await file('.csv', `${header}${valid},cy@twice.example,\nDi Twice,not an address,\n`);
    const run = async (from: string, ...more: string[]) =>
      (await shop.home.json(['contacts', 'import', from, '--errors', `${path}.errors`, ...more])).body.data as unknown;
    expect(await run(path, '--skip-invalid')).toMatchObject({ created: 3, refused: 2 });
    // One row is corrected in the file of rejected rows, and both in the file itself, whose rows have moved.
    const [rejected = ''] = (await readFile(`${path}.errors`, 'utf8')).split('\n');
    const corrected = await file('.ndjson', rejected.replace('"name":""', '"name":"Cy Twice"'));
    expect(await run(corrected)).toMatchObject({ created: 1 });
    await writeFile(path, `${header}Di Twice,di@twice.example,\nCy Twice,cy@twice.example,\n${valid}`);
    expect(await run(path, '--skip-invalid')).toMatchObject({ status: 'done', rows: 5, created: 1, repeated: 4, refused: 0 });
    expect(await total('contacts', 'twice.example')).toBe(5);
    // Another spelling of the same values is the same row.
    await writeFile(path, 'phone,email,name\n, di@twice.example ,Di Twice\n');
    expect(await run(path)).toMatchObject({ created: 0, repeated: 1 });
    expect(await run(path, '--fresh')).toMatchObject({ created: 1, repeated: 0 });
  });

  test('can be read from stdin', async () => {
    const ran = await shop.home.run(['items', 'import', '-'], { input: '{"name":"Piped","sku":"PIPED"}\n' });
    expect(ran).toMatchObject({ exit: 0, stderr: expect.stringMatching(/^1 item in \d+ s: 1 created$/u) as string });
    expect(await total('items', 'PIPED')).toBe(1);
    const wide = Buffer.from('\uFEFF{"name":"Piped wide","sku":"PIPED-16"}\r\n', 'utf16le');
    expect(await shop.home.run(['items', 'import', '-'], { input: wide })).toMatchObject({ exit: 0 });
    expect(await total('items', 'PIPED-16')).toBe(1);
  });

  test.each([
    { rows: '{"name":"Right"}\n{"name":"Wrong","salePrice":"cheap"}\n', flags: [], exit: 2 },
    { rows: '{"name":"Right"}\n{"name":"Wrong","salePrice":"cheap"}\n', flags: ['--dry-run'], exit: 2 },
    { rows: '{"name":"Right"}\n{"name":"Wrong","salePrice":"cheap"}\n', flags: ['--skip-invalid'], exit: 8 },
    { rows: 'garbage\n', flags: [], exit: 2 },
    { rows: '', flags: [], exit: 2 },
  ])('fails from stdin as from a file: %# $flags', async ({ rows, flags, exit }) => {
    const path = shop.home.path('failing.ndjson');
    await writeFile(path, rows);
    const options = ['--format', rows.startsWith('{') ? 'ndjson' : 'csv', '--fresh', '--errors', 'rejected.ndjson', ...flags];
    const fromFile = await shop.home.run(['items', 'import', path, ...options]);
    const fromStdin = await shop.home.run(['items', 'import', '-', ...options], { input: rows });
    expect(fromFile.exit, fromFile.stderr).toBe(exit);
    expect(fromStdin.exit, fromStdin.stderr).toBe(exit);
    expect(fromStdin.stderr).toBe(fromFile.stderr.replaceAll(path, 'stdin'));
  });

  test('leaves no copy of stdin in the temporary directory when it is interrupted', async () => {
    const options = { env: { ...shop.home.env }, extendEnv: false, reject: false, stdin: 'pipe' } as const;
    const child = execa(process.execPath, [RUN, 'items', 'import', '-'], options);
    child.stdin.write('name\nNever imported\n');
    const fds = `/proc/${String(child.pid)}/fd`;
    const isSpooling = async () => {
      const links = await Promise.all((await readdir(fds)).map((fd) => readlink(`${fds}/${fd}`).catch(() => '')));
      // It has no name any more before the first row is written to it.
      return links.some((link) => /stockroom-import-.* \(deleted\)$/u.test(link));
    };
    await expect.poll(isSpooling).toBe(true);
    child.kill('SIGINT');
    expect((await child).signal).toBe('SIGINT');
    expect((await readdir(shop.home.path('tmp'))).filter((name) => name.startsWith('stockroom-import-'))).toEqual([]);
  });

  test('names columns that the service sets and that are no part of an export', async () => {
    const { stderr } = await load(await file('.csv', 'name,sku,createdAt\nDated,DATED-1,2020-01-01\n'));
    expect(stderr).toContain('Columns ignored, because the service sets them: createdAt');
  });

  test('is only validated by a dry run', async () => {
    const path = await file('.csv', 'name,sku\nA,DRY-1\n');
    expect(await load(path, '--dry-run')).toMatchObject({ exit: 0, stderr: '1 item checked, all valid. Dry run: nothing was sent' });
    expect(await total('items', 'DRY-1')).toBe(0);
  });
});

describe('--upsert sku', () => {
  test('updates existing items, creates the others, and clears values with empty cells', async () => {
    const id = (await shop.http('POST', '/v1/items', { name: 'Old', sku: 'UP-1', notes: 'old', mpn: 'keep' })).body.data.id as string;
    const path = await file('.csv', 'name,sku,notes\nNew,up-1,\nOther,UP-2,x\n');
    const { body } = await shop.home.json(['items', 'import', path, '--upsert', 'sku']);
    expect(body.data).toMatchObject({ created: 1, updated: 1, refused: 0 });
    expect((await shop.http('GET', `/v1/items/${id}`)).body.data).toMatchObject({ name: 'New', sku: 'up-1', notes: null, mpn: 'keep' });
  });

  test('accepts an edited export', async () => {
    await load(await rowsFile('RT', 3));
    const exported = fresh('.csv');
    expect((await shop.home.run(['items', 'export', '--search', 'RT-', '--out', exported])).exit).toBe(0);
    await writeFile(exported, (await readFile(exported, 'utf8')).replace('RT 1,', 'Changed,'));
    const ran = await load(exported, '--upsert', 'sku');
    expect(ran).toMatchObject({ exit: 0 });
    // The columns that the service sets belong to every export.
    expect(ran.stderr).not.toContain('Columns ignored');
    expect((await shop.http('GET', '/v1/items?sku=RT-1')).body.data).toMatchObject([{ name: 'Changed' }]);
    expect(await total('items', 'RT-')).toBe(3);
  });
});

describe('an invalid file', () => {
  test.for([
    ['.csv', 'name,sku\nGood,BAD-1\n"Open,BAD-2\n', 'Line 3, column 1 (name): unclosed quotation mark'],
    ['.csv', 'name,sku\nGood,BAD-1\nA "b",BAD-2\n', 'Line 3, column 1 (name): quotation mark inside an unquoted value'],
    ['.csv', 'name,sku\nA,BAD-1\nB,bad-1\n', 'duplicate sku "bad-1", also in line 2'],
    ['.csv', 'name,sku\nA,BAD-1\nB\n', '1 values for 2 columns'],
    ['.csv', 'name,sku,salePrice\nA,BAD-1,"1,50"\n', 'salePrice must be a number'],
    ['.csv', 'name,sku,colour\nA,BAD-1,red\n', 'Unknown column "colour"'],
    ['.csv', Buffer.from('name,sku\nCaf\u00e9,BAD-1\n', 'latin1'), 'is not UTF-8: line 2, byte 4 is 0xE9'],
    ['.ndjson', '{"name":"A","sku":"BAD-1"}\n{"name":\n', 'invalid JSON'],
    ['.ndjson', '{"name":"A","sku":"BAD-1"}\n{"name":"B","isActive":"yes"}\n', 'isActive must be true or false, not "yes"'],
    ['.dat', 'name\nA\n', 'Pass --format csv or --format ndjson'],
  ] as const)('is rejected as a whole, with the position: %#', async ([suffix, content, words]) => {
    const path = await file(suffix, content);
    const { exit, stdout, stderr } = await load(path);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('\n    at ');
    expect(stderr).not.toContain('\u001b');
    expect(await total('items', 'BAD-1')).toBe(0);
    expect(existsSync(`${path}.checkpoint`)).toBe(false);
  });

  test('reports every invalid row in JSON and in the file of rejected rows', async () => {
    const path = await file('.csv', 'name,sku\n,W-1\nB,W-2\n,W-3\n');
    const { body, exit } = await shop.home.json(['items', 'import', path, '--errors', `${path}.errors`]);
    expect({ exit, code: body.error.code }).toEqual({ exit: 2, code: 'INVALID_ROWS' });
    expect(body.error.details.problems).toEqual([
      { line: 2, column: 'name', problem: 'name is required' },
      { line: 4, column: 'name', problem: 'name is required' },
    ]);
    const refused = (await readFile(`${path}.errors`, 'utf8')).trim().split('\n');
    expect(refused.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual([2, 4]);
  });

  test('is imported without its invalid rows by --skip-invalid, and those can be corrected and imported', async () => {
    const path = await file('.csv', 'name,sku\nA,SKIP-1\n,SKIP-2\nC,SKIP-3\n');
    const skipped = await load(path, '--skip-invalid');
    expect(skipped).toMatchObject({ exit: 8, stderr: expect.stringContaining(`items import ${path}.errors --format ndjson`) as string });
    expect(await total('items', 'SKIP-')).toBe(2);
    const rejected = await readFile(`${path}.errors`, 'utf8');
    expect(JSON.parse(rejected)).toMatchObject({ row: { name: '', sku: 'SKIP-2' } });
    const corrected = await file('.ndjson', rejected.replace('"name":""', '"name":"B"'));
    expect(await load(corrected)).toMatchObject({ exit: 0 });
    expect(await total('items', 'SKIP-')).toBe(3);
  });

  test('rows rejected by the service do not stop the others: exit 8', async () => {
    await shop.http('POST', '/v1/items', { name: 'There', sku: 'DUP-2' });
    const path = await file('.csv', 'name,sku\nA,DUP-1\nB,DUP-2\nC,DUP-3\n');
    const { exit, stderr } = await load(path);
    expect(exit).toBe(8);
    expect(stderr).toContain(`2 created, 1 rejected, see ${path}.errors`);
    expect(JSON.parse(await readFile(`${path}.errors`, 'utf8'))).toMatchObject({
      line: 3,
      error: { code: 'DUPLICATE_VALUE', status: 409 },
      row: { name: 'B', sku: 'DUP-2' },
    });
    expect(await total('items', 'DUP-')).toBe(3);
  });

  test('a full disk for rejected rows is reported before and after sending, and --resume continues', async () => {
    const full = async (path: string) => {
      const args = ['--fsize=20000', process.execPath, RUN, 'items', 'import', path, '--errors', `${path}.errors`];
      const { exitCode, stderr } = await execa('prlimit', args, { env: { ...shop.home.env }, extendEnv: false, reject: false });
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`Error: Cannot write ${path}.errors: no space left on the disk`);
    };
    await full(await file('.csv', `name,sale_price\n${'N,cheap\n'.repeat(500)}`));
    const path = await file(
      '.ndjson',
      Array.from({ length: 300 }, () => '{"name":"N","supplierId":"7d9f4c1e-3b8a-4f6e-9c55-0d2a1b3c4d5e"}\n').join(''),
    );
    await full(path);
    expect(await load(path, '--resume')).toMatchObject({ exit: 8 });
    const refused = (await readFile(`${path}.errors`, 'utf8')).trim().split('\n');
    expect(refused.map((line) => (JSON.parse(line) as { line: number }).line)).toEqual(Array.from({ length: 300 }, (_, at) => at + 1));
  });

  test('without a header line is rejected; one with only a header, or NDJSON without lines, says that it has no rows', async () => {
    for (const text of ['', '\n\n', '\uFEFF']) {
      const { exit, stderr } = await shop.home.run(['items', 'import', await file('.csv', text)]);
      expect([exit, stderr]).toEqual([2, expect.stringMatching(/is empty\nHint: {2}The first line of a CSV file has the names/u)]);
    }
    for (const path of [await file('.csv', 'name,sku\n'), await file('.ndjson', '')])
      expect(await shop.home.run(['items', 'import', path])).toMatchObject({
        exit: 0,
        stderr: `${path} has no rows; nothing was imported`,
      });
  });

  test('rejected rows do not overwrite an unrelated file', async () => {
    const path = await file('.csv', 'name\nA\n');
    const foreign = await file('.txt', 'my notes\n');
    expect(await shop.home.run(['items', 'import', path, '--errors', foreign])).toMatchObject({ exit: 2 });
    expect(await readFile(foreign, 'utf8')).toBe('my notes\n');
  });

  test('an unusable checkpoint or directory for stdin is reported without system messages', async () => {
    const path = await file('.csv', 'name,sku\nWaiting,WAITING-1\n');
    await mkdir(`${path}.checkpoint`);
    const { exit, stderr } = await shop.home.run(['items', 'import', path, '--resume']);
    const unread = `Error: Cannot read ${path}.checkpoint: it is a directory\nHint:  Remove it, or import again without --resume`;
    expect([exit, stderr]).toEqual([2, unread]);
    const sent = await shop.home.run(['items', 'import', path]);
    expect(sent.stderr).toContain(`No checkpoint: cannot write ${path}.checkpoint: it is a directory. --resume`);
    const [nowhere, input] = [shop.home.path('nowhere'), 'name,sku\nNobody,NOBODY-1\n'];
    const piped = await shop.home.run(['items', 'import', '-'], { input, env: { TMPDIR: nowhere } });
    expect([piped.exit, piped.stderr.split('\n')[0]]).toEqual([2, `Error: Cannot save the rows in ${nowhere}: no such directory`]);
    expect(await total('items', 'NOBODY-')).toBe(0);
  });

  test('an unwritable path for rejected rows is reported before anything is sent', async () => {
    const path = await file('.csv', 'name,sku\nNowhere,NOWHERE-1\n');
    for (const [errors, reason] of [
      [shop.home.path('nowhere', 'errors.ndjson'), 'no such directory'],
      [`${path}/errors.ndjson`, 'a parent directory is a file'],
      [shop.home.directory, 'it is a directory'],
    ] as const) {
      const { exit, stderr } = await shop.home.run(['items', 'import', path, '--errors', errors]);
      const hint = 'Choose another file for rejected rows with --errors';
      expect([exit, stderr]).toEqual([2, `Error: Cannot write ${errors}: ${reason}\nHint:  ${hint}`]);
    }
    expect(await total('items', 'NOWHERE-')).toBe(0);
  });
});

describe('--resume imports every row once after an interruption', () => {
  const COUNT = isLongRun ? 3_000 : 500;
  /** From now on every row takes so long that no import ends before it is cut off, however late that is noticed; until the faults are cleared. */
  const slowly = async ({ home }: Shop, what: string) =>
    expect((await home.run(['faults', 'set', `POST /v1/${what}`, '--latency', '100ms'])).exit).toBe(0);
  const quickly = async () => expect((await shop.home.run(['faults', 'clear'])).exit).toBe(0);

  test('by Ctrl-C, which exits with 130 and reports the number of imported rows', async () => {
    const path = await rowsFile('INT', COUNT);
    await slowly(shop, 'items');
    const running = shop.home.spawn(['items', 'import', path, '--concurrency', '4', '--json']);
    await someRows(path);
    running.kill('SIGINT');
    const { exitCode, stdout, stderr } = await running;
    await quickly();
    expect(exitCode).toBe(130);
    const { data } = JSON.parse(String(stdout)) as { data: { status: string; settled: number; created: number } };
    expect(data).toMatchObject({ status: 'stopped', created: data.settled });
    expect(data.settled).toBeLessThan(COUNT);
    expect(String(stderr)).toContain('continue with --resume');
    expect(await total('items', 'INT-')).toBe(data.settled);

    const { body } = await shop.home.json(['items', 'import', path, '--resume']);
    expect(body.data).toMatchObject({ status: 'done', created: COUNT, repeated: 0 });
    expect(await total('items', 'INT-')).toBe(COUNT);
    expect(existsSync(`${path}.checkpoint`)).toBe(false);
  });

  test('by kill -9, even of contacts, which have no unique field', async () => {
    const path = await file('.csv', `name\n${'Killed contact\n'.repeat(COUNT)}`);
    await slowly(shop, 'contacts');
    const running = shop.home.spawn(['contacts', 'import', path, '--concurrency', '8']);
    await someRows(path);
    running.kill('SIGKILL');
    await running;
    await quickly();
    const { body } = await shop.home.json(['contacts', 'import', path, '--resume']);
    expect(body.data).toMatchObject({ status: 'done', rows: COUNT, refused: 0 });
    expect(await total('contacts', 'Killed contact')).toBe(COUNT);
  });

  test('by a crash of the daemon, which exits with 7', async () => {
    await using own = await openShop();
    const path = await rowsFile('DIE', COUNT);
    await slowly(own, 'items');
    const running = own.home.spawn(['items', 'import', path, '--concurrency', '8']);
    await someRows(path);
    const pid = own.daemon.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    while (!hasProcessEnded(pid)) await sleep(POLL_MS);
    const { exitCode, stderr } = await running;
    expect(exitCode).toBe(7);
    expect(String(stderr)).toContain(', then continue with --resume');

    await own.home.start(['--test-clock', '--tier', 'bulk=1000000']);
    expect(await own.home.run(['items', 'import', path, '--resume'])).toMatchObject({ exit: 0 });
    const { body } = await own.home.json(['items', 'list', '--search', 'DIE-', '--limit', '1']);
    expect(body.pagination.total).toBe(COUNT);
    const { body: checks } = await own.home.json(['doctor']);
    expect(checks.data.ok).toBe(true);
  });

  test('by the rate limit, including rows appended to the file since', async () => {
    const secret = await shop.addKey(['--tier', 'trickle']);
    const env = { STOCKROOM_API_KEY: secret };
    const path = await rowsFile('LIM', 3);
    const stopped = await shop.home.run(['items', 'import', path, '--max-wait', '0'], { env });
    expect(stopped).toMatchObject({ exit: 6, stdout: '' });
    expect(stopped.stderr).toContain('Stopped after row 2 of 3');
    // Three requests a minute, and not one that was refused: one for the tenant, two for rows.
    expect(await total('items', 'LIM-')).toBe(2);
    await appendFile(path, 'Added,LIM-added\n');
    await shop.home.run(['clock', 'advance', '60s']);
    const { body, stderr } = await shop.home.json(['items', 'import', path, '--resume', '--max-wait', '0'], { env });
    expect(stderr).not.toContain('grown');
    expect(body.data).toMatchObject({ status: 'done', rows: 4, created: 4, repeated: 0 });
    expect(await total('items', 'LIM-')).toBe(4);
  });

  test('by an incomplete last row, which is sent once it is complete', async () => {
    const whole = `${await readFile(await rowsFile('GROW', COUNT - 1), 'utf8')}GROW last,GROW-last\n`;
    const path = await file('.csv', whole.slice(0, -3));
    await slowly(shop, 'items');
    const running = shop.home.spawn(['items', 'import', path, '--concurrency', '4', '--json']);
    await someRows(path);
    await appendFile(path, `${whole.slice(-3)}GROW more,GROW-more`);
    await quickly();
    const { exitCode, stdout, stderr } = await running;
    expect(exitCode).toBe(8);
    expect(JSON.parse(String(stdout))).toMatchObject({ data: { status: 'stopped', rows: COUNT, settled: COUNT - 1, refused: 0 } });
    expect(String(stderr)).toContain('its last row was incomplete and was not sent');
    const { body } = await shop.home.json(['items', 'import', path, '--resume']);
    expect(body.data).toMatchObject({ status: 'done', rows: COUNT + 1, created: COUNT + 1, repeated: 0 });
    expect((await shop.http('GET', '/v1/items?sku=GROW-last')).body.data).toHaveLength(1);
    expect(await total('items', 'GROW-')).toBe(COUNT + 1);
  });

  test('but rejects another file or other flags', async () => {
    const secret = await shop.addKey(['--tier', 'trickle']);
    const env = { STOCKROOM_API_KEY: secret };
    const path = await rowsFile('OTH', 5);
    const again = (...more: string[]) => shop.home.run(['items', 'import', path, '--max-wait', '0', ...more], { env });
    expect(await again()).toMatchObject({ exit: 6 });
    await shop.home.run(['clock', 'advance', '60s']);
    const other = await again('--resume', '--upsert', 'sku');
    expect(other.stderr).toContain('belongs to an import with other flags');
    await writeFile(path, (await readFile(path, 'utf8')).replace('OTH 1', 'XXX 1'));
    const changed = await again('--resume');
    expect(changed).toMatchObject({ exit: 2 });
    expect(changed.stderr).toContain('changed since the import was interrupted');
    expect(await total('items', 'OTH-')).toBe(2);
  });

  test('but rejects another tenant and another service, and imports nothing there', async () => {
    const path = await rowsFile('DEST', 5);
    const again = (key: string, ...more: string[]) =>
      shop.home.run(['items', 'import', path, '--max-wait', '0', ...more], { env: { STOCKROOM_API_KEY: key } });
    expect(await again(await shop.addKey(['--tier', 'trickle']))).toMatchObject({ exit: 6 });
    expect((await shop.home.run(['tenants', 'create', '--slug', 'other', '--name', 'Other'])).exit).toBe(0);
    const otherKey = await shop.addKey(['--tenant', 'other', '--tier', 'bulk']);
    await using proxy = await startBetween(shop.daemon.url ?? '', shop.key, () => undefined);
    const rejected = {
      exit: 2,
      stderr: expect.stringContaining('belongs to an import with other flags, or into another service or tenant'),
    };
    expect(await again(otherKey, '--resume')).toMatchObject(rejected);
    expect(await again(shop.key, '--resume', '--url', proxy.url)).toMatchObject(rejected);
    expect((await shop.http('GET', '/v1/items?page_size=1', undefined, otherKey)).body.pagination.total).toBe(0);
    expect(await again(shop.key, '--resume')).toMatchObject({ exit: 0 });
    expect(await total('items', 'DEST-')).toBe(5);
  });
});

test.each(['items', 'contacts'])('%s import --upsert external-id finds records by their exact external id', async (resource) => {
  const path = await file('.csv', 'name,externalId,metadata\nOne,Ext-1,"{""channel"":""web""}"\nTwo,ext-1,\n');
  const run = () => shop.home.json([resource, 'import', path, '--upsert', 'external-id', '--fresh']);
  expect((await run()).body.data).toMatchObject({ created: 2 });
  expect((await run()).body.data).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
  await writeFile(path, 'name,externalId\nOther,Ext-1\n');
  expect((await run()).body.data).toMatchObject({ updated: 1 });
  const { body } = await shop.home.json([resource, 'list', '--external-id', 'Ext-1,ext-1', '--sort', 'name']);
  expect(body.data).toMatchObject([
    { name: 'Other', externalId: 'Ext-1', metadata: { channel: 'web' } },
    { name: 'Two', externalId: 'ext-1' },
  ]);
  const exported = fresh('.csv');
  await shop.home.run([resource, 'export', '--external-id', 'Ext-1', '--out', exported]);
  expect(await readFile(exported, 'utf8')).toContain('Ext-1,"{""channel"":""web""}"');
});

test('--metadata sets keys, replaces them, and clears them', async () => {
  const { body } = await shop.home.json(['items', 'create', '--name', 'Bolt', '--metadata', 'a=1', '--metadata', 'b=x=y']);
  expect(body.data.metadata).toEqual({ a: '1', b: 'x=y' });
  const update = (value: string) => shop.home.json(['items', 'update', body.data.id as string, '--metadata', value]);
  expect((await update('c=')).body.data.metadata).toEqual({ c: '' });
  expect((await update('')).body.data).not.toHaveProperty('metadata');
  expect((await update('nope')).body.error.message).toContain('Invalid --metadata "nope". Expected KEY=VALUE');
});

test('an import with a key without the scope stops immediately with exit 4', async () => {
  const { body } = await shop.home.json(['keys', 'create', '--scope', 'items:read']);
  const path = await rowsFile('DENY', 50);
  const ran = await shop.home.run(['items', 'import', path], { env: { STOCKROOM_API_KEY: body.secret as string } });
  expect(ran).toMatchObject({ exit: 4, stdout: '' });
  expect(ran.stderr).toContain('items:write');
  expect(ran.stderr).not.toContain(body.secret);
});
