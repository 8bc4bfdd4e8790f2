import { expect, test } from 'vitest';
import { StoreUnavailable } from '../../domain/kernel/ports.ts';
import { createOutageFilter } from './outage-lines.ts';

test('failures of an outage are logged once a minute with the number of omitted ones, others always', () => {
  let now = 0;
  const filter = createOutageFilter(() => now);
  const err = new StoreUnavailable('gone');
  expect(filter({ kind: 'unavailable', message: 'gone' })).toBeDefined();
  expect(filter({ err, count: 1 })).toBeUndefined();
  expect(filter({ err, count: 2 })).toBeUndefined();
  expect(filter({ err: new Error('a bug') })).toBeDefined();
  expect(filter(undefined)).toBeUndefined();
  expect(filter('text')).toBe('text');
  now = 60_000;
  expect(filter({ err, count: 3 })).toEqual({ err, count: 3, omittedLines: 2 });
  expect(filter({ err, count: 4 })).toBeUndefined();
  now = 120_000;
  expect(filter({ err, count: 5 })).toMatchObject({ omittedLines: 1 });
});
