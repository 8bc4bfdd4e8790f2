/** Expected errors of commands. */
import { findClosestMatch } from '../../contract/schema/closest-match.ts';
import type { FieldProblem } from '../../contract/errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';

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
    options: {
      exit: ExitCode;
      hint?: string | null;
      details?: Readonly<Record<string, unknown>>;
      fields?: readonly FieldProblem[];
      cause?: unknown;
    },
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.exit = options.exit;
    this.hint = options.hint ?? null;
    this.details = options.details ?? null;
    this.fields = options.fields ?? null;
  }
}

/** Creates the failure of a wrong command line: exit 2. */
export const usageError = (message: string, hint?: string): Failure =>
  new Failure('USAGE', message, { exit: EXIT.usage, ...(hint === undefined ? {} : { hint }) });

/** Creates the failure of a value outside a fixed set. `name`: the flag or argument, such as `--status` or `EVENT`. */
export function invalidValueError(name: string, value: string, validValues: readonly string[], plural = 'values'): Failure {
  const match = findClosestMatch(value, validValues);
  return usageError(
    `Invalid ${name} "${value}". Valid ${plural}: ${validValues.join(', ')}`,
    match === null ? undefined : `Did you mean ${match}?`,
  );
}
