/** Expected errors of commands. */
import { findClosestMatch } from '../../contract/schema/closest-match.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

/** The exit codes of failures, by their code. All others are wrong usage. */
const EXITS: Readonly<Record<string, ExitCode>> = {
  BAD_KEY: EXIT.denied,
  COMMAND_NOT_EXECUTABLE: EXIT.commandNotExecutable,
  COMMAND_NOT_FOUND: EXIT.commandNotFound,
  CONFLICT: EXIT.conflict,
  DISK_FULL: EXIT.unexpected,
  ENDPOINT_GONE: EXIT.notFound,
  FILTER_FAILED: EXIT.unexpected,
  INVALID_STATE: EXIT.conflict,
  KEY_WITHHELD: EXIT.denied,
  NO_DAEMON: EXIT.unreachable,
  NO_KEY: EXIT.denied,
  NOT_FOUND: EXIT.notFound,
  OUTPUT_IN_USE: EXIT.conflict,
  RATE_LIMITED: EXIT.rateLimited,
  SCOPE_REQUIRED: EXIT.denied,
  SECRET_LOST: EXIT.unreachable,
  SEED_FAILED: EXIT.unexpected,
  UNREACHABLE: EXIT.unreachable,
  WRITE_FAILED: EXIT.unexpected,
};

interface FailureOptions {
  /** Default: that of the code. */
  readonly exit?: ExitCode;
  readonly hint?: string | null | undefined;
  readonly details?: Readonly<Record<string, unknown>> | null;
  readonly fields?: readonly FieldProblem[] | null;
  readonly cause?: unknown;
}

/** An expected failure of a command: what went wrong, and a hint on what to do. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** In capitals, as the codes of the API. */
  readonly code: Uppercase<string>;
  readonly exit: ExitCode;
  readonly hint: string | null;
  readonly details: Readonly<Record<string, unknown>> | null;
  /** What is wrong with each value. */
  readonly fields: readonly FieldProblem[] | null;

  constructor(
    code: Uppercase<string>,
    message: string,
    { exit = EXITS[code] ?? EXIT.usage, hint = null, details = null, fields = null, cause }: FailureOptions = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.exit = exit;
    this.hint = hint;
    this.details = details;
    this.fields = fields;
  }
}

/** Creates the failure of a wrong command line: exit 2. */
export const usageError = (message: string, hint?: string): Failure => new Failure('USAGE', message, { hint });

/** Creates the failure of a value outside a fixed set. `name`: the flag or argument, such as `--status` or `EVENT`. */
export function invalidValueError(name: string, value: string, validValues: readonly string[], plural = 'values'): Failure {
  const match = findClosestMatch(value, validValues);
  return usageError(
    `Invalid ${name} "${value}". Valid ${plural}: ${validValues.join(', ')}`,
    match === null ? undefined : `Did you mean ${match}?`,
  );
}
