import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeFingerprint, getReplyExpiry, isReplyExpired } from './stored-replies.ts';
import { checkProperty } from '../../../test/support/property.ts';

const printBody = (body: unknown) => computeFingerprint('post', '/v1/items', {}, body);

/** The same JSON with the keys of every object in reverse order. */
function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, field]) => [key, reverseKeys(field)]),
  );
}

test('computeFingerprint ignores the order of keys at any depth', async () => {
  expect(printBody({ b: 1, a: { d: [{ f: 1, e: null }], c: 2 } })).toBe(printBody({ a: { c: 2, d: [{ e: null, f: 1 }] }, b: 1 }));
  const rule = fc.property(fc.jsonValue(), (body) => {
    expect(printBody(reverseKeys(body))).toBe(printBody(body));
  });
  await checkProperty(rule, { shortRuns: 100 });
});

test('computeFingerprint depends on values, the order of arrays, absent fields, method, path and query', () => {
  const prints = [
    printBody({ a: 1, b: [1, 2] }),
    printBody({ a: 2, b: [1, 2] }),
    printBody({ a: 1, b: [2, 1] }),
    printBody({ a: 1, b: [1, 2], c: null }),
    printBody({ a: '1', b: [1, 2] }),
    printBody([1, 2]),
    printBody(undefined),
    computeFingerprint('patch', '/v1/items', {}, { a: 1, b: [1, 2] }),
    computeFingerprint('post', '/v1/contacts', {}, { a: 1, b: [1, 2] }),
    computeFingerprint('post', '/v1/items', { dry_run: 'true' }, { a: 1, b: [1, 2] }),
  ];
  expect(new Set(prints).size).toBe(prints.length);
});

test('getReplyExpiry returns one day later for each instant, in any order of calls', () => {
  const [first, later] = [new Date('2026-03-01T00:00:00.000Z'), new Date('2026-03-01T00:00:00.001Z')];
  for (const _ of [1, 2]) {
    expect(getReplyExpiry(first)).toBe('2026-03-02T00:00:00.000Z');
    expect(getReplyExpiry(later)).toBe('2026-03-02T00:00:00.001Z');
  }
});

test('a stored reply has expired at the instant of its expiry', () => {
  const stored = new Date('2026-01-01T00:00:00.000Z');
  const expiresAt = getReplyExpiry(stored);
  const isExpiredAfter = (ms: number) => isReplyExpired({ expiresAt }, new Date(stored.getTime() + ms));
  expect([86_399_999, 86_400_000, 86_400_001].map(isExpiredAfter)).toEqual([false, true, true]);
});
