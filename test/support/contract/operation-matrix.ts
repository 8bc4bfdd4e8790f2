/** What the matrix tests share: tenants on every plan, and requests of any operation whose replies are all held against the contract. */
import { expect } from 'vitest';
import { toRequest } from '../../../src/client/request.ts';
import { OPERATIONS } from '../../../src/contract/index.ts';
import { type Operation, isIdempotent } from '../../../src/contract/operation.ts';
import { PLANS, type Plan } from '../../../src/contract/scopes.ts';
import { tables } from '../../../src/domain/tables.ts';
import { FIXTURES, type Fixture, type Parts } from './operation-fixtures.ts';
import { getFaults } from './response-checks.ts';
import { type CallOptions, type Reply, type TestService, getCode, startService } from '../service/service.ts';
import { type TenantClient, COMPARED_TABLES, openTenantClient } from '../service/tenant-client.ts';

/** No record has this id. */
export const UNKNOWN_ID = '00000000-0000-7000-8000-000000000000';

/** A rate tier of two requests a minute. */
export const PAIR = 'pair';

/** The operations for which something holds, each with its id for the title of its tests. */
export const operationsWith = (holds: (op: Operation) => boolean): (readonly [string, Operation])[] =>
  (OPERATIONS as readonly Operation[]).filter(holds).map((op) => [op.id, op] as const);

/** How to ask for an operation. */
export const getFixture = (op: Operation): Fixture => {
  const found = (FIXTURES as Readonly<Record<string, Fixture>>)[op.id];
  if (!found) throw new Error(`${op.id} has no fixture; say in test/support/contract/operation-fixtures.ts how to ask for it`);
  return found;
};

/** The names of the parameters in its path. */
export const getParams = (op: Operation): string[] => Object.keys(op.params?.properties ?? {});

export interface Matrix extends AsyncDisposable {
  readonly s: TestService;
  /** The tenant that the requests belong to, and one that has records of every kind as well. */
  readonly own: TenantClient;
  readonly other: TenantClient;
  /** A tenant on each plan. */
  on(plan: Plan): TenantClient;
  /** A request that succeeds, with records of its own. */
  request(op: Operation, tenantClient?: TenantClient): Promise<Parts>;
  /** Sends the parts with a fresh idempotency key. */
  send(op: Operation, parts: Parts, options?: CallOptions): Promise<Reply>;
  /** Does work that must change no record of any tenant. */
  unchanged<T>(work: () => Promise<T>): Promise<T>;
  /** Sends a request that must be refused and must change no record of any tenant. */
  refuses(op: Operation, parts: Parts, options: CallOptions, status: number, code: string): Promise<Reply>;
  /** What a request left in the tenant's change log and audit log. */
  traces(tenantClient: TenantClient, work: () => Promise<Reply>): Promise<{ reply: Reply; events: string[]; audited: number }>;
}

interface RecordChange {
  readonly tenant: string;
  readonly table: string;
  readonly id: string;
  readonly added: boolean;
}

let serial = 0;
export const freshKey = (): string => `matrix-${String((serial += 1))}`;

export async function openMatrix(): Promise<Matrix> {
  const s = await startService({ tiers: { [PAIR]: 2 } });
  // Commits instead of all records before and after: a request that is refused must not even write what was there.
  const changes: RecordChange[] = [];
  s.service.store.onCommit((commit) => {
    for (const { table, id, added } of commit.changes)
      if (COMPARED_TABLES.has(table)) changes.push({ tenant: commit.tenant, table, id: id!, added });
  });
  const countAdded = (tenantId: string, table: string, from = 0): number =>
    changes.slice(from).filter((change) => change.tenant === tenantId && change.table === table && change.added).length;
  const tenantClients = new Map<Plan, TenantClient>();
  for (const plan of PLANS) tenantClients.set(plan, await openTenantClient(s, `on-${plan}`, plan));
  const [own, other] = [await openTenantClient(s, 'own'), await openTenantClient(s, 'other')];
  for (const [, op] of operationsWith(() => true)) await getFixture(op).request(other);

  const send: Matrix['send'] = async (op, parts, options = {}) => {
    const { method, path } = toRequest(op, { params: parts.params ?? {}, query: parts.query ?? {} });
    const body = parts.body === undefined ? {} : { body: parts.body };
    const idempotencyKey = isIdempotent(op) ? { idempotencyKey: freshKey() } : {};
    const reply = await s.call(method, path, { key: own.key, ...body, ...idempotencyKey, ...options });
    expect(getFaults(op, reply), `${op.id} ${String(reply.status)} ${reply.text}`).toEqual([]);
    return reply;
  };
  const unchanged: Matrix['unchanged'] = async (work) => {
    const from = changes.length;
    const result = await work();
    expect(changes.slice(from)).toEqual([]);
    return result;
  };
  return {
    s,
    own,
    other,
    on(plan) {
      const tenantClient = tenantClients.get(plan);
      if (!tenantClient) throw new Error(`no tenant on ${plan}`);
      return tenantClient;
    },
    request: (op, tenantClient = own) => getFixture(op).request(tenantClient),
    send,
    unchanged,
    async refuses(op, parts, options, status, code) {
      const reply = await unchanged(() => send(op, parts, options));
      expect([reply.status, getCode(reply)], reply.text).toEqual([status, code]);
      return reply;
    },
    async traces(tenantClient, work) {
      const [from, position] = [changes.length, countAdded(tenantClient.id, tables.events.name)];
      const reply = await work();
      const events = await s.events(position, tenantClient.id);
      return { reply, events: events.map(({ event }) => event), audited: countAdded(tenantClient.id, tables.auditEvents.name, from) };
    },
    [Symbol.asyncDispose]: () => s[Symbol.asyncDispose](),
  };
}

/** The problems of a refused request as `<place> <path> <code>`. */
export const problemsIn = (reply: Reply): string[] =>
  (reply.body.error.fields as { in: string; path: string; code: string }[]).map((each) => `${each.in} ${each.path} ${each.code}`);
