/** Runs an operation for an HTTP request, or for an MCP tool call converted to one. Handlers lose their per-operation types here. */
import { withRollback } from '../../api/dry-run.ts';
import type { Caller, UntypedHandler, UsageMeters } from '../../api/handler.ts';
import { handlers } from '../../api/index.ts';
import type { OperationId } from '../../contract/index.ts';
import { type Operation, type QueryOf, hasBody, isIdempotent } from '../../contract/operation.ts';
import type { listEvents } from '../../contract/resources/events.ts';
import type { TenantRecord } from '../../domain/kernel/tenant.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import { checkLiveKey } from '../../domain/oauth/key-access.ts';
import type { ApiKeyRecord } from '../../domain/tenancy/records.ts';
import type { ReadTx, Tx } from '../../domain/tables.ts';
import { createOrigin } from '../change-origin.ts';
import { type Reply, toReply } from '../response/reply.ts';
import type { RequestServices } from '../request-services.ts';
import { checkAccess } from './authorize.ts';
import { getReplyIds, lockIdempotencyKey, readIdempotencyKey, readStoredReply, storeReply, toReplay } from './idempotency.ts';
import { createCommitWatch, openWait, pollUntilFound } from './long-poll.ts';
import { parseJsonBody } from './json-body.ts';
import type { OperationRequest } from './operation-request.ts';
import { type RequestInput, getMaxBodyValues, validateRequest } from './validate-request.ts';

export type RunOperation = (request: OperationRequest, caller: Caller) => Promise<Reply>;

export const createOperationRunner = (service: RequestServices, op: Operation): RunOperation =>
  op.method === 'GET' ? createReadRunner(service, op) : createWriteRunner(service, op);

const getHandler = (op: Operation): UntypedHandler => handlers[op.id as OperationId] as UntypedHandler;

function createReadRunner(service: RequestServices, op: Operation): RunOperation {
  const { store, clock, targets, eventRetention, isStrict } = service;
  const handler = getHandler(op);
  const meters = createUsageMeters(service);
  const events = createCommitWatch(store, 'events');

  const read = async (tx: ReadTx, input: RequestInput, caller: Caller): Promise<unknown> =>
    handler({ ...input, caller, meters, targets, eventRetention, isStrict, tx, now: clock.now(caller.tenant.id), ifMatch: undefined });

  const runRead: RunOperation = async (request, caller) => {
    const input = validateRequest(op, request, undefined);
    return store.read(caller.tenant.id, async (tx) => toReply(op, await read(tx, input, caller)));
  };

  const runLongPoll: RunOperation = async (request, caller) => {
    const input = validateRequest(op, request, undefined);
    const tenantId = caller.tenant.id;
    const result = await pollUntilFound({
      first: await store.read(tenantId, (tx) => read(tx, input, caller)),
      again: (query) =>
        store.read(tenantId, async (tx) => {
          const [tenant, key] = await Promise.all([tx.tenants.get(tenantId), tx.apiKeys.get(caller.key.id)]);
          return read(tx, { ...input, query }, await checkAccessAgain(tx, clock.now(tenantId), op, tenant, key)); // 401, 403
        }),
      waitForCommit: (signal) => events.next(tenantId, signal),
      openWait: () => openWait(request, (input.query as QueryOf<typeof listEvents>).wait, service.closing),
    });
    return toReply(op, result);
  };
  return op.longPoll ? runLongPoll : runRead;
}

function createWriteRunner(service: RequestServices, op: Operation): RunOperation {
  const { store, targets, eventRetention, isStrict, tracing } = service;
  const handler = getHandler(op);
  const meters = createUsageMeters(service);
  const maxBodyValues = getMaxBodyValues(op);

  /** Everything that a write stores is in one commit: the change, its events, and the reply for a repetition of the request. */
  return async (request, caller) => {
    const body = hasBody(op) ? parseJsonBody(request, maxBodyValues) : undefined; // 415, 400
    const key = isIdempotent(op) ? readIdempotencyKey(request, caller.key, body) : undefined; // 400
    const unlock = key && lockIdempotencyKey(service, caller.tenant.id, key); // 409
    const span = tracing.start('commit', 'internal', request.app.traceparent);
    try {
      const run = async (tx: Tx, rollBack: (reply: Reply) => never): Promise<Reply> => {
        // Read together, because a store may need a round trip for each.
        const [stored, currentTenant, currentKey] = await Promise.all([
          key && readStoredReply(tx, key),
          tx.tenants.get(caller.tenant.id),
          tx.apiKeys.get(caller.key.id),
        ]);
        const replay = key && stored && toReplay(op, key, stored, tx.now); // 409
        if (replay) return replay;
        const input = validateRequest(op, request, body); // 400, 404
        const { tenant } = await checkAccessAgain(tx, tx.now, op, currentTenant, currentKey); // 401, 403
        const context = {
          ...createOrigin(request, 'api', caller.key.id),
          tenant,
          now: tx.now,
          newId: tx.newId,
          traceparent: span.traceparent,
          ...(key && { idempotencyKeyHash: key.replyId }),
        };
        // The given contract does not have the header.
        const ifMatch = isStrict ? undefined : (request.headers['if-match'] as string | undefined);
        const reply = toReply(op, await handler({ ...input, caller, meters, targets, eventRetention, isStrict, tx, context, ifMatch })); // 404, 409, 412
        // Without ETag and Location: the version that it shows never exists.
        if ((input.query as { readonly dry_run?: boolean }).dry_run === true) return rollBack({ status: reply.status, body: reply.body });
        if (key) await storeReply(tx, op, key, reply);
        return reply;
      };
      return await withRollback<Reply>((rollBack) =>
        store.transact(caller.tenant.id, (tx) => run(tx, rollBack), key && { idempotency: getReplyIds(key) }),
      );
    } finally {
      span.end();
      unlock?.();
    }
  };
}

const createUsageMeters = ({ limiter, clock, usage }: RequestServices): UsageMeters => ({
  getRateWindow: (key) => limiter.peek(key, clock.now(key.tenantId).getTime()),
  getUnsavedUsage: (tenantId, period, stored) => usage.getUnsaved(tenantId, period, stored),
});

/**
 * Returns the caller as the transaction sees it. A body may take seconds to arrive, or a long poll wait, and meanwhile access may be
 * withdrawn in any way: of key, tenant, plan, application, connection or scopes.
 */
async function checkAccessAgain(
  tx: ReadTx,
  now: Date,
  op: Operation,
  tenant: TenantRecord | undefined,
  key: ApiKeyRecord | undefined,
): Promise<Caller> {
  // A snapshot was restored while the request waited for its transaction.
  if (!tenant) throw new StockroomError('UNAUTHENTICATED', 'Invalid API key: all data has been replaced.');
  const found = await checkLiveKey(tx, key, now);
  if ('refused' in found) throw new StockroomError('UNAUTHENTICATED', 'Invalid API key.');
  checkAccess(found, op);
  return found;
}
