import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const MINUTE_MS = 60_000;
/**
 * How long `expect.poll` looks for what comes by itself, often from other processes: only the end of waiting in vain, so
 * generous, and shorter than a test may take, so that the failure shows what was there instead.
 */
const PATIENCE_MS = 30_000;

/** The suites, by the name that `npm run test:<name>` uses. `soak` runs only when asked for. */

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    // oclif's output capture sees nothing while vitest holds the console.
    disableConsoleIntercept: true,
    maxWorkers: 2,
    reporters: ['default', './test/closing-line.ts'],
    projects: [
      project('unit', ['src/**/*.test.{ts,tsx}', 'test/unit/**/*.test.{ts,tsx}']),
      project('api', ['test/api/**/*.test.ts']),
      project('delivery', ['test/delivery/**/*.test.ts']),
      project('store', ['test/store/**/*.test.ts']),
      project('contract', ['test/contract/**/*.test.ts']),
      project('e2e', ['test/e2e/**/*.test.ts'], 3 * MINUTE_MS),
      // Pages in a real Chromium, installed once when it is missing.
      project('browser', ['test/browser/**/*.test.ts'], 3 * MINUTE_MS, ['test/support/chromium.ts']),
      project('soak', ['test/soak/**/*.test.ts'], 60 * MINUTE_MS),
    ],
  },
});

/** A test that hangs ends some day; how fast this machine is no test may depend on. */
function project(name: string, include: string[], testTimeout = MINUTE_MS, globalSetup: string[] = []) {
  return {
    extends: true as const,
    test: {
      name,
      include,
      testTimeout,
      hookTimeout: testTimeout,
      expect: { poll: { timeout: PATIENCE_MS } },
      pool: 'forks' as const,
      globalSetup,
    },
  };
}
