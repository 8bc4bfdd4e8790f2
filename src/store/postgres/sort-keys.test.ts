import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkProperty } from '../../../test/support/property.ts';
import { compareText } from '../compare.ts';
import { decodeText, encodeText, getNullValue, toColumnValue } from './sort-keys.ts';

const text = fc.string({
  unit: fc.constantFrom('a', 'B', '\0', '\x01', '\x02', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{1f600}', '\u{10ffff}'),
  maxLength: 6,
});
const compareBytes = (a: string, b: string): number => Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));

test('encoded texts sort by bytes as texts sort by code units, before null', async () => {
  await checkProperty(
    fc.property(text, text, (a, b) => {
      expect(compareBytes(encodeText(a), encodeText(b))).toBe(compareText(a, b));
      expect(compareBytes(encodeText(a), String(getNullValue('text')))).toBe(-1);
    }),
    { shortRuns: 500 },
  );
});

test('a prefix of a text is encoded as a prefix, and equal only to itself', async () => {
  await checkProperty(
    fc.property(text, text, (a, b) => {
      expect(encodeText(a + b).startsWith(encodeText(a))).toBe(true);
      expect(encodeText(a) === encodeText(b)).toBe(a === b);
    }),
    { shortRuns: 500 },
  );
});

test('an encoded text is decoded to itself', async () => {
  await checkProperty(
    fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (each) => {
      expect(decodeText(encodeText(each))).toBe(each);
    }),
    { shortRuns: 500 },
  );
  expect(decodeText(encodeText('a\ud800b\udfff'))).toBe('a\ud800b\udfff');
});

test('texts that PostgreSQL cannot store are escaped', () => {
  expect(encodeText('plain text, ÄÖ 箱 😀')).toBe('plain text, ÄÖ 箱 😀');
  expect(encodeText('\0')).not.toContain('\0');
  expect(encodeText('\ud800')).toSatisfy((encoded: string) => encoded.isWellFormed());
});

test('a key of another type than the table states is rejected', () => {
  expect(toColumnValue('boolean', true)).toBe(1);
  expect(toColumnValue('number', null)).toBe(Number.POSITIVE_INFINITY);
  expect(() => toColumnValue('text', 5)).toThrow('5 is no text');
  expect(() => toColumnValue('number', '5')).toThrow('state the type');
});
