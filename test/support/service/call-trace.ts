/** What a call left behind: events, audit rows, or, when it was refused, nothing. */
import { expect } from 'vitest';
import type { ErrorCode } from '../../../src/contract/errors.ts';
import type { AuditRecord } from '../../../src/domain/events/records.ts';
import { type Reply, type TestService, getCode } from './service.ts';

/** The audit rows of a tenant, oldest first. */
export async function auditRows(s: TestService, tenantId = s.tenant.id): Promise<AuditRecord[]> {
  return (await s.service.store.read(tenantId, (tx) => tx.auditEvents.listAfter({ limit: 100_000 }))).rows;
}

export interface Trace {
  readonly reply: Reply;
  /** Names of the events and of the audit actions that the call left, in order. */
  readonly events: string[];
  readonly actions: string[];
  /** The bodies of the events. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly bodies: any[];
  readonly audit: AuditRecord[];
}

/** Runs one call and returns what it left in the change log and the audit log of the first tenant. */
export async function trace(s: TestService, call: () => Promise<Reply>): Promise<Trace> {
  const position = (await s.events()).at(-1)?.position ?? 0;
  // By id, because a test may have set the clock back.
  const known = new Set((await auditRows(s)).map(({ id }) => id));
  const reply = await call();
  const events = await s.events(position);
  const audit = (await auditRows(s)).filter(({ id }) => !known.has(id));
  return {
    reply,
    events: events.map(({ event }) => event),
    actions: audit.map(({ action }) => action),
    bodies: events.map(({ body }) => JSON.parse(body) as unknown),
    audit,
  };
}

/** A refusal with this status and code, which left nothing behind. */
export async function refused(s: TestService, call: () => Promise<Reply>, status: number, code: ErrorCode): Promise<Reply> {
  const { reply, events, actions } = await trace(s, call);
  expect(reply.status, reply.text).toBe(status);
  expect(getCode(reply)).toBe(code);
  expect([...events, ...actions]).toEqual([]);
  return reply;
}

/** The problems of a refused request, as `/path code`. */
export const getProblems = (reply: Reply): string[] =>
  reply.body.error.fields.map((each: { path: string; code: string }) => `${each.path} ${each.code}`);
