import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest on two cores, longest first. Starting them first keeps both workers busy until the end.
 * Update the list from the slowest files that a run prints.
 */
const LONGEST = [
  'test/e2e/documentation/command-examples.test.ts',
  'test/e2e/dashboard/lifecycle.test.ts',
  'test/e2e/cli/output-conventions.test.ts',
  'test/e2e/daemon/kill.test.ts',
  'test/e2e/cli/errors.test.ts',
  'test/e2e/cli/wait-indicator.test.ts',
  'test/e2e/import-export/import.test.ts',
  'test/e2e/durability/snapshots.test.ts',
];

/** Runs the longest files first, the others in the default order. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((path) => moduleId.replaceAll('\\', '/').endsWith(path));
      return at === -1 ? LONGEST.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
