/** The latest results, for the console: kept in the data directory, if there is one. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TORTURE_FILE, TORTURE_RESULTS_MAX, type TortureResult } from '../../contract/admin/torture.ts';
import { replaceFile } from '../../platform/own-files.ts';

export function saveResult(dataDir: string, result: TortureResult): void {
  if (!existsSync(dataDir)) return;
  const path = join(dataDir, TORTURE_FILE);
  replaceFile(path, `${JSON.stringify([result, ...readResults(path)].slice(0, TORTURE_RESULTS_MAX))}\n`);
}

function readResults(path: string): readonly TortureResult[] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as readonly TortureResult[];
  } catch {
    return [];
  }
}
