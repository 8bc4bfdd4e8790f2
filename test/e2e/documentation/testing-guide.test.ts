/** The examples of docs/testing.md in all languages, and every command that it, the skill for assistants and llms.txt print. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseFixtures } from '../../../src/fixtures/read-fixtures.ts';
import { SUITES } from '../../support/cli/example-suites.ts';
import { installTools } from '../../support/cli/command-tools.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const EXAMPLES = `${ROOT}/docs/examples/testing`;
const read = (path: string): string => readFileSync(`${ROOT}/${path}`, 'utf8');

/** Interpreters find their files with these. */
const TOOL_VARIABLES = ['GOCACHE', 'GOPATH', 'GOROOT', 'JAVA_HOME', 'PYENV_ROOT', 'GEM_HOME'];
const toolEnv = (home: Home): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  GOCACHE: home.path('go-cache'),
  GOFLAGS: '-mod=mod',
  ...Object.fromEntries(TOOL_VARIABLES.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))),
});

test.for(Object.entries(SUITES))(
  'the example for %s passes against a temporary service',
  { timeout: 180_000 },
  async ([, [probe, run, passed]], { skip }) => {
    const [program = '', ...args] = probe;
    if (spawnSync(program, args).status !== 0) skip(`${probe.join(' ')} fails: it is not installed on this machine`);
    await using home = await makeHome();
    const folder = home.path('examples');
    cpSync(EXAMPLES, folder, { recursive: true });
    const { exit, stdout, stderr } = await home.run(['exec', '--', ...run], { cwd: folder, env: toolEnv(home) });
    expect([exit, stdout, stderr]).toEqual([0, expect.stringMatching(passed), expect.any(String)]);
  },
);

test('the example for vitest passes', { timeout: 180_000 }, async () => {
  await using home = await makeHome();
  // A busy machine needs more than the five seconds that vitest allows a test by default.
  const timeouts = ['--testTimeout=120000', '--hookTimeout=120000'];
  const args = [`${ROOT}/node_modules/vitest/vitest.mjs`, 'run', '--root', '.', ...timeouts];
  // In this checkout, whose package it imports.
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: EXAMPLES, env: { ...home.env }, encoding: 'utf8' });
  expect([status, stdout + stderr]).toEqual([0, expect.stringMatching(/4 passed/u)]);
});

test('the fixtures on the page are valid, and those of the examples', () => {
  const [, yaml = ''] = /```yaml\n(.*?)```/su.exec(read('docs/testing.md')) ?? [];
  expect(parseFixtures(yaml, 'page').document.tenants).toMatchObject([{ slug: 'shop', orders: [{ status: 'open' }] }]);
  expect(parseFixtures(read('docs/examples/testing/stockroom.fixtures.yaml'), 'examples').document.tenants).toHaveLength(1);
});

/** The lines of the shell blocks. */
const listLines = (page: string): string[] =>
  [...page.matchAll(/```bash\n(.*?)```/gsu)].flatMap(([, block = '']) => block.trimEnd().split('\n'));

test.for(['docs/testing.md', 'skills/stockroom/SKILL.md', 'llms.txt'])(
  'every command in %s runs as written, beside the fixtures of the examples',
  { timeout: 180_000 },
  async (page) => {
    await using home = await makeHome();
    const folder = home.path('examples');
    cpSync(EXAMPLES, folder, { recursive: true });
    const lines = listLines(read(page));
    expect(lines.length).toBeGreaterThan(4);
    const script = lines.map((line, at) => `${line} && printf '\\nok ${String(at)}\\n' || printf '\\nerror ${String(at)}\\n'`).join('\n');
    const env = await installTools(home);
    const { exit, stdout, stderr } = await home.run(['exec', '--', 'bash', '-c', script], { cwd: folder, env });
    const failed = lines.filter((_, at) => !new RegExp(`^ok ${String(at)}$`, 'mu').test(stdout));
    expect({ exit, failed, stderr }).toEqual({ exit: 0, failed: [], stderr: expect.not.stringContaining('Error:') as string });
  },
);

test('the links of llms.txt lead to files', () => {
  const links = [...read('llms.txt').matchAll(/\]\((?<path>[^)]+)\)/gu)].map(({ groups }) => groups?.['path'] ?? '');
  expect(links.filter((path) => !existsSync(`${ROOT}/${path}`))).toEqual([]);
});
