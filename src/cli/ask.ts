/** A yes-or-no question to the person at the terminal; the answer is no unless they say yes. */
export async function confirm(question: string): Promise<boolean> {
  const readline = process.getBuiltinModule('node:readline/promises').createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/iu.test((await readline.question(`${question} [y/N] `)).trim());
  } finally {
    readline.close();
  }
}
