import { expect, test } from 'vitest';
import { escapeJson, isSafe, sanitize, sanitizeData, sanitizeOutput } from './terminal-text.ts';

const CLEAR = '\u001b[2J';
const UNSAFE = ['\u0000', '\u0007', '\u001b', '\u007f', '\u009b', '\u202a', '\u202e', '\u2066', '\u2069', '\ud800', '\udfff'];

test.each(UNSAFE)('the character %j is replaced in lines and output, and escaped in JSON', (character) => {
  const text = `a${character}b`;
  expect(sanitize(text)).toBe('a\ufffdb');
  expect(sanitizeOutput(`${text}\n`)).toBe('a\ufffdb\n');
  const json = `{"name":"a${character}b"}`;
  expect(escapeJson(json)).toMatch(/^\{"name":"a\\u[\da-f]{4}b"\}$/u);
  expect((JSON.parse(escapeJson(json)) as { name: string }).name).toBe(text);
  expect(isSafe(text)).toBe(false);
});

test('line breaks become spaces in a line, and are kept in output', () => {
  expect(sanitize('a\r\nb\tc\u2028d')).toBe('a b c d');
  expect(sanitizeOutput('a,b\r\nc\td\n')).toBe('a,b\r\nc\td\n');
  expect(sanitizeOutput('fake\rreal')).toBe('fake\ufffdreal');
  expect(escapeJson('{\n  "a": 1\n}')).toBe('{\n  "a": 1\n}');
});

test('styles of the command line are kept in output, other control sequences are not', () => {
  expect(sanitizeOutput('\u001b[31mError:\u001b[39m text')).toBe('\u001b[31mError:\u001b[39m text');
  expect(sanitizeOutput(`a${CLEAR}b\u001b[8mc\u001b]0;title\u0007`)).toBe('a\ufffd[2Jb\ufffd[8mc\ufffd]0;title\ufffd');
});

test('styles in data are not kept, line breaks and tabs are', () => {
  expect(sanitizeData('a,\u001b[31mred\u001b[39m\r\nb\tc\n')).toBe('a,\ufffd[31mred\ufffd[39m\r\nb\tc\n');
});

test('letters of all scripts, emoji and marks of the text direction are kept', () => {
  for (const text of ['خدمة', 'שירות\u200f 1', '👩‍🚀', 'क्‍ष', 'é']) {
    expect([sanitize(text), sanitizeOutput(text), escapeJson(text)]).toEqual([text, text, text]);
    expect(isSafe(text)).toBe(true);
  }
});
