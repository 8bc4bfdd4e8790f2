/**
 * Files and folders of tests with several daemons, outages, crashes, migrations, whole checkouts, and every documented command. They take
 * as long as all others together, so `npm test` leaves them to `npm run test:slow`; CI runs both.
 */
export const SLOW_FILES = [
  'test/e2e/daemon/several-daemons.test.ts',
  'test/e2e/documentation/',
  'test/e2e/durability/',
  'test/e2e/mcp/conformance.test.ts',
  'test/e2e/newcomer.test.ts',
  'test/e2e/postgres/',
  'test/store/migrate.test.ts',
  'test/store/postgres/',
  'test/store/shared-state/',
];
