/** Reports an unknown command with the closest match. Exits with 2; with `--json` also prints the error object. */
import type { Hook } from '@oclif/core';
import { findClosestMatch } from '../../contract/schema/closest-match.ts';
import { getCommandHint } from '../errors/other-commands.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { createProblem } from '../errors/problem.ts';
import { withProgramName } from '../program-name.ts';
import { sanitize } from '../../platform/terminal-text.ts';
import { getTerminalWidth } from '../output/style.ts';
import { wrapText } from '../output/text-width.ts';
import { hasFlag } from '../typed-flag.ts';

const hook: Hook.CommandNotFound = async function (options) {
  const typed = toCommandName(options.id);
  const known = [...this.config.commandIDs, ...this.config.topics.map((topic) => topic.name)].map(toCommandName);
  const message = `Unknown command "${typed}"`;
  const hint = getCommandHint(typed) ?? suggestCommand(typed, known) ?? 'See `stockroom --help`';
  const width = process.stderr.isTTY ? getTerminalWidth(process.stderr) : Infinity;
  for (const line of wrapText(sanitize(withProgramName(`${message}. ${hint}`)), width)) process.stderr.write(`${line}\n`);
  if (hasFlag(process.argv.slice(2), '--json')) {
    const error = createProblem({ code: 'UNKNOWN_COMMAND', message, exit: EXIT.usage, hint });
    process.stdout.write(`${JSON.stringify({ error })}\n`);
  }
  return this.exit(EXIT.usage);
};

export default hook;

/** Matches shorter and shorter beginnings: oclif does not separate a mistyped command from its arguments (`itms get 42`). */
function suggestCommand(typed: string, known: readonly string[]): string | undefined {
  const words = typed.split(' ');
  for (let count = words.length; count >= 1; count -= 1) {
    const found = findClosestMatch(words.slice(0, count).join(' '), known);
    if (found !== null) return `Did you mean "${found}"?`;
  }
  return undefined;
}

const toCommandName = (id: string): string => id.replaceAll(':', ' ');
