/**
 * Bundles what a user runs into dist/: each command its own file, loaded only when it is called, everything
 * shared in common chunks. Then writes oclif's manifest, so that starting one command does not load the others.
 *
 * Running processes keep working across a build: chunks are named by their content and old ones stay for a day,
 * entries are replaced by rename.
 */
import { existsSync, globSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type InputOptions, type OutputAsset, type OutputChunk, type Plugin as BundlerPlugin, rolldown } from 'rolldown';
import { fieldsOf, resourceOf } from '../src/cli/fields.ts';
import { FLAGS_FILE } from '../src/cli/flags-file.ts';
import { HELP_TOPICS } from '../src/cli/help-topics.ts';
import type * as Oclif from '../src/cli/oclif.ts';
import { vocabularyOf } from '../src/completion/vocabulary.ts';
import { builtFrom, fingerprint, root } from './inputs.js';

const DIST = join(root, 'dist');
const CHUNKS = 'chunks';
/** What src/daemon/load.ts loads, and the name by which it knows the file that is made of it. */
const DAEMON = { source: 'src/daemon/whole.ts', constant: 'DAEMON_BUNDLE' };
const MANIFEST = join(root, 'oclif.manifest.json');
/** What the Tab key can offer. */
const VOCABULARY = join(DIST, 'completion.json');
const OLD_CHUNKS_STAY_MS = 24 * 60 * 60 * 1000;

/**
 * Bundled although they are dependencies, because one file loads faster than a hundred: oclif 30 ms, undici 24 ms, hapi 35 ms, pino 15 ms, ink
 * with React more than a hundred. Whatever they bring along is bundled with them.
 */
const BUNDLED_DEPENDENCIES = ['@hapi/bourne', '@hapi/call', '@hapi/hapi', '@oclif/core', 'ink', 'lowdb', 'pino', 'react', 'undici', 'uuid'];

/** What so many entries share is one file for each area instead of one for each module: a command opens nine files instead of 25. */
const MOST_COMMANDS = 60;

/** What only the dashboard loads. */
const INK =
  /node_modules[\\/](?:ink|react|react-reconciler|scheduler|yoga-layout|es-toolkit|@alcalzone|cli-boxes|cli-cursor|cli-truncate|stack-utils|terminal-size|patch-console|auto-bind|code-excerpt|convert-to-spaces|quick-lru|signal-exit|restore-cursor|onetime|mimic-function|is-in-ci)[\\/]/;

/** As the bundler writes it. */
const BUILTIN_IMPORT = /^import (?:(\w[\w$]*)(?:, )?)?(?:\* as ([\w$]+))?(?:\{ (.+) \})? from "(node:[\w/]+)";$/gmu;

/** Name below dist/ → source. Commands and hooks are found by their folders. */
const ENTRIES: Record<string, string> = {
  cli: 'src/cli/oclif.ts',
  help: 'src/cli/help.ts',
  complete: 'src/completion/main.ts',
  daemon: 'src/daemon/child.ts',
  client: 'src/client/index.ts',
  webhooks: 'src/webhooks/index.ts',
  testing: 'src/testing/index.ts',
};

interface PackageJson {
  dependencies: Record<string, string>;
  oclif: { topics: Record<string, { description?: string }> };
}

interface Built {
  fileName: string;
  content: string | Uint8Array;
}

try {
  await main();
} catch (error) {
  // The bundler's message names file and line; its stack would only show this file.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const started = performance.now();
  const inputs = fingerprint();
  const daemon = await daemonBundle();
  const files = [...daemon, ...(await bundle(findEntries(), daemon[0])), ...(await referencePage())];
  await rm(MANIFEST, { force: true });
  await install(files);
  const commands = await writeManifest();
  await writeFile(builtFrom, inputs);
  process.stderr.write(`built ${commands} commands in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}

function findEntries(): Record<string, string> {
  const found = Object.entries(ENTRIES).filter(([, source]) => existsSync(join(root, source)));
  for (const source of sources('commands/**/*.{ts,tsx}')) found.push([withoutSuffix(source), source]);
  for (const source of sources('src/cli/hooks/*.ts')) found.push([withoutSuffix(source).replace('src/cli/', ''), source]);
  return Object.fromEntries(found);
}

function sources(pattern: string): string[] {
  return globSync(pattern, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .toSorted();
}

function withoutSuffix(path: string): string {
  return path.replace(/\.tsx?$/, '');
}

async function bundle(input: Record<string, string>, daemon: Built): Promise<Built[]> {
  const build = await rolldown({
    ...(await common()),
    input,
    plugins: [sortWithoutLocale(), reactForUsers(), inkForUsers(), builtinsAsTheyAre()],
    transform: { define: { [DAEMON.constant]: JSON.stringify(daemon.fileName.slice(CHUNKS.length + 1)) } },
  });
  const { output } = await build.generate({
    dir: DIST,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
    // Names and line breaks stay: a stack trace in a bug report must be readable. Minifying would save 3 ms of start-up.
    minify: 'dce-only',
    // oclif keeps state in its modules: every command must get the same copy. undici is loaded only by what sends requests.
    codeSplitting: {
      groups: [
        { name: 'undici', test: /node_modules[\\/]undici[\\/]/ },
        { name: 'ink', test: INK },
        { name: 'oclif', test: /node_modules[\\/]/ },
        // Apart, because programs that import the client or the check of signatures have no use for the terminal's manners.
        ...['contract', 'client', 'cli'].map((area) => ({
          name: area,
          test: new RegExp(`[\\\\/]src[\\\\/]${area}[\\\\/]`, 'u'),
          minShareCount: MOST_COMMANDS,
        })),
      ],
    },
  });
  await build.close();
  refuseHeavyStart(output);
  return output.map(builtFile);
}

/** The daemon in the form that src/daemon/compiled.ts runs, and after it what it loads later and what both share. */
async function daemonBundle(): Promise<[Built, ...Built[]]> {
  const build = await rolldown({
    ...(await common()),
    input: { daemon: DAEMON.source },
    plugins: [injectWithoutOldUrls(), withoutMediaTypes()],
    // Of a lazy import for the sake of commands, which makes no difference here.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await build.generate({
    dir: DIST,
    format: 'cjs',
    entryFileNames: `${CHUNKS}/[name]-[hash].cjs`,
    chunkFileNames: `${CHUNKS}/[name]-[hash].cjs`,
    minify: 'dce-only',
  });
  await build.close();
  const [entry, ...others] = output;
  return [builtFile(entry), ...others.map(builtFile)];
}

function builtFile(file: OutputChunk | OutputAsset): Built {
  return { fileName: file.fileName, content: file.type === 'chunk' ? inAscii(file.code) : file.source };
}

/** V8 keeps and reads a script of plain ASCII in half the memory of any other. Other characters stand in literals and comments only. */
function inAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

async function common(): Promise<InputOptions> {
  const pjson = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as PackageJson;
  const external = Object.keys(pjson.dependencies).filter((name) => !BUNDLED_DEPENDENCIES.includes(name));
  return {
    cwd: root,
    platform: 'node',
    external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
    logLevel: 'warn',
  };
}

/** The page at /docs as it is, with the viewer that it shows and what the viewer's licence asks for. */
async function referencePage(): Promise<Built[]> {
  const viewer = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
  const parts = [
    ...['index.html', 'icon.svg', 'page.css', 'page.js'].map((name) => [name, join(root, 'src/http/reference', name)] as const),
    ['viewer.css', join(viewer, 'swagger-ui.css')],
    ['viewer.js', join(viewer, 'swagger-ui-bundle.js')],
    ['viewer.LICENSE', join(viewer, 'LICENSE')],
    ['viewer.NOTICE', join(viewer, 'NOTICE')],
    ['viewer.js.LICENSE.txt', join(viewer, 'swagger-ui-bundle.js.LICENSE.txt')],
  ] as const;
  return Promise.all(parts.map(async ([name, path]) => ({ fileName: `reference/${name}`, content: await readFile(path) })));
}

/**
 * Takes Node's own modules as they are. Imported, each gets a facade for which Node looks at all that it exports and loads what was left for
 * later: 10 ms of every command. What receivers of webhooks import may run on something else than Node and keeps its imports.
 */
function builtinsAsTheyAre(): BundlerPlugin {
  return {
    name: 'builtins-as-they-are',
    renderChunk(code, { fileName }) {
      if (fileName === 'webhooks.js') return null;
      return code.replaceAll(BUILTIN_IMPORT, (_line, whole?: string, all?: string, named?: string, module?: string) => {
        const from = `globalThis.process.getBuiltinModule("${module ?? ''}")`;
        const parts = [whole, all, named && `{ ${named.replaceAll(' as ', ': ')} }`].filter((part) => part !== undefined);
        return parts.map((part) => `const ${part} = ${from};`).join(' ');
      });
    },
  };
}

/** What a command loads before it runs must not bring in what only some of them use: one package shared between two groups would do it. */
function refuseHeavyStart(output: readonly (OutputChunk | OutputAsset)[]): void {
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])));
  for (const entry of chunks.values()) {
    if (!entry.isEntry || !/^(?:cli|complete|help|commands\/.*|hooks\/.*)\.js$/u.test(entry.fileName)) continue;
    const loaded = new Set([entry.fileName]);
    for (const file of loaded) for (const next of chunks.get(file)?.imports ?? []) loaded.add(next);
    const heavy = [...loaded].find((file) => /^chunks\/(?:ink|undici)-/u.test(file));
    if (heavy !== undefined) throw new Error(`${entry.fileName} would load ${heavy} at its start: see the groups in bin/build.ts`);
  }
}

/** oclif sorts its command ids by locale at each start, which loads the collation tables: 5 ms that plain ASCII ids do not need. */
function sortWithoutLocale(): BundlerPlugin {
  const slow = 'a.id.localeCompare(b.id)';
  return {
    name: 'sort-without-locale',
    transform: {
      filter: { id: /@oclif\/core\/lib\/config\/plugin\.js$/ },
      handler(code) {
        if (!code.includes(slow)) throw new Error(`oclif no longer sorts by ${slow}: remove this plugin if it starts fast without it`);
        return { code: code.replace(slow, '(a.id < b.id ? -1 : 1)'), map: null };
      },
    },
  };
}

/** hapi's `inject` parses by `url.parse`, of which Node warns everywhere but below node_modules, where the bundle of a checkout is not. */
function injectWithoutOldUrls(): BundlerPlugin {
  const old = 'const uri = Url.parse(url);';
  return {
    name: 'inject-without-old-urls',
    transform: {
      filter: { id: /@hapi\/shot\/lib\/request\.js$/ },
      handler(code) {
        if (!code.includes(old))
          throw new Error(`hapi's inject no longer says ${old}: remove this plugin if there is no warning without it`);
        return { code: code.replace(old, "const uri = Url.urlToHttpOptions(new URL(url, 'http://localhost'));"), map: null };
      },
    },
  };
}

/** hapi asks what media types there are to decide what to compress. The daemon compresses nothing, and reading 2,500 of them is 3 % of its start. */
function withoutMediaTypes(): BundlerPlugin {
  return {
    name: 'without-media-types',
    load: { filter: { id: /node_modules[\\/]mime-db[\\/]db\.json$/ }, handler: () => '{}' },
  };
}

/** React as it is in use: its development half would be bundled, too, because it is chosen at run time. */
function reactForUsers(): BundlerPlugin {
  return {
    name: 'react-for-users',
    transform: {
      filter: { id: /node_modules[\\/](?:react|react-reconciler|scheduler)[\\/]/, code: 'process.env.NODE_ENV' },
      handler: (code) => ({ code: code.replaceAll('process.env.NODE_ENV', '"production"'), map: null }),
    },
  };
}

/** Ink without the tools for its developers, whose package is not there. */
function inkForUsers(): BundlerPlugin {
  return {
    name: 'ink-for-users',
    load: { filter: { id: /node_modules[\\/]ink[\\/]build[\\/]devtools\.js$/ }, handler: () => 'export {};' },
  };
}

/** Chunks first, then the entries that point at them, then what is no longer wanted. */
async function install(built: readonly Built[]): Promise<void> {
  const now = new Date();
  const isChunk = (file: Built): boolean => file.fileName.startsWith(`${CHUNKS}/`);
  for (const file of [...built.filter(isChunk), ...built.filter((candidate) => !isChunk(candidate))]) {
    const path = join(DIST, file.fileName);
    if (isChunk(file) && existsSync(path)) {
      await utimes(path, now, now);
      continue;
    }
    await replaceFile(path, file.content);
  }
  const wanted = new Set(built.map((file) => join(DIST, file.fileName)));
  for (const entry of await readdir(DIST, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || wanted.has(path) || path === VOCABULARY || path === join(DIST, FLAGS_FILE)) continue;
    const recent = path.startsWith(join(DIST, CHUNKS)) && now.getTime() - (await stat(path)).mtimeMs < OLD_CHUNKS_STAY_MS;
    if (!recent) await rm(path, { force: true });
  }
}

async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, content);
  await rename(draft, path);
}

/**
 * What `oclif manifest` does, without the two hundred packages it brings. Flags, four fifths of it, are a file of their own: every command reads
 * the manifest, and only help needs to know the flags of a command before it is loaded. Returns the number of commands.
 */
async function writeManifest(): Promise<number> {
  if (!existsSync(join(DIST, 'commands'))) return 0;
  const { Plugin, settings } = (await import(pathToFileURL(join(DIST, 'cli.js')).href)) as typeof Oclif;
  settings.enableAutoTranspile = false;
  const plugin = new Plugin({ root, type: 'core', ignoreManifest: true, errorOnManifestCreate: true, respectNoCacheDefault: true });
  await plugin.load();
  const flags = Object.fromEntries(Object.values(plugin.manifest.commands).map((command) => [command.id, command.flags]));
  await replaceFile(join(DIST, FLAGS_FILE), JSON.stringify(flags));
  await replaceFile(
    MANIFEST,
    JSON.stringify(plugin.manifest, (name, value: unknown) => (name === 'flags' ? {} : value)),
  );
  const { oclif } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as PackageJson;
  const vocabulary = vocabularyOf(plugin.manifest, oclif.topics, ({ result }) => fieldsOf(resourceOf(result)), Object.keys(HELP_TOPICS));
  await replaceFile(VOCABULARY, JSON.stringify(vocabulary));
  return Object.keys(plugin.manifest.commands).length;
}
