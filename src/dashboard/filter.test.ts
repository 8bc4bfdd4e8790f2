import { expect, test } from 'vitest';
import { filterOf } from './filter.ts';

test.each([
  ['shop', 'Shop sync delivered', true],
  ['shop', 'Warehouse', false],
  ['!shop', 'Shop sync', false],
  ['! shop', 'Warehouse', true],
  ['/sh.p/', 'SHOP', true],
  ['/^ware', 'Warehouse', true],
  ['!/5\\d\\d/', 'answered 503', false],
  ['', 'anything', true],
  ['!', 'anything', true],
  ['/', 'anything', true],
])('%s on "%s" is %s', (typed, row, passes) => {
  const filter = filterOf(typed);
  expect([filter.problem, filter.matches(row)]).toEqual([null, passes]);
});

test('what is no expression lets everything pass and says why', () => {
  const filter = filterOf('/(/');
  expect(filter.problem).toMatch(/^no regular expression: /u);
  expect(filter.matches('anything')).toBe(true);
});
