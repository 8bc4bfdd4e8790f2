import { sanitize } from '../../platform/terminal-text.ts';

/** Exit code of a command that was ended by Ctrl-C. */
const INTERRUPTED = 130;

/** Asks a yes-or-no question at the terminal. Everything but y and yes means no. */
export async function confirm(question: string): Promise<boolean> {
  const readline = process.getBuiltinModule('node:readline/promises').createInterface({ input: process.stdin, output: process.stderr });
  readline.once('SIGINT', () => {
    process.stderr.write('\n');
    process.exit(INTERRUPTED);
  });
  try {
    return /^y(?:es)?$/iu.test((await readline.question(`${sanitize(question)} [y/N] `)).trim());
  } catch (error) {
    // Ctrl-D, or the terminal was closed.
    if ((error as Error).name !== 'AbortError') throw error;
    process.stderr.write('\n');
    return false;
  } finally {
    readline.close();
  }
}
