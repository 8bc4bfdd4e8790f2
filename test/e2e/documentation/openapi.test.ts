/** `stockroom openapi`, and the files of the API reference page in the package. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { makeHome } from '../../support/cli/home.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const committed = (name: string): string => readFileSync(`${root}/docs/${name}`, 'utf8').trimEnd();

test('openapi prints the committed documents, without a daemon', async () => {
  await using home = await makeHome();
  for (const args of [['openapi'], ['openapi', '--json'], ['openapi', '-o', 'json']]) {
    const { exit, stdout, stderr } = await home.run(args);
    expect([exit, stderr]).toEqual([0, '']);
    expect(stdout === committed('openapi.json')).toBe(true);
  }
  const webhooks = await home.run(['openapi', '--webhooks']);
  expect(webhooks.stdout === committed('webhooks.openapi.json')).toBe(true);
});

test('openapi contains the URL of the service that other commands use', async () => {
  await using home = await makeHome();
  const named = await home.json(['openapi', '--url', 'https://stock.example/']);
  expect(named.body.servers).toEqual([{ url: 'https://stock.example' }]);
  const { url } = await home.start();
  const printed = await home.json(['openapi']);
  expect(printed.body.servers).toEqual([{ url }]);
  expect(printed.body).toEqual(await (await fetch(`${url}/openapi.json`)).json());
  expect((await fetch(`${url}/docs/viewer.js`)).status).toBe(200);
});

test('openapi rejects invalid options', async () => {
  await using home = await makeHome();
  for (const args of [
    ['-o', 'table'],
    ['-o', 'csv'],
    ['--columns', 'info'],
    ['--url', 'ftp://stock.example'],
  ]) {
    const { exit, stdout, stderr } = await home.run(['openapi', ...args]);
    expect([args, exit, stdout]).toEqual([args, 2, '']);
    expect(stderr).not.toMatch(/\n {4}at /u);
  }
});

test('openapi prints the same document as YAML, according to an independent parser', async () => {
  await using home = await makeHome();
  const { stdout } = await home.run(['openapi', '-o', 'yaml']);
  const file = home.path('openapi.yaml');
  writeFileSync(file, stdout);
  const redocly = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'));
  const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const bundled = await execa({ env, node: true })`${redocly} bundle ${file} --ext json -o ${home.path('bundled.json')}`;
  expect(bundled.exitCode).toBe(0);
  expect(JSON.parse(readFileSync(home.path('bundled.json'), 'utf8'))).toEqual(JSON.parse(committed('openapi.json')));
});

test('the package has all files of the API reference page', async () => {
  const { stdout } = await execa({ cwd: root, env: { npm_config_loglevel: 'silent' } })`npm pack --dry-run --json --ignore-scripts`;
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const parts = files.map(({ path }) => path).filter((path) => path.startsWith('dist/reference/'));
  const own = readdirSync(`${root}/src/http/reference`).filter((name) => /\.(?:html|svg|css|js)$/u.test(name));
  expect(own).toContain('index.html');
  expect(parts.toSorted()).toEqual([...own, 'viewer.css.gz', 'viewer.js.gz'].map((name) => `dist/reference/${name}`).toSorted());
});
