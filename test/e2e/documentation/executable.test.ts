/** The executable of `npm run executable`, on a machine without Node: PATH has no program, and the package is nowhere. */
import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pack } from '../../support/cli/packed-package.ts';

const MAX_BYTES = 120_000_000;
const builder = fileURLToPath(new URL('../../../bin/build/executable.ts', import.meta.url));
const { version } = process;
let directory: string;
let program: string;

beforeAll(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'stockroom-executable-')));
  mkdirSync(join(directory, 'home'));
  using packed = await pack();
  await promisify(execFile)(process.execPath, [builder, '--package', packed.tarball, '--out', directory]);
  program = globSync('stockroom-*', { cwd: directory }).map((name) => join(directory, name))[0] ?? '';
});
afterAll(async () => {
  await run(['daemon', 'stop']);
  rmSync(directory, { recursive: true, force: true });
});

const run = (args: readonly string[], { input = '', home = join(directory, 'home') } = {}) =>
  execa(program, args, { extendEnv: false, env: { HOME: home, PATH: '/nowhere', TERM: 'xterm' }, input, reject: false });

test('one file has everything, and is at most 120 MB large', () => {
  expect(statSync(program).size).toBeLessThan(MAX_BYTES);
});

test('the executable gives a demo, and its commands find it', async () => {
  expect((await run(['--version'])).stdout).toMatch(new RegExp(`^stockroom/\\S+ \\S+ node-${version}$`, 'u'));
  expect(existsSync(join(directory, 'home', '.cache'))).toBe(false);
  for (const args of [['daemon', 'start', '--port', '0'], ['demo']]) expect(await run(args)).toMatchObject({ exitCode: 0 });
  const { data } = JSON.parse((await run(['items', 'list', '--json'])).stdout) as { data: object[] };
  expect(data.length).toBeGreaterThan(10);
  expect((await run(['dashboard', '--once'])).stdout).toContain('Kestrel Coffee Roasters');
  expect(await run(['items', 'get', 'no-such-item'])).toMatchObject({ exitCode: 3, stdout: '' });
  const { url } = (JSON.parse((await run(['daemon', 'status', '--json'])).stdout) as { data: { url: string } }).data;
  expect(await (await fetch(`${url}/docs`)).text()).toContain('<title>');
});

test('exec runs a command against a temporary service', async () => {
  const { stdout } = await run(['exec', '--', '/bin/sh', '-c', 'echo $STOCKROOM_URL']);
  expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
});

test('the executable is an MCP server, and its configuration names nothing but itself', async () => {
  const { stdout } = await run(['mcp'], { input: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}\n' });
  expect((JSON.parse(stdout) as { result: { tools: object[] } }).result.tools).toHaveLength(12);
  const config = JSON.parse((await run(['mcp', 'config'])).stdout) as { mcpServers: { stockroom: object } };
  expect(config.mcpServers.stockroom).toMatchObject({ command: program, args: ['mcp'] });
});

test('ten first starts at the same time all work, and leave one unpacked package', async () => {
  const home = join(directory, 'other-home');
  mkdirSync(home);
  const results = await Promise.all(Array.from({ length: 10 }, () => run(['help', 'exit-codes'], { home })));
  expect(results.map(({ exitCode }) => exitCode)).toEqual(results.map(() => 0));
  expect(globSync('.cache/stockroom/executable/{*,.*}', { cwd: home })).toHaveLength(1);
});

test('nothing is run from a directory that others can write to', async () => {
  const home = join(directory, 'open-home');
  const cache = join(home, '.cache', 'stockroom', 'executable');
  mkdirSync(cache, { recursive: true });
  await promisify(execFile)('chmod', ['777', cache]);
  expect(await run(['items', 'list'], { home })).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Other users can write') });
});
