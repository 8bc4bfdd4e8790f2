/** Reports an unknown command with the closest match. Exits with 2; with `--json` also prints the error object. */
import type { Hook } from '@oclif/core';
import { getCommandHint } from '../errors/other-commands.ts';
import { suggestCommand } from '../errors/suggest-command.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { createProblem } from '../errors/problem.ts';
import { withProgramName } from '../program-name.ts';
import { printProblem } from '../output/print-problem.ts';
import { createPaint, getTerminalWidth, shouldUseColor } from '../output/style.ts';
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
  const problem = createProblem({ code: 'UNKNOWN_COMMAND', message, exit: EXIT.usage, hint });
  const argv = process.argv.slice(2);
  printProblem(
    { ...problem, hint: withProgramName(hint) },
    {
      paint: createPaint(shouldUseColor(process.stderr, hasFlag(argv, '--no-color'))),
      input: { flags: [], args: [], given: {} },
      terminalWidth: process.stderr.isTTY ? getTerminalWidth(process.stderr) : undefined,
      write: (line) => void process.stderr.write(`${line}\n`),
    },
  );
  if (hasFlag(argv, '--json')) process.stdout.write(`${JSON.stringify({ error: problem })}\n`);
  return this.exit(EXIT.usage);
};

export default hook;

const explainArgument = (command: string, rest: string): string =>
  `"${command}" takes values as flags${command.endsWith(' create') ? `, such as --name '${rest}'` : ''}: see \`stockroom ${command} --help\``;

const toHint = (command: string | undefined): string => (command === undefined ? 'See `stockroom --help`' : `Did you mean "${command}"?`);

const toCommandName = (id: string): string => id.replaceAll(':', ' ');
