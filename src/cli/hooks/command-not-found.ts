/** Reports an unknown command with the closest match. Exits with 2; with `--json` also prints the error object. */
import type { Hook } from '@oclif/core';
import { getCommandHint } from '../errors/other-commands.ts';
import { suggestFlag } from '../errors/flag-of-argument.ts';
import { isVerb, suggestCommand } from '../errors/suggest-command.ts';
import { EXIT } from '../errors/exit-codes.ts';
import { createProblem } from '../errors/problem.ts';
import { readFlags } from '../help/flags-manifest.ts';
import { withProgramName } from '../program-name.ts';
import { printProblem } from '../output/print-problem.ts';
import { createPaint, getTerminalWidth, shouldUseColor } from '../output/style.ts';
import { hasFlag } from '../typed-flag.ts';

const hook: Hook.CommandNotFound = async function (options) {
  const argv = process.argv.slice(2);
  const typed = restoreWords(options.id, argv);
  const known = this.config.commands.filter(({ hidden }) => !hidden).map(({ id }) => toCommandName(id));
  // oclif takes words that a command does not expect for a part of its name.
  const command = known.filter((name) => typed.startsWith(`${name} `)).toSorted((a, b) => b.length - a.length)[0];
  const rest = command === undefined ? '' : typed.slice(command.length + 1);
  const isTopic = known.some((name) => name.startsWith(`${command ?? ''} `));
  const suggested = suggestCommand(typed, known);
  const value = isTopic ? withoutVerb(rest) : rest;
  const flagHint = command === undefined ? undefined : suggestFlag(command, value, readFlags(this.config, toId(command)));
  // A command that is a topic, too, such as "stock levels", may have one with a similar name.
  const isValue = !isTopic || (suggested === command && flagHint !== undefined && value !== '');
  const isArgument = command !== undefined && !rest.startsWith('-') && isValue;
  const message = isArgument ? `Unexpected argument: ${value}` : `Unknown command "${typed}"`;
  const hint = isArgument ? (flagHint ?? explainArgument(command)) : (getCommandHint(typed) ?? toHint(suggested));
  const problem = createProblem({ code: 'UNKNOWN_COMMAND', message, exit: EXIT.usage, hint });
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

const explainArgument = (command: string): string => `"${command}" takes no arguments: see \`stockroom ${command} --help\``;

const toHint = (command: string | undefined): string => (command === undefined ? 'See `stockroom --help`' : `Did you mean "${command}"?`);

/** `get BOLT` → `BOLT` */
const withoutVerb = (text: string): string => text.replace(/^\S+(?: |$)/u, (first) => (isVerb(first.trim()) ? '' : first));

const toId = (command: string): string => command.replaceAll(' ', ':');

/** The words that oclif has joined to the id of a command: a colon in `stock scrap GIFT:1` separates no words. */
function restoreWords(id: string, argv: readonly string[]): string {
  const words: string[] = [];
  let rest = id;
  for (const word of argv) {
    if (rest !== word && !rest.startsWith(`${word}:`)) continue;
    // `items:list` is another spelling of `items list`.
    words.push(words.length === 0 ? toCommandName(word) : word);
    rest = rest.slice(word.length + 1);
  }
  return rest === '' ? words.join(' ') : toCommandName(id);
}

const toCommandName = (id: string): string => id.replaceAll(':', ' ');
