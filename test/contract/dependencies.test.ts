/** The packages of package.json and package-lock.json against what the product imports. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { findPackages, readSources } from './import-rules.ts';

interface Manifest {
  readonly private?: boolean;
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
}
interface LockedPackage {
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));
const manifest = readJson('package.json') as Manifest;
const { packages } = readJson('package-lock.json') as { packages: Record<string, LockedPackage> };
/** Copied by the build, not imported. */
const COPIED = 'swagger-ui-dist';
const WORKSPACE = 'bin/build';

describe('package.json', () => {
  test('names as dependencies exactly the packages that the product imports', () => {
    const imported = new Set([...readSources(root).flatMap(findPackages), COPIED]);
    expect(Object.keys(manifest.dependencies).toSorted()).toEqual([...imported].toSorted());
  });

  test('pins exact versions', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    const ranges = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(ranges.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.-]+)?$/u.test(version))).toEqual([]);
  });

  test('cannot be published with its dependencies: the packed file is published', () => {
    expect(manifest.private).toBe(true);
  });
});

describe('package-lock.json', () => {
  const locked = Object.entries(packages).filter(([path, { link }]) => path !== '' && path !== WORKSPACE && link !== true);

  test('has a hash of every package, Node of each system included', () => {
    expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([]);
    const paths = locked.map(([path]) => path);
    expect(paths).toEqual(expect.arrayContaining(Object.keys(manifest.optionalDependencies).map((name) => `node_modules/${name}`)));
  });

  test('has no install scripts among the packages that npm start installs, except one that is not run', () => {
    const allowed = (readJson('package.json') as { allowScripts: Record<string, boolean> }).allowScripts;
    const withScript = locked.filter(([, { dev, devOptional, hasInstallScript }]) => !dev && !devOptional && hasInstallScript === true);
    expect(withScript.map(([path]) => path)).toEqual(['node_modules/@scarf/scarf']);
    expect(allowed['@scarf/scarf']).toBe(false);
  });
});
