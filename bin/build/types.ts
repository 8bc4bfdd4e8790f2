/**
 * Writes the type declarations of the package's exports to dist/types/. Part of packing, because only other programs need
 * them. tsc emits a declaration for every source; only those reachable from an export are copied.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from '../inputs.js';

const TYPES = join(root, 'dist', 'types');
/** The libraries that the package exports, and their sources. */
export const LIBRARIES = {
  client: 'src/client/index.ts',
  webhooks: 'src/webhook-verifier/index.ts',
  testing: 'src/embedded/index.ts',
};
const TSC = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
/** A relative specifier after `from`, `import` or in `import(…)`. */
const RELATIVE_IMPORT = /(\bfrom |\bimport\(|\bimport )(['"])(\.[^'"]+)\.ts\2/gu;

/** Throws if an export does not compile; tsc prints its errors. */
export function writeDeclarations(): void {
  const emitted = mkdtempSync(join(tmpdir(), 'stockroom-types-'));
  try {
    const project = join(emitted, 'tsconfig.json');
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      incremental: false,
      tsBuildInfoFile: null,
      outDir: emitted,
      rootDir: root,
      typeRoots: [join(root, 'node_modules', '@types')],
    };
    const files = Object.values(LIBRARIES).map((entry) => join(root, entry));
    // Declarations for packages without types are ambient: no file imports them.
    const include = [join(root, 'src/**/*.d.ts')];
    writeFileSync(project, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include, files }));
    execFileSync(process.execPath, [TSC, '--project', project], { cwd: root, stdio: 'inherit' });
    rmSync(TYPES, { recursive: true, force: true });
    const count = copyReachableDeclarations(join(emitted, 'src'), TYPES);
    process.stderr.write(`wrote ${String(count)} declarations\n`);
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}

/** Types that the compiler found itself repeat the path of their file at each use, which is half of all text. */
function importOnce(text: string): string {
  const names = new Map<string, string>();
  const short = text.replaceAll(/\bimport\("(\.[^"]+)"\)\./gu, (_match, path: string) => {
    const name = names.get(path) ?? `_${String(names.size)}`;
    names.set(path, name);
    return `${name}.`;
  });
  // At the end, because references come first.
  return short + [...names].map(([path, name]) => `import type * as ${name} from "${path}";\n`).join('');
}

/** Copies the declarations reachable from the entries, with imports changed to `.js`. Returns the number of files. */
function copyReachableDeclarations(from: string, to: string): number {
  const seen = new Set<string>();
  const copy = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const text = importOnce(readFileSync(path, 'utf8'));
    const target = join(to, relative(from, path));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text.replaceAll(RELATIVE_IMPORT, '$1$2$3.js$2'));
    for (const [, , , specifier = ''] of text.matchAll(RELATIVE_IMPORT)) {
      const imported = resolve(dirname(path), `${specifier}.d.ts`);
      if (!existsSync(imported)) throw new Error(`${relative(from, path)} imports ${specifier}.ts, which has no declarations`);
      copy(imported);
    }
  };
  for (const entry of Object.values(LIBRARIES)) copy(join(from, relative('src', entry).replace(/\.ts$/u, '.d.ts')));
  return seen.size;
}
