/** Admin handlers of the daemon: status, data checks, and stopping it. */
import { setImmediate } from 'node:timers/promises';
import type { daemonOperations } from '../../contract/admin/daemon.ts';
import type { TenantReader } from '../../domain/integrity/table-walk.ts';
import { checkTenant, mergeFindings } from '../../domain/integrity/checks.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import type { Finding } from '../../domain/integrity/findings.ts';
import { type ReadTx, type StockroomStore, tables } from '../../domain/tables.ts';
import type { TenantRecord } from '../../domain/kernel/tenant.ts';
import { type AdminHandlers, resolveTenant } from './handler.ts';
import { isAdjustable } from './clock.ts';

export const daemonHandlers: AdminHandlers<typeof daemonOperations> = {
  async 'daemon.status'({ services }) {
    const { startedAt, url, dataDir, logFile, journalBytes, findStoreProblem } = services.daemon;
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
        journalBytes: journalBytes(),
        storeProblem: (await findStoreProblem()) ?? null,
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
    const findings = new Map<string, Finding[]>();
    const addFindings = async (tenant: TenantRecord) => {
      for (const finding of await checkTenantData(services.store, tenant)) {
        findings.set(finding.name, [...(findings.get(finding.name) ?? []), finding]);
      }
    };
    if (query.tenant === undefined) for await (const tenant of iterateTenants(services.store)) await addFindings(tenant);
    else await addFindings(await resolveTenant(services, query.tenant));
    const checks = [...findings.values()].map(mergeFindings);
    return { data: { ok: checks.every(({ ok }) => ok), checks } };
  },
  async 'daemon.requests'({ services, query }) {
    const { id } = await resolveTenant(services, query.tenant);
    return { data: services.listRecentRequests(id) };
  },
  async 'daemon.stop'({ services, afterReply }) {
    const { shutdown } = services;
    if (!shutdown) throw new StockroomError('NOT_ENABLED', 'This service is embedded in another program. Stop it there.');
    afterReply(shutdown);
    return Promise.resolve({ data: { status: 'stopping', pid: process.pid } });
  },
};

/** Runs every check of a tenant. Yields to other work between reads. */
async function checkTenantData(store: StockroomStore, tenant: TenantRecord): Promise<Finding[]> {
  const changedTables = new Set<string>();
  const stopListening = store.onCommit(({ tenant: id, changes }) => {
    if (id === tenant.id) for (const { table } of changes) changedTables.add(table);
  });
  const read: TenantReader = async (work) => {
    await setImmediate();
    return store.read(tenant.id, work);
  };
  try {
    return await checkTenant(read, tenant, changedTables);
  } finally {
    stopListening();
  }
}

const TENANT_PAGE_SIZE = 100;

async function* iterateTenants(store: StockroomStore): AsyncGenerator<TenantRecord> {
  let last: TenantRecord | undefined;
  for (;;) {
    const after = last ? { after: { values: [last.createdAt], id: last.id } } : {};
    const { rows, more } = await store.read('', (tx) => tx.tenants.listAfter({ orderBy: 'created_at', limit: TENANT_PAGE_SIZE, ...after }));
    yield* rows;
    last = rows.at(-1);
    if (!more) return;
  }
}

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
