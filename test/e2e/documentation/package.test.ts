/** The published package, installed elsewhere: its contents, its types, its commands, and the examples of docs/. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { formatMessage } from 'publint/utils';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { startStockroom } from '../../../src/embedded/index.ts';
import { TOOLS } from '../../../src/contract/mcp-tools.ts';
import { type Installation, findNodeFolder, install, measureBytes } from '../../support/cli/installed-package.ts';
import { SUITES } from '../../support/cli/example-suites.ts';
import { type Packed, type Project, emptyProject, pack } from '../../support/cli/packed-package.ts';
import { findPackages, readSources } from '../../contract/import-rules.ts';
import { createDatabase } from '../../support/postgres/databases.ts';
import { connectClient, connectOverHttp } from '../../support/mcp/client.ts';
import { findDeadLinks } from '../../support/markdown-links.ts';

const INSTALLED_MAX_BYTES = 15 * 1_024 * 1_024;
/** The oldest supported release, and the one of the checkout. */
const NODE_VERSIONS = [
  { release: '22.19' as const, version: '22.19.0' as const },
  { release: '24' as const, version: undefined },
];

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const packageFolder = (): string => join(project.directory, 'node_modules', 'stockroom');
const readPacked = (path: string): string => readFileSync(join(packageFolder(), path), 'utf8');
let packed: Packed;
let project: Project;
beforeAll(async () => {
  packed = await pack();
  project = await emptyProject(packed);
});
afterAll(() => packed[Symbol.dispose]());

/** The arguments of `stockroom` in the image, or in a service of compose.yaml. */
function readContainerCommand(name: string): string[] {
  if (name === 'Dockerfile') return JSON.parse(/^CMD (.+)$/mu.exec(read('Dockerfile'))?.[1] ?? '') as string[];
  const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, { command: string[] }> };
  return services[name]?.command ?? [];
}

describe('the package', () => {
  test('has the command, documentation, command manifest and type declarations', () => {
    const needed = ['bin/run.js', 'oclif.manifest.json', 'package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'dist/daemon.js'];
    const exported = Object.entries({ client: 'client', testing: 'embedded', webhooks: 'webhook-verifier' }).flatMap(([name, folder]) => [
      `dist/${name}.js`,
      `dist/types/${folder}/index.d.ts`,
    ]);
    expect(packed.files).toEqual(expect.arrayContaining([...needed, ...exported, 'dist/commands/items/list.js']));
  });

  test('has no sources, tests, build leftovers, source maps or internal declarations', () => {
    const unexpected = packed.files
      .filter((path) => !path.startsWith('docs/examples/'))
      .filter((path) => /^(?:src|test|commands)\/|\.test\.|\.map$|\.built-from|tsbuildinfo|(?<!\.d)\.tsx?$/u.test(path));
    expect(unexpected).toEqual([]);
    const inside = packed.files.filter((path) => /^dist\/types\/(?!client\/|contract\/|embedded\/|webhook-verifier\/)/u.test(path));
    expect(inside).toEqual([]);
  });

  test('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: packageFolder(), pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test('has no runtime dependencies', () => {
    const manifest = JSON.parse(readPacked('package.json')) as Record<string, unknown>;
    const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies'];
    expect(kinds.filter((kind) => kind in manifest)).toEqual([]);
  });

  test('imports nothing but its own files and modules of Node, in code and declarations', () => {
    const files = globSync('{bin,dist}/**/*.{js,cjs,d.ts}', { cwd: packageFolder() }).filter((path) => !path.includes('/reference/'));
    expect(files.length).toBeGreaterThan(200);
    expect(files.flatMap((path) => findPackages({ path, text: readPacked(path) }).map((name) => `${path}: ${name}`))).toEqual([]);
  });

  test('has the licenses of everything it includes in one file', () => {
    const text = readPacked('THIRD-PARTY-LICENSES.txt');
    const included = [...text.matchAll(/^(\S+) \d[\w.-]* \(.+\)$/gmu)].map(([, name]) => name);
    const imported = new Set(readSources(root).flatMap(findPackages));
    expect(imported.size).toBeGreaterThan(8);
    expect(included).toEqual(expect.arrayContaining([...imported, 'swagger-ui-dist']));
    // Packages that those packages use, and code that the MCP SDK includes.
    expect(included).toEqual(expect.arrayContaining(['@hapi/hoek', '@hapi/topo', 'react-reconciler', 'yoga-layout', 'zod', 'ajv']));
    expect(packed.files.filter((path) => /licen[cs]e|notice/iu.test(path))).toEqual(['LICENSE', 'THIRD-PARTY-LICENSES.txt']);
  });

  test('has everything that its documents link to', () => {
    const documents = packed.files.filter((path) => path.endsWith('.md'));
    expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/tour.md']));
    expect(documents.flatMap((path) => findDeadLinks(packageFolder(), path))).toEqual([]);
  });
});

describe.for(NODE_VERSIONS)('the package, installed under Node $release', ({ release, version }) => {
  const resources = new AsyncDisposableStack();
  let installed: Installation;
  let url: string;
  beforeAll(async () => {
    installed = resources.use(await install(packed.tarball, await findNodeFolder(version)));
    await installed.stockroom(['demo']);
    const { data } = await installed.json<{ data: { url: string } }>(['daemon', 'status']);
    url = data.url;
  });
  afterAll(() => resources.disposeAsync());

  test('is the only installed package and takes at most 15 MB', () => {
    expect(readdirSync(installed.modules)).toEqual(['stockroom']);
    expect(existsSync(join(installed.modules, 'stockroom', 'node_modules'))).toBe(false);
    expect(measureBytes(installed.modules)).toBeLessThan(INSTALLED_MAX_BYTES);
  });

  test('serves the demo data to its commands', async () => {
    expect((await installed.json<{ data: unknown[] }>(['items', 'list'])).data.length).toBeGreaterThan(10);
    expect(await installed.stockroom(['--version'])).toContain(`node-v${release}.`);
    expect(await installed.stockroom(['--help'])).toContain('USAGE');
  });

  test('reads CSV files', async () => {
    writeFileSync(join(installed.directory, 'items.csv'), 'name,sku\nBolt,PACKED-1\n');
    await installed.stockroom(['items', 'import', 'items.csv']);
    expect(await installed.json(['items', 'list', '--search', 'PACKED-1'])).toMatchObject({ data: [{ name: 'Bolt', sku: 'PACKED-1' }] });
  });

  test('validates requests and configuration files', async () => {
    await expect(installed.stockroom(['items', 'create', '--name', ''])).rejects.toThrow('name');
    mkdirSync(join(installed.directory, 'stockroom'));
    writeFileSync(join(installed.directory, 'stockroom', 'config.json'), '{"daemon":{"port":"x"}}');
    const start = installed.stockroom(['daemon', 'start', '--data-dir', 'data'], { XDG_CONFIG_HOME: installed.directory });
    await expect(start).rejects.toThrow('in "daemon", "port" must be a number');
  });

  test('prints a frame of the dashboard', async () => {
    expect(await installed.stockroom(['dashboard', '--once'])).toContain('Kestrel');
  });

  test('serves MCP over stdio', async () => {
    const transport = new StdioClientTransport({ command: installed.command, args: ['mcp'], env: { ...installed.env } });
    await using tools = await connectClient(transport, '2025-11-25');
    expect((await tools.client.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
  });

  test('serves MCP over HTTP', async () => {
    const { secret } = await installed.json<{ secret: string }>(['keys', 'create', '--name', 'MCP', '--all-scopes']);
    await using tools = await connectOverHttp(url, secret, '2025-11-25');
    expect((await tools.client.listTools()).tools).toHaveLength(TOOLS.length);
  });

  test('serves the API reference with all its files', async () => {
    const page = await (await fetch(`${url}/docs`)).text();
    const files = [...page.matchAll(/(?:src|href)="([^":#]+\.(?:js|css|svg))"/gu)].map(([, path = '']) => new URL(path, `${url}/docs`));
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) expect((await fetch(file)).status).toBe(200);
  });

  test.for(['Dockerfile', 'stockroom', 'stockroom-postgres'])('serves in a container as %s: healthy, stopped by SIGTERM', async (name) => {
    const args = readContainerCommand(name).map((arg) => (arg === '8625' ? '0' : arg));
    const volume = join(installed.directory, `volume-${name}`);
    await using database = name === 'stockroom-postgres' ? await createDatabase() : undefined;
    const env = {
      ...installed.env,
      XDG_DATA_HOME: volume,
      XDG_CONFIG_HOME: join(volume, 'config'),
      XDG_CACHE_HOME: join(volume, 'cache'),
      ...(database && { STOCKROOM_STORE: database.url }),
    };
    const child = spawn(installed.command, args, { env, stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    await expect.poll(() => installed.stockroom(['daemon', 'status'], env).catch(() => 'unhealthy')).toContain('running');
    expect(await installed.stockroom(['keys', 'create', '--name', 'host', '--all-scopes'], env)).toContain('pk_test_');
    const hasDemo = name !== 'Dockerfile';
    expect((await installed.stockroom(['tenants', 'list'], env)).includes('kestrel-coffee')).toBe(hasDemo);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });

  test('runs from the tarball with npx', async () => {
    expect(await installed.npx(['items', 'list', '--limit', '1', '-o', 'id'])).toMatch(/^[\da-f-]{36}\n$/u);
  });
});

describe('programs that use the package', () => {
  const compile = (files: readonly string[], compilerOptions: Readonly<Record<string, unknown>> = {}) => {
    const options = { module: 'nodenext', target: 'es2022', strict: true, noEmit: true, types: ['node'], ...compilerOptions };
    project.write('tsconfig.json', JSON.stringify({ compilerOptions: options, files }));
    return project.node(['node_modules/typescript/bin/tsc']);
  };

  test('get the contract types from valid declarations', async () => {
    project.write('types.ts', read('test/exports/types.ts'));
    expect(await compile(['types.ts'], { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true })).toBe('');
    expect(await compile(['types.ts'], { module: 'esnext', moduleResolution: 'bundler' })).toBe('');
  });

  test('get compiler errors that name the wrong field', async () => {
    project.write(
      'wrong.ts',
      "import { stockroomClient } from 'stockroom/client';\nawait stockroomClient().items.create({ nam: 'Bolt' });\n",
    );
    await expect(compile(['wrong.ts'])).rejects.toThrow("Did you mean to write 'name'?");
  });

  test('load undici only if they import the client', async () => {
    const loaded = async (name: string): Promise<boolean> => {
      const script = `import { registerHooks } from 'node:module';
        const urls = [];
        registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
        await import('stockroom/${name}');
        console.log(urls.some((url) => url.includes('undici')));`;
      return (await project.node(['--input-type=module', '-e', script])).trim() === 'true';
    };
    expect([await loaded('client'), await loaded('webhooks')]).toEqual([true, false]);
  });
});

describe('the examples of docs/', () => {
  const examples = readdirSync(fileURLToPath(new URL('../../../docs/examples', import.meta.url))).filter((name) => name.endsWith('.ts'));
  beforeAll(() => {
    for (const name of examples) project.write(name, read(`docs/examples/${name}`));
  });

  test('compile with the declarations', async () => {
    expect(examples).toEqual(['client.ts', 'reorder.test.ts', 'signature.ts', 'webhooks.ts']);
    const options = { module: 'nodenext', target: 'esnext', strict: true, noEmit: true, types: ['node'] };
    project.write('tsconfig.json', JSON.stringify({ compilerOptions: options, files: examples }));
    expect(await project.node(['node_modules/typescript/bin/tsc'])).toBe('');
  });

  test('client.ts writes and reads data, also when run again', async () => {
    await using stockroom = await startStockroom({ requestsPerMinute: 600 });
    const env = { STOCKROOM_URL: stockroom.url, STOCKROOM_API_KEY: stockroom.apiKey };
    const [created, walked] = [
      'created BOLT-M6 at 0.35\ncreated BOLT-M8 at 0.42\ncreated NUT-M6 at 0.08\n',
      '2 items match\nBOLT-M6\nBOLT-M8\nin Test, enterprise\n',
    ];
    expect(await project.node(['client.ts'], env)).toBe(created + walked);
    const there = 'BOLT-M6 is there already\nBOLT-M8 is there already\nNUT-M6 is there already\n';
    expect(await project.node(['client.ts'], env)).toBe(there + walked);
    expect((await stockroom.client.items.list()).pagination.total).toBe(3);
  });

  test.for([
    ['webhooks.ts', 'refused: missing header X-Service-Timestamp'],
    ['signature.ts', 'refused: the signature is missing, wrong or too old'],
  ] as const)('%s accepts signed webhooks, and nothing else', async ([example, refusal]) => {
    await using stockroom = await startStockroom();
    const { data: webhook, signingSecret = '' } = await stockroom.client.webhooks.create({
      name: 'Example',
      targetUrl: 'http://127.0.0.1:9',
      subscribedEvents: ['inventory.item.created'],
    });
    const child = spawn(process.execPath, [example], {
      cwd: project.directory,
      env: { ...process.env, PORT: '0', SIGNING_SECRET: signingSecret },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill());
    const [out, failures] = [createInterface({ input: child.stdout }), createInterface({ input: child.stderr })];
    const [first] = (await once(out, 'line')) as [string];
    const { port } = JSON.parse(first.slice(first.indexOf('{'))) as { port: number };
    const targetUrl = `http://127.0.0.1:${String(port)}`;
    await stockroom.client.webhooks.update(webhook.id, { targetUrl });

    const firstLine = once(out, 'line');
    const { data: item } = await stockroom.client.items.create({ name: 'Bolt' });
    expect(await firstLine).toEqual([`inventory.item.created ${item.id}`]);
    // Two signatures.
    await stockroom.client.webhooks.update(webhook.id, { rotateSecret: true });
    const nextLine = once(out, 'line');
    const { data: other } = await stockroom.client.items.create({ name: 'Nut' });
    expect(await nextLine).toEqual([`inventory.item.created ${other.id}`]);
    const refused = once(failures, 'line');
    const forged = await fetch(targetUrl, { method: 'POST', body: '{"event":"order.created","data":{}}' });
    expect(forged.status).toBe(400);
    expect(await refused).toEqual([refusal]);
  });

  test('reorder.test.ts passes', async () => {
    const report = await project.node(['--test', '--test-reporter=tap', 'reorder.test.ts']);
    expect(report).toMatch(/# pass 3\n# fail 0/u);
  });
});

describe('the example suites, with the package', () => {
  const copyExamples = (name: string): string => {
    const folder = join(project.directory, name);
    cpSync(join(packageFolder(), 'docs', 'examples', name), folder, { recursive: true });
    return folder;
  };
  const stockroom = (...args: readonly string[]) => project.node(['node_modules/stockroom/bin/run.js', ...args], { GOFLAGS: '-mod=mod' });

  test.for(Object.entries(SUITES))('%s', { timeout: 180_000 }, async ([, [[program = '', ...probe], run, passed]], { skip }) => {
    if (spawnSync(program, probe).status !== 0) skip(`${program} is not installed on this machine`);
    const folder = copyExamples('testing');
    const command = ['--', 'sh', '-c', 'cd testing && exec "$@"', 'sh', ...run];
    expect(await stockroom('exec', '--fixtures', join(folder, 'stockroom.fixtures.yaml'), ...command)).toMatch(passed);
  });

  test('torture', { timeout: 180_000 }, async () => {
    const folder = copyExamples('torture');
    const torture = (...args: readonly string[]) => stockroom('torture', '--fixtures', join(folder, 'stockroom.fixtures.yaml'), ...args);
    await expect(torture('--runs', '200', '--', process.execPath, 'torture/send-orders.ts', '--broken')).rejects.toThrow(
      /Faults: lose-answer:\d; failed in 4 of 4 runs/u,
    );
    expect(await torture('--runs', '10', '--', process.execPath, 'torture/send-orders.ts')).toContain('10\t0\t');
  });
});
