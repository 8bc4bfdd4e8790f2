/** Performs the operations of the contract. The only place where the types of one operation are forgotten and restored. */
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { AnyHandler, Caller } from '../api/call.ts';
import { handlers } from '../api/index.ts';
import { OPERATIONS, type OperationId } from '../contract/index.ts';
import { IDEMPOTENCY_KEY } from '../contract/headers.ts';
import { type Operation, isIdempotent } from '../contract/operation.ts';
import type { Context } from '../domain/context.ts';
import { expiryOf, fingerprint, replyId } from '../domain/idempotency.ts';
import { StockroomError } from '../domain/errors.ts';
import type { Tx } from '../domain/tables.ts';
import { jsonBody } from './body.ts';
import { endDryRun, rehearsed } from './dry-run.ts';
import { breakOff } from './faults.ts';
import { exclusively, idempotencyKeyOf, storedReply } from './idempotency.ts';
import { type Checks, type Parts, checkedParts, checksOf } from './parts.ts';
import { receive } from './receive.ts';
import { type Reply, replyOf } from './reply.ts';
import { type Service, metersOf } from './service.ts';
import { nextTurn, write } from './write.ts';

/** What an operation reads of its request, which need not be one of HTTP: a tool call is put into the same form. */
export interface Incoming extends Pick<Request, 'method' | 'path' | 'headers' | 'params' | 'query' | 'payload'> {
  readonly app: Pick<Request['app'], 'requestId'>;
  readonly info: Pick<Request['info'], 'remoteAddress'>;
}

/** Steps 6 to 9 of `server.ts` for one operation. */
export function performing(service: Service, op: Operation): (request: Incoming, caller: Caller) => Promise<Reply> {
  // Made when they are first needed: most operations are never asked for, and all of them together are a part of a start.
  let checks: Checks | undefined;
  const handler = handlers[op.id as OperationId] as unknown as AnyHandler;
  const run = op.method === 'GET' ? read : isIdempotent(op) ? writeOnce : writeAlways;
  return (request, caller) => run(service, op, handler, (checks ??= checksOf(op)), request, caller);
}

/** Answers requests for any operation. */
export function performed(service: Service) {
  const performers = new Map(OPERATIONS.map((op): [Operation, ReturnType<typeof performing>] => [op, performing(service, op)]));
  return async (request: Request, h: ResponseToolkit): Promise<ResponseObject | symbol> => {
    const arriving = receive(request);
    if (arriving) await arriving;
    const { caller, operation: op, params } = request.app;
    const perform = op && performers.get(op);
    if (!caller || !perform) throw new Error('a request got past authentication or routing');
    (request as { params: unknown }).params = params;
    const reply = await perform(request, caller);
    if (op.method === 'GET') await nextTurn();
    if (request.app.mishap?.drop === 'after') return breakOff(request, h);
    return write(request, h, reply);
  };
}

/** A body without what only the first answer shows. */
function without(fields: readonly string[], text: string): string {
  return JSON.stringify(JSON.parse(text), (key: string, value: unknown) => (fields.includes(key) ? undefined : value));
}

type Run = (service: Service, op: Operation, handler: AnyHandler, checks: Checks, request: Incoming, caller: Caller) => Promise<Reply>;

const read: Run = (service, op, handler, checks, request, caller) => {
  const parts = checkedParts(checks, request, undefined);
  return service.store.read(caller.tenant.id, async (tx) =>
    replyOf(
      op,
      await handler({
        ...parts,
        caller,
        meters: metersOf(service),
        targets: service.targets,
        tx,
        now: service.clock.now(),
        ifMatch: undefined,
      }),
    ),
  );
};

const writeAlways: Run = (service, op, handler, checks, request, caller) => {
  const parts = checkedParts(checks, request, undefined);
  return service.store.transact(caller.tenant.id, (tx) => change(service, op, handler, parts, request, caller, tx));
};

const writeOnce: Run = async (service, op, handler, checks, request, caller) => {
  const body = jsonBody(request);
  const key = idempotencyKeyOf(request.headers[IDEMPOTENCY_KEY] as string | undefined);
  const id = replyId(caller.key.id, key);
  const print = fingerprint(request.method, request.path, request.query, body);
  return exclusively(service.running, `${caller.tenant.id} ${id}`, () => {
    const transaction = service.store.transact(caller.tenant.id, async (tx) => {
      const now = service.clock.now();
      const stored = await storedReply(tx, id, print, now);
      if (stored) return { ...stored, replayed: true as const };
      const parts = checkedParts(checks, request, body);
      const reply = await change(service, op, handler, parts, request, caller, tx, id);
      endDryRun(parts, reply);
      const { status, location = null, body: text } = reply;
      await tx.idempotency.put({
        id,
        fingerprint: print,
        status,
        location,
        body: op.shownOnce ? without(op.shownOnce, text) : text,
        createdAt: now.toISOString(),
        expiresAt: expiryOf(now),
      });
      return reply;
    });
    return rehearsed(transaction);
  });
};

async function change(
  service: Service,
  op: Operation,
  handler: AnyHandler,
  parts: Parts,
  request: Incoming,
  caller: Caller,
  tx: Tx,
  idempotencyKeyHash?: string,
): Promise<Reply> {
  const tenant = await tx.tenants.get(caller.tenant.id);
  // Other data took the place of these while the request waited for its turn.
  if (!tenant) throw new StockroomError('UNAUTHENTICATED', 'The data that this key belonged to have been replaced.');
  // A body may take seconds to arrive, and the key may be revoked meanwhile.
  const key = await tx.apiKeys.get(caller.key.id);
  if (!key || key.revokedAt !== null) throw new StockroomError('UNAUTHENTICATED', 'The key is not valid.');
  const context: Context = {
    tenant,
    actor: { type: 'api', id: caller.key.id },
    requestId: request.app.requestId,
    ipAddress: request.info.remoteAddress,
    now: service.clock.now(),
    newId: service.newId,
    ...(idempotencyKeyHash === undefined ? {} : { idempotencyKeyHash }),
  };
  const ifMatch = request.headers['if-match'] as string | undefined;
  return replyOf(op, await handler({ ...parts, caller, meters: metersOf(service), targets: service.targets, tx, context, ifMatch }));
}
