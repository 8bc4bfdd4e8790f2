import { expect, test } from 'vitest';
import { TOOLS } from '../contract/mcp-tools.ts';
import { fitAnswer } from './answer-budget.ts';

const getTool = (name: string) => TOOLS.find((tool) => tool.name === name)!;
const list = (count: number, row: object, total = count) =>
  JSON.stringify({ data: Array.from({ length: count }, (_, id) => ({ id, ...row })), pagination: { total } });
const parse = ({ text }: { text: string }) => JSON.parse(text) as { data: { id: number; notes: string }[] };

test('a short list and a single record are unchanged', () => {
  const short = list(3, { notes: 'n'.repeat(500) });
  expect(fitAnswer(getTool('list_items'), short)).toEqual({ text: short });
  const record = JSON.stringify({ data: { id: 1, notes: 'n'.repeat(60_000) } });
  expect(fitAnswer(getTool('get_item'), record)).toEqual({ text: record });
});

test('notes in a list are cut at 500 characters with a mark', () => {
  const answer = fitAnswer(getTool('list_items'), list(1, { notes: 'n'.repeat(2_000), name: 'm'.repeat(600) }));
  expect(parse(answer).data).toEqual([{ id: 0, notes: `${'n'.repeat(500)}… (1500 more characters)`, name: 'm'.repeat(600) }]);
});

test('rows that would make the answer too long are left out from the end, and the note says how many and what to ask for', () => {
  const answer = fitAnswer(getTool('list_items'), list(200, { name: 'm'.repeat(600) }));
  const { length } = parse(answer).data;
  expect(answer.text.length).toBeLessThanOrEqual(48_000);
  expect(answer.note).toBe(
    `The last ${String(200 - length)} rows of this page are left out, because the answer would be too long. Ask again with page_size ${String(length)}.`,
  );
  const one = fitAnswer(getTool('list_items'), list(2, { name: 'm'.repeat(60_000) }));
  expect(parse(one).data).toHaveLength(1);
});

test('a list without page inputs says how many rows it does not list', () => {
  expect(fitAnswer(getTool('list_webhooks'), list(25, {}, 100)).note).toBe('75 more exist, which this tool does not list.');
  expect(fitAnswer(getTool('list_items'), list(25, {}, 100)).note).toBeUndefined();
});
