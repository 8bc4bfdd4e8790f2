import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LEADING_FLAGS, moveLeadingFlags } from './leading-flags.ts';

test.for([
  ['--json items list', 'items list --json'],
  ['--profile shop -o csv items list --all', 'items list --all --profile shop -o csv'],
  ['--profile=shop --no-color items list', 'items list --profile=shop --no-color'],
  ['-ojson items list', 'items list -ojson'],
  ['--json exec -- npm test --json', 'exec --json -- npm test --json'],
  ['--data-dir ./stock', '--data-dir ./stock'],
  ['--profile', '--profile'],
  ['--json --help', '--help --json'],
  ['--all items list', '--all items list'],
  ['--json --all items list', '--all items list --json'],
  ['items --json list', 'items --json list'],
  ['items list --json', 'items list --json'],
])('global flags before the command are moved behind it: %s', ([typed, moved]) => {
  expect(moveLeadingFlags((typed ?? '').split(' '))).toEqual((moved ?? '').split(' '));
});

test('the flags that can precede a command are the global ones', () => {
  const commands = JSON.parse(readFileSync(new URL('../../dist/flags.json', import.meta.url), 'utf8')) as Record<
    string,
    Record<string, { helpGroup?: string; type: string; char?: string }>
  >;
  const found = new Map<string, boolean>();
  for (const flags of Object.values(commands))
    for (const [name, { helpGroup, type, char }] of Object.entries(flags)) {
      if (helpGroup !== 'GLOBAL') continue;
      found.set(`--${name}`, type === 'option');
      if (char !== undefined) found.set(`-${char}`, type === 'option');
    }
  expect(Object.fromEntries(found)).toEqual(LEADING_FLAGS);
});
