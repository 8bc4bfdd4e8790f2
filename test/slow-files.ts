/** Tests of the API that run a second time on PostgreSQL: those of what a store decides, such as order, search, transactions and shared state. */
export const POSTGRES_API_FILES = [
  'test/api/admin/tenant-clock.test.ts',
  'test/api/events/events-list.test.ts',
  'test/api/fulfilment/order-completion.test.ts',
  'test/api/http/deleted-records.test.ts',
  'test/api/http/list-cursors.test.ts',
  'test/api/http/query-values.test.ts',
  'test/api/http/search.test.ts',
  'test/api/http/several-daemons.test.ts',
  'test/api/oauth/idempotency.test.ts',
  'test/api/stock/levels.test.ts',
  'test/api/stock/reversal-values.test.ts',
  'test/api/stock/valuation.property.test.ts',
  'test/api/tenancy/audit.test.ts',
  'test/api/webhooks/deliveries-resend.test.ts',
];

/**
 * Files and folders of tests with several daemons or many starts, outages, crashes, unresponsive daemons, damaged files, migrations, whole
 * checkouts, pages in a browser, and every documented command. They take as long as all others together, so `npm test` leaves them to
 * `npm run test:slow`; CI runs both.
 */
export const SLOW_FILES = [
  'test/browser/',
  'test/delivery/several-daemons.test.ts',
  'test/e2e/auth/profiles.test.ts',
  'test/e2e/cli/output-conventions.test.ts',
  'test/e2e/cli/wait-indicator.test.ts',
  'test/e2e/console/',
  'test/e2e/daemon/damaged-files.test.ts',
  'test/e2e/daemon/data-directories.test.ts',
  'test/e2e/daemon/deployment.test.ts',
  'test/e2e/daemon/drain.test.ts',
  'test/e2e/daemon/exec.test.ts',
  'test/e2e/daemon/foreground.test.ts',
  'test/e2e/daemon/kill.test.ts',
  'test/e2e/daemon/live-demo.test.ts',
  'test/e2e/daemon/offline.test.ts',
  'test/e2e/daemon/ports.test.ts',
  'test/e2e/daemon/several-daemons.test.ts',
  'test/e2e/daemon/start-stop.test.ts',
  'test/e2e/daemon/torture-copy.test.ts',
  'test/e2e/dashboard/lifecycle.test.ts',
  'test/e2e/documentation/',
  'test/e2e/durability/',
  'test/e2e/mcp/conformance.test.ts',
  'test/e2e/newcomer.test.ts',
  'test/e2e/postgres/',
  'test/e2e/webhooks/listen.test.ts',
  'test/store/crash.test.ts',
  'test/store/migrate.test.ts',
  'test/store/power-cut.test.ts',
  'test/store/write-failures.test.ts',
  'test/store/postgres/',
  'test/store/shared-state/',
];
