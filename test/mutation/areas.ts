/** The areas whose tests are measured: their sources, and the tests that should detect their mutants. */
interface Area {
  readonly sources: readonly string[];
  /** Patterns of test files. */
  readonly tests: readonly string[];
  /** Parts of the paths of tests that take too long to run against each mutant. */
  readonly excluded: readonly string[];
}

const API_TESTS = 'test/api/**/*.test.ts';

export const AREAS = {
  delivery: {
    sources: ['src/delivery'],
    tests: ['src/{delivery,domain}/**/*.test.ts', 'test/delivery/**/*.test.ts', 'test/api/{admin,webhooks}/**/*.test.ts'],
    excluded: [],
  },
  domain: { sources: ['src/domain'], tests: ['src/domain/**/*.test.ts', API_TESTS], excluded: ['test/api/testing.test.ts'] },
  http: { sources: ['src/http'], tests: ['src/http/**/*.test.ts', API_TESTS], excluded: ['test/api/testing.test.ts'] },
  store: {
    sources: ['src/store'],
    tests: ['src/store/**/*.test.ts', 'test/store/**/*.test.ts'],
    excluded: ['bit-flips', 'disk-faults', 'power-cut'],
  },
} as const satisfies Record<string, Area>;

export const isArea = (name: string): name is keyof typeof AREAS => Object.hasOwn(AREAS, name);
