/** The steps in which an operation does its work. */
import type { Context } from '../../domain/kernel/context.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import type { Tx } from '../../domain/tables.ts';
import { toReply } from '../response/reply.ts';
import type { OperationCall } from './operation-step.ts';

/** Writes only: whether key and tenant still exist. A body may take seconds to arrive, and the key may be revoked meanwhile. */
export async function checkKeyAgain(call: OperationCall, tx: Tx): Promise<undefined> {
  const { caller } = call;
  call.tenant = await tx.tenants.get(caller.tenant.id);
  // A snapshot was restored while the request waited for its transaction.
  if (!call.tenant) throw new StockroomError('UNAUTHENTICATED', 'Invalid API key: all data has been replaced.');
  const key = await tx.apiKeys.get(caller.key.id);
  if (!key || key.revokedAt !== null) throw new StockroomError('UNAUTHENTICATED', 'Invalid API key.');
}

/** Calls the handler of the operation with the validated input: with the instant of a read, or with the context of a change. */
export function runHandler(call: OperationCall, tx: Tx): Promise<unknown> {
  const { target, request, caller, input, tenant } = call;
  const { service, handler, meters } = target;
  const { params, query, body } = input!;
  const { targets } = service;
  if (!tenant) return handler({ params, query, body, caller, meters, targets, tx, now: service.clock.now(), ifMatch: undefined });
  const ifMatch = request.headers['if-match'] as string | undefined;
  return handler({ params, query, body, caller, meters, targets, tx, context: createContext(call, tx, tenant), ifMatch });
}

/** Converts the result of the handler. */
export function createReply(call: OperationCall): undefined {
  call.reply = toReply(call.target.operation, call.result);
}

function createContext({ request, caller, idempotency }: OperationCall, { now, newId }: Tx, tenant: Context['tenant']): Context {
  return {
    tenant,
    actor: { type: 'api', id: caller.key.id },
    requestId: request.app.requestId,
    ipAddress: request.info.remoteAddress,
    now,
    newId,
    ...(idempotency === undefined ? {} : { idempotencyKeyHash: idempotency.replyId }),
  };
}
