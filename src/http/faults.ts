/** The end of step 5 of `server.ts`: what goes wrong on purpose. Looked at only while a fault is set. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import { type ErrorCode, errors } from '../contract/errors.ts';
import { FAULT } from '../contract/headers.ts';
import { StockroomError } from '../domain/errors.ts';
import type { Mishap } from '../domain/faults.ts';
import type { Service } from './service.ts';

const SET_ON_PURPOSE = "This answer is a fault that was set on purpose ('stockroom faults list').";

/** While the service runs its server keeps the process; once it has stopped nobody is left to wait for. */
const UNTIL_THE_END = { ref: false };

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    mishap?: Mishap;
  }
}

/** Waits, breaks the connection or answers, when a fault hits the request; undefined: it goes on. */
export async function goWrong(service: Service, request: Request, h: ResponseToolkit): Promise<ResponseObject | symbol | undefined> {
  const mishap = service.faults.forRequest(request.method.toUpperCase(), request.path);
  if (!mishap) return undefined;
  request.app.mishap = mishap;
  const { latencyMs, status, retryAfter, drop } = mishap;
  if (latencyMs > 0) await wait(latencyMs, undefined, UNTIL_THE_END);
  if (drop === 'before') return breakOff(request, h);
  if (status === null) return undefined;
  const headers = { [FAULT]: 'set', ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }) };
  const code = codeOf(status);
  if (code) throw new StockroomError(code, SET_ON_PURPOSE, { headers });
  // A status that the service never answers by itself is one of a gateway before it, which knows nothing of our errors.
  const reply = h.response().code(status);
  for (const [name, value] of Object.entries(headers)) reply.header(name, value);
  return reply.takeover();
}

/** The same for the operation that a tool's call stands for: throws what would have been its answer; dropped is the connection of the call. */
export async function goWrongInside(service: Service, request: Request, method: string, path: string): Promise<Mishap | undefined> {
  const mishap = service.faults.forRequest(method, path);
  if (!mishap) return undefined;
  const { latencyMs, status, retryAfter, drop } = mishap;
  if (latencyMs > 0) await wait(latencyMs, undefined, UNTIL_THE_END);
  if (drop === 'before') request.raw.req.socket.destroy();
  if (status === null && drop !== 'before') return mishap;
  const headers = retryAfter === null ? {} : { 'retry-after': String(retryAfter) };
  throw new StockroomError(codeOf(status ?? 0) ?? 'UNAVAILABLE', SET_ON_PURPOSE, { headers });
}

/** Closes the connection without an answer. */
export function breakOff(request: Request, h: ResponseToolkit): symbol {
  request.raw.req.socket.destroy();
  return h.abandon;
}

/** The most general code of a status: the first in the table. */
const codeOf = (status: number): ErrorCode | undefined =>
  (Object.keys(errors) as ErrorCode[]).find((code) => errors[code].status === status);
