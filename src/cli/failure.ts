/** Errors as a person and as a program read them. */
import { ApiError, Unreachable } from '../client/errors.ts';
import { NotSaved, SavedFileBroken } from '../client/saved.ts';
import { UnknownProfile } from '../client/target.ts';
import type { FieldProblem } from '../contract/errors.ts';
import { RATE_WINDOW_S } from '../contract/limits.ts';
import { EXIT, type ExitCode, exitOfStatus } from './exit-codes.ts';

/** An expected end of a command: one sentence of cause, one line of what to do. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly code: string;
  readonly exit: ExitCode;
  readonly hint: string | null;
  readonly details: Readonly<Record<string, unknown>> | null;

  constructor(
    code: string,
    message: string,
    options: { exit: ExitCode; hint?: string | null; details?: Readonly<Record<string, unknown>>; cause?: unknown },
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.exit = options.exit;
    this.hint = options.hint ?? null;
    this.details = options.details ?? null;
  }
}

/** The command line itself is wrong: exit 2. */
export const usage = (message: string, hint?: string): Failure =>
  new Failure('usage', message, { exit: EXIT.usage, ...(hint === undefined ? {} : { hint }) });

/** What `--json` prints under `error`. API codes are passed on in capitals; codes of the terminal itself are in small letters. */
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

/** What a hint may need to know about the command that failed. */
export interface Setting {
  /** As typed: `items create`. */
  readonly command: string;
  /** Whether requests went to the daemon of this machine's data directory. */
  readonly local: boolean;
  /** The data directory, where commands about its daemon have to be told it. */
  readonly dataDir?: string | undefined;
  /** Whether a request of the command can be repeated safely, because it carries an idempotency key. */
  readonly keyed?: boolean | undefined;
  /** What to do when the service refuses, where the command knows better than the code of the refusal. */
  readonly advice?: string | undefined;
}

/** Absent parts are null, in one order for every error. */
const problem = (parts: Pick<Problem, 'code' | 'message' | 'exit'> & Partial<Problem>): Problem => ({
  code: parts.code,
  message: parts.message,
  status: parts.status ?? null,
  exit: parts.exit,
  hint: parts.hint ?? null,
  requestId: parts.requestId ?? null,
  fields: parts.fields ?? null,
  details: parts.details ?? null,
});

/** Everything that a command can throw, in one shape. */
export function problemOf(thrown: unknown, setting: Setting): Problem {
  if (thrown instanceof Failure) {
    const { code, message, exit, hint, details } = thrown;
    return problem({ code, message: withoutAdvice(message), exit, hint, details });
  }
  if (thrown instanceof ApiError) {
    const { code, message, status, requestId, fields, details } = thrown;
    return problem({ code, message, status, exit: exitOfStatus(status), hint: apiHint(thrown, setting), requestId, fields, details });
  }
  if (thrown instanceof Unreachable) {
    return problem({ code: 'unreachable', message: thrown.message, exit: EXIT.unreachable, hint: unreachableHint(thrown, setting) });
  }
  if (thrown instanceof UnknownProfile) {
    const known = thrown.known.length === 0 ? 'none is saved yet' : `saved: ${thrown.known.join(', ')}`;
    return problem({
      code: 'unknown_profile',
      message: thrown.message,
      exit: EXIT.usage,
      hint: `${known}; \`stockroom profile add\` makes one`,
    });
  }
  if (thrown instanceof SavedFileBroken)
    return problem({ code: 'broken_file', message: thrown.message, exit: EXIT.usage, hint: 'mend the file or remove it' });
  if (thrown instanceof NotSaved) {
    const hint = 'make it writable for this user, or choose another place with XDG_CONFIG_HOME';
    return problem({ code: 'write_failed', message: thrown.message, exit: EXIT.unexpected, hint });
  }
  if (isOclifError(thrown)) return problem(usageProblem(thrown, setting));
  if ((thrown as NodeJS.ErrnoException | null)?.syscall === 'uv_cwd')
    return problem({ code: 'usage', message: 'the working directory is gone', exit: EXIT.usage, hint: 'go to one that is there' });
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return problem({
    code: 'internal',
    message: `unexpected: ${message}`,
    exit: EXIT.unexpected,
    hint: 'this is a bug in stockroom; run again with --verbose to see where',
  });
}

function apiHint(error: ApiError, { command, advice }: Setting): string | null {
  if (advice !== undefined) return advice;
  const scope = error.details?.['requiredScope'];
  switch (error.code) {
    case 'UNAUTHENTICATED':
      return 'set STOCKROOM_API_KEY, choose a saved key (`stockroom profile list`), or make one: `stockroom keys create --all-scopes --save`';
    case 'SCOPE_REQUIRED':
      return typeof scope === 'string'
        ? `make a key that has it: \`stockroom keys create --scope ${scope} --save\``
        : '`stockroom auth context` shows what this key may do';
    case 'PLAN_REQUIRED':
      return '`stockroom auth context` shows the plan; a local tenant changes with `stockroom tenants update`';
    case 'APPLICATION_DISABLED':
      return '`stockroom apps list` shows what became of the application; `stockroom apps approve` lets it go on';
    case 'RATE_LIMITED':
      return `wait for it with --max-wait ${String(error.retryAfterSeconds ?? RATE_WINDOW_S)}, or use a key of a higher tier`;
    case 'CONFLICT':
      return 'this idempotency key was used for another request: leave --idempotency-key out to get a fresh one';
    case 'VALIDATION_FAILED':
      return `\`stockroom ${command} --help\` describes every field`;
    case 'INSUFFICIENT_STOCK':
      return '`stockroom stock levels` shows what is where';
    case 'STALE_COUNT':
      return 'count again, and name what is there now as countedQuantity and expectedQuantity';
    case 'INTERNAL_ERROR':
      return '`stockroom daemon logs` has the details under the request id';
    default:
      return null;
  }
}

function unreachableHint(error: Unreachable, { local, dataDir, keyed = false }: Setting): string {
  if (error.afterSending) {
    if (keyed) return 'the request may have been carried out: repeat it with the same --idempotency-key';
    if (!local) return 'try again; `--verbose` tells each request and its answer';
    const there = dataDirWords(dataDir);
    return `\`stockroom daemon status${there}\` tells whether it answers by now, \`stockroom daemon logs${there}\` what it did`;
  }
  return local ? startHint(dataDir) : 'check --url, STOCKROOM_URL or the profile: `stockroom config show --origin`';
}

export const startHint = (dataDir: string | undefined): string => `start it with \`stockroom daemon start${dataDirWords(dataDir)}\``;

/** ` --data-dir DIR`; nothing where none has to be named. */
export const dataDirWords = (dataDir: string | undefined): string => (dataDir === undefined ? '' : ` --data-dir ${shellWord(dataDir)}`);

/** A text as a shell takes it for one word. */
export const shellWord = (text: string): string => (/[^\w./:@%+=-]/u.test(text) ? `'${text.replaceAll("'", "'\\''")}'` : text);

interface OclifError extends Error {
  readonly oclif: { readonly exit?: number };
  readonly flags?: readonly string[];
}

const isOclifError = (thrown: unknown): thrown is OclifError => thrown instanceof Error && 'oclif' in thrown;

/** A parser error without oclif's advice, in our words where it names what was typed. */
function usageProblem(error: OclifError, { command }: Setting): Pick<Problem, 'code' | 'message' | 'exit' | 'hint'> {
  const exit = error.oclif.exit ?? EXIT.usage;
  return { code: 'usage', message: sentencesOf(withoutAdvice(error.message)), exit, hint: `see \`stockroom ${command} --help\`` };
}

/** oclif wraps what a flag's own parser throws, and adds its advice to the end. */
const withoutAdvice = (message: string): string =>
  message
    .replace(/^Parsing (--\S+) \n\t(.*)$/su, (_whole, flag: string, reason: string) =>
      reason.includes(flag) ? reason : `${flag}: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`,
    )
    .replace(/\nSee more help with --help$/u, '');

/** Of several complaints each stands on a line of its own. */
function sentencesOf(text: string): string {
  const [, several] = /^The following errors? occurred:\s*(.*)$/su.exec(text) ?? [];
  if (several === undefined) return sentence(text);
  return several
    .split('\n')
    .map((line) => sentence(line.trim()))
    .join('; ');
}

const sentence = (text: string): string =>
  text
    .replace(/^Nonexistent flags?: (.*)$/su, (_whole, flags: string) => `there is no flag ${flags}`)
    .replace(/^Unexpected arguments?: (.*)$/su, (_whole, args: string) => `too many arguments: ${args}`)
    .replace(
      /^Missing \d+ required args?:\n(.*)$/su,
      (_whole, list: string) =>
        // Behind a blank line oclif gives advice on flags; the rest of a long description is indented.
        `missing: ${(list.split('\n\n')[0] ?? '')
          .split('\n')
          .filter((line) => !line.startsWith(' '))
          .map((line) => line.split(/\s+/u)[0]?.toUpperCase())
          .join(', ')}`,
    )
    .replace(/^Missing required flags? (.*)$/su, (_whole, flag: string) => `missing flag --${flag}`)
    .replace(
      /^Expected --(\S+)=(.*) to be one of: (.*)$/su,
      (_whole, flag: string, value: string, list: string) => `--${flag} cannot be "${value}"; it is one of ${list}`,
    )
    .replace(
      /^Expected (.*) to be one of: (.*)$/su,
      (_whole, value: string, list: string) => `it cannot be "${value}"; it is one of ${list}`,
    )
    .replace(/^Flag (--\S+) (.*)$/su, '$1 $2')
    .replace(/^(--[\w-]+)=.* cannot also be provided when using (--[\w-]+)$/su, '$1 and $2 cannot stand together')
    .replace(/^All of the following must be provided when using (--[\w-]+): (--[\w-]+)$/su, '$1 needs $2');
