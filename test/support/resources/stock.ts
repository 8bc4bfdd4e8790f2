/** Stock for tests: put there by a document, as anybody would, and looked at. */
import { checkTenant } from '../../../src/domain/integrity/checks.ts';
import type { TenantRecord } from '../../../src/domain/kernel/tenant.ts';
import type { Reply, TestService } from '../service/service.ts';

interface Api {
  post(path: string, body?: unknown): Promise<Reply>;
}

export interface StockLine {
  readonly itemId: string;
  readonly quantity: number;
  readonly unitCost?: number;
}

/** Posts an opening adjustment and returns the id of the document. Without a site it is the default one. */
export async function stockUp(api: Api, lines: readonly StockLine[], siteId?: string): Promise<string> {
  const draft = { type: 'adjustment', reason: 'opening', lines, ...(siteId === undefined ? {} : { siteId }) };
  return postDocument(api, draft);
}

/** Creates and submits a document. */
export async function submitDocument(api: Api, draft: object): Promise<string> {
  const { id } = (await done(api.post('/v1/stock-documents', draft), 201)).body.data;
  await done(api.post(`/v1/stock-documents/${id}/submit`, {}), 200);
  return id;
}

/** Creates, submits and approves a document. */
export async function postDocument(api: Api, draft: object): Promise<string> {
  const id = await submitDocument(api, draft);
  await done(api.post(`/v1/stock-documents/${id}/approve`, {}), 200);
  return id;
}

async function done(reply: Promise<Reply>, expected: number): Promise<Reply> {
  const { status, text } = await reply;
  if (status !== expected) throw new Error(`expected ${String(expected)}: ${String(status)} ${text}`);
  return reply;
}

/** What is stored of an item at a site, in micro-units; all zero when nothing is. Without a site it is the default one. */
export async function countersAt(s: TestService, itemId: string, siteId = s.tenant.defaultSiteId) {
  const row = await s.service.store.read(s.tenant.id, (tx) => tx.stockLevels.get(`${itemId} ${siteId}`));
  return { onHand: row?.onHand ?? 0, committed: row?.committed ?? 0, incoming: row?.incoming ?? 0 };
}

/** Runs with other settings of the first tenant. */
export async function withSettings(s: TestService, settings: Partial<TenantRecord>, work: () => Promise<void>): Promise<void> {
  const put = (more: Partial<TenantRecord>) =>
    s.service.store.transact(s.tenant.id, async (tx) => {
      const tenant = await tx.tenants.get(s.tenant.id);
      if (tenant) await tx.tenants.put({ ...tenant, ...more });
    });
  const { negativeStock, oversell, fourEyes, defaultSiteId, currencyExponent } = s.tenant;
  await put(settings);
  try {
    await work();
  } finally {
    await put({ negativeStock, oversell, fourEyes, defaultSiteId, currencyExponent });
  }
}

/** The problems of all that can be derived again, of the first tenant or another. */
export async function findProblems({ service: { store }, tenant: first }: TestService, tenantId = first.id) {
  const tenant = await store.read(tenantId, (tx) => tx.tenants.get(tenantId));
  if (tenant === undefined) throw new Error(`no tenant has the id ${tenantId}`);
  const findings = await checkTenant((work) => store.read(tenantId, work), tenant);
  return findings.flatMap(({ problems }) => problems);
}
