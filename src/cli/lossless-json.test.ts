import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toLosslessNumber, isJsonNumber, parseLosslessJson } from './lossless-json.ts';
import { checkProperty } from '../../test/support/property.ts';

test('lossless JSON keeps the digits of numbers', () => {
  for (const text of ['0.10', '12345678901234567890', '1E400', '-0', '1.0', '0.1000000000000000055']) {
    expect(JSON.stringify(parseLosslessJson(`{"n":${text},"list":[${text}]}`))).toBe(`{"n":${text},"list":[${text}]}`);
    expect(JSON.stringify({ n: toLosslessNumber(text) })).toBe(`{"n":${text}}`);
  }
});
test('lossless JSON parses all other values like JSON', async () => {
  await checkProperty(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.stringify(parseLosslessJson(text))).toBe(text);
    }),
    { shortRuns: 100 },
  );
});
test('isJsonNumber accepts JSON numbers only', () => {
  for (const text of ['0', '-1.5', '1e3', '0.35']) expect(isJsonNumber(text)).toBe(true);
  for (const text of ['', '.5', '+1', '01', '1.', 'NaN', 'Infinity', '0x1', '1,5', ' 1']) expect(isJsonNumber(text)).toBe(false);
});
