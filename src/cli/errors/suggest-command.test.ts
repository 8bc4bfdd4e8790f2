import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { suggestCommand } from './suggest-command.ts';

const { commands } = JSON.parse(readFileSync(new URL('../../../oclif.manifest.json', import.meta.url), 'utf8')) as {
  commands: Record<string, { id: string; hidden?: boolean }>;
};
const known = Object.values(commands)
  .filter(({ hidden }) => hidden !== true)
  .map(({ id }) => id.replaceAll(':', ' '));

test.for([
  ['items add', 'items create'],
  ['items change KES', 'items update'],
  ['items describe KES', 'items get'],
  ['items destroy KES', 'items delete'],
  ['customers list', 'contacts list'],
  ['customers add', 'contacts create'],
  ['suppliers', 'contacts list'],
  ['products', 'items list'],
  ['get items', 'items list'],
  ['list orders', 'orders list'],
  ['get item KES', 'items get'],
  ['create item', 'items create'],
  ['itms get 42', 'items get'],
  ['items --limit', 'items list'],
  ['stock documents -o', 'stock documents list'],
  ['orders fulfil SO-1', 'orders ship'],
  ['orders confirm', 'orders open'],
  ['orders delete SO-1', 'orders cancel'],
  ['users add', 'users invite'],
  ['bom', 'items ingredients list'],
  ['levels', 'stock levels'],
  ['backup', 'snapshot save'],
  ['export', 'items export'],
  ['warehouses list', 'sites list'],
  ['deliveries list', 'webhooks deliveries list'],
])('"%s" suggests "%s"', ([typed = '', expected]) => {
  expect(suggestCommand(typed, known)).toBe(expected);
});

test('a verb that a topic has not suggests a command of this topic, never of another one', () => {
  const topics = [...new Set(known.flatMap((name) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : [])))];
  const typed = topics.flatMap((topic) => ['add', 'list', 'edit', 'rm', 'fly', 'export', 'receive'].map((verb) => `${topic} ${verb}`));
  expect(typed.filter((line) => suggestCommand(line, known)?.split(' ')[0] !== line.split(' ')[0])).toEqual([]);
});

test('words without a meaning suggest nothing', () => {
  expect(suggestCommand('zzz everything', known)).toBeUndefined();
});
