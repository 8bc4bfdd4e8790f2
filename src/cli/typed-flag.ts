/** Looks for a flag in a command line that may not be parsed yet, or cannot be. */
export const hasFlag = (argv: readonly string[], flag: '--json' | '--no-color' | '--verbose'): boolean => listOwnWords(argv).includes(flag);

/** The words before `--`: what follows belongs to another program, or is no flag. */
export const listOwnWords = (argv: readonly string[]): readonly string[] =>
  argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined);
