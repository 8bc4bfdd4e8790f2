import { expect, test } from 'vitest';
import { MULTIPLE_LINES, NO_SPACES, ONE_LINE, describeForbiddenCharacter } from './text.ts';

const matches = (pattern: string, text: string): boolean => new RegExp(pattern, 'u').test(text);
const TEXTS = ['', 'Hex bolt M6', 'Schraube ¾″', '咖啡', '🔩', '👩‍🔧', 'עברית', 'e\u0301', 'a\u200fb'];
const FORBIDDEN = [
  '\u0000',
  '\u0007',
  '\u001b[31m',
  '\u007f',
  '\u0085',
  '\u009b',
  '\u202a',
  '\u202e',
  '\u2066',
  '\u2069',
  '\ud800',
  '\udc00x',
];

test('texts in any language match, also with emoji and marks for the direction of one character', () => {
  for (const text of TEXTS) expect([text, matches(ONE_LINE, text), matches(MULTIPLE_LINES, text)]).toEqual([text, true, true]);
});

test('control characters, directional overrides and lone surrogates never match', () => {
  for (const text of FORBIDDEN) {
    const found = [ONE_LINE, MULTIPLE_LINES, `^${NO_SPACES}$`].map((pattern) => matches(pattern, `ab${text}`));
    expect([JSON.stringify(text), ...found]).toEqual([JSON.stringify(text), false, false, false]);
  }
});

test('tabs and line breaks match only where there may be several lines', () => {
  for (const text of ['a\tb', 'a\nb', 'a\r\nb', 'a\u2028b', 'a\u2029b'])
    expect([text, matches(ONE_LINE, text), matches(MULTIPLE_LINES, text)]).toEqual([text, false, true]);
  for (const text of ['a\rb', '\r', 'a\n\r']) expect([text, matches(MULTIPLE_LINES, text)]).toEqual([text, false]);
});

test('describeForbiddenCharacter names the first forbidden character and counts code points', () => {
  expect(describeForbiddenCharacter('🔩a\u202eb\u0007', ONE_LINE)).toBe('character 3 is U+202E');
  expect(describeForbiddenCharacter('a\tb', ONE_LINE)).toBe('character 2 is U+0009');
  expect(describeForbiddenCharacter('a\r\nb\rc', MULTIPLE_LINES)).toBe('character 5 is U+000D');
  expect(describeForbiddenCharacter('a\ud83d', MULTIPLE_LINES)).toBe('character 2 is U+D83D');
  expect(describeForbiddenCharacter('a\r\n', MULTIPLE_LINES)).toBeUndefined();
  expect(describeForbiddenCharacter('a', '^b$')).toBeUndefined();
});

test('a long text that does not match is found in linear time', () => {
  expect(matches(MULTIPLE_LINES, `${'a\r\n'.repeat(300_000)}\u0000`)).toBe(false);
});
