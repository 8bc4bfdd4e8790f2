/** Injected faults: latency, an error status or a dropped connection, while an operator has set one. */
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { INJECTED_FAULT_MESSAGE } from '../../contract/admin/faults.ts';
import { type ErrorCode, errors } from '../../contract/errors.ts';
import { INJECTED_FAULT } from '../../contract/headers.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import type { FaultRequest, InjectedFault } from '../../domain/faults/injected-fault.ts';
import type { RequestServices } from '../request-services.ts';
import { JSON_TYPE } from '../response/reply.ts';
import { authenticate } from './authenticate.ts';

/** The server keeps the process alive while it runs. Once it has stopped, a pending latency need not. */
const UNREFERENCED = { ref: false };

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    injectedFault?: InjectedFault;
  }
}

/** Injects a fault that matches the request, if one is set. Returns the response of the fault, unless the operation is to run. */
export async function injectFault(
  service: RequestServices,
  request: Request,
  h: ResponseToolkit,
): Promise<ResponseObject | symbol | undefined> {
  const { method, path, query } = request;
  const fault = await matchFault(service, method, path, query);
  if (!fault) return undefined;
  if (fault.before) {
    await fault.before();
    await authenticate(request, service); // 401
  }
  request.app.injectedFault = fault;
  if (fault.drop === 'before') return destroyConnection(request, h);
  if (fault.status === null) return undefined;
  if (fault.body !== null) return respondWith(h, fault, fault.status, fault.body);
  const code = toErrorCode(fault.status);
  if (code) throw createFaultError(code, fault);
  // The service itself never responds with this status, so a gateway in front of it would, which does not know our error envelope.
  return respondWith(h, fault, fault.status);
}

function respondWith(h: ResponseToolkit, fault: InjectedFault, status: number, body?: string): ResponseObject {
  const reply = h.response(body).code(status);
  if (body !== undefined) reply.type(isJson(body) ? JSON_TYPE : 'text/plain; charset=utf-8');
  for (const [name, value] of Object.entries(listHeaders(fault))) reply.header(name, value);
  return reply.takeover();
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The response in two halves, if a fault slows it down; its length is not stated then. */
export function slowDown({ app }: Request, h: ResponseToolkit, response: ResponseObject): ResponseObject {
  const milliseconds = app.injectedFault?.slowBodyMs ?? 0;
  const { source, statusCode, headers } = response;
  if (milliseconds === 0 || typeof source !== 'string') return response;
  const bytes = Buffer.from(source);
  const middle = Math.ceil(bytes.length / 2);
  const halves = async function* () {
    yield bytes.subarray(0, middle);
    await wait(milliseconds, undefined, UNREFERENCED);
    yield bytes.subarray(middle);
  };
  const slow = h.response(Readable.from(halves(), { objectMode: false })).code(statusCode);
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) slow.header(name, String(value));
  return slow;
}

/**
 * The same for the operation of a tool call. Throws the error of the fault, and drops the connection of the whole MCP request. Returns the
 * fault if the operation is to run.
 */
export async function injectToolCallFault(
  service: RequestServices,
  request: Request,
  method: string,
  path: string,
): Promise<InjectedFault | undefined> {
  const fault = await matchFault(service, method, path);
  if (!fault) return undefined;
  if (fault.drop === 'before') request.raw.req.socket.destroy();
  else if (fault.status === null) return fault;
  throw createFaultError(toErrorCode(fault.status ?? 0) ?? 'UNAVAILABLE', fault);
}

/** Returns a fault that matches, after its latency. */
async function matchFault(
  { faults }: RequestServices,
  method: string,
  path: string,
  query?: FaultRequest['query'],
): Promise<InjectedFault | undefined> {
  const fault = faults.hasFaults() ? faults.matchRequest(method.toUpperCase(), path, query) : undefined;
  if (fault && fault.latencyMs > 0) await wait(fault.latencyMs, undefined, UNREFERENCED);
  return fault;
}

const createFaultError = (code: ErrorCode, fault: InjectedFault): StockroomError =>
  new StockroomError(code, INJECTED_FAULT_MESSAGE, { headers: listHeaders(fault) });

const listHeaders = ({ retryAfter }: InjectedFault): Readonly<Record<string, string>> => ({
  [INJECTED_FAULT]: 'set',
  ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
});

/** Whether an error is that of a fault, which is no error of the service. */
export const isInjectedFault = ({ headers }: StockroomError): boolean => headers?.[INJECTED_FAULT] !== undefined;

export function destroyConnection(request: Request, h: ResponseToolkit): symbol {
  request.raw.req.socket.destroy();
  return h.abandon;
}

/** The most general error code of a status, which is the first in the table. */
const toErrorCode = (status: number): ErrorCode | undefined =>
  (Object.keys(errors) as ErrorCode[]).find((code) => errors[code].status === status);
