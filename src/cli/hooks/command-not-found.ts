/** Reports an unknown command with the closest match. Exits with 2; with `--json` also prints the error object. */
import type { Hook } from '@oclif/core';
import { getCommandHint } from '../errors/other-commands.ts';
import { suggestCommand } from '../errors/suggest-command.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { createProblem } from '../errors/problem.ts';
import { withProgramName } from '../program-name.ts';
import { sanitize } from '../../platform/terminal-text.ts';
import { getTerminalWidth } from '../output/style.ts';
import { wrapText } from '../output/text-width.ts';
import { hasFlag } from '../typed-flag.ts';

const hook: Hook.CommandNotFound = async function (options) {
  const typed = toCommandName(options.id);
  const known = this.config.commands.filter(({ hidden }) => !hidden).map(({ id }) => toCommandName(id));
  // oclif takes words that a command does not expect for a part of its name.
  const command = known.filter((name) => typed.startsWith(`${name} `)).toSorted((a, b) => b.length - a.length)[0];
  const rest = command === undefined ? '' : typed.slice(command.length + 1);
  const isArgument = command !== undefined && !known.some((name) => name.startsWith(`${command} `)) && !rest.startsWith('-');
  const message = isArgument ? `Unexpected argument: ${rest}` : `Unknown command "${typed}"`;
  const hint = isArgument ? explainArgument(command, rest) : (getCommandHint(typed) ?? toHint(suggestCommand(typed, known)));
  const width = process.stderr.isTTY ? getTerminalWidth(process.stderr) : Infinity;
  for (const line of wrapText(sanitize(withProgramName(`${message}. ${hint}`)), width)) process.stderr.write(`${line}\n`);
  if (hasFlag(process.argv.slice(2), '--json')) {
    const error = createProblem({ code: 'UNKNOWN_COMMAND', message, exit: EXIT.usage, hint });
    process.stdout.write(`${JSON.stringify({ error })}\n`);
  }
  return this.exit(EXIT.usage);
};

export default hook;

const explainArgument = (command: string, rest: string): string =>
  `"${command}" takes values as flags${command.endsWith(' create') ? `, such as --name '${rest}'` : ''}: see \`stockroom ${command} --help\``;

const toHint = (command: string | undefined): string => (command === undefined ? 'See `stockroom --help`' : `Did you mean "${command}"?`);

const toCommandName = (id: string): string => id.replaceAll(':', ' ');
