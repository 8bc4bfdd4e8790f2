import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactNumber, isNumberText, parseExact } from './exact-json.ts';

const SEED = 20_261_121;

test('numbers keep their text', () => {
  for (const text of ['0.10', '12345678901234567890', '1E400', '-0', '1.0', '0.1000000000000000055']) {
    expect(JSON.stringify(parseExact(`{"n":${text},"list":[${text}]}`))).toBe(`{"n":${text},"list":[${text}]}`);
    expect(JSON.stringify({ n: exactNumber(text) })).toBe(`{"n":${text}}`);
  }
});
test('everything else means what JSON means', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.stringify(parseExact(text))).toBe(text);
    }),
    { seed: SEED },
  );
});
test('only what JSON calls a number is one', () => {
  for (const text of ['0', '-1.5', '1e3', '0.35']) expect(isNumberText(text)).toBe(true);
  for (const text of ['', '.5', '+1', '01', '1.', 'NaN', 'Infinity', '0x1', '1,5', ' 1']) expect(isNumberText(text)).toBe(false);
});
