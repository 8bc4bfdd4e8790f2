import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listItems } from '../../contract/resources/items.ts';
import { checkProperty } from '../../../test/support/property.ts';
import { findMalformedPart, isNestedDeeper } from './response-check.ts';

const PAGINATION = { page: 1, pageSize: 50, total: 1, totalPages: 1 };

test.each([
  [{ data: [{ id: 'a', name: 'Bolt', supplier: null, unknown: 1 }], pagination: PAGINATION }, undefined],
  [{ data: [null], pagination: PAGINATION }, 'data[0] is null'],
  [{ data: ['x'], pagination: PAGINATION }, 'data[0] is not an object'],
  [{ data: [{}, { id: 5 }], pagination: PAGINATION }, 'data[1].id is not a string'],
  [{ data: [{ isActive: 'yes' }], pagination: PAGINATION }, 'data[0].isActive is not a boolean'],
  [{ data: [], pagination: { ...PAGINATION, totalPages: '9' } }, 'pagination.totalPages is not a number'],
  [{ data: {}, pagination: PAGINATION }, 'data is not an array'],
  ['text', 'the body is not an object'],
])('findMalformedPart of %j is %j', (body, expected) => {
  expect(findMalformedPart(listItems.result, body)).toBe(expected);
});

const measureDepth = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(measureDepth)) : 0;

test('isNestedDeeper agrees with the parsed value about any JSON', async () => {
  await checkProperty(
    fc.property(fc.json(), fc.integer({ min: 0, max: 6 }), (text, depth) => {
      const deeper = measureDepth(JSON.parse(text)) > depth;
      expect(isNestedDeeper(text, depth)).toBe(deeper);
    }),
  );
  expect(isNestedDeeper(String.raw`{"a":"[[[[\"[[\\","b":"[[["}`, 1)).toBe(false);
  expect(isNestedDeeper('['.repeat(1_000_000), 500)).toBe(true);
});
