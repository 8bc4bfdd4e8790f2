/** Records that /v1 cannot make, and what a change left behind. */
import type { AuditRecord } from '../../src/domain/changes.ts';
import { type Dimension, TOP } from '../../src/domain/settings.ts';
import type { Reply, TestService } from './service.ts';

/** A unit of measure of the first tenant; `factor` is how many base units one of it is, as a fraction. */
export async function addUnit(
  s: TestService,
  symbol: string,
  dimension: Dimension,
  factor: readonly [number, number] = [1, 1],
  more: { precision?: number; isActive?: boolean; tenantId?: string } = {},
): Promise<string> {
  const { precision = 6, isActive = true, tenantId = s.tenant.id } = more;
  const id = s.service.newId();
  const at = s.clock.now().toISOString();
  const [factorNum, factorDen] = factor;
  await s.service.store.transact(tenantId, (tx) =>
    tx.units.put({ id, name: symbol, symbol, dimension, factorNum, factorDen, precision, isActive, createdAt: at, updatedAt: at }),
  );
  return id;
}

/** A category of the first tenant, at the top. */
export async function addCategory(s: TestService, name: string, more: { isActive?: boolean; tenantId?: string } = {}): Promise<string> {
  const { isActive = true, tenantId = s.tenant.id } = more;
  const id = s.service.newId();
  const at = s.clock.now().toISOString();
  await s.service.store.transact(tenantId, (tx) =>
    tx.categories.put({ id, name, parentId: null, under: TOP, isActive, createdAt: at, updatedAt: at }),
  );
  return id;
}

/** The audit rows of a tenant, oldest first. */
export async function auditRows(s: TestService, tenantId = s.tenant.id): Promise<AuditRecord[]> {
  return (await s.service.store.read(tenantId, (tx) => tx.auditEvents.after({ limit: 100_000 }))).rows;
}

export interface Trace {
  readonly reply: Reply;
  /** Names of the events and of the audit actions that the call left, in order. */
  readonly events: string[];
  readonly actions: string[];
  /** The bodies of the events. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly bodies: any[];
  readonly audit: AuditRecord[];
}

/** Runs one call and tells what it left in the change log and the audit log of the first tenant. */
export async function trace(s: TestService, call: () => Promise<Reply>): Promise<Trace> {
  const position = (await s.events()).length;
  // By id, because a test may have set the clock back.
  const known = new Set((await auditRows(s)).map(({ id }) => id));
  const reply = await call();
  const events = await s.events(position);
  const audit = (await auditRows(s)).filter(({ id }) => !known.has(id));
  return {
    reply,
    events: events.map(({ event }) => event),
    actions: audit.map(({ action }) => action),
    bodies: events.map(({ body }) => JSON.parse(body) as unknown),
    audit,
  };
}
