/** As a shell tells of Ctrl-C. */
const INTERRUPTED = 130;

/** A yes-or-no question to the person at the terminal; the answer is no unless they say yes. */
export async function confirm(question: string): Promise<boolean> {
  const readline = process.getBuiltinModule('node:readline/promises').createInterface({ input: process.stdin, output: process.stderr });
  readline.once('SIGINT', () => {
    process.stderr.write('\n');
    process.exit(INTERRUPTED);
  });
  try {
    return /^y(?:es)?$/iu.test((await readline.question(`${question} [y/N] `)).trim());
  } catch (error) {
    // Ctrl-D, or a terminal that is gone: nobody said yes.
    if ((error as Error).name !== 'AbortError') throw error;
    process.stderr.write('\n');
    return false;
  } finally {
    readline.close();
  }
}
