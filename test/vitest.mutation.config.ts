import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

const PROJECTS = ['unit', 'api', 'delivery'];
/** Start other programs, in which no mutant is active, or set the umask, which a worker thread cannot. */
const EXCLUDED = ['test/api/testing.test.ts', 'src/daemon/data-directory/data-directory.test.ts'];

const projects = (base.test?.projects ?? []).flatMap((project) => {
  if (typeof project !== 'object' || !('test' in project)) return [];
  const { test } = project;
  if (typeof test?.name !== 'string' || !PROJECTS.includes(test.name)) return [];
  return [
    {
      ...project,
      test: {
        ...test,
        exclude: [...(test.exclude ?? []), ...EXCLUDED],
        // Many mutants only show in a test that waits in vain.
        testTimeout: 15_000,
        hookTimeout: 15_000,
        expect: { poll: { timeout: 5_000 } },
        // The same random cases against every mutant.
        env: { STOCKROOM_TEST_SEED: '1' },
      },
    },
  ];
});

/** The tests that Stryker runs: without the built CLI, PostgreSQL and browsers. */
export default defineConfig({ ...base, test: { ...base.test, reporters: [], projects } });
