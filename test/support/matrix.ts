/** What the matrix tests share: tenants on every plan, and requests of any operation whose replies are all held against the contract. */
import { expect } from 'vitest';
import { requestOf } from '../../src/client/request.ts';
import { OPERATIONS } from '../../src/contract/index.ts';
import { type Operation, isIdempotent } from '../../src/contract/operation.ts';
import { PLANS, type Plan } from '../../src/contract/scopes.ts';
import { FIXTURES, type Fixture, type Parts } from './fixtures.ts';
import { faultsOf } from './replies.ts';
import { type CallOptions, type Reply, type TestService, codeOf, startService } from './service.ts';
import { type Shelf, openShelf, stored } from './shelf.ts';

/** Nobody has this id. */
export const NOBODY = '00000000-0000-7000-8000-000000000000';

/** A rate tier of two requests a minute. */
export const PAIR = 'pair';

/** The operations for which something holds, each with its id for the title of its tests. */
export const operationsWith = (holds: (op: Operation) => boolean): (readonly [string, Operation])[] =>
  (OPERATIONS as readonly Operation[]).filter(holds).map((op) => [op.id, op] as const);

/** How to ask for an operation. */
export const fixtureOf = (op: Operation): Fixture => {
  const found = (FIXTURES as Readonly<Record<string, Fixture>>)[op.id];
  if (!found) throw new Error(`${op.id} has no fixture; say in test/support/fixtures.ts how to ask for it`);
  return found;
};

/** The names of the parameters in its path. */
export const paramsOf = (op: Operation): string[] => Object.keys(op.params?.properties ?? {});

export interface Matrix extends AsyncDisposable {
  readonly s: TestService;
  /** The tenant that the requests belong to, and one that has records of every kind as well. */
  readonly own: Shelf;
  readonly other: Shelf;
  /** A tenant on each plan. */
  on(plan: Plan): Shelf;
  /** A request that succeeds, with records of its own. */
  request(op: Operation, shelf?: Shelf): Promise<Parts>;
  /** Sends the parts with a fresh idempotency key. */
  send(op: Operation, parts: Parts, options?: CallOptions): Promise<Reply>;
  /** Sends what must be refused, and must change nothing of either tenant. */
  refuses(op: Operation, parts: Parts, options: CallOptions, status: number, code: string): Promise<Reply>;
  /** What a request left in the tenant's change log and audit log. */
  traces(shelf: Shelf, work: () => Promise<Reply>): Promise<{ reply: Reply; events: string[]; audited: number }>;
}

let serial = 0;
export const freshKey = (): string => `matrix-${String((serial += 1))}`;

export async function openMatrix(): Promise<Matrix> {
  const s = await startService({ tiers: { [PAIR]: 2 } });
  const shelves = new Map<Plan, Shelf>();
  for (const plan of PLANS) shelves.set(plan, await openShelf(s, `on-${plan}`, plan));
  const [own, other] = [await openShelf(s, 'own'), await openShelf(s, 'other')];
  for (const [, op] of operationsWith(() => true)) await fixtureOf(op).request(other);
  const both = async () => [await stored(s, own.id), await stored(s, other.id)];

  const send: Matrix['send'] = async (op, parts, options = {}) => {
    const { method, path } = requestOf(op, { params: parts.params ?? {}, query: parts.query ?? {} });
    const body = parts.body === undefined ? {} : { body: parts.body };
    const idempotencyKey = isIdempotent(op) ? { idempotencyKey: freshKey() } : {};
    const reply = await s.call(method, path, { key: own.key, ...body, ...idempotencyKey, ...options });
    expect(faultsOf(op, reply), `${op.id} ${String(reply.status)} ${reply.text}`).toEqual([]);
    return reply;
  };
  return {
    s,
    own,
    other,
    on(plan) {
      const shelf = shelves.get(plan);
      if (!shelf) throw new Error(`no tenant on ${plan}`);
      return shelf;
    },
    request: (op, shelf = own) => fixtureOf(op).request(shelf),
    send,
    async refuses(op, parts, options, status, code) {
      const before = await both();
      const reply = await send(op, parts, options);
      expect([reply.status, codeOf(reply)], reply.text).toEqual([status, code]);
      expect(await both()).toEqual(before);
      return reply;
    },
    async traces(shelf, work) {
      const audited = async () => (await stored(s, shelf.id))['auditEvents']?.length ?? 0;
      const [events, audit] = [await s.events(0, shelf.id), await audited()];
      const reply = await work();
      const news = (await s.events(0, shelf.id)).slice(events.length);
      return { reply, events: news.map(({ event }) => event), audited: (await audited()) - audit };
    },
    [Symbol.asyncDispose]: () => s[Symbol.asyncDispose](),
  };
}

/** The problems of a refused request as `<place> <path> <code>`. */
export const problemsIn = (reply: Reply): string[] =>
  (reply.body.error.fields as { in: string; path: string; code: string }[]).map((each) => `${each.in} ${each.path} ${each.code}`);
