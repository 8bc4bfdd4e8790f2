/** No connections leave this machine: all processes of a session record every address they connect to or look up. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { makeHome } from '../../support/cli/home.ts';

const INSTALL = new URL('../../../bin/install.js', import.meta.url).href;
const HOOK = fileURLToPath(new URL('../../support/cli/record-connections.ts', import.meta.url));

const DAY: readonly (readonly string[])[] = [
  ['help', 'offline'],
  ['demo'],
  ['items', 'list'],
  ['orders', 'create', '--module', 'sell'],
  ['audit', 'export', '--limit', '5'],
  ['usage'],
  ['capabilities'],
  ['openapi'],
  ['dashboard', '--once'],
  ['doctor'],
  ['snapshot', 'save', 'evening'],
  ['__complete', '--', 'items', 'get', ''],
  ['exec', '--', process.execPath, '-e', '0'],
  ['daemon', 'stop'],
];

test('only local addresses are connected to or looked up, from demo to stop', async () => {
  await using home = await makeHome();
  const file = home.path('addresses');
  const env = { NODE_OPTIONS: `--import=${HOOK}`, NOTE_ADDRESSES: file };
  for (const args of DAY) {
    const { exit, stderr } = await home.run(args, { env });
    expect(exit, `${args.join(' ')}: ${stderr}`).toBe(0);
  }
  const seen = new Set((await readFile(file, 'utf8')).trim().split('\n'));
  expect([...seen].some((line) => line.startsWith('connect 127.0.0.1:'))).toBe(true);
  expect([...seen]).toContain('connect socket');
  expect([...seen].filter((line) => line !== 'connect socket' && !/ (?:127\.0\.0\.1|localhost|::1)(?::\d+)?$/u.test(line))).toEqual([]);
});

test('the recorded addresses include one given by --url', async () => {
  await using home = await makeHome();
  const file = home.path('addresses');
  const env = { NODE_OPTIONS: `--import=${HOOK}`, NOTE_ADDRESSES: file, STOCKROOM_API_KEY: 'pk_test_of_nobody' };
  await home.run(['items', 'list', '--url', 'http://service.invalid', '--max-wait', '0'], { env });
  expect(await readFile(file, 'utf8')).toContain('service.invalid');
});

test('an installation without a network says what needs it, any other failure what npm said', async () => {
  await using home = await makeHome();
  const install = async (code: string): Promise<string> => {
    await writeFile(home.path('npm'), `#!/bin/sh\necho 'npm error code ${code}' >&2\nexit 1\n`, { mode: 0o755 });
    const script = `import { install } from '${INSTALL}'; console.log(await install('start'));`;
    const options = { env: { ...home.env, PATH: `${home.directory}:${home.env['PATH'] ?? ''}` }, extendEnv: false } as const;
    return (await execa(process.execPath, ['--input-type=module', '-e', script], options)).stdout;
  };
  for (const code of ['ENOTFOUND', 'EAI_AGAIN', 'ENOTCACHED']) expect(await install(code)).toContain('The first start needs the network');
  expect(await install('EINTEGRITY')).toBe('npm ci failed (1). Check the network and try again');
});
