import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

test('the name with the fewest mistakes, or none when nothing is near', () => {
  const names = ['items list', 'items get', 'orders list', 'usage'];
  expect(nearest('items lst', names)).toBe('items list');
  expect(nearest('usgae', names)).toBe('usage');
  expect(nearest('ITEMS GET', names)).toBe('items get');
  expect(nearest('webhooks', names)).toBeNull();
});
