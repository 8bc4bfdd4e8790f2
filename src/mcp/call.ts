/** One call of a tool: its arguments checked, its operation performed, the answer as it came. */
import type { LooseParts } from '../client/request.ts';
import type { Operation } from '../contract/operation.ts';
import type { Tool } from '../contract/tools.ts';
import { type Arguments, refusalOf, sortOut } from './input.ts';

/** What the service answered, refusals included. */
export interface Answer {
  readonly status: number;
  /** Exactly the body; empty when there is none. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface Caller {
  /** Refuses the call before its arguments are looked at, or counts it. Absent: `perform` does that. */
  admit?(op: Operation): Promise<Answer | undefined> | Answer | undefined;
  /** Carries out one operation with the caller's key: inside the daemon, or over HTTP. */
  perform(op: Operation, parts: LooseParts, idempotencyKey: string | undefined): Promise<Answer>;
  /** Of the request that brought the call, where there is one. */
  readonly requestId?: string;
}

/** What the client is told. */
export interface Outcome {
  readonly texts: readonly string[];
  /** The first text is the body of a success, which is told as data too. */
  readonly isData: boolean;
  readonly isError: boolean;
}

export async function callTool(tool: Tool, args: Arguments, caller: Caller): Promise<Outcome> {
  const refusal = await caller.admit?.(tool.operation);
  if (refusal) return refused(refusal);
  const sorted = sortOut(tool, args);
  if ('problems' in sorted) return refused({ text: refusalOf(sorted.problems, caller.requestId), headers: {} });
  const answer = await caller.perform(tool.operation, sorted.parts, sorted.idempotencyKey);
  const { status, text } = answer;
  if (status < 200 || status > 299) return refused(answer);
  return { texts: [text === '' ? 'Done.' : text], isData: text !== '', isError: false };
}

function refused({ text, headers }: Pick<Answer, 'text' | 'headers'>): Outcome {
  const wait = headers['retry-after'];
  return { texts: [text, ...(wait === undefined ? [] : [`Retry-After: ${wait} s`])], isData: false, isError: true };
}
