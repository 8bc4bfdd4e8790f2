/** Looks for a flag in a command line that may not be parsed yet, or cannot be. Arguments after `--` belong to another program. */
export function hasFlag(argv: readonly string[], flag: '--json' | '--no-color' | '--verbose'): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? undefined : end).includes(flag);
}
