/** Runs a tool call: maps its arguments to a request, runs the operation, and returns the reply of the service, shortened if it is a long list. */
import type { LooseParts } from '../client/request.ts';
import type { FieldProblem } from '../contract/errors.ts';
import type { Operation } from '../contract/operation.ts';
import type { Tool } from '../contract/mcp-tools.ts';
import { randomUUID } from 'node:crypto';
import { fitAnswer } from './answer-budget.ts';
import { checkApplication, createPreviewToken, isPreview } from './preview.ts';
import { type ToolArguments, mapArguments, toErrorBody, toInputNames } from './tool-arguments.ts';

/** The reply of the service, which may be an error. */
export interface OperationReply {
  readonly status: number;
  /** The body; empty if there is none. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** Runs operations with the key of one MCP client. */
export interface ToolCaller {
  /** Counts and authorizes a call before its arguments are validated. Returns an error reply if it is rejected. Absent if `runOperation` does this. */
  admit?(op: Operation): Promise<OperationReply | undefined> | OperationReply | undefined;
  /** Runs an operation, in the daemon or over HTTP. */
  runOperation(op: Operation, input: LooseParts, idempotencyKey: string | undefined): Promise<OperationReply>;
  /** The id of the HTTP request with the call, if there is one. */
  readonly requestId?: string;
  /** With which tokens of previews are signed. */
  readonly previewSecret: string;
}

/** The result of a tool call for the client. */
export interface ToolResult {
  readonly texts: readonly string[];
  /** Whether the first text is the JSON body of a successful reply, to be sent as structured content, too. */
  readonly isData: boolean;
  readonly isError: boolean;
  /** With which the change of this preview can be applied. */
  readonly previewToken?: string;
}

export async function callTool(tool: Tool, args: ToolArguments, caller: ToolCaller): Promise<ToolResult> {
  const rejection = await caller.admit?.(tool.operation);
  if (rejection) return toErrorResult(rejection);
  const mapped = mapArguments(tool, args);
  if ('problems' in mapped) return toProblemResult(mapped.problems, caller);
  const { input, idempotencyKey } = mapped;
  if (!tool.isPreviewed || !isPreview(args)) {
    const problems = tool.isPreviewed ? checkApplication(tool, args, caller.previewSecret) : [];
    if (problems.length > 0) return toProblemResult(problems, caller);
    return toResult(tool, await caller.runOperation(tool.operation, input, idempotencyKey));
  }
  const { approve: _, ...query } = input.query ?? {};
  const dryRun = { ...input, query: { ...query, dry_run: true } };
  // A key of its own, because the answer of a dry run is not that of the change.
  const result = toResult(tool, await caller.runOperation(tool.operation, dryRun, randomUUID()));
  if (result.isError) return result;
  const previewToken = createPreviewToken(tool, args, caller.previewSecret);
  const note = `Nothing was changed. To apply it, call again with "preview_token": "${previewToken}".`;
  return { ...result, previewToken, texts: [...result.texts, note] };
}

function toResult(tool: Tool, reply: OperationReply): ToolResult {
  const { status, text } = reply;
  if (status < 200 || status > 299) return toErrorResult({ ...reply, text: toInputNames(tool, text) });
  if (text === '') return { texts: ['Done.'], isData: false, isError: false };
  const answer = fitAnswer(tool, text);
  return { texts: [answer.text, ...(answer.note === undefined ? [] : [answer.note])], isData: true, isError: false };
}

const toProblemResult = (problems: readonly FieldProblem[], { requestId }: ToolCaller): ToolResult =>
  toErrorResult({ text: toErrorBody(problems, requestId), headers: {} });

function toErrorResult({ text, headers }: Pick<OperationReply, 'text' | 'headers'>): ToolResult {
  const retryAfter = headers['retry-after'];
  return { texts: [text, ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter} s`])], isData: false, isError: true };
}
