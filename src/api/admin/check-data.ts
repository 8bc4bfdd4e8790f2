/** The checks of `doctor` over a store: of all tenants or of one. */
import { setImmediate } from 'node:timers/promises';
import { type CheckResult, checkTenant, mergeFindings } from '../../domain/integrity/checks.ts';
import type { Finding } from '../../domain/integrity/findings.ts';
import type { TenantReader } from '../../domain/integrity/table-walk.ts';
import type { TenantRecord } from '../../domain/kernel/tenant.ts';
import type { StockroomStore } from '../../domain/tables.ts';

export interface DataCheck {
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
}

/** Runs every check of these tenants. The service keeps working meanwhile. */
export async function checkData(store: StockroomStore, tenants: AsyncIterable<TenantRecord> | Iterable<TenantRecord>): Promise<DataCheck> {
  const findings = new Map<string, Finding[]>();
  for await (const tenant of tenants) {
    for (const finding of await checkTenantData(store, tenant)) {
      findings.set(finding.name, [...(findings.get(finding.name) ?? []), finding]);
    }
  }
  const checks = [...findings.values()].map(mergeFindings);
  return { ok: checks.every(({ ok }) => ok), checks };
}

/** By store: the check in progress, and what it checks. */
const running = new WeakMap<StockroomStore, { readonly subject: string; readonly result: Promise<DataCheck> }>();

/** Runs one check at a time. A request for what is being checked, such as the repetition of one that was not awaited, gets its result. */
export async function runCheck(store: StockroomStore, subject: string, check: () => Promise<DataCheck>): Promise<DataCheck> {
  for (let current = running.get(store); current !== undefined; current = running.get(store)) {
    if (current.subject === subject) return current.result;
    await current.result.catch(() => undefined);
  }
  const result = check().finally(() => running.delete(store));
  running.set(store, { subject, result });
  return result;
}

/** Yields to other work between reads. */
function checkTenantData(store: StockroomStore, tenant: TenantRecord): Promise<Finding[]> {
  const read: TenantReader = async (work) => {
    await setImmediate();
    return store.read(tenant.id, work);
  };
  return checkTenant(read, tenant);
}

const TENANT_PAGE_SIZE = 100;

/** All tenants, oldest first. */
export async function* iterateTenants(store: StockroomStore): AsyncGenerator<TenantRecord> {
  let last: TenantRecord | undefined;
  for (;;) {
    const after = last ? { after: { values: [last.createdAt], id: last.id } } : {};
    const { rows, more } = await store.read('', (tx) => tx.tenants.listAfter({ orderBy: 'created_at', limit: TENANT_PAGE_SIZE, ...after }));
    yield* rows;
    last = rows.at(-1);
    if (!more) return;
  }
}
