import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The suites, by the name that `npm run test:<name>` uses. `soak` runs only when asked for. */
const MINUTE_MS = 60_000;

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
      project('delivery', ['test/delivery/**/*.test.ts'], MINUTE_MS),
      project('store', ['test/store/**/*.test.ts'], MINUTE_MS),
      project('contract', ['test/contract/**/*.test.ts']),
      project('e2e', ['test/e2e/**/*.test.ts'], MINUTE_MS),
      // Pages in a real Chromium, installed once when it is missing.
      project('browser', ['test/browser/**/*.test.ts'], MINUTE_MS, ['test/support/chromium.ts']),
      project('soak', ['test/soak/**/*.test.ts'], 60 * MINUTE_MS),
    ],
  },
});

function project(name: string, include: string[], testTimeout = 15_000, globalSetup: string[] = []) {
  return {
    extends: true as const,
    test: { name, include, testTimeout, hookTimeout: Math.max(testTimeout, 30_000), pool: 'forks' as const, globalSetup },
  };
}
