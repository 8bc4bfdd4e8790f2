import { Flags } from '@oclif/core';
import { expect, test } from 'vitest';
import { replaceBooleanValues } from './boolean-values.ts';

const flags = {
  'is-active': Flags.boolean({ allowNo: true, aliases: ['active'] }),
  yes: Flags.boolean(),
  name: Flags.string(),
};
const replace = (...argv: string[]): string[] => replaceBooleanValues(argv, flags);

test('a switch takes true and false as its value', () => {
  expect(replace('Ana', '--is-active=false', '--yes=true', '--active=true')).toEqual(['Ana', '--no-is-active', '--yes', '--active']);
});

test('other flags, arguments and what follows -- stay as they are', () => {
  const argv = ['a=false', '--name=is-active=false', '--other=false', '--is-active', '--', '--is-active=false'];
  expect(replace(...argv)).toEqual(argv);
});

test.each([
  ['--is-active=maybe', 'Invalid --is-active "maybe". Expected --is-active or --no-is-active'],
  ['--is-active=', 'Invalid --is-active "". Expected --is-active or --no-is-active'],
  ['--yes=false', '--yes takes no value'],
])('%s is an error that names the flag', (word, message) => {
  expect(() => replace(word)).toThrow(message);
});
