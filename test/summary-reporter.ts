import { writeSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import { COUNTS_FILE, addCounts, formatCounts } from './counts.ts';

const SLOWEST_FILES = 10;

/**
 * Ends every run with the ten slowest files and one plain line, `412 passed, 0 failed`, for readers and programs that do not know vitest;
 * test/run.ts prints that line itself. Files that do not load and errors outside of tests count as failed.
 */
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const count = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      count.failed += module.errors().length;
      for (const suite of module.children.allSuites()) count.failed += suite.errors().length;
      for (const test of module.children.allTests()) count[test.result().state] += 1;
    }
    const counts = { passed: count.passed, failed: count.failed, skipped: count.skipped + count.pending };
    const countsFile = process.env[COUNTS_FILE];
    if (countsFile !== undefined) addCounts(countsFile, counts);
    const closingLine = countsFile === undefined ? `${formatCounts(counts)}\n` : '';
    const slowest = listSlowest(modules);
    // At exit, because the default reporter and vitest itself still print after this hook.
    process.on('exit', () => writeSync(1, slowest + closingLine));
  }
}

function listSlowest(modules: readonly TestModule[]): string {
  const files = modules
    .map((module) => {
      const { duration, setupDuration, collectDuration } = module.diagnostic();
      return { path: relative(process.cwd(), module.moduleId), seconds: (duration + setupDuration + collectDuration) / 1_000 };
    })
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST_FILES);
  return `Slowest files:\n${files.map(({ path, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${path}\n`).join('')}`;
}
