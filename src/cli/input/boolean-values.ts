import type { Interfaces } from '@oclif/core';
import { usageError } from '../errors/failure.ts';
import { findFlag } from '../errors/parse-errors.ts';

/** `--is-active=false` as oclif's parser takes it: `--no-is-active`. It would take the value for an argument. */
export function replaceBooleanValues(argv: readonly string[], flags: Interfaces.FlagInput): string[] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return argv.map((word, at) => {
    const [, name = '', value = ''] = /^--([^=]+)=(.*)$/su.exec(word) ?? [];
    const flag = at < end ? findFlag(flags, name) : undefined;
    if (flag?.type !== 'boolean') return word;
    if (value === 'true') return `--${name}`;
    if (!flag.allowNo) throw usageError(`--${name} takes no value`);
    if (value === 'false') return `--no-${name}`;
    throw usageError(`Invalid --${name} "${value}". Expected --${name} or --no-${name}`);
  });
}
