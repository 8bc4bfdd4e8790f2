import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expiryOf, fingerprint } from './idempotency.ts';

const SEED = 20_261_121;

const print = (body: unknown) => fingerprint('post', '/v1/items', {}, body);

/** The same JSON with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, part]) => [key, reversed(part)]),
  );
}

test('the order of keys does not make another request, at any depth', () => {
  expect(print({ b: 1, a: { d: [{ f: 1, e: null }], c: 2 } })).toBe(print({ a: { c: 2, d: [{ e: null, f: 1 }] }, b: 1 }));
  const rule = fc.property(fc.jsonValue(), (body) => {
    expect(print(reversed(body))).toBe(print(body));
  });
  fc.assert(rule, { seed: SEED });
});

test('anything else does: a value, the order of a list, a field that is there or not, method, path and query', () => {
  const prints = [
    print({ a: 1, b: [1, 2] }),
    print({ a: 2, b: [1, 2] }),
    print({ a: 1, b: [2, 1] }),
    print({ a: 1, b: [1, 2], c: null }),
    print({ a: '1', b: [1, 2] }),
    print([1, 2]),
    print(undefined),
    fingerprint('patch', '/v1/items', {}, { a: 1, b: [1, 2] }),
    fingerprint('post', '/v1/contacts', {}, { a: 1, b: [1, 2] }),
    fingerprint('post', '/v1/items', { dry_run: 'true' }, { a: 1, b: [1, 2] }),
  ];
  expect(new Set(prints).size).toBe(prints.length);
});

test('a reply is kept for a day from each instant, whichever was asked about before', () => {
  const [first, later] = [new Date('2026-03-01T00:00:00.000Z'), new Date('2026-03-01T00:00:00.001Z')];
  for (const _ of [1, 2]) {
    expect(expiryOf(first)).toBe('2026-03-02T00:00:00.000Z');
    expect(expiryOf(later)).toBe('2026-03-02T00:00:00.001Z');
  }
});
