/** Admin handlers of the daemon: status, data checks, and stopping it. */
import type { daemonOperations } from '../../contract/admin/daemon.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { type ReadTx, type StockroomStore, tables } from '../../domain/tables.ts';
import { checkData, iterateTenants } from './data-checks/check-data.ts';
import { getCheckProgress, runCheck } from './data-checks/run-check.ts';
import { checkTimes, repairTimes, toSlugs } from './data-checks/repair-times.ts';
import { type AdminHandlers, resolveTenant } from './handler.ts';
import { isAdjustable } from './clock.ts';
import { repairTenants } from './data-checks/repair-data.ts';

export const daemonHandlers: AdminHandlers<typeof daemonOperations> = {
  async 'daemon.status'({ services }) {
    const { startedAt, url, dataDir, logFile, getJournalBytes, findStoreProblem } = services.daemon;
    const { tenants, rows } = await countRows(services.store);
    return {
      data: {
        status: 'running',
        url,
        pid: process.pid,
        dataDir,
        version: services.version,
        instanceId: services.instanceId,
        startedAt: startedAt.toISOString(),
        // Real time, even with a test clock.
        uptimeSeconds: Math.max(0, Math.floor((Date.now() - startedAt.getTime()) / 1_000)),
        testClock: isAdjustable(services.clock),
        memoryBytes: process.memoryUsage.rss(),
        journalBytes: getJournalBytes(),
        storeProblem: (await findStoreProblem()) ?? null,
        lostCommits: await toSlugs(services.store, services.history.listLost()),
        logFile,
        tenants,
        rows,
        faults: [...services.faults.list()],
      },
    };
  },
  async 'daemon.members'({ services }) {
    const members = await services.members.list();
    return { data: members.map(({ hasTestClock, ...member }) => ({ ...member, testClock: hasTestClock })) };
  },
  async 'doctor.run'({ services, query }) {
    const tenant = query.tenant === undefined ? undefined : await resolveTenant(services, query.tenant);
    const data = await runCheck(services, tenant?.id ?? '', (onProgress) =>
      checkData(services.store, tenant === undefined ? iterateTenants(services.store) : [tenant], onProgress),
    );
    const times = await checkTimes(services);
    return { data: times === undefined ? data : { ok: data.ok && times.ok, checks: [...data.checks, times] } };
  },
  'doctor.progress': ({ services }) => ({ data: getCheckProgress(services.store) }),
  async 'doctor.repair'(call) {
    const { services, query, body } = call;
    const tenant = query.tenant === undefined ? undefined : await resolveTenant(services, query.tenant);
    // First, because changes of a tenant that is ahead are rejected until then.
    const times = await repairTimes(services, { dryRun: body.dryRun, tenantId: tenant?.id });
    const levels = await repairTenants(call, tenant === undefined ? iterateTenants(services.store) : [tenant]);
    return { data: { dryRun: body.dryRun, times, levels } };
  },
  async 'daemon.requests'({ services, query }) {
    const { id } = await resolveTenant(services, query.tenant);
    return { data: services.listRecentRequests(id) };
  },
  'daemon.stop'({ services, afterReply }) {
    const { shutdown } = services;
    if (!shutdown) throw new StockroomError('NOT_ENABLED', 'This service is embedded in another program. Stop it there.');
    afterReply(shutdown);
    return { data: { status: 'stopping', pid: process.pid } };
  },
};

async function countRows(store: StockroomStore): Promise<{ tenants: number; rows: Record<string, number> }> {
  const rows: Record<string, number> = {};
  let tenants = 0;
  const names = Object.keys(tables) as (keyof typeof tables)[];
  const countTables = async (tx: ReadTx, scope: 'tenant' | 'service') => {
    for (const name of names) if (tables[name].scope === scope) rows[name] = (rows[name] ?? 0) + (await tx[name].count());
  };
  await store.read('', (tx) => countTables(tx, 'service'));
  for await (const { id } of iterateTenants(store)) {
    tenants += 1;
    await store.read(id, (tx) => countTables(tx, 'tenant'));
  }
  return { tenants, rows };
}
