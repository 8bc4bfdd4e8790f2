import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take longest, longest first. Starting them first keeps all workers busy until the end.
 * Update the list from the slowest files that a run prints.
 */
const LONGEST = [
  'test/e2e/documentation/package.test.ts',
  'test/e2e/postgres/failover.test.ts',
  'test/e2e/postgres/partition.test.ts',
  'test/e2e/documentation/testing-guide.test.ts',
  'test/browser/console.test.ts',
  'test/store/postgres/failover.test.ts',
  'test/e2e/dashboard/lifecycle.test.ts',
  'test/e2e/postgres/outages.test.ts',
  'test/e2e/documentation/release.test.ts',
  'test/e2e/documentation/torture.test.ts',
  'test/e2e/newcomer.test.ts',
  'test/e2e/daemon/several-daemons.test.ts',
  'test/e2e/postgres/two-daemons.test.ts',
  'test/e2e/postgres/migrate.test.ts',
  'test/store/postgres/conformance.test.ts',
  'test/e2e/daemon/kill.test.ts',
  'test/e2e/webhooks/listen.test.ts',
  'test/browser/api-reference.test.ts',
  'test/e2e/durability/lost-directory.test.ts',
  'test/e2e/daemon/start-stop.test.ts',
  'test/e2e/daemon/exec.test.ts',
  'test/e2e/cli/wait-indicator.test.ts',
  'test/e2e/auth/profiles.test.ts',
  'test/e2e/dashboard/interaction.test.ts',
  'test/api/stock/valuation.property.test.ts',
  'test/api/http/query-values.test.ts',
  'test/e2e/webhooks/endpoints.test.ts',
  'test/e2e/import-export/import.test.ts',
  'test/e2e/mcp/server.test.ts',
  'test/e2e/daemon/data-directories.test.ts',
  'test/e2e/durability/snapshots.test.ts',
  'test/store/shared-state/leases.test.ts',
  'test/e2e/documentation/command-examples.test.ts',
  'test/store/migrate.test.ts',
  'test/api/testing.test.ts',
];

/** Runs the longest files first, the others in the default order. Shards get the long files by turn, so that they take equally long. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => getRank(a) - getRank(b));
  }

  override shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index = 1, count = 1 } = this.ctx.config.shard ?? {};
    const sorted = files.toSorted((a, b) => getRank(a) - getRank(b) || (a.moduleId < b.moduleId ? -1 : 1));
    return Promise.resolve(sorted.filter((_, at) => at % count === index - 1));
  }
}

function getRank({ moduleId }: TestSpecification): number {
  const at = LONGEST.findIndex((path) => moduleId.replaceAll('\\', '/').endsWith(path));
  return at === -1 ? LONGEST.length : at;
}
