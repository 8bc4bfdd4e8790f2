import { expect, test } from 'vitest';
import { type IndentedLine, listJsonLines } from './json.ts';
import { toText } from './text.tsx';

const getLine = ({ indent, spans }: IndentedLine): string => (' '.repeat(indent) + toText(spans)).trimEnd();

test('names, texts, numbers and words of JSON have tones, also in a text that is wrapped', () => {
  const lines = listJsonLines('{"name":"a \\"quoted\\" text that is too long","n":-1.5e3,"is":null}', 24);
  expect(lines.map(getLine)).toEqual([
    '{',
    '  "name": "a \\"quoted\\"',
    '  text that is too',
    '  long",',
    '  "n": -1500,',
    '  "is": null',
    '}',
  ]);
  const tones = (at: number) =>
    lines[at]?.spans.filter(({ text }) => text.trim() !== '').map(({ text, tone }) => `${text.trim()} ${tone ?? ''}`);
  expect(tones(2)).toEqual(['text that is too good']);
  expect(tones(4)).toEqual(['"n" plain', ': dim', '-1500 warn', ', dim']);
  expect(tones(5)).toEqual(['"is" plain', ': dim', 'null warn']);
});

test('other text is shown as it is, without control characters', () => {
  expect(listJsonLines('not {json}\u001b[31m\nat all', 80).map(getLine)).toEqual(['not {json}\ufffd[31m', 'at all']);
});
