/** The shell steps of action.yml and release.yml, with the packed package, as GitHub runs them: a bash without this process's environment. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Packed, pack } from '../../support/cli/packed-package.ts';
import { findScript, readAction, readWorkflow, runScript } from '../../support/workflows.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
let packed: Packed;
let runnerTemp: string;
let runner: Record<string, string>;

beforeAll(async () => {
  packed = await pack();
  runnerTemp = join(packed.directory, 'runner temp');
  mkdirSync(runnerTemp);
  runner = {
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: runnerTemp,
    TMPDIR: tmpdir(),
    RUNNER_TEMP: runnerTemp,
    GITHUB_REPOSITORY: 'Ada/stockroom',
    TAG: `v${version}`,
  };
});
afterAll(() => packed[Symbol.dispose]());

/** Lines `name=value` that a step appends. */
const readOutputs = (path: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

/** Those whose licenses the package has. The lock file does not know what packages have copied into themselves. */
const listIncludedPackages = (): string[] => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, { dev?: boolean }> };
  const licenses = readFileSync(join(packed.directory, 'copy', 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  return [...licenses.matchAll(/^(?<name>\S+) \d[\w.-]* \(.+\)$/gmu)]
    .map(({ groups }) => groups?.['name'] ?? '')
    .filter((name) => packages[`node_modules/${name}`]?.dev === undefined && `node_modules/${name}` in packages);
};

describe('action.yml', () => {
  const { steps } = readAction().runs;
  const program = () => join(runnerTemp, 'stockroom', 'node_modules', '.bin', 'stockroom');

  test('installs the package, and gives later steps the command', async () => {
    const GITHUB_PATH = join(runnerTemp, 'path');
    const env = { ...runner, PACKAGE: packed.tarball, GITHUB_PATH, npm_config_offline: 'true' };
    await runScript(findScript(steps, 'Install stockroom'), { cwd: runnerTemp, env });
    expect(readFileSync(GITHUB_PATH, 'utf8')).toBe(`${dirname(program())}\n`);
    expect(existsSync(program())).toBe(true);
  });

  test.each([
    ['false', 0],
    ['true', 10],
  ])('starts the service with demo: %s, and outputs what clients need, masked', async (DEMO, itemsMin) => {
    const GITHUB_OUTPUT = join(runnerTemp, `output-${DEMO}`);
    const { all } = await runScript(findScript(steps, 'Start stockroom'), { cwd: runnerTemp, env: { ...runner, DEMO, GITHUB_OUTPUT } });
    const outputs = readOutputs(GITHUB_OUTPUT);
    onTestFinished(async () => {
      await runScript('"$PROGRAM" daemon stop --data-dir "$DATA_DIR"', {
        cwd: runnerTemp,
        env: { ...runner, PROGRAM: program(), DATA_DIR: outputs['data-dir'] ?? '' },
      });
      expect(existsSync(outputs['data-dir'] ?? '')).toBe(false);
    });
    const { url = '', key = '', 'control-url': controlUrl = '', 'control-token': token = '' } = outputs;
    expect(all.split('\n')).toEqual([`::add-mask::${key}`, `::add-mask::${token}`]);
    const items = (await (await fetch(`${url}/v1/items`, { headers: { 'x-api-key': key } })).json()) as { data: object[] };
    expect(items.data.length).toBeGreaterThanOrEqual(itemsMin);
    const tenants = await fetch(`${controlUrl}/control/tenants`, { headers: { authorization: `Bearer ${token}` } });
    expect(tenants.status).toBe(200);
  });
});

describe('release.yml', () => {
  const { jobs } = readWorkflow('.github/workflows/release.yml');
  const run = (job: string, step: string, env: Record<string, string> = {}) =>
    runScript(findScript(jobs[job]?.steps ?? [], step), { cwd: root, env: { ...runner, ...env } });

  test('compares the tag with the version', async () => {
    await run('package', 'Compare the tag with package.json and CHANGELOG.md');
    const wrong = run('package', 'Compare the tag with package.json and CHANGELOG.md', { TAG: 'v99.0.0' });
    await expect(wrong).rejects.toMatchObject({ exitCode: 1, all: expect.stringContaining('The tag is "v99.0.0"') });
  });

  test('packs with the repository that npm compares, lists the components, and cuts the notes', async () => {
    const cwd = join(packed.directory, 'copy');
    const { steps = [] } = jobs['package'] ?? {};
    await runScript(findScript(steps, 'Pack'), { cwd, env: runner });
    const RUNNER_TEMP = join(packed.directory, 'bill');
    mkdirSync(RUNNER_TEMP);
    await runScript(findScript(steps, 'List the components'), { cwd, env: { ...runner, RUNNER_TEMP, npm_config_offline: 'true' } });
    await runScript(findScript(steps, 'Cut the release notes'), { cwd, env: runner });
    expect(readdirSync(join(cwd, 'release')).toSorted()).toEqual([`stockroom-${version}.tgz`, 'stockroom.cdx.json']);
    const { all } = await runScript('tar -xzOf release/*.tgz package/package.json', { cwd, env: runner });
    expect(JSON.parse(all)).toMatchObject({ repository: { url: 'git+https://github.com/Ada/stockroom.git' } });
    const bill = JSON.parse(readFileSync(join(cwd, 'release', 'stockroom.cdx.json'), 'utf8')) as {
      components: { purl: string }[];
    };
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { purl: `pkg:npm/stockroom@${version}` } } });
    const listed = bill.components.map(({ purl }) => decodeURIComponent(purl).replace(/^pkg:npm\/(.+)@.+$/u, '$1'));
    expect(listIncludedPackages().length).toBeGreaterThan(50);
    expect(listed).toEqual(expect.arrayContaining(listIncludedPackages()));
    expect(listed.filter((name) => ['vitest', 'rolldown'].includes(name))).toEqual([]);
    expect(readFileSync(join(cwd, 'notes.md'), 'utf8')).toMatch(/^### Added\n- /u);
  });

  test('writes sums that sha256sum accepts, and manifests with them', async () => {
    const cwd = join(packed.directory, 'copy');
    const release = join(cwd, 'release');
    mkdirSync(release, { recursive: true });
    copyFileSync(packed.tarball, join(release, `stockroom-${version}.tgz`));
    for (const name of ['linux-x64', 'linux-arm64', 'darwin-arm64', 'win-x64.exe']) writeFileSync(join(release, `stockroom-${name}`), name);
    await runScript(findScript(jobs['github']?.steps ?? [], 'Sum and describe the files'), { cwd, env: runner });
    await runScript('cd release && sha256sum --check SHA256SUMS', { cwd, env: runner });
    const written = readdirSync(release);
    expect(written).toEqual(expect.arrayContaining(['stockroom.rb', 'Ada.stockroom.yaml', 'Ada.stockroom.installer.yaml']));
    await runScript('ruby -c release/stockroom.rb || ! command -v ruby', { cwd, env: runner });
  });

  test('names the image in lower case', async () => {
    const GITHUB_OUTPUT = join(packed.directory, 'image');
    await run('container', 'Name the image', { GITHUB_OUTPUT });
    expect(readOutputs(GITHUB_OUTPUT)).toEqual({ name: 'ghcr.io/ada/stockroom' });
  });
});
