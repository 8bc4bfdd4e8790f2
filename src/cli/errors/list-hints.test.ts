import { expect, test } from 'vitest';
import { getListHint } from './list-hints.ts';

const problem = (path: string, message: string) => ({ path, in: 'body', code: 'invalid', message }) as const;

test.each([
  ['/categoryId', 'There is no category x.', 'categories'],
  ['/lines/0/unitId', 'lines.0.unitId: there is no unit x', 'units'],
  ['/assignedTo', 'There is no user x.', 'users'],
])('an unknown id in %s names the command that lists the valid ones', (path, message, list) => {
  expect(getListHint([problem(path, message)])).toBe(`Show the valid ids with \`stockroom ${list} list\``);
});

test.each([
  ['a problem of another kind', [problem('/unitId', 'unitId must be a string')]],
  ['several problems', [problem('/unitId', 'There is no unit x.'), problem('/name', 'name must not be empty')]],
  ['no problem', null],
])('%s has no such hint', (_, fields) => {
  expect(getListHint(fields)).toBeUndefined();
});
