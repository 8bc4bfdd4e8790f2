/**
 * Which mutants each test file reaches, kept in a file (`--reached`). A later run of the same plan repeats only the test
 * files that are new or changed.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { Mutant } from './plan.ts';

export interface TestFileRun {
  readonly durationMs: number;
  /** Ids of the mutants that the tests reach. */
  readonly mutants: readonly number[];
}

export type TestFileRuns = Readonly<Record<string, TestFileRun>>;

/** The runs that are still valid. None, if the sources or the plan have changed. */
export function readRuns(path: string | undefined, plan: readonly Mutant[], testFiles: readonly string[]): TestFileRuns {
  if (path === undefined || !existsSync(path)) return {};
  const kept = JSON.parse(readFileSync(path, 'utf8')) as { readonly plan: unknown; readonly runs: TestFileRuns };
  if (JSON.stringify(kept.plan) !== JSON.stringify(plan)) return {};
  const writtenAt = statSync(path).mtimeMs;
  return Object.fromEntries(Object.entries(kept.runs).filter(([file]) => testFiles.includes(file) && statSync(file).mtimeMs < writtenAt));
}

export function writeRuns(path: string | undefined, plan: readonly Mutant[], runs: TestFileRuns): void {
  if (path !== undefined) writeFileSync(path, JSON.stringify({ plan, runs }));
}
