/** The form in which every error of a command is reported. */
import { Errors } from '@oclif/core';
import { ApiError, Unreachable } from '../../client/errors.ts';
import { UnreadableFile, UnwritableFile } from '../../client/settings/profiles.ts';
import { UnknownProfile } from '../../client/settings/target.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { EXIT, toExitCode } from './exit-codes.ts';
import { ExplainedError } from './explained-error.ts';
import { Failure } from './failure.ts';
import { type HintContext, getApiErrorHint, getUnreachableHint } from './hints.ts';

/** What `--json` prints under `error`. Codes that the API has, too, mean the same in both: NOT_FOUND. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly status: number | null;
  readonly exit: number;
  readonly hint: string | null;
  readonly requestId: string | null;
  readonly fields: readonly FieldProblem[] | null;
  readonly details: Readonly<Record<string, unknown>> | null;
}

/** Fills absent parts with null, in the same order for every error. */
export const createProblem = (parts: Pick<Problem, 'code' | 'message' | 'exit'> & Partial<Problem>): Problem => ({
  code: parts.code,
  message: parts.message,
  status: parts.status ?? null,
  exit: parts.exit,
  hint: parts.hint ?? null,
  requestId: parts.requestId ?? null,
  fields: parts.fields ?? null,
  details: parts.details ?? null,
});

/** Converts anything that a command can throw. */
export function toProblem(thrown: unknown, context: HintContext): Problem {
  if (thrown instanceof ExplainedError) {
    const problem = toProblem(thrown.cause, context);
    const { message = problem.message, hint = problem.hint, outcome } = thrown.explanation;
    return { ...problem, message, hint: [outcome, hint].filter((text) => typeof text === 'string').join('. ') || null };
  }
  if (thrown instanceof Failure) return createProblem(thrown);
  if (thrown instanceof ApiError) {
    const { code, message, status, requestId, fields, details } = thrown;
    const hint = getApiErrorHint(thrown, context);
    return createProblem({ code, message, status, exit: toExitCode(status), hint, requestId, fields, details });
  }
  if (thrown instanceof Unreachable) {
    const hint = getUnreachableHint(thrown, context);
    return createProblem({ code: 'UNREACHABLE', message: thrown.message, exit: EXIT.unreachable, hint });
  }
  if (thrown instanceof UnknownProfile) {
    const saved = thrown.knownProfiles.length === 0 ? '' : `Saved profiles: ${thrown.knownProfiles.join(', ')}. `;
    const hint = `${saved}Add one with \`stockroom profile add\``;
    return createProblem({ code: 'UNKNOWN_PROFILE', message: thrown.message, exit: EXIT.usage, hint });
  }
  if (thrown instanceof UnreadableFile)
    return createProblem({ code: 'BROKEN_FILE', message: thrown.message, exit: EXIT.usage, hint: 'Fix the file or remove it' });
  if (thrown instanceof UnwritableFile) {
    const hint = 'Make it writable for this user, or set XDG_CONFIG_HOME to another directory';
    return createProblem({ code: 'WRITE_FAILED', message: thrown.message, exit: EXIT.unexpected, hint });
  }
  if (thrown instanceof Errors.CLIError) {
    const hint = `See \`stockroom ${context.command} --help\``;
    return createProblem({ code: 'USAGE', message: thrown.message, exit: thrown.oclif.exit ?? EXIT.usage, hint });
  }
  if ((thrown as NodeJS.ErrnoException | null)?.syscall === 'uv_cwd') {
    const message = 'The working directory does not exist any more';
    return createProblem({ code: 'USAGE', message, exit: EXIT.usage, hint: 'Change to another directory' });
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return createProblem({
    code: 'INTERNAL_ERROR',
    message: `Unexpected error: ${message}`,
    exit: EXIT.unexpected,
    hint: 'This is a bug in stockroom. Run the command again with --verbose for a stack trace',
  });
}
