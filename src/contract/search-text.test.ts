import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldAccents, foldForSearch } from './search-text.ts';

test.each([
  ['Café', 'cafe'],
  ['CAFE\u0301', 'cafe'],
  ['Ångström', 'angstrom'],
  ['Việt Nam', 'viet nam'],
  ['Ελληνικός ΟΔΟΣ', 'ελληνικοσ οδοσ'],
  ['Ёлка', 'елка'],
  ['İstanbul ışık', 'istanbul isik'],
  ['Straße STRAẞE', 'strasse strasse'],
  ['Ærø Œuvre Ǿ', 'aero oeuvre o'],
  ['Łódź Đorđe Ħal Ŧ', 'lodz dorde hal t'],
  ['Þór Ðað', 'thor dad'],
  ['أحمد', 'احمد'],
])('search compares %s as %s', (text, folded) => {
  expect(foldForSearch(text)).toBe(folded);
});

test.each(['\u304c', '\ud55c\uae00', '\u0915\u0941\u0932', '\u0e19\u0e35\u0e49', '箱'])(
  'search keeps marks that make another letter: %s',
  (text) => {
    expect(foldForSearch(text)).toBe(text);
  },
);

test('a text of nothing but accents stays as it is, so that it does not match every row', () => {
  expect(foldForSearch('\u0301\u0308')).toBe('\u0301\u0308'.normalize('NFC'));
});

test('a folded text is folded to itself, and ASCII only changes its case', () => {
  const character = (max: number) => fc.integer({ min: 0, max }).map((code) => String.fromCodePoint(code));
  const texts = (max: number) => fc.array(character(max)).map((characters) => characters.join(''));
  fc.assert(
    fc.property(texts(0x2_ffff), texts(0x7f), (text, ascii) => {
      const folded = foldForSearch(text);
      expect(foldForSearch(folded)).toBe(folded);
      expect(foldForSearch(ascii)).toBe(ascii.toLowerCase());
      expect(foldAccents(ascii)).toBe(ascii);
    }),
  );
});
