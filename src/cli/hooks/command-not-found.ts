/** An unknown command: one sentence with the nearest name, exit 2, and the JSON error object when a program asked for it. */
import type { Hook } from '@oclif/core';
import { EXIT } from '../exit-codes.ts';
import type { Problem } from '../failure.ts';
import { nearest } from '../nearest.ts';

const hook: Hook.CommandNotFound = async function (options) {
  const typed = spaced(options.id);
  const meant = suggest(typed, [...this.config.commandIDs, ...this.config.topics.map((topic) => topic.name)].map(spaced));
  const message = `"${typed}" is not a stockroom command`;
  const hint = meant === null ? 'run `stockroom --help` for the list' : `did you mean "${meant}"?`;
  process.stderr.write(`${message}; ${hint}\n`);
  if (asksForJson(process.argv.slice(2))) {
    const error: Problem = {
      code: 'unknown_command',
      message,
      status: null,
      exit: EXIT.usage,
      hint,
      requestId: null,
      fields: null,
      details: null,
    };
    process.stdout.write(`${JSON.stringify({ error })}\n`);
  }
  return this.exit(EXIT.usage);
};

export default hook;

/** oclif cannot tell a mistyped command from its arguments (`itms get 42`), so shorter and shorter beginnings are looked up. */
function suggest(typed: string, known: readonly string[]): string | null {
  const words = typed.split(' ');
  for (let count = words.length; count >= 1; count -= 1) {
    const found = nearest(words.slice(0, count).join(' '), known);
    if (found !== null) return found;
  }
  return null;
}

const spaced = (id: string): string => id.replaceAll(':', ' ');

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? undefined : end).includes('--json');
}
