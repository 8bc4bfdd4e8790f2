/** The package as the registry would hand it out: packed from a copy of the checkout, unpacked into an empty project. */
import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);
/** What packing reads; the checkout itself stays as it is, because other tests use its build. */
const SOURCES = [
  'bin',
  'commands',
  'src',
  'docs',
  'AGENTS.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  '.npmrc',
];

export interface Packed extends Disposable {
  readonly tarball: string;
  /** Paths in the package. */
  readonly files: readonly string[];
  readonly directory: string;
}

/** A real `npm pack`, its build and declarations included. */
export async function pack(): Promise<Packed> {
  // Packing installs what is missing; it must not get the idea to do so through a link to the checkout.
  await run(process.execPath, [join(root, 'bin', 'setup.js'), '--install']);
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'stockroom-pack-')));
  const copy = join(directory, 'copy');
  for (const name of SOURCES) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
  await run('npm', ['pack', '--loglevel=error', '--pack-destination', directory], { cwd: copy, env: withPinnedNode() });
  const [tarball = ''] = globSync('*.tgz', { cwd: directory });
  const { stdout } = await run('tar', ['-tzf', join(directory, tarball)]);
  return {
    directory,
    tarball: join(directory, tarball),
    files: stdout
      .trim()
      .split('\n')
      .map((path) => path.replace(/^package\//u, '')),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

export interface Project {
  readonly directory: string;
  write(name: string, text: string): string;
  /** Runs Node there; resolves with what it printed, rejects with everything when it failed. */
  node(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
}

/**
 * An empty project with the package in it, and the compiler. The package has no dependencies: what it uses without including it is not
 * found.
 */
export async function emptyProject({ directory, tarball }: Packed): Promise<Project> {
  const project = join(directory, 'project');
  const modules = join(project, 'node_modules');
  const own = join(modules, 'stockroom');
  mkdirSync(own, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', own, '--strip-components=1']);
  for (const name of ['typescript', '@types/node']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), join(modules, name), 'dir');
  }
  const write = (name: string, text: string): string => {
    const path = join(project, name);
    writeFileSync(path, text);
    return path;
  };
  write('package.json', JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  return {
    directory: project,
    write,
    async node(args, env = {}) {
      try {
        return (await run(process.execPath, args, { cwd: project, env: { ...withPinnedNode(), HOME: project, ...env } })).stdout;
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        throw new Error(`node ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
      }
    },
  };
}

/** Node may be the one of the checkout, and nothing from npm's environment about the checkout is passed on. */
function withPinnedNode(): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:npm_|STOCKROOM_|VITEST|NODE_ENV|NODE_OPTIONS)/iu.test(name));
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  };
}
