/** Shell completion in a real bash, with ids of a running daemon, and without error messages. */
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { SHELLS } from '../../../src/completion/shell-scripts.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';
import { type Home, RUN, makeHome } from '../../support/cli/home.ts';

const complete = async (home: Home, ...words: string[]) =>
  (await home.run(['__complete', '--', ...words])).stdout.split('\n').filter((line) => line !== '');

/** What bash has in COMPREPLY after Tab on this line. */
async function inBash(home: Home, line: string, type = 9): Promise<string[]> {
  // As bash does, whose COMP_WORDBREAKS has these characters.
  const words = [...(line.match(/[=:@]+|[^\s=:@]+/gu) ?? []), ...(line.endsWith(' ') ? [''] : [])];
  const script = `stockroom() { node ${RUN} "$@"; }; source <(stockroom completion bash)
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 )); COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE} COMP_TYPE=${String(type)}
    _stockroom; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await execa('bash', ['--norc', '-c', script], { env: home.env, extendEnv: false, cwd: home.directory });
  return stdout.split('\n').filter((value) => value !== '');
}

test('ids are completed from the running daemon with descriptions, filtered by the preceding argument', async () => {
  await using home = await makeHome();
  await home.start();
  const { body: bolt } = await home.json(['items', 'create', '--name', 'Hex bolt M6', '--sku', 'B6']);
  const { body: kit } = await home.json(['items', 'create', '--name', 'Kit', '--item-type', 'combo']);
  const { body: part } = await home.json([
    'items',
    'ingredients',
    'add',
    kit.data.id,
    '--ingredient-item-id',
    bolt.data.id,
    '--quantity',
    '4',
  ]);
  expect(await complete(home, 'items', 'get', '')).toEqual([`${bolt.data.id}\tHex bolt M6`, `${kit.data.id}\tKit`]);
  expect(await complete(home, 'orders', 'list', `--item-id=${bolt.data.id.slice(0, 8)}`)).toContain(
    `--item-id=${bolt.data.id}\tHex bolt M6`,
  );
  expect(await complete(home, 'api', 'GET', '/v1/items/')).toEqual([
    `/v1/items/${bolt.data.id}\tHex bolt M6`,
    `/v1/items/${kit.data.id}\tKit`,
  ]);
  expect(await complete(home, 'items', 'ingredients', 'remove', kit.data.id, '')).toEqual([`${part.data.id}\tHex bolt M6`]);
  const { body: contact } = await home.json(['contacts', 'create', '--name', 'Duarte Pinto', '--company', 'Café Alfama']);
  expect(await complete(home, 'contacts', 'get', contact.data.id)).toEqual([`${contact.data.id}\tDuarte Pinto, Café Alfama`]);
  // Of the settings, over the socket.
  expect((await complete(home, 'sites', 'get', ''))[0]).toMatch(/^[\da-f-]{36}\t\S/u);
  expect(await complete(home, 'tenants', 'update', '')).not.toEqual([]);
  expect(await complete(home, 'items', 'list', '--profile', '')).toEqual([expect.stringMatching(/^local\t/u)]);
  expect(await inBash(home, 'stockroom items get ')).toEqual([bolt.data.id, kit.data.id]);
  // In the list that a second Tab shows; a single candidate is inserted.
  const LIST = 63;
  expect(await inBash(home, 'stockroom items get ', LIST)).toEqual([`${bolt.data.id}  (Hex bolt M6)`, `${kit.data.id}  (Kit)`]);
  expect(await inBash(home, 'stockroom items sup', LIST)).toEqual(['suppliers']);
});

test('names are completed where a command accepts them, and only there', async () => {
  await using home = await makeHome();
  await home.start();
  await home.run(['snapshot', 'save', 'base']);
  expect(await complete(home, 'snapshot', 'load', '')).toEqual(['base\t']);
  expect(await complete(home, 'tiers', 'set', '')).toEqual(['elevated\t', 'standard\t']);
  expect(await complete(home, 'keys', 'create', '--tier', 's')).toEqual(['standard\t']);
  expect(await complete(home, 'users', 'list', '--tenant', '')).toEqual(['local\tLocal']);
  expect(await complete(home, 'tenants', 'get', 'lo')).toEqual(['local\tLocal']);
  expect(await complete(home, 'profile', 'use', '')).toEqual([expect.stringMatching(/^local\t/u)]);
  for (const words of [
    ['profile', 'add', ''],
    ['snapshot', 'save', ''],
    ['items', 'create', '--name', ''],
  ])
    expect(await complete(home, ...words)).toEqual([]);
  expect(await complete(home, 'items', 'import', '')).toEqual([':files']);
});

test('bash completes commands, flags and values, after a space or an equals sign', async () => {
  await using home = await makeHome();
  expect(await inBash(home, 'stockroom items sup')).toEqual(['suppliers']);
  expect(await inBash(home, 'stockroom items list --item')).toEqual(['--item-type']);
  expect(await inBash(home, 'stockroom items list --output=js')).toEqual(['json']);
  expect(await inBash(home, 'stockroom keys create --scope items:r')).toEqual(['read']);
  expect(await inBash(home, 'stockroom keys create --scope items:')).toEqual(['read', 'write']);
  expect(await inBash(home, 'stockroom keys create --scope=items:r')).toEqual(['read']);
  expect(await inBash(home, 'stockroom keys create --scope items:read --scope orders:w')).toEqual(['write']);
  expect(await inBash(home, 'stockroom orders list s')).toEqual(['sell']);
  expect(await inBash(home, 'stockroom help ex')).toEqual(['exec', 'exit-codes']);
  expect(await inBash(home, 'stockroom help items exp')).toEqual(['export']);
  expect(await inBash(home, 'stockroom api P')).toEqual(['POST', 'PUT', 'PATCH']);
  expect(await inBash(home, 'stockroom api GET /v1/us')).toEqual(['/v1/users', '/v1/usage']);
});

test('completion succeeds silently without a daemon, with an invalid configuration and for invalid input', async () => {
  await using home = await makeHome();
  for (const words of [
    ['items', 'get', ''],
    ['sites', 'get', ''],
    ['nonsense', ''],
  ]) {
    expect(await home.run(['__complete', '--', ...words])).toMatchObject({ exit: 0, stdout: '', stderr: '' });
  }
  const unreachable = { env: { STOCKROOM_URL: 'http://127.0.0.1:1', STOCKROOM_API_KEY: 'pk_test_nothing' } };
  expect(await home.run(['__complete', '--', 'items', 'get', ''], unreachable)).toMatchObject({ exit: 0, stdout: '', stderr: '' });
  await execa('mkdir', ['-p', home.path('config', 'stockroom')]);
  await execa('tee', [home.path('config', 'stockroom', 'config.json')], { input: '{broken' });
  expect(await home.run(['__complete', '--', 'items', 'list', '--profile', ''])).toMatchObject({ exit: 0, stdout: '', stderr: '' });
});

test('completion gives up after STOCKROOM_COMPLETION_TIMEOUT, without values and silently', async () => {
  await using home = await makeHome();
  await using silent = await startReceiver(() => undefined);
  const env = { STOCKROOM_URL: silent.url, STOCKROOM_API_KEY: 'pk_test_nothing', STOCKROOM_COMPLETION_TIMEOUT: '1' };
  expect(await home.run(['__complete', '--', 'items', 'get', ''], { env })).toMatchObject({ exit: 0, stdout: '', stderr: '' });
});

test('completion prints a script for each supported shell, and an error for others', async () => {
  await using home = await makeHome();
  for (const shell of SHELLS) expect((await home.run(['completion', shell])).stdout).toContain('__complete --');
  const wrong = await home.run(['completion', 'tcsh']);
  expect(wrong).toMatchObject({ exit: 2, stdout: '' });
  expect(wrong.stderr).toContain('bash, zsh, fish, powershell');
});
