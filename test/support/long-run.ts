/** Whether `npm run test:long` runs: more cases of each property, and the sweeps, crash storms and conformance suites that take minutes. */
export const isLongRun = process.env['STOCKROOM_TEST_LONG'] === '1';
