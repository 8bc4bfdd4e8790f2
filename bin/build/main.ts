/**
 * Bundles the product into dist/: one file per command, loaded on demand, and shared chunks. Then writes oclif's
 * manifest, so that starting one command does not load the others.
 *
 * With `--package` it adds what only the published package has: type declarations, and the licenses of the bundled packages.
 *
 * Running processes keep working across a build: chunks are named by their content and old ones are kept for a day;
 * entries are replaced by rename.
 */
import { existsSync, globSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type InputOptions, type OutputAsset, type OutputChunk, type Plugin as BundlerPlugin, rolldown } from 'rolldown';
import { listVerbAliases } from '../../src/cli/command/verb-aliases.ts';
import { listFields, getResourceSchema } from '../../src/cli/output/fields.ts';
import { FLAGS_FILE } from '../../src/cli/help/flags-manifest.ts';
import { HELP_TOPICS } from '../../src/cli/help/topics.ts';
import type * as Oclif from '../../src/cli/oclif.ts';
import { createVocabulary } from '../../src/completion/vocabulary.ts';
import { fingerprintFile, computeFingerprint, root } from '../inputs.js';
import { bundleConsole } from './console.ts';
import { LICENSES_FILE, formatLicenses } from './licenses.ts';
import { LIBRARIES, writeDeclarations } from './types.ts';

const isForPackage = process.argv.includes('--package');
const DIST = join(root, 'dist');
const CHUNKS = 'chunks';
const MANIFEST = join(root, 'oclif.manifest.json');
/** Names and values for shell completion. */
const VOCABULARY = join(DIST, 'completion.json');
const OLD_CHUNK_RETENTION_MS = 24 * 60 * 60 * 1000;

/** Modules used by at least this many entries are combined into one chunk per area: a command then loads nine files instead of 25. */
const SHARED_CHUNK_MIN_USES = 60;

/** Modules that, among the commands, only imports and configuration files, or only `stockroom mcp`, load. */
const JOI_MODULES = /node_modules[\\/](?:joi|@hapi[\\/](?:address|formula|hoek|pinpoint|tlds|topo)|@standard-schema)[\\/]/;
const MCP_MODULES = /node_modules[\\/](?:@modelcontextprotocol|zod)[\\/]/;

/** Modules that only workbooks load. */
const XLSX_MODULES = /node_modules[\\/](?:read-excel-file|write-excel-file|fflate|saxen|unzipper-esm|worker-f|graceful-fs|node-int64)[\\/]/;

/** Modules that only the dashboard loads. */
const INK_MODULES =
  /node_modules[\\/](?:ink|react|react-reconciler|scheduler|yoga-layout|es-toolkit|@alcalzone|cli-boxes|cli-cursor|cli-truncate|stack-utils|terminal-size|patch-console|auto-bind|code-excerpt|convert-to-spaces|quick-lru|signal-exit|restore-cursor|onetime|mimic-function|is-in-ci)[\\/]/;

/** An import of a built-in module, as the bundler emits it. */
const BUILTIN_IMPORT = /^import (?:(\w[\w$]*)(?:, )?)?(?:\* as ([\w$]+))?(?:\{ (.+) \})? from "(node:[\w/]+)";$/gmu;

/** The oldest Node of `engines`: newer syntax, such as `await using`, is converted. */
const COMMON_OPTIONS = {
  cwd: root,
  platform: 'node',
  logLevel: 'warn',
  transform: { target: 'node22.19' },
  // Modules of ES can be left out where nothing uses them: a sixth of the OpenTelemetry SDK is left.
  resolve: { mainFields: ['module', 'main'] },
} as const satisfies InputOptions;

/** Entry names below dist/ and their sources. Commands and hooks are found by folder. */
const ENTRIES: Record<string, string> = {
  cli: 'src/cli/oclif.ts',
  help: 'src/cli/help/stockroom-help.ts',
  complete: 'src/completion/main.ts',
  daemon: 'src/daemon/child.ts',
  ...LIBRARIES,
};

interface PackageJson {
  oclif: { topics: Record<string, { description?: string }> };
}

interface BuiltFile {
  fileName: string;
  content: string | Uint8Array;
  /** Paths of the modules that it contains. */
  modules?: readonly string[];
}

try {
  await main();
} catch (error) {
  // The bundler's message contains file and line; the stack would only show this file.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const started = performance.now();
  const inputs = computeFingerprint();
  const files = [...(await bundle(findEntries())), ...(await collectReferencePage()), ...(await bundleConsole())];
  await rm(MANIFEST, { force: true });
  await installFiles(files);
  if (isForPackage) {
    const modules = files.flatMap((file) => file.modules ?? []);
    await replaceFile(LICENSES_FILE, formatLicenses(modules, ['swagger-ui-dist']));
    writeDeclarations();
  }
  const commands = await writeManifest();
  await writeFile(fingerprintFile, inputs);
  process.stderr.write(`built ${commands} commands in ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}

function findEntries(): Record<string, string> {
  const found = Object.entries(ENTRIES).filter(([, source]) => existsSync(join(root, source)));
  for (const source of listSources('commands/**/*.{ts,tsx}')) found.push([removeSuffix(source), source]);
  for (const source of listSources('src/cli/hooks/*.ts')) found.push([removeSuffix(source).replace('src/cli/', ''), source]);
  return Object.fromEntries(found);
}

function listSources(pattern: string): string[] {
  return globSync(pattern, { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .toSorted();
}

function removeSuffix(path: string): string {
  return path.replace(/\.tsx?$/, '');
}

async function bundle(input: Record<string, string>): Promise<BuiltFile[]> {
  const build = await rolldown({
    ...COMMON_OPTIONS,
    input,
    plugins: [bundleJoi(), replaceLegacyUrlParser(), useProductionReact(), omitInkDevtools(), compressJq(), bypassBuiltinFacades()],
    // Some modules are imported lazily only for the sake of commands; in the daemon this has no effect.
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await build.generate({
    dir: DIST,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
    // Not minified, so that stack traces in bug reports are readable. Minifying would save 3 ms at startup.
    minify: 'dce-only',
    // oclif has module state, so all commands must share one copy. undici is loaded only by modules that send requests.
    codeSplitting: {
      groups: [
        { name: 'undici', test: /node_modules[\\/]undici[\\/]/ },
        { name: 'ink', test: INK_MODULES },
        { name: 'joi', test: JOI_MODULES },
        { name: 'mcp-sdk', test: MCP_MODULES },
        { name: 'jq', test: /node_modules[\\/]jq-wasm[\\/]/ },
        { name: 'xlsx', test: XLSX_MODULES },
        { name: 'csv', test: /node_modules[\\/]csv-parse[\\/]/ },
        { name: 'oclif', test: /node_modules[\\/]/, minShareCount: SHARED_CHUNK_MIN_USES },
        // One chunk per area, because programs that import the client or the signature verification do not need the command line.
        ...Object.entries({ contract: 'contract', client: '(?:client|platform)', cli: 'cli' }).map(([name, folder]) => ({
          name,
          test: new RegExp(`[\\\\/]src[\\\\/]${folder}[\\\\/]`, 'u'),
          minShareCount: SHARED_CHUNK_MIN_USES,
        })),
      ],
    },
  });
  await build.close();
  checkStartupChunks(output);
  return output.map(toBuiltFile);
}

function toBuiltFile(file: OutputChunk | OutputAsset): BuiltFile {
  if (file.type === 'asset') return { fileName: file.fileName, content: file.source };
  const included = Object.entries(file.modules).filter(([, { renderedLength }]) => renderedLength > 0);
  return { fileName: file.fileName, content: escapeNonAscii(file.code), modules: included.map(([path]) => path) };
}

/** V8 needs half the memory for an ASCII script. Other characters occur only in literals and comments, where they can be escaped. */
function escapeNonAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Collects the reference page at /docs and its viewer. */
async function collectReferencePage(): Promise<BuiltFile[]> {
  const viewer = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
  const parts = [
    ...listSources('src/http/reference/*.{html,svg,css,js}').map((path) => [basename(path), join(root, path)] as const),
    ['viewer.css.gz', join(viewer, 'swagger-ui.css')],
    ['viewer.js.gz', join(viewer, 'swagger-ui-bundle.js')],
  ] as const;
  return Promise.all(
    parts.map(async ([name, path]) => {
      const content = await readFile(path);
      return { fileName: `reference/${name}`, content: name.endsWith('.gz') ? gzipSync(content, { level: 9 }) : content };
    }),
  );
}

/**
 * Replaces imports of built-in modules by `process.getBuiltinModule`. For an import, Node creates a facade with all exports, which triggers
 * lazy loading: 10 ms per command. webhooks.js keeps its imports, because it may run on other runtimes.
 */
function bypassBuiltinFacades(): BundlerPlugin {
  return {
    name: 'bypass-builtin-facades',
    renderChunk(code, { fileName }) {
      if (fileName === 'webhooks.js') return null;
      return code.replaceAll(BUILTIN_IMPORT, (_line, defaultName?: string, namespace?: string, named?: string, module?: string) => {
        const from = `globalThis.process.getBuiltinModule("${module ?? ''}")`;
        const parts = [defaultName, namespace, named && `{ ${named.replaceAll(' as ', ': ')} }`].filter((part) => part !== undefined);
        return parts.map((part) => `const ${part} = ${from};`).join(' ');
      });
    },
  };
}

/** Fails if an entry would load a heavy chunk at startup, for example because a package is shared between two chunk groups. */
function checkStartupChunks(output: readonly (OutputChunk | OutputAsset)[]): void {
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])));
  for (const entry of chunks.values()) {
    if (!entry.isEntry || !/^(?:cli|complete|help|commands\/.*|hooks\/.*)\.js$/u.test(entry.fileName)) continue;
    const loaded = new Set([entry.fileName]);
    for (const file of loaded) for (const next of chunks.get(file)?.imports ?? []) loaded.add(next);
    const heavy = [...loaded].find((file) => /^chunks\/(?:csv|ink|joi|mcp-sdk|undici)-/u.test(file));
    if (heavy !== undefined) throw new Error(`${entry.fileName} would load ${heavy} at startup: see the groups in bin/build/main.ts`);
  }
}

/** Node cannot load a module lazily and synchronously with `import`, so the sources use `require`, of which the bundler needs the plain form. */
function bundleJoi(): BundlerPlugin {
  const declaration = 'const require = createRequire(import.meta.url);';
  return {
    name: 'bundle-joi',
    transform: {
      filter: { id: /src[\\/]contract[\\/]schema[\\/]joi\.ts$/ },
      handler(code) {
        if (!code.includes(declaration)) throw new Error(`src/contract/schema/joi.ts no longer contains ${declaration}`);
        return { code: code.replace(declaration, ''), map: null };
      },
    },
  };
}

/** hapi's `inject` uses `url.parse`. Node prints a deprecation warning for that, except for code in node_modules, where the bundle is not. */
function replaceLegacyUrlParser(): BundlerPlugin {
  const old = 'const uri = Url.parse(url);';
  return {
    name: 'replace-legacy-url-parser',
    transform: {
      filter: { id: /@hapi\/shot\/lib\/request\.js$/ },
      handler(code) {
        if (!code.includes(old))
          throw new Error(`hapi's inject no longer contains ${old}: remove this plugin if there is no warning without it`);
        return { code: code.replace(old, "const uri = Url.urlToHttpOptions(new URL(url, 'http://localhost'));"), map: null };
      },
    },
  };
}

/** Compresses the WebAssembly of jq, which its package embeds in base64: 0.3 instead of 1.2 MB, decompressed in a few milliseconds. */
function compressJq(): BundlerPlugin {
  const embedded = /__toBinaryNode\("([\w+/=]+)"\)/;
  return {
    name: 'compress-jq',
    transform: {
      filter: { id: /node_modules[\\/]jq-wasm[\\/]dist[\\/]inline\.mjs$/ },
      handler(code) {
        const [literal, base64] = embedded.exec(code) ?? [];
        if (literal === undefined || base64 === undefined) throw new Error('jq-wasm no longer embeds its WebAssembly: adapt compressJq');
        // The best quality would take ten times as long for a tenth less.
        const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
        const small = brotliCompressSync(Buffer.from(base64, 'base64'), { params }).toString('base64');
        const decompress = `process.getBuiltinModule('node:zlib').brotliDecompressSync(Buffer.from("${small}", 'base64'))`;
        return { code: code.replace(literal, decompress), map: null };
      },
    },
  };
}

/** Selects React's production build at build time, so that the development build is not bundled. */
function useProductionReact(): BundlerPlugin {
  return {
    name: 'use-production-react',
    transform: {
      filter: { id: /node_modules[\\/](?:react|react-reconciler|scheduler)[\\/]/, code: 'process.env.NODE_ENV' },
      handler: (code) => ({ code: code.replaceAll('process.env.NODE_ENV', '"production"'), map: null }),
    },
  };
}

/** Removes Ink's devtools, whose package is not installed. */
function omitInkDevtools(): BundlerPlugin {
  return {
    name: 'omit-ink-devtools',
    load: { filter: { id: /node_modules[\\/]ink[\\/]build[\\/]devtools\.js$/ }, handler: () => 'export {};' },
  };
}

/** Writes chunks first, then the entries that refer to them, then deletes outdated files. */
async function installFiles(built: readonly BuiltFile[]): Promise<void> {
  const now = new Date();
  const isChunk = (file: BuiltFile): boolean => file.fileName.startsWith(`${CHUNKS}/`);
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
    const recent = path.startsWith(join(DIST, CHUNKS)) && now.getTime() - (await stat(path)).mtimeMs < OLD_CHUNK_RETENTION_MS;
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
 * Writes oclif's manifest like `oclif manifest` does, without its 200 packages. Flags, four fifths of it, go to a separate file: every command
 * reads the manifest, but only help needs the flags of commands that are not loaded. Returns the number of commands.
 */
async function writeManifest(): Promise<number> {
  if (!existsSync(join(DIST, 'commands'))) return 0;
  const { Plugin, settings } = (await import(pathToFileURL(join(DIST, 'cli.js')).href)) as typeof Oclif;
  settings.enableAutoTranspile = false;
  const plugin = new Plugin({ root, type: 'core', ignoreManifest: true, errorOnManifestCreate: true, respectNoCacheDefault: true });
  await plugin.load();
  const { commands } = plugin.manifest;
  for (const command of Object.values(commands))
    command.hiddenAliases = [...command.hiddenAliases, ...listVerbAliases(command.id, (id) => Object.hasOwn(commands, id))];
  const flags = Object.fromEntries(Object.values(commands).map((command) => [command.id, command.flags]));
  // Without what is false anyway.
  await replaceFile(
    join(DIST, FLAGS_FILE),
    JSON.stringify(flags, (_name, value: unknown) => (value === false ? undefined : value)),
  );
  await replaceFile(
    MANIFEST,
    JSON.stringify(plugin.manifest, (name, value: unknown) => (name === 'flags' ? {} : value)),
  );
  const { oclif } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as PackageJson;
  const vocabulary = createVocabulary(
    plugin.manifest,
    oclif.topics,
    ({ result }) => listFields(getResourceSchema(result)),
    Object.keys(HELP_TOPICS),
  );
  await replaceFile(VOCABULARY, JSON.stringify(vocabulary));
  return Object.keys(commands).length;
}
