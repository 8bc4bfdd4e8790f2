/** The running daemon: status, data integrity check and shutdown. */
import { type ResultOf, single, defineAdminOperation } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { defineTenantOperation } from './shared-schemas.ts';
import { fault } from './faults.ts';

const count = () => t.int({ min: 0 });

export const status = t.object({
  status: t.enums(['running']),
  url: t.nullable(t.string()),
  pid: count(),
  dataDir: t.nullable(t.string()),
  version: t.string(),
  instanceId: t.uuid(),
  startedAt: t.timestamp(),
  uptimeSeconds: count(),
  testClock: t.bool(),
  memoryBytes: count(),
  journalBytes: describe(t.nullable(count()), 'Size of the journal that the next start replays; null when the store has no journal.'),
  storeProblem: describe(t.nullable(t.string()), 'Why changes are rejected; null while the store accepts them.'),
  lostCommits: t.annotate(t.array(t.object({ tenant: t.nullable(t.string()), first: count(), last: count() })), {
    description:
      'Commits that this daemon knew and that the database has lost since the daemon was started, by number, of a tenant or of the whole service.',
  }),
  logFile: describe(t.nullable(t.string()), 'File of the log; null if it is written to stderr, as in the foreground.'),
  tenants: count(),
  rows: t.annotate(t.map(count()), { description: 'Number of rows by table, over all tenants.' }),
  faults: t.annotate(t.array(fault), { description: 'Active injected faults.' }),
});

export const getStatus = defineAdminOperation('daemon.status', 'GET', '/admin/status', {
  summary: 'Get the status of the daemon',
  result: single(status),
});

const member = t.object({
  instanceId: t.uuid(),
  url: t.annotate(t.nullable(t.string()), { description: 'Where it listens; null while it starts.' }),
  version: t.string(),
  startedAt: t.timestamp(),
  seenAt: t.annotate(t.timestamp(), { description: 'When it last reported to the database.' }),
  testClock: t.bool(),
});

export type Member = Infer<typeof member>;

export const listMembers = defineAdminOperation('daemon.members', 'GET', '/admin/members', {
  summary: 'List the live daemons of the database, oldest first',
  description: 'Empty when the data is in a data directory, which has one daemon.',
  result: t.object({ data: t.array(member) }),
});

export const getDoctor = defineTenantOperation('doctor.run', 'GET', '/admin/doctor', {
  summary: 'Check data integrity',
  description: 'Checks every tenant unless one is given.',
  result: single(t.object({ ok: t.bool(), checks: t.array(t.object({ name: t.string(), ok: t.bool(), detail: t.string() })) })),
});

export const getDoctorProgress = defineAdminOperation('doctor.progress', 'GET', '/admin/doctor/progress', {
  summary: 'Get the progress of the data integrity check',
  result: single(
    t.object({
      status: describe(t.enums(['idle', 'waiting', 'running']), 'Waiting: for a check that another daemon of the database runs.'),
      tenant: t.annotate(t.nullable(t.string()), { description: 'Slug of the tenant that is being checked.' }),
      done: t.annotate(count(), { description: 'Rows of the tenant read so far; some are read twice.' }),
      total: count(),
    }),
  ),
});
export type CheckProgress = ResultOf<typeof getDoctorProgress>['data'];

const repairedLevel = t.object({
  tenant: t.string(),
  itemId: t.uuid(),
  item: t.object({ name: t.string(), sku: t.nullable(t.string()) }),
  siteId: t.uuid(),
  site: t.object({ name: t.string() }),
  onHand: t.number(),
  averageCost: t.annotate(t.number(), { description: 'Before the repair.' }),
  newAverageCost: t.annotate(t.nullable(t.number()), { description: 'Null if nothing that is not reversed has a cost.' }),
  valueChange: t.annotate(t.number(), { description: 'Change of the stock value, booked as a variance.' }),
  documentNumber: t.annotate(t.nullable(t.string()), { description: 'The revaluation that books it; null in a dry run.' }),
});

const repairedTime = t.object({
  tenant: t.annotate(t.nullable(t.string()), { description: 'Null for data of the whole service, such as keys.' }),
  lastChangeAt: t.timestamp(),
  changedRows: t.annotate(count(), { description: 'Deliveries, endpoints and replies with corrected times; 0 in a dry run.' }),
});

export const repairData = defineTenantOperation('doctor.repair', 'POST', '/admin/doctor/repair', {
  summary: 'Update times in the future and distorted average costs',
  description:
    'A database rejects changes of a tenant whose last change has a time in the future, because a clock was wrong: afterwards the tenant continues from the current time, and due and expiry times are limited to those of new rows; other stored timestamps do not change. Then sets the average cost of each level that the check "stock levels" names to one that its entries explain, with a revaluation document per site. Corrects every tenant unless one is given.',
  body: t.object({
    dryRun: t.withDefault(t.annotate(t.bool(), { description: 'List what would be corrected, and change nothing.' }), false),
  }),
  result: single(t.object({ dryRun: t.bool(), times: t.array(repairedTime), levels: t.array(repairedLevel) })),
});

export const shutDown = defineAdminOperation('daemon.stop', 'POST', '/admin/shutdown', {
  summary: 'Stop the daemon',
  description: 'Requests in progress finish first; then the store is closed.',
  body: t.object({}),
  result: single(t.object({ status: t.enums(['stopping']), pid: count() })),
  errors: ['NOT_ENABLED'],
});

export const listRecentRequests = defineTenantOperation('daemon.requests', 'GET', '/admin/requests/recent', {
  summary: 'List the latest requests, oldest first',
  description:
    'Requests to the public API since the start of the daemon, as the feed publishes them, and the number of requests of each key by minute over the last hour.',
  result: single(
    t.object({
      requests: t.array(
        t.object({
          id: t.annotate(t.string(), { description: 'Id of the message of the feed.' }),
          at: t.timestamp(),
          requestId: t.string(),
          operationId: t.nullable(t.string()),
          method: t.string(),
          path: t.string(),
          status: t.nullable(t.int()),
          errorCode: t.annotate(t.nullable(t.string()), { description: 'Code of the error in the response.' }),
          errorMessage: t.nullable(t.string()),
          milliseconds: t.number(),
          keyId: t.nullable(t.uuid()),
          keyPrefix: t.nullable(t.string()),
        }),
      ),
      perMinute: t.array(
        t.object({
          keyId: t.uuid(),
          perMinute: t.annotate(t.array(count()), { description: 'Sixty counts, the current minute last.' }),
          rejectedPerMinute: t.optional(
            t.annotate(t.array(count()), { description: 'Of these requests, those that the rate limit rejected with 429.' }),
          ),
        }),
      ),
    }),
  ),
});

/** Text for a Prometheus server: on the admin socket and the metrics port, never on the API port, which untrusted clients can reach. */
export const METRICS_PATH = '/metrics';

export const daemonOperations = [getStatus, listMembers, getDoctor, getDoctorProgress, repairData, shutDown, listRecentRequests] as const;
