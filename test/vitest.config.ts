import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import LongestFirst from './longest-first.ts';
import { POSTGRES_API_FILES, SLOW_FILES } from './slow-files.ts';
import { isLongRun, isSlowRun } from './support/long-run.ts';

const MINUTE_MS = 60_000;
const SLOW_PATTERNS = SLOW_FILES.map((path) => (path.endsWith('/') ? `${path}**` : path));
/** Snapshots, resets, moved clocks and disk errors, and services for tests of other programs: these need the file store. */
const FILE_STORE_API_FILES = [
  'admin/{clock-skew,leased-tenants,snapshots}',
  'demo-webhooks',
  'http/unwritable-disk',
  'tenancy/usage-saving',
  'testing',
];
const BROWSER_SETUP = 'test/support/browser/chromium.ts';
const toApiTests = (files: readonly string[]): string[] => files.map((file) => `test/api/${file}.test.ts`);
/** With STOCKROOM_TEST_STORE=postgres all that can run there. */
const apiFilesOnPostgres =
  process.env['STOCKROOM_TEST_STORE'] === 'postgres' ? ['test/api/**/*.test.ts'] : isSlowRun || isLongRun ? POSTGRES_API_FILES : [];
/** Timeout of `expect.poll`: generous, and shorter than that of a test, so that a failure shows the last value. */
const POLL_TIMEOUT_MS = MINUTE_MS;

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    // oclif's output capture sees nothing while vitest holds the console.
    disableConsoleIntercept: true,
    // Twice the cores of a CI machine: end-to-end tests spend half their time waiting for other processes and the disk, slow ones most.
    maxWorkers: isSlowRun ? 6 : 4,
    reporters: ['default', './test/summary-reporter.ts'],
    globalSetup: ['test/support/postgres/shared-server.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      project('unit', ['src/**/*.test.{ts,tsx}']),
      // A slow run has these files for PostgreSQL.
      project('api', isSlowRun ? [] : ['test/api/**/*.test.ts']),
      project('api-postgres', apiFilesOnPostgres, {
        exclude: toApiTests(FILE_STORE_API_FILES),
        env: { STOCKROOM_TEST_STORE: 'postgres' },
      }),
      project('delivery', ['test/delivery/**/*.test.ts']),
      project('store', ['test/store/**/*.test.ts']),
      project('contract', ['test/contract/**/*.test.ts']),
      project('e2e', ['test/e2e/**/*.test.ts'], {
        timeout: 6 * MINUTE_MS,
        globalSetup: ['test/support/cli/compile-cache.ts', ...(isSlowRun || isLongRun ? [BROWSER_SETUP] : [])],
      }),
      // Pages in a real Chromium, which the setup installs if it is missing.
      project('browser', ['test/browser/**/*.test.ts'], { globalSetup: [BROWSER_SETUP] }),
    ],
  },
});

interface ProjectOptions {
  readonly exclude?: readonly string[];
  readonly timeout?: number;
  readonly globalSetup?: string[];
  readonly env?: Record<string, string>;
}

/** Timeouts only end tests that hang; no test depends on the speed of the machine. */
function project(
  name: string,
  include: string[],
  { exclude = [], timeout = 3 * MINUTE_MS, globalSetup = [], env = {} }: ProjectOptions = {},
) {
  const excluded = [...exclude, ...(isLongRun || isSlowRun ? [] : SLOW_PATTERNS)];
  const testTimeout = isLongRun ? 60 * MINUTE_MS : timeout;
  return {
    extends: true as const,
    test: {
      name,
      include,
      // An empty list would override `--exclude` of the command line.
      ...(excluded.length === 0 ? {} : { exclude: excluded }),
      testTimeout,
      hookTimeout: testTimeout,
      expect: { poll: { timeout: POLL_TIMEOUT_MS } },
      pool: 'forks' as const,
      // A process for all files of a worker: starting one and loading the sources costs as much as the tests of most files.
      isolate: false,
      globalSetup,
      env,
    },
  };
}
