import { expect, test } from 'vitest';
import { parseFilter } from './filter.ts';

test.each([
  ['shop', 'Shop sync delivered', true],
  ['shop', 'Warehouse', false],
  ['!shop', 'Shop sync', false],
  ['! shop', 'Warehouse', true],
  ['cafe', 'Café Baixa', true],
  ['!CAFÉ', 'Cafe Baixa', false],
  ['/sh.p/', 'SHOP', true],
  ['/^ware', 'Warehouse', true],
  ['!/5\\d\\d/', 'answered 503', false],
  ['', 'anything', true],
  ['!', 'anything', true],
  ['/', 'anything', true],
])('parseFilter("%s") matches "%s": %s', (typed, row, passes) => {
  const filter = parseFilter(typed);
  expect([filter.problem, filter.matches(row)]).toEqual([null, passes]);
});

test('parseFilter matches everything for an invalid expression and reports why', () => {
  const filter = parseFilter('/(/');
  expect(filter.problem).toMatch(/^Invalid regular expression: /u);
  expect(filter.matches('anything')).toBe(true);
});
