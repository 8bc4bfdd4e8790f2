import { setImmediate } from 'node:timers/promises';
import type { daemonOperations } from '../../contract/admin/daemon.ts';
import type { Reads } from '../../domain/check-walk.ts';
import { checkTenant, combine } from '../../domain/checks.ts';
import { StockroomError } from '../../domain/errors.ts';
import type { Finding } from '../../domain/findings.ts';
import { type ReadTx, type StockroomStore, tables } from '../../domain/tables.ts';
import type { TenantRecord } from '../../domain/tenants.ts';
import { type AdminHandlers, chosenTenant } from './call.ts';
import { isMovable } from './clock.ts';

export const daemonHandlers: AdminHandlers<typeof daemonOperations> = {
  async 'daemon.status'({ plane }) {
    const { startedAt, url, dataDir, journalBytes } = plane.about;
    const { tenants, rows } = await contents(plane.store);
    return {
      data: {
        status: 'running',
        url,
        pid: process.pid,
        dataDir,
        version: plane.version,
        instanceId: plane.instanceId,
        startedAt: startedAt.toISOString(),
        // Real seconds, whatever the test clock says.
        uptimeSeconds: Math.max(0, Math.floor((Date.now() - startedAt.getTime()) / 1_000)),
        testClock: isMovable(plane.clock),
        memoryBytes: process.memoryUsage.rss(),
        journalBytes: journalBytes(),
        tenants,
        rows,
        faults: [...plane.faults.list()],
      },
    };
  },
  async 'doctor.run'({ plane, query }) {
    const findings = new Map<string, Finding[]>();
    const look = async (tenant: TenantRecord) => {
      for (const finding of await examine(plane.store, tenant)) {
        findings.set(finding.name, [...(findings.get(finding.name) ?? []), finding]);
      }
    };
    if (query.tenant === undefined) for await (const tenant of everyTenant(plane.store)) await look(tenant);
    else await look(await chosenTenant(plane, query.tenant));
    const checks = [...findings.values()].map(combine);
    return { data: { ok: checks.every(({ ok }) => ok), checks } };
  },
  async 'daemon.stop'({ plane, afterReply }) {
    const { shutdown } = plane;
    if (!shutdown) throw new StockroomError('NOT_ENABLED', 'This service runs inside another program, which is the one to stop it.');
    afterReply(shutdown);
    return Promise.resolve({ data: { status: 'stopping', pid: process.pid } });
  },
};

/** Every check of a tenant; other work gets its turn between two reads. */
async function examine(store: StockroomStore, tenant: TenantRecord): Promise<Finding[]> {
  const touched = new Set<string>();
  const stopListening = store.onCommit(({ tenant: id, changes }) => {
    if (id === tenant.id) for (const { table } of changes) touched.add(table);
  });
  const reads: Reads = async (work) => {
    await setImmediate();
    return store.read(tenant.id, work);
  };
  try {
    return await checkTenant(reads, tenant, touched);
  } finally {
    stopListening();
  }
}

const TENANTS_AT_ONCE = 100;

async function* everyTenant(store: StockroomStore): AsyncGenerator<TenantRecord> {
  let last: TenantRecord | undefined;
  for (;;) {
    const after = last ? { after: { values: [last.createdAt], id: last.id } } : {};
    const { rows, more } = await store.read('', (tx) => tx.tenants.after({ orderBy: 'created_at', limit: TENANTS_AT_ONCE, ...after }));
    yield* rows;
    last = rows.at(-1);
    if (!more) return;
  }
}

async function contents(store: StockroomStore): Promise<{ tenants: number; rows: Record<string, number> }> {
  const rows: Record<string, number> = {};
  let tenants = 0;
  const names = Object.keys(tables) as (keyof typeof tables)[];
  const countOf = async (tx: ReadTx, scope: 'tenant' | 'service') => {
    for (const name of names) if (tables[name].scope === scope) rows[name] = (rows[name] ?? 0) + (await tx[name].count());
  };
  await store.read('', (tx) => countOf(tx, 'service'));
  for await (const { id } of everyTenant(store)) {
    tenants += 1;
    await store.read(id, (tx) => countOf(tx, 'tenant'));
  }
  return { tenants, rows };
}
