/** Who imports whom, read with a real parser: static, dynamic and type imports, re-exports and `require`. */
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';

export interface SourceFile {
  /** From the root of the checkout, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly from: string;
  /** A path from the root for one of our files, else the package or built-in as written. */
  readonly to: string;
  /** `static` is loaded with the file, `lazy` when the code gets there, `type` never. */
  readonly kind: 'static' | 'lazy' | 'type';
}

/** What each area may import beside itself. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  domain: ['contract'],
  api: ['contract', 'domain'],
  http: ['contract', 'api', 'domain'],
  store: ['domain', 'contract'],
  delivery: ['domain', 'contract'],
  client: ['contract'],
  // For receivers, who have nothing else of ours: it knows the names of headers and nothing of the service.
  webhooks: ['contract'],
  cli: ['client', 'contract', 'webhooks'],
  // The Tab key: quicker without the command line's own files.
  completion: ['client', 'contract'],
  mcp: ['client', 'contract'],
  dashboard: ['client', 'contract'],
  demo: ['domain', 'contract'],
  daemon: ['contract', 'domain', 'api', 'http', 'store', 'delivery', 'demo', 'mcp'],
  // For tests of other programs: it runs a whole service in their process, as `commands/daemon` runs one in its own, and gives them a client.
  testing: ['client', 'contract', 'daemon'],
  commands: ['cli', 'client', 'completion', 'contract', 'dashboard', 'mcp', 'webhooks'],
};

/** The commands that run a daemon in their own process. */
const MAY_RUN_A_DAEMON = /^commands\/(daemon\/|demo|exec)/;

/** How wide a text is and how it is cut: pure, and the same for tables and for the dashboard. */
const TEXT_MEASURES = 'src/cli/width.ts';

/** The contract is plain data, so that the command line starts without a validator; this file turns it into one. */
const JOI_COMPILER = 'src/contract/joi.ts';

/** Packages that take longer to load than most commands take to run. */
const HEAVY = ['@hapi/hapi', '@modelcontextprotocol/server', 'csv-parse', 'ink', 'joi', 'lowdb', 'pino', 'react', 'undici'];

export function readSources(root: string): SourceFile[] {
  return globSync('{src,commands}/**/*.{ts,tsx}', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !/\.test\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(posix.join(root, path), 'utf8') }));
}

export function importsOf(file: SourceFile): Import[] {
  const found: Import[] = [];
  const add = (source: ESTree.Expression | null, kind: Import['kind']): void => {
    if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
    const to = source.value.startsWith('.') ? posix.join(posix.dirname(file.path), source.value) : source.value;
    found.push({ from: file.path, to, kind });
  };
  const { program, errors } = parseSync(file.path, file.text);
  if (errors.length > 0) throw new Error(`${file.path} does not parse: ${errors[0]?.message}`);
  new Visitor({
    ImportDeclaration: (node) => add(node.source, node.importKind === 'type' ? 'type' : 'static'),
    ExportAllDeclaration: (node) => add(node.source, node.exportKind === 'type' ? 'type' : 'static'),
    ExportNamedDeclaration: (node) => add(node.source, node.exportKind === 'type' ? 'type' : 'static'),
    ImportExpression: (node) => add(node.source, 'lazy'),
    TSImportType: (node) => add(node.source, 'type'),
    CallExpression: (node) => {
      const [argument] = node.arguments;
      if (node.callee.type === 'Identifier' && node.callee.name === 'require' && argument?.type === 'Literal') add(argument, 'lazy');
    },
  }).visit(program);
  return found;
}

/** One sentence per import that goes the wrong way. */
export function wrongDirections(files: readonly SourceFile[]): string[] {
  const problems: string[] = [];
  for (const { from, to } of files.flatMap(importsOf)) {
    const importer = areaOf(from);
    const imported = areaOf(to);
    if (importer === 'contract' && packageOf(to) === 'joi' && from !== JOI_COMPILER) {
      problems.push(`${from} imports joi; only ${JOI_COMPILER} may`);
    }
    if (imported === null || imported === importer) continue;
    if (importer === 'dashboard' && to === TEXT_MEASURES) continue;
    const allowed = importer === null ? undefined : ALLOWED[importer];
    const runsDaemon = imported === 'daemon' && MAY_RUN_A_DAEMON.test(from);
    if (allowed === undefined) problems.push(`${from} is in no known area; add it to the table of directions`);
    else if (!allowed.includes(imported) && !runsDaemon) problems.push(`${from} imports ${to}; ${importer} may not import ${imported}`);
  }
  return problems;
}

/** One sentence per heavy package that is loaded as soon as a command is, with the way it gets there. */
export function heavyAtStart(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, importsOf(file).filter(({ kind }) => kind === 'static')]));
  const problems = new Set<string>();
  for (const { path } of files.filter((file) => /^(commands|src\/cli)\//.test(file.path))) {
    const seen = new Set<string>();
    const follow = (current: string, way: readonly string[]): void => {
      if (seen.has(current)) return;
      seen.add(current);
      for (const { to } of byPath.get(current) ?? []) {
        const next = [...way, to];
        if (HEAVY.includes(packageOf(to) ?? '')) problems.add(`${next.join(' → ')} is loaded at start; import it where it is used`);
        else follow(to, next);
      }
    };
    follow(path, [path]);
  }
  return [...problems];
}

function areaOf(path: string): string | null {
  const [top, folder] = path.split('/');
  if (top === 'commands') return 'commands';
  return top === 'src' && folder !== undefined ? folder : null;
}

function packageOf(specifier: string): string | null {
  if (/^(src|commands|test)\//.test(specifier) || specifier.startsWith('node:')) return null;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
