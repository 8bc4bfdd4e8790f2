/** The published package, installed elsewhere: its contents, its types, and the examples of docs/. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { formatMessage } from 'publint/utils';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startStockroom } from '../../../src/testing/index.ts';
import { type Packed, type Project, emptyProject, pack } from '../../support/cli/packed-package.ts';

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8');
let packed: Packed;
let project: Project;
beforeAll(async () => {
  packed = await pack();
  project = await emptyProject(packed);
});
afterAll(() => packed[Symbol.dispose]());

describe('the package', () => {
  test('has the command, documentation, command manifest and type declarations', () => {
    const needed = ['bin/run.js', 'oclif.manifest.json', 'package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'dist/daemon.js'];
    const exported = ['client', 'testing', 'webhooks'].flatMap((name) => [`dist/${name}.js`, `dist/types/${name}/index.d.ts`]);
    expect(packed.files).toEqual(expect.arrayContaining([...needed, ...exported, 'dist/commands/items/list.js']));
  });

  test('has no sources, tests, build leftovers or internal declarations', () => {
    const unexpected = packed.files.filter((path) =>
      /^(?:src|test|commands|docs)\/|\.test\.|\.built-from|tsbuildinfo|(?<!\.d)\.tsx?$/u.test(path),
    );
    expect(unexpected).toEqual([]);
    const inside = packed.files.filter((path) => /^dist\/types\/(?!client\/|contract\/|testing\/|webhooks\/)/u.test(path));
    expect(inside).toEqual([]);
  });

  test('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: join(project.directory, 'node_modules', 'stockroom'), pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test('runs its command with declared dependencies only', async () => {
    expect(await project.node(['node_modules/stockroom/bin/run.js', '--version'])).toMatch(/^stockroom\/\d/u);
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
  const examples = readdirSync(fileURLToPath(new URL('../../../docs/examples', import.meta.url)));
  beforeAll(() => {
    for (const name of examples) project.write(name, read(`docs/examples/${name}`));
  });

  test('compile with the declarations', async () => {
    expect(examples).toEqual(['client.ts', 'reorder.test.ts', 'webhooks.ts']);
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

  test('webhooks.ts accepts each signed webhook once, and nothing else', async () => {
    await using stockroom = await startStockroom();
    const { data: webhook, signingSecret = '' } = await stockroom.client.webhooks.create({
      name: 'Example',
      targetUrl: 'http://127.0.0.1:9',
      subscribedEvents: ['inventory.item.created'],
    });
    const child = spawn(process.execPath, ['webhooks.ts'], {
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
    const refused = once(failures, 'line');
    const forged = await fetch(targetUrl, { method: 'POST', body: '{"event":"order.created","data":{}}' });
    expect(forged.status).toBe(400);
    expect(await refused).toEqual(['refused: missing header X-Service-Timestamp']);
  });

  test('reorder.test.ts passes', async () => {
    const report = await project.node(['--test', '--test-reporter=tap', 'reorder.test.ts']);
    expect(report).toMatch(/# pass 3\n# fail 0/u);
  });
});
