/** One tenant of a service as a client of /v1 sees it, with a key of every scope; and everything that is stored of it. */
import { type StockroomTables, tables } from '../../../src/domain/tables.ts';
import type { Plan } from '../../../src/contract/scopes.ts';
import type { CallOptions, Reply, TestService } from './service.ts';

export interface TenantClient {
  readonly s: TestService;
  readonly id: string;
  readonly key: string;
  get(path: string): Promise<Reply>;
  post(path: string, body: unknown): Promise<Reply>;
  patch(path: string, body: unknown): Promise<Reply>;
  /** Creates over HTTP and returns the id. */
  make(path: string, body: object): Promise<string>;
  /** A number that no other record of the test has: part of names and codes. */
  next(): number;
  /** A site and a user, which /v1 cannot make. */
  readonly site: string;
  readonly user: string;
}

let counter = 0;

export async function openTenantClient(s: TestService, slug: string, plan: Plan = 'enterprise'): Promise<TenantClient> {
  const tenant = await s.addTenant(slug, plan);
  const key = await s.addKey({ tenantId: tenant.id });
  const as: CallOptions = { key };
  const at = s.clock.now().toISOString();
  const user = s.service.newId();
  const person = {
    id: user,
    email: `ana@${slug}.example`,
    name: 'Ana',
    role: 'staff',
    status: 'active',
    createdAt: at,
    updatedAt: at,
  } as const;
  await s.service.store.transact(tenant.id, (tx) => tx.users.put(person));
  return {
    s,
    id: tenant.id,
    key,
    site: tenant.defaultSiteId,
    user,
    get: (path) => s.get(path, as),
    post: (path, body) => s.post(path, body, as),
    patch: (path, body) => s.patch(path, body, as),
    async make(path, body) {
      const reply = await s.post(path, body, as);
      if (reply.status !== 201) throw new Error(`POST ${path}: ${String(reply.status)} ${reply.text}`);
      return reply.body.data.id as string;
    },
    next: () => (counter += 1),
  };
}

/** Tables with records of tenants, but for the counts of requests, which refused requests change as well. */
const COMPARED = (Object.keys(tables) as (keyof StockroomTables)[]).filter((key) => tables[key].scope === 'tenant' && key !== 'usage');

/** Their names in commits. */
export const COMPARED_TABLES: ReadonlySet<string> = new Set(COMPARED.map((key) => tables[key].name));

/** Every record of a tenant by table, without the counts of requests. */
export async function stored(s: TestService, tenantId: string): Promise<Readonly<Record<string, readonly unknown[]>>> {
  return s.service.store.read(tenantId, async (tx) => {
    const all: Record<string, readonly unknown[]> = {};
    for (const key of COMPARED) all[key] = (await tx[key].listAfter({ limit: 1_000_000 })).rows;
    return all;
  });
}
