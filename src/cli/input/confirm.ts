import { Failure, usageError } from '../errors/failure.ts';
import { getTerminalWidth } from '../output/style.ts';
import { wrapText } from '../output/text-width.ts';
import { sanitize } from '../../platform/terminal-text.ts';

/** Exit code of a command that was ended by Ctrl-C. */
const INTERRUPTED = 130;

const ANSWER_CHARS = ' yes'.length;

/** Asks a yes-or-no question at the terminal. Everything but y and yes means no. */
export async function confirm(question: string): Promise<boolean> {
  const readline = process.getBuiltinModule('node:readline/promises').createInterface({ input: process.stdin, output: process.stderr });
  readline.once('SIGINT', () => {
    process.stderr.write('\n');
    process.exit(INTERRUPTED);
  });
  // With room for the answer.
  const lines = wrapText(`${sanitize(question)} [y/N]`, getTerminalWidth(process.stderr) - ANSWER_CHARS);
  process.stderr.write(lines.slice(0, -1).join('\n') + (lines.length > 1 ? '\n' : ''));
  try {
    return /^y(?:es)?$/iu.test((await readline.question(`${lines.at(-1) ?? ''} `)).trim());
  } catch (error) {
    // Ctrl-D, or the terminal was closed.
    if ((error as Error).name !== 'AbortError') throw error;
    process.stderr.write('\n');
    return false;
  } finally {
    readline.close();
  }
}

interface Asking {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly output: { readonly canPrompt: boolean };
}

/** Whether to ask before data are replaced: not with `--yes` or `--dry-run`. Throws a usage error if nobody can answer. `effect`: of the command. */
export function mustConfirm({ flags, output }: Asking, effect: string): boolean {
  if (flags['yes'] === true || flags['dry-run'] === true) return false;
  if (!output.canPrompt) throw usageError('Cannot prompt without a terminal; pass --yes', effect);
  return true;
}

/** Asks a person unless `--yes` or `--dry-run` was given; without a terminal, there is no question. Throws a failure if the answer is no. `unchanged`: what a no leaves: `the key was not revoked`. */
export async function confirmOrCancel({ flags, output }: Asking, question: string, unchanged: string): Promise<void> {
  if (flags['yes'] === true || flags['dry-run'] === true || !output.canPrompt || (await confirm(question))) return;
  throw cancelled(unchanged);
}

/** The failure of a command whose question was answered with no. */
export const cancelled = (unchanged: string): Failure => new Failure('CANCELLED', `Cancelled; ${unchanged}`);
