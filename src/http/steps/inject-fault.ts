/** Injected faults: latency, an error status or a dropped connection, while an operator has set one. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { INJECTED_FAULT_MESSAGE } from '../../contract/admin/faults.ts';
import { type ErrorCode, errors } from '../../contract/errors.ts';
import { INJECTED_FAULT } from '../../contract/headers.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import type { InjectedFault } from '../../domain/kernel/fault-registry.ts';
import type { Service } from '../service.ts';

/** The server keeps the process alive while it runs. Once it has stopped, a pending latency need not. */
const UNREFERENCED = { ref: false };

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    injectedFault?: InjectedFault;
  }
}

/** Undefined unless a fault is set. */
export function injectFault(
  request: Request,
  { service }: { readonly service: Service },
  h: ResponseToolkit,
): Promise<ResponseObject | symbol | undefined> | undefined {
  return service.faults.hasFaults ? injectRequestFault(service, request, h) : undefined;
}

/** Adds the latency of a fault that matches the request, then drops the connection or responds with the error of the fault, if it has one. */
async function injectRequestFault(service: Service, request: Request, h: ResponseToolkit): Promise<ResponseObject | symbol | undefined> {
  const fault = service.faults.matchRequest(request.method.toUpperCase(), request.path);
  if (!fault) return undefined;
  request.app.injectedFault = fault;
  const { latencyMs, status, drop } = fault;
  if (latencyMs > 0) await wait(latencyMs, undefined, UNREFERENCED);
  if (drop === 'before') return destroyConnection(request, h);
  if (status === null) return undefined;
  const headers = listHeaders(fault);
  const code = toErrorCode(status);
  if (code) throw new StockroomError(code, INJECTED_FAULT_MESSAGE, { headers });
  // The service itself never responds with this status, so a gateway in front of it would, which does not know our error envelope.
  const reply = h.response().code(status);
  for (const [name, value] of Object.entries(headers)) reply.header(name, value);
  return reply.takeover();
}

/**
 * The same for the operation of a tool call. Throws the error of the fault, and drops the connection of the whole MCP request. Returns the
 * fault if the operation is to run.
 */
export async function injectToolCallFault(
  service: Service,
  request: Request,
  method: string,
  path: string,
): Promise<InjectedFault | undefined> {
  const fault = service.faults.matchRequest(method, path);
  if (!fault) return undefined;
  const { latencyMs, status, drop } = fault;
  if (latencyMs > 0) await wait(latencyMs, undefined, UNREFERENCED);
  if (drop === 'before') request.raw.req.socket.destroy();
  if (status === null && drop !== 'before') return fault;
  throw new StockroomError(toErrorCode(status ?? 0) ?? 'UNAVAILABLE', INJECTED_FAULT_MESSAGE, { headers: listHeaders(fault) });
}

const listHeaders = ({ retryAfter }: InjectedFault): Readonly<Record<string, string>> => ({
  [INJECTED_FAULT]: 'set',
  ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
});

/** Whether an error is that of a fault. It is expected, so it is not logged. */
export const isInjectedFault = ({ headers }: StockroomError): boolean => headers?.[INJECTED_FAULT] !== undefined;

/** After the operation: drops the connection instead of writing the reply, if the fault says so. */
export function dropReply(request: Request, _reply: unknown, h: ResponseToolkit): symbol | undefined {
  return request.app.injectedFault?.drop === 'after' ? destroyConnection(request, h) : undefined;
}

function destroyConnection(request: Request, h: ResponseToolkit): symbol {
  request.raw.req.socket.destroy();
  return h.abandon;
}

/** The most general error code of a status, which is the first in the table. */
const toErrorCode = (status: number): ErrorCode | undefined =>
  (Object.keys(errors) as ErrorCode[]).find((code) => errors[code].status === status);
