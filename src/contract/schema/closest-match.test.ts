import { expect, test } from 'vitest';
import { findClosestMatch } from './closest-match.ts';

test('findClosestMatch returns the name with the smallest edit distance, or null if none is close', () => {
  const names = ['items list', 'items get', 'orders list', 'usage'];
  expect(findClosestMatch('items lst', names)).toBe('items list');
  expect(findClosestMatch('usgae', names)).toBe('usage');
  expect(findClosestMatch('ITEMS GET', names)).toBe('items get');
  expect(findClosestMatch('webhooks', names)).toBeNull();
});
