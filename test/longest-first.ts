import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest, longest first. Starting them first keeps all workers busy until the end.
 * Update the list from the slowest files that a run prints.
 */
const LONGEST = [
  'test/store/postgres/conformance.test.ts',
  'test/e2e/postgres/two-daemons.test.ts',
  'test/browser/api-reference.test.ts',
  'test/e2e/dashboard/lifecycle.test.ts',
  'test/browser/consent-page.test.ts',
  'test/e2e/daemon/kill.test.ts',
  'test/e2e/cli/wait-indicator.test.ts',
  'test/e2e/dashboard/interaction.test.ts',
  'test/store/snapshot.test.ts',
  'test/e2e/webhooks/listen.test.ts',
  'test/api/testing.test.ts',
  'test/e2e/documentation/command-examples.test.ts',
  'test/e2e/cli/output-conventions.test.ts',
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
