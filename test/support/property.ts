/**
 * Runs property tests: a few cases with a new random seed in `npm test`, many in `npm run test:long` (STOCKROOM_TEST_LONG=1).
 * Each test file prints its seed; STOCKROOM_TEST_SEED=<seed> repeats the same cases.
 */
import fc from 'fast-check';
import { randomInt } from 'node:crypto';
import { isLongRun } from './long-run.ts';

const SHORT_RUNS = 2;
const LONG_RUNS = 200;
const MINUTE_MS = 60_000;

/** Timeout of a test that checks properties. */
export const PROPERTY_TIMEOUT_MS = isLongRun ? 60 * MINUTE_MS : 2 * MINUTE_MS;
/** Seed of the random cases of this test file. */
export const testSeed = Number(process.env['STOCKROOM_TEST_SEED'] ?? randomInt(2 ** 31));

/** Number of cases per property. Properties that take microseconds may ask for more. */
export const propertyRuns = (shortRuns = SHORT_RUNS, longRuns = LONG_RUNS): number =>
  isLongRun ? Math.max(longRuns, shortRuns) : shortRuns;

// Printed up front, because a test that times out reports no seed.
process.stdout.write(`Property tests: seed ${String(testSeed)}, ${String(propertyRuns())} runs\n`);

interface PropertyOptions<T> {
  /** Cases in `npm test`; 4 by default. */
  readonly shortRuns?: number;
  /** Cases in `npm run test:long`; 200 by default. */
  readonly longRuns?: number;
  /** Cases to check first. */
  readonly examples?: T[];
  /** Report the first failing case as it is: for cases that take too long to search for a smaller one. */
  readonly isSlow?: boolean;
}

/** Checks a property. A failure reports the failing case. */
export async function checkProperty<T>(
  property: fc.IRawProperty<T>,
  { shortRuns, longRuns, examples = [], isSlow = false }: PropertyOptions<T> = {},
): Promise<void> {
  await fc.assert(property, {
    seed: testSeed,
    numRuns: examples.length + propertyRuns(shortRuns, longRuns),
    examples,
    endOnFailure: isSlow,
  });
}
