/** Looks for `--json` in a command line that cannot be parsed. Arguments after `--` belong to another program. */
export function hasJsonFlag(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? undefined : end).includes('--json');
}
