/** Whether `npm run test:long` runs: more cases of each property, and the sweeps, crash storms and conformance suites that take minutes. */
export const isLongRun = process.env['STOCKROOM_TEST_LONG'] === '1';
/** Whether `npm run test:slow` runs: the files of `slow-files.ts`, with as many cases as in `npm test`. */
export const isSlowRun = process.env['STOCKROOM_TEST_SLOW'] === '1';
