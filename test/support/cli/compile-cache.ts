/** A compile cache that all homes of a run share, so that not every home compiles the command line and the daemon again. */
import { mkdtemp, mkdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    readonly compileCache: string;
  }
}

/** Global setup of a project. */
export default async function createCompileCache({ provide }: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'stockroom-compile-'));
  provide('compileCache', directory);
  return () => rm(directory, { recursive: true, force: true, maxRetries: 5 });
}

/** Puts the shared cache where commands with this cache directory look for theirs. */
export async function linkCompileCache(cacheHome: string, directory: string): Promise<void> {
  await mkdir(join(cacheHome, 'stockroom'), { recursive: true });
  await symlink(directory, join(cacheHome, 'stockroom', 'compile'));
}
