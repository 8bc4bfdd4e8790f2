/** `--jq` through the built CLI: what it prints, and when. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { getLines, saying } from '../../support/cli/command-output.ts';
import { makeHome } from '../../support/cli/home.ts';
import { useShop } from '../../support/cli/shared-daemon.ts';
import type { DistortedStore } from '../../store/distorted-store.ts';

const { shop } = useShop();
const run = (...args: string[]) => shop.home.run(args);

test('the response of a write that does not fit --jq is printed whole, and the error says that the request was executed', async () => {
  const { exit, stdout, stderr } = await run('keys', 'create', '--all-scopes', '--jq', '.secret.value');
  expect(exit).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ secret: expect.stringMatching(/^pk_test_/u) });
  expect(stderr).toContain('Error: --jq: Cannot index string with string ("value")\nHint:  The command was executed');
  const dry = await run('items', 'create', '--name', 'Never created', '--dry-run', '--jq', '.body.name.nope');
  expect([dry.exit, dry.stdout]).toEqual([2, '']);
});

test('--jq filters the output of a start, in the foreground as soon as the service runs, and never loses its key', async () => {
  await using home = await makeHome();
  const start = ['daemon', 'start', '--ephemeral', '--port', '0', '--jq'];
  const { exit, stdout } = await home.run([...start, '.data.key.nope']);
  const { data } = JSON.parse(stdout) as { data: { key: string; dataDir: string } };
  expect([exit, data.key]).toEqual([1, expect.stringMatching(/^pk_test_/u)]);
  expect((await home.run(['daemon', 'stop', '--data-dir', data.dataDir])).exit).toBe(0);

  const foreground = home.spawn([...start, '{status: .data.status}', '--foreground']);
  expect(await getLines(foreground).next()).toEqual({ status: 'running' });
  foreground.kill('SIGINT');
  await foreground;
  const unfit = await home.spawn([...start, '.data.key.nope', '--foreground']);
  expect([unfit.exitCode, unfit.stdout]).toEqual([2, '']);
});

test('--jq filters the list of --all without rows', async () => {
  expect(await run('items', 'list', '--all', '--search', 'nothing', '--jq', '.data | length')).toEqual({
    exit: 0,
    stdout: '0',
    stderr: '',
  });
});

test('--jq filters what a command prints that fails or ends with an exit code of its own', async () => {
  await using home = await makeHome();
  const compressed = await readFile(new URL('../../store/formats/distorted-levels.json.br', import.meta.url));
  const { files } = JSON.parse(brotliDecompressSync(compressed).toString()) as DistortedStore;
  for (const [name, text] of Object.entries(files)) {
    const path = join(home.path('data', 'stockroom'), name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, Buffer.from(text, 'base64'), { mode: 0o600 });
  }
  await home.start();
  expect(await home.run(['doctor', '--jq', '.data.ok'])).toMatchObject({ exit: 9, stdout: 'false' });
  expect(await home.run(['doctor', '--jq', '.data.ok.nope'])).toMatchObject({ exit: 2, stdout: '' });

  const { secret } = (await shop.home.json(['keys', 'create', '--scope', 'items:read'])).body as { secret: string };
  const ids = ['0197a3c0-1111-7a55-9e0b-4c8d2a6f1b73', '0197a3c0-1111-7a55-9e0b-4c8d2a6f1b74'];
  const env = { STOCKROOM_API_KEY: secret };
  const deleted = await shop.home.run(['items', 'delete', ...ids, '--yes', '--jq', '.data[] | .error.code'], { env });
  expect(deleted).toMatchObject({ exit: 4, stdout: 'SCOPE_REQUIRED' });
});

test.for([
  [['events', 'tail'], '{event}', undefined, { event: 'inventory.item.created' }],
  [['audit', 'list', '-f'], 'select(.action == "item.created") | {action}', 'Following', { action: 'item.created' }],
  [['webhooks', 'listen'], '{event}', 'Listening for', { event: 'inventory.item.created' }],
  [['daemon', 'logs', '-f'], 'select(.msg == "ready") | {level}', undefined, { level: 'info' }],
  [['usage', '--watch'], '{keyPrefix} | length', undefined, 1],
] as const)('%j filters each row with --jq when it arrives', async ([args, expression, start, expected]) => {
  const child = shop.home.spawn([...args, '--jq', expression]);
  const lines = getLines(child);
  if (start !== undefined) await saying(child, start);
  const next = lines.next();
  // Not all say when they begin.
  let came: unknown;
  void next.then((line) => (came = line));
  await expect
    .poll(async () => {
      await shop.http('POST', '/v1/items', { name: 'Nut' });
      return came;
    })
    .toEqual(expected);
  child.kill('SIGINT');
  await child;
});

test('a row that does not fit --jq is reported, the others are printed, and the command exits with 2', async () => {
  await shop.http('POST', '/v1/items', { name: 'Bolt' });
  await shop.http('POST', '/v1/contacts', { name: 'Ada' });
  const fits = 'if .event == "inventory.item.created" then .event else error("unfit") end';
  const { exit, stdout, stderr } = await run('events', 'tail', '--no-follow', '--jq', fits);
  expect([exit, stderr]).toEqual([2, 'Error: --jq: unfit']);
  expect(new Set(stdout.split('\n'))).toEqual(new Set(['inventory.item.created']));
});
