/** Records of docs/adr: each has a date and a status, and the index lists it under that status. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../../docs/adr/', import.meta.url));
const STATUS = /^# (?<title>.+)\n\nDate: \d{4}-\d\d-\d\d · Status: (?<status>accepted|superseded .+ \(\d{4}-\d\d-\d\d\).*)\n/u;

const records = globSync('[0-9]*.md', { cwd: folder })
  .toSorted()
  .map((file) => {
    const groups = STATUS.exec(readFileSync(folder + file, 'utf8'))?.groups;
    return { file, title: groups?.['title'], status: groups?.['status'] };
  });

test('every decision record has a date and a status below its title', () => {
  expect(records.length).toBeGreaterThan(25);
  expect(records.filter(({ status }) => status === undefined).map(({ file }) => file)).toEqual([]);
});

test('the numbers of decision records have no gap, so none was deleted', () => {
  expect(records.map(({ file }) => Number(file.slice(0, 4)))).toEqual(records.map((_record, at) => at + 1));
});

test('the index lists every decision record under its status', () => {
  const list = (word: string): string =>
    records.flatMap(({ file, title, status }) => (status?.startsWith(word) ? [`- [${title ?? ''}](${file})\n`] : [])).join('');
  const index = readFileSync(`${folder}README.md`, 'utf8');
  expect(index).toContain(`## Accepted\n\n${list('accepted')}\n## Superseded\n\n${list('superseded')}`);
});
