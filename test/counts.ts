/** Counts of tests, which several runs add to one file. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The environment variable with the path of the file. */
export const COUNTS_FILE = 'STOCKROOM_TEST_COUNTS';

/** Adds counts to those in a file, which may be absent or empty, and returns the sums. */
export function addCounts(path: string, { passed, failed, skipped }: Counts): Counts {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const before = text === '' ? { passed: 0, failed: 0, skipped: 0 } : (JSON.parse(text) as Counts);
  const sums = { passed: before.passed + passed, failed: before.failed + failed, skipped: before.skipped + skipped };
  writeFileSync(path, JSON.stringify(sums));
  return sums;
}

export const formatCounts = ({ passed, failed, skipped }: Counts): string =>
  `${String(passed)} passed, ${String(failed)} failed${skipped > 0 ? `, ${String(skipped)} skipped` : ''}`;
