/** Who imports whom, read with a parser: static, dynamic and type imports, re-exports and `require`. */
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';

export interface SourceFile {
  /** From the root of the checkout, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Import {
  readonly from: string;
  /** A path from the root for a file of the repository, else the package or built-in as written. */
  readonly to: string;
  /** `static` is loaded with the file, `lazy` when the code gets there, `type` never. */
  readonly kind: 'static' | 'lazy' | 'type';
}

/** One row of the table in docs/architecture.md. */
export interface ImportRule {
  /** Folders or files that the row is about. A file belongs to the row with the longest matching path. */
  readonly areas: readonly string[];
  /** Folders or files outside of the area that it may import. */
  readonly allowed: readonly { readonly path: string; readonly typesOnly: boolean }[];
}

/** The contract is plain data, so that the command line starts without a validator; only this file compiles it to one. */
const JOI_COMPILER = 'src/contract/schema/joi.ts';

/** Packages that take longer to load than most commands take to run. */
const HEAVY_PACKAGES = ['@hapi/hapi', '@modelcontextprotocol/server', 'csv-parse', 'ink', 'joi', 'lowdb', 'pino', 'react', 'undici'];

/**
 * The rules between `<!-- imports -->` and `<!-- /imports -->`: a table of areas and of what each may import. What the row of `FOLDER/*` may
 * import, every folder in it may.
 */
export function parseImportRules(markdown: string): ImportRule[] {
  const table = /<!-- imports -->(.*?)<!-- \/imports -->/su.exec(markdown)?.[1] ?? '';
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const rules = rows.map((row): ImportRule => {
    const [, areas = '', allowed = ''] = row.split('|');
    return {
      areas: [...areas.matchAll(/`([^`]+)`/gu)].map(([, path = '']) => path),
      allowed: [...allowed.matchAll(/`([^`]+)`( \(types\))?/gu)].map(([, path = '', types]) => ({ path, typesOnly: types !== undefined })),
    };
  });
  const isShared = ({ areas: [area = ''] }: ImportRule): boolean => area.endsWith('/*');
  const findShared = ([area = '']: readonly string[]): ImportRule['allowed'] =>
    area.includes('.')
      ? []
      : rules.filter((rule) => isShared(rule) && area.startsWith(rule.areas[0]!.slice(0, -1))).flatMap(({ allowed }) => allowed);
  return rules.filter((rule) => !isShared(rule)).map(({ areas, allowed }) => ({ areas, allowed: [...findShared(areas), ...allowed] }));
}

/** Every source file of the product, without unit tests. */
export function readSources(root: string): SourceFile[] {
  return globSync('{src,commands}/**/*.{ts,tsx}', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !/\.test\.tsx?$/u.test(path))
    .map((path) => ({ path, text: readFileSync(posix.join(root, path), 'utf8') }));
}

export function parseImports(file: SourceFile): Import[] {
  const found: Import[] = [];
  const add = (source: ESTree.Expression | null, kind: Import['kind']): void => {
    if (source?.type !== 'Literal' || typeof source.value !== 'string') return;
    const to = source.value.startsWith('.') ? posix.join(posix.dirname(file.path), source.value) : source.value;
    found.push({ from: file.path, to, kind });
  };
  const { program, errors } = parseSync(file.path, file.text);
  if (errors.length > 0) throw new Error(`${file.path} does not parse: ${errors[0]?.message}`);
  new Visitor({
    ImportDeclaration: (node) => add(node.source, isTypeOnly(node) ? 'type' : 'static'),
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

/** Packages that the file imports, by name. Those of type imports are included, because declarations need them, too. */
export function findPackages(file: SourceFile): string[] {
  const specifiers = parseImports(file).map(({ to }) => to);
  const names = specifiers.filter((to) => !isBuiltin(to) && !isRepositoryPath(to)).map(toPackageName);
  return [...new Set(names.filter((name) => name !== null))];
}

/** `import type {…}`. `import { type A }` still loads the file. */
const isTypeOnly = ({ importKind }: ESTree.ImportDeclaration): boolean => importKind === 'type';

/** One sentence per import that the rules do not allow. */
export function findForbiddenImports(files: readonly SourceFile[], rules: readonly ImportRule[]): string[] {
  const problems: string[] = [];
  for (const { from, to, kind } of files.flatMap(parseImports)) {
    if (from.startsWith('src/contract/') && toPackageName(to) === 'joi' && from !== JOI_COMPILER) {
      problems.push(`${from} imports joi; only ${JOI_COMPILER} may`);
    }
    if (!isRepositoryPath(to)) continue;
    const rule = findRule(rules, from);
    if (rule === undefined) {
      problems.push(`${from} is in no area of the table in docs/architecture.md; add its area`);
      continue;
    }
    if (rule.areas.some((area) => contains(area, to)) && findRule(rules, to) === rule) continue;
    const permission = rule.allowed.find(({ path, typesOnly }) => contains(path, to) && (!typesOnly || kind === 'type'));
    if (permission === undefined) {
      const what = rule.allowed.some(({ path }) => contains(path, to)) ? `${to} may be imported with "import type" only` : to;
      problems.push(`${from} imports ${to}; the table of ${rule.areas.join(', ')} in docs/architecture.md does not allow ${what}`);
    }
  }
  return problems;
}

/** Files that import each other in a circle, types included: one of them runs, or is read, before what it needs. */
export function findFileCycles(files: readonly SourceFile[]): string[] {
  return findCycles(files.flatMap(parseImports).map(({ from, to }) => [from, to]));
}

/**
 * Sibling folders that import each other in a circle, types included. Files directly in a folder are exempt: they compose its sub-folders,
 * or hold what these share.
 */
export function findFolderCycles(files: readonly SourceFile[]): string[] {
  const edges = new Map<string, [string, string]>();
  for (const { from, to } of files.flatMap(parseImports)) {
    const [fromParts, toParts] = [from.split('/'), to.split('/')];
    const depth = fromParts.findIndex((part, at) => part !== toParts[at]);
    const isBetweenFolders = depth >= 0 && depth < fromParts.length - 1 && depth < toParts.length - 1;
    if (!isBetweenFolders || !isRepositoryPath(to)) continue;
    const edge: [string, string] = [fromParts.slice(0, depth + 1).join('/'), toParts.slice(0, depth + 1).join('/')];
    edges.set(edge.join(' '), edge);
  }
  return findCycles([...edges.values()]);
}

/** Circles in a graph, each as `a → b → a`, until what is left has none. */
function findCycles(edges: readonly (readonly [string, string])[]): string[] {
  const successors = new Map<string, Set<string>>();
  for (const [from, to] of edges) successors.set(from, (successors.get(from) ?? new Set<string>()).add(to));
  const cycles: string[] = [];
  for (;;) {
    removeNodesWithoutSuccessors(successors);
    const [start] = successors.keys();
    if (start === undefined) return cycles;
    // Every node that is left has a successor, so the walk comes back to a node that it has passed.
    const path = [start];
    for (;;) {
      const [next = start] = successors.get(path.at(-1) ?? start) ?? [];
      const first = path.indexOf(next);
      if (first < 0) {
        path.push(next);
        continue;
      }
      cycles.push([...path.slice(first), next].join(' → '));
      successors.get(path.at(-1) ?? start)?.delete(next);
      break;
    }
  }
}

function removeNodesWithoutSuccessors(successors: Map<string, Set<string>>): void {
  for (let removed = true; removed;) {
    removed = false;
    for (const [node, targets] of successors) {
      for (const target of targets) if (!successors.has(target)) targets.delete(target);
      if (targets.size === 0) removed = successors.delete(node);
    }
  }
}

/** One sentence per heavy package that is loaded as soon as a command is, with the chain of imports that leads to it. */
export function findHeavyStartupImports(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, parseImports(file).filter(({ kind }) => kind === 'static')]));
  const problems = new Set<string>();
  for (const { path } of files.filter((file) => /^(commands|src\/cli)\//u.test(file.path))) {
    const seen = new Set<string>();
    const follow = (current: string, chain: readonly string[]): void => {
      if (seen.has(current)) return;
      seen.add(current);
      for (const { to } of byPath.get(current) ?? []) {
        const next = [...chain, to];
        if (HEAVY_PACKAGES.includes(toPackageName(to) ?? '')) {
          problems.add(`${next.join(' → ')} is loaded at start; import it where it is used`);
        } else follow(to, next);
      }
    };
    follow(path, [path]);
  }
  return [...problems];
}

const contains = (area: string, path: string): boolean => path === area || path.startsWith(`${area}/`);

/** The rule of the most specific area that the file is in. */
function findRule(rules: readonly ImportRule[], path: string): ImportRule | undefined {
  const matches = rules.flatMap((rule) => rule.areas.filter((area) => contains(area, path)).map((area) => ({ rule, area })));
  return matches.sort((a, b) => b.area.length - a.area.length)[0]?.rule;
}

/** Also of files that no source may import, such as those of bin. A relative import never leaves the repository. */
const isRepositoryPath = (to: string): boolean => /\.(ts|tsx|js|mjs|json)$/u.test(to) && to.includes('/') && toPackageName(to) === null;

function toPackageName(specifier: string): string | null {
  if (/^(src|commands|test|bin|docs|dist)\//u.test(specifier) || specifier.startsWith('node:')) return null;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
