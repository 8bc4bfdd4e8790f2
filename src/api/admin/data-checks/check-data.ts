/** The checks of `doctor` over a store: of all tenants or of one. */
import { setImmediate } from 'node:timers/promises';
import { type CheckResult, checkTenant, countCheckedRows, mergeFindings } from '../../../domain/integrity/checks.ts';
import type { Finding } from '../../../domain/integrity/findings.ts';
import type { TenantRecord } from '../../../domain/kernel/tenant.ts';
import type { ReadTx, StockroomStore } from '../../../domain/tables.ts';

export interface DataCheck {
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
}

/** Rows of the tenant that is being checked. */
export interface CheckedRows {
  readonly tenant: string;
  readonly done: number;
  readonly total: number;
}

/** Runs every check of these tenants. The service keeps working meanwhile. */
export async function checkData(
  store: StockroomStore,
  tenants: AsyncIterable<TenantRecord> | Iterable<TenantRecord>,
  onProgress: (progress: CheckedRows) => void = () => undefined,
): Promise<DataCheck> {
  const findings = new Map<string, Finding[]>();
  for await (const tenant of tenants) {
    for (const finding of await checkTenantData(store, tenant, onProgress)) {
      findings.set(finding.name, [...(findings.get(finding.name) ?? []), finding]);
    }
  }
  const checks = [...findings.values()].map(mergeFindings);
  return { ok: checks.every(({ ok }) => ok), checks };
}

/** Yields to other work between reads. */
async function checkTenantData(
  store: StockroomStore,
  tenant: TenantRecord,
  onProgress: (progress: CheckedRows) => void,
): Promise<Finding[]> {
  const total = await store.read(tenant.id, countCheckedRows);
  let done = 0;
  const onRows = (count: number): void => {
    done += count;
    // Rows that were added meanwhile, and what is compared once more after a change.
    onProgress({ tenant: tenant.slug, done: Math.min(done, total), total });
  };
  const read = async <T>(work: (tx: ReadTx) => Promise<T>): Promise<T> => {
    await setImmediate();
    return store.read(tenant.id, work);
  };
  return checkTenant(Object.assign(read, { onRows }), tenant);
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
