/**
 * Loaded with `--import` by each process of the tests: answers which mutant is active, and adds the mutants to sources
 * that Node loads itself. Vitest loads the others through the plugin of `vitest.config.ts`.
 */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { ACTIVE_MUTANT, REACHED_FILE, TEST_FILE } from './environment.ts';
import { addPlannedMutants } from './plan.ts';

declare global {
  var isActiveMutant: (id: number) => boolean;
}

const active = Number(process.env[ACTIVE_MUTANT] ?? -1);
const reachedFile = process.env[REACHED_FILE];
const reached = new Set<string>();

globalThis.isActiveMutant = (id) => {
  if (reachedFile !== undefined) record(reachedFile, id);
  return id === active;
};

/** Written immediately: tests kill processes. */
function record(file: string, id: number): void {
  const line = `${String(id)}\t${process.env[TEST_FILE] ?? ''}\n`;
  if (reached.has(line)) return;
  reached.add(line);
  appendFileSync(file, line);
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith('file:') || !url.endsWith('.ts') || loaded.source === undefined || loaded.source === null) return loaded;
    const source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    return { ...loaded, source: addPlannedMutants(fileURLToPath(url), source) ?? source };
  },
});
