/** Mutation tests: which small changes of the code no test detects. Run by hand, as CONTRIBUTING.md says. */
import type Stryker from '@stryker-mutator/core';

export default {
  testRunner: 'vitest',
  vitest: {
    configFile: 'test/vitest.mutation.config.ts',
    // Tests over HTTP reach every source, so this would only cost the time of searching their imports.
    related: false,
  },
  mutate: ['src/domain/**/!(*.test).ts', 'src/delivery/**/!(*.test).ts', 'src/http/steps/**/!(*.test).ts'],
  coverageAnalysis: 'perTest',
  // What a module evaluates when it is loaded belongs to no test, so each of these mutants would need all tests.
  ignoreStatic: true,
  concurrency: 1,
  // The first run of all tests takes four minutes on a quiet machine.
  dryRunTimeoutMinutes: 30,
  ignorePatterns: ['/bench-results', '/reports'],
  disableTypeChecks: false,
  // Stryker would rewrite tsconfig.json with functions that TypeScript 7 does not have.
  tsconfigFile: 'none',
  reporters: ['progress', 'clear-text', 'html', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false },
} satisfies ConstructorParameters<typeof Stryker>[0];
