/** `stockroom torture`: runs a program with planned faults, and shows the fewest with which it fails. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDaemonClient } from '../../../src/cli/fixtures/started-fixtures.ts';
import { listTortureResults } from '../../../src/contract/admin/torture.ts';
import { hasProcessEnded } from '../../../src/platform/process-ended.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';

const NODE = process.execPath;
const leftovers = (home: Home) => readdirSync(home.env['TMPDIR'] ?? '').filter((name) => name.startsWith('stockroom-'));
function script(home: Home, text: string): string {
  const path = home.path('program.mjs');
  writeFileSync(path, text);
  return path;
}

async function torture(home: Home, args: readonly string[], cwd = home.directory) {
  const { exit, stdout, stderr } = await home.run(['torture', '--json', ...args], { cwd });
  return { exit, stderr, result: (JSON.parse(stdout) as { data: Record<string, unknown> }).data };
}

/** Creates an item, and creates it again if the answer is lost: with another key. */
const RETRIES_WITHOUT_KEY = `
const { STOCKROOM_URL: url, STOCKROOM_API_KEY: key } = process.env;
const send = (method, body) => fetch(url + '/v1/items', {
  method, body, headers: { 'X-API-Key': key, 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() },
});
const create = () => send('POST', JSON.stringify({ name: 'Bolt' }));
await create().catch(create);
const { pagination } = await (await send('GET')).json();
console.log(pagination.total, 'items');
process.exit(pagination.total === 1 ? 0 : 1);`;

test('torture finds the fault, prints the command that repeats it, and the daemon lists the result', async () => {
  await using home = await makeHome();
  const path = script(home, RETRIES_WITHOUT_KEY);
  const { dataDir } = await home.start();
  // The other kinds let it fail, too.
  const skip = ['--skip', 'limit-requests,expire-key,restart'];
  const { exit, stderr, result } = await torture(home, ['--seed', '1', ...skip, '--', NODE, path]);
  expect(exit).toBe(9);
  expect(result).toMatchObject({
    counts: { requests: 2, writes: 1, pages: 0, deliveries: 0 },
    runs: 1,
    failed: 1,
    injected: { 'lose-answer': 1 },
    faults: ['lose-answer:1'],
    reason: 'exit code 1',
    output: '2 items\n',
    repeated: '4 of 4',
    repeat: `stockroom torture --faults lose-answer:1 -- ${NODE} ${path}`,
  });
  expect(stderr).toContain('Faults: lose-answer:1; failed in 4 of 4 runs');
  const again = await torture(home, ['--faults', 'lose-answer:1', '--runs', '3', '--', NODE, path]);
  expect([again.exit, again.result['repeated']]).toEqual([9, '3 of 3']);
  const { data: results } = (await createDaemonClient(dataDir).call(listTortureResults, {})).body;
  expect(results.map(({ faults }) => faults)).toEqual([['lose-answer:1'], ['lose-answer:1']]);
  expect(leftovers(home)).toEqual([]);
});

test('torture shows how often a failure repeats that depends on timing', async () => {
  await using home = await makeHome();
  const path = script(
    home,
    `
    import { appendFileSync, readFileSync } from 'node:fs';
    const { STOCKROOM_URL: url, STOCKROOM_API_KEY: key } = process.env;
    const { status } = await fetch(url + '/v1/items', { headers: { 'X-API-Key': key } });
    if (status === 200) process.exit(0);
    appendFileSync('limited', '.');
    process.exit(readFileSync('limited').length % 2);`,
  );
  const kinds = ['--skip', 'lose-answer,expire-key,restart'];
  const { exit, stderr, result } = await torture(home, ['--runs', '1', ...kinds, '--', NODE, path]);
  expect([exit, result['failed'], result['faults'], result['repeated']]).toEqual([9, 1, ['limit-requests:1'], '2 of 4']);
  expect(stderr).toContain('Faults: limit-requests:1; failed in 2 of 4 runs: it depends on timing');
});

test('torture compares the copy of a program that does not end, and ends it with its children', async () => {
  await using home = await makeHome();
  const path = script(
    home,
    `
    import { spawn } from 'node:child_process';
    import { appendFileSync, writeFileSync } from 'node:fs';
    const { STOCKROOM_URL: url, STOCKROOM_API_KEY: key } = process.env;
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    appendFileSync('pids', process.pid + ' ' + child.pid + ' ');
    const read = () => fetch(url + '/v1/items', { headers: { 'X-API-Key': key } });
    const { data } = await (await read()).json();
    writeFileSync('copy.json', JSON.stringify({ items: data, stockLevels: [] }));`,
  );
  const cwd = home.path('project');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'stockroom.fixtures.yaml'), 'tenants: [{ slug: shop, name: Shop, items: [{ name: Bolt }] }]');
  const args = ['--copy', 'copy.json', '--skip', 'limit-requests,expire-key,restart', '--', NODE, path];
  const { exit, result, stderr } = await torture(home, args, cwd);
  expect([exit, result['runs'], stderr]).toEqual([0, 0, expect.stringContaining('Nothing to inject')]);
  const pids = readFileSync(home.path('project', 'pids'), 'utf8').trim().split(' ').map(Number);
  expect([pids.length, pids.filter((pid) => !hasProcessEnded(pid))]).toEqual([2, []]);
  expect(existsSync(home.path('project', 'copy.json'))).toBe(false);
});

test('an interrupted torture ends the program and leaves nothing', async () => {
  await using home = await makeHome();
  const path = script(home, `console.error('pid ' + process.pid); setInterval(() => {}, 1000);`);
  const child = home.spawn(['torture', '--verbose', '--', NODE, path]);
  const pid = await new Promise<number>((resolve) => {
    child.stderr?.on('data', (text: Buffer) => {
      const [, id] = /pid (\d+)/u.exec(text.toString()) ?? [];
      if (id !== undefined) resolve(Number(id));
    });
  });
  child.kill('SIGINT');
  const { exitCode, stderr } = await child;
  expect([exitCode, hasProcessEnded(pid), leftovers(home)]).toEqual([130, true, []]);
  expect(String(stderr)).toContain('Stopped after 0 runs');
});

test('a program that fails without faults, or that cannot be started, is reported as such', async () => {
  await using home = await makeHome();
  const failing = await home.run(['torture', '--', NODE, '-e', 'console.log("broken"); process.exit(3)']);
  expect([failing.exit, failing.stderr]).toEqual([2, '  | broken\nError: The program fails without faults: exit code 3']);
  const unknown = await home.run(['torture', '--', 'no-such-command-here']);
  expect([unknown.exit, unknown.stderr]).toEqual([127, 'Error: Command not found: no-such-command-here']);
  expect(leftovers(home)).toEqual([]);
});

test.each([
  [[], 'Missing COMMAND'],
  [['node', 'a.js'], 'Missing -- before COMMAND'],
  [['--faults', 'lose-answer', '--', 'node'], 'Invalid fault "lose-answer" in --faults'],
  [['--faults', 'lose-anser:1', '--', 'node'], 'Did you mean lose-answer?'],
  [['--skip', 'restarts', '--', 'node'], 'Did you mean restart?'],
  [['--runs', '0', '--', 'node'], '--runs'],
])('torture %j is a usage error', async (args, message) => {
  await using home = await makeHome();
  const { exit, stderr } = await home.run(['torture', ...args]);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('a copy that exists is not removed', async () => {
  await using home = await makeHome();
  const copy = home.path('copy.json');
  writeFileSync(copy, 'mine');
  const { exit, stderr } = await home.run(['torture', '--copy', copy, '--', NODE, '-e', '']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('exists, but each run would remove it')]);
  expect(readFileSync(copy, 'utf8')).toBe('mine');
});
