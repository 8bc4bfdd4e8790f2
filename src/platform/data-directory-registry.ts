/** Reads the registry of data directories that have had a daemon: a directory with one JSON file for each. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Every registered data directory that still exists, sorted. Throws the error of Node if the registry cannot be read. */
export function readDataDirectoryRegistry(registry: string): string[] {
  if (!existsSync(registry)) return [];
  const dataDirs: string[] = [];
  for (const name of readdirSync(registry)) {
    if (!name.endsWith('.json')) continue;
    try {
      const { dataDir } = JSON.parse(readFileSync(join(registry, name), 'utf8')) as { dataDir: string };
      if (existsSync(dataDir)) dataDirs.push(dataDir);
      else rmSync(join(registry, name), { force: true });
    } catch {
      // Damaged, or another process is replacing or removing it: not listed.
    }
  }
  return dataDirs.toSorted();
}
