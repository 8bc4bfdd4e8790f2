/** Bundles the page of the console, compressed: scripts with the hash of their content in their names, one style sheet, and the page that loads them. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type OutputChunk, rolldown } from 'rolldown';
import { compile } from 'tailwindcss';
import { root } from '../inputs.js';

interface PageFile {
  readonly fileName: string;
  readonly content: string | Uint8Array;
  readonly modules?: readonly string[];
}

const SOURCE = join(root, 'src', 'console');
const FOLDER = 'console';

export async function bundleConsole(): Promise<PageFile[]> {
  const build = await rolldown({
    cwd: root,
    input: { main: join(SOURCE, 'main.tsx') },
    platform: 'browser',
    preserveEntrySignatures: false,
    logLevel: 'warn',
    onLog: (level, log, handle) => {
      // React packages mark their modules for servers that render pages.
      if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
    },
    transform: { target: 'es2022', define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await build.generate({
    format: 'esm',
    minify: true,
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    // Otherwise each operation that two views share is a file, and each tab.
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [
        { name: 'contract', test: /[\\/]src[\\/]contract[\\/]/u, minShareCount: 2 },
        { name: 'stock', test: /[\\/]src[\\/]console[\\/]stock[\\/]/u },
      ],
    },
  });
  await build.close();
  const scripts = output.filter((file): file is OutputChunk => file.type === 'chunk');
  const style = toNamedFile('style.css', await buildStyle());
  const icon = toNamedFile('icon.svg', readFileSync(join(SOURCE, 'icon.svg'), 'utf8'));
  const names: Readonly<Record<string, string>> = {
    script: scripts.find(({ isEntry }) => isEntry)?.fileName ?? '',
    style: style.name,
    icon: icon.name,
  };
  const page = readFileSync(join(SOURCE, 'index.html'), 'utf8').replaceAll(/\{(\w+)\}/gu, (_all, name: string) => names[name] ?? '');
  const compress = (name: string, content: string): PageFile => ({
    fileName: `${FOLDER}/${name}.gz`,
    content: gzipSync(content, { level: 9 }),
  });
  return [
    ...scripts.map(({ fileName, code, modules }) => ({
      ...compress(fileName, code),
      modules: Object.keys(modules).filter((path) => !path.startsWith('\0')),
    })),
    ...[style, icon, { name: 'index.html', content: page }].map(({ name, content }) => compress(name, content)),
  ];
}

/** That of the charts first, so that ours overrides it. Tailwind adds the classes that the sources name. */
async function buildStyle(): Promise<string> {
  const charts = readFileSync(join(root, 'node_modules', 'uplot', 'dist', 'uPlot.min.css'), 'utf8');
  const { build } = await compile(readFileSync(join(SOURCE, 'style.css'), 'utf8'));
  const sources = globSync('**/*.tsx', { cwd: SOURCE }).map((path) => readFileSync(join(SOURCE, path), 'utf8'));
  return minifyCss(`${charts}\n${build(sources.flatMap((source) => source.split(/[\s'"`]+/u)))}`);
}

const minifyCss = (css: string): string =>
  css
    .replaceAll(/\/\*.*?\*\//gsu, '')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/ ?([{};,]) ?/gu, '$1');

function toNamedFile(name: string, content: string): { readonly name: string; readonly content: string } {
  const digest = createHash('sha256').update(content).digest('base64url').replaceAll(/\W/gu, '').slice(0, 8);
  return { name: name.replace('.', `-${digest}.`), content };
}
