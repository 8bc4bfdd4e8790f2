/** What people read at a terminal breaks between words: questions, notes, hints and the output of a start. In a pipe, each text is one line. */
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

const COLUMNS = 80;
const NAMES = Array.from({ length: 12 }, (_, at) => `BOLT-${String(at + 10)}`);
/** A command is copied to a shell, so it stays on one line. */
const COMMAND = /`[^`]+`|^ {2}(?:Fast|Stop) |^ {2}(?:npx |export |curl )/u;

let shop: Shop;
beforeAll(async () => {
  shop = await openShop(NAMES.map((sku) => ({ name: `Bolt ${sku}`, sku })));
});
afterAll(() => shop[Symbol.asyncDispose]());

const listLines = (text: string): readonly string[] => text.split(/\r?\n/u);
const showAt80 = async (args: readonly string[], input?: string) =>
  listLines(
    stripVTControlCharacters((await shop.home.terminal(args, { columns: COLUMNS, ...(input === undefined ? {} : { input }) })).stdout),
  );
const expectToFit = (lines: readonly string[]) => expect(lines.filter((line) => line.length > COLUMNS && !COMMAND.test(line))).toEqual([]);

test('a question that is longer than a line breaks between words, and its answer is read', async () => {
  const lines = await showAt80(['items', 'delete', ...NAMES], 'n\n');
  expectToFit(lines);
  const text = lines.join(' ').replaceAll(/\s+/gu, ' ');
  expect(text).toContain(`Delete ${String(NAMES.length)} records: ${NAMES.join(', ')}? [y/N]`);
  expect(text).toContain('Cancelled; nothing was deleted');
  expect(lines.some((line) => line.startsWith('Delete ') && line.endsWith(','))).toBe(true);
});

test.for([
  [['webhooks', 'deliveries', 'show', 'zzzz'], 'the last 6 characters of an id identify it'],
  [['profile', 'use', 'default'], 'profile'],
  [['keys', 'create', '--scope', 'items:read', '--save'], 'webhooks:deliveries:read Hint:'],
  [['daemon', 'start', '--data-dir', 'other', '--port', '0'], 'opens it, signed in)'],
] as const)('%j prints no line that is wider than the terminal, except for commands', async ([args, text]) => {
  const lines = await showAt80(args);
  expectToFit(lines);
  expect(lines.join(' ').replaceAll(/\s+/gu, ' ')).toContain(text);
});

test('a note in a pipe is one line', async () => {
  const { stderr } = await shop.home.run(['webhooks', 'deliveries', 'show', 'zzzz']);
  expect(listLines(stderr)).toHaveLength(2);
});
