/** Runs the steps of an operation. Only here, handlers are called without the types of their operation. */
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import type { Caller, UntypedHandler } from '../../api/handler.ts';
import { handlers } from '../../api/index.ts';
import { OPERATIONS, type OperationId } from '../../contract/index.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Tx } from '../../domain/tables.ts';
import type { Reply } from '../response/reply.ts';
import { type Service, createUsageMeters } from '../service.ts';
import { DryRunFinished } from './dry-run.ts';
import { unlockIdempotencyKey } from './idempotency.ts';
import type { OperationCall, OperationRequest, OperationStep, OperationTarget } from './operation-step.ts';
import type { RequestStep } from './request-step.ts';
import { getMaxBodyValues } from './validate-request.ts';

export type RunOperation = (request: OperationRequest, caller: Caller) => Promise<Reply>;

/** The steps that run in the handler of an API request. */
export interface HandlerSteps {
  readonly body: readonly RequestStep<undefined>[];
  readonly operation: readonly OperationStep[];
  readonly reply: readonly RequestStep<Reply>[];
}

/** Answers API requests for every operation. */
export function createOperationHandler(service: Service, steps: HandlerSteps) {
  const runners = new Map(OPERATIONS.map((op): [Operation, RunOperation] => [op, createOperationRunner(service, op, steps.operation)]));
  return async (request: Request, h: ResponseToolkit): Promise<ResponseObject | symbol> => {
    for (let at = 0; at < steps.body.length; at += 1) {
      const pending = steps.body[at]!.run(request, undefined, h);
      if (pending !== undefined) await pending;
    }
    const { caller, operation, params } = request.app;
    const runOperation = operation && runners.get(operation);
    if (!caller || !runOperation) throw new Error('a request reached its handler without authentication or routing');
    (request as { params: unknown }).params = params;
    const reply = await runOperation(request, caller);
    for (let at = 0; at < steps.reply.length; at += 1) {
      const pending = steps.reply[at]!.run(request, reply, h);
      if (pending === undefined) continue;
      const response = pending instanceof Promise ? await pending : pending;
      if (response !== undefined) return response;
    }
    throw new Error('no step has written the reply');
  };
}

/** Runs one operation: the steps that apply to it, in their order, from the first `inTransaction` on in one read or transaction. */
export function createOperationRunner(service: Service, operation: Operation, allSteps: readonly OperationStep[]): RunOperation {
  const target: OperationTarget = {
    service,
    operation,
    handler: handlers[operation.id as OperationId] as unknown as UntypedHandler,
    meters: createUsageMeters(service),
    maxBodyValues: getMaxBodyValues(operation),
    validators: undefined,
  };
  const steps = allSteps.filter(({ appliesTo }) => appliesTo?.(operation) ?? true);
  const firstInside = steps.findIndex(({ inTransaction }) => inTransaction);
  const outside = steps.slice(0, firstInside) as readonly Extract<OperationStep, { inTransaction?: never }>[];
  const inside = steps.slice(firstInside);

  const startCall = (request: OperationRequest, caller: Caller): OperationCall => ({
    target,
    request,
    caller,
    body: undefined,
    idempotency: undefined,
    lockedKey: undefined,
    input: undefined,
    tenant: undefined,
    result: undefined,
    reply: undefined,
    isFinished: false,
  });
  if (operation.method === 'GET') {
    return (request, caller) => {
      const call = startCall(request, caller);
      for (const { run } of outside) run(call);
      // No step of a read writes.
      return service.store.read(caller.tenant.id, (tx) => runInside(inside, call, tx as Tx));
    };
  }
  return async (request, caller) => {
    const call = startCall(request, caller);
    try {
      for (const { run } of outside) run(call);
      return await service.store.transact(caller.tenant.id, (tx) => runInside(inside, call, tx));
    } catch (thrown) {
      if (thrown instanceof DryRunFinished) return thrown.reply;
      throw thrown;
    } finally {
      unlockIdempotencyKey(call);
    }
  };
}

async function runInside(steps: readonly OperationStep[], call: OperationCall, tx: Tx): Promise<Reply> {
  for (let at = 0; at < steps.length; at += 1) {
    const pending = steps[at]!.run(call, tx);
    if (pending !== undefined) call.result = await pending;
    if (call.isFinished) break;
  }
  return call.reply!;
}
