/** Command lines that run another command: `exec --demo -- npm test`. */
import type { Interfaces } from '@oclif/core';
import { usageError } from '../errors/failure.ts';
import { quoteForShell } from '../errors/hints.ts';
import { globalFlags } from './common-flags.ts';

/** The words before and after `--`. Throws a usage error without a command. `name`: of the own command, whose flags are given. */
export function splitCommand(
  argv: readonly string[],
  name: string,
  ownFlags: Interfaces.FlagInput,
): { own: readonly string[]; command: readonly string[] } {
  const end = argv.indexOf('--');
  const command = end === -1 ? [] : argv.slice(end + 1);
  const start = findFirstWord(argv, ownFlags);
  if (end === -1 && start !== -1) {
    const words = argv.toSpliced(start, 0, '--').map((word) => quoteForShell(word));
    throw usageError('Missing -- before COMMAND', `Run \`stockroom ${name} ${words.join(' ')}\``);
  }
  if ((command[0] ?? '') === '') throw usageError('Missing COMMAND', `Example: \`stockroom ${name} -- npm test\``);
  return { own: argv.slice(0, end), command };
}

/** The position of the first word that is neither a flag nor the value of one, or -1. */
function findFirstWord(argv: readonly string[], ownFlags: Interfaces.FlagInput): number {
  const flags: readonly (readonly [string, Interfaces.FlagInput[string]])[] = Object.entries({ ...globalFlags, ...ownFlags });
  const withValue = flags.flatMap(([name, { type, char }]) => (type === 'option' ? [`--${name}`, `-${char ?? name}`] : []));
  return argv.findIndex((word, at) => !word.startsWith('-') && !withValue.includes(argv[at - 1] ?? ''));
}
