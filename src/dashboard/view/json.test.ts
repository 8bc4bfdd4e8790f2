import { expect, test } from 'vitest';
import { renderJson } from './json.ts';
import { toText } from './lines.ts';

test('names, texts, numbers and words of JSON have tones, also in a text that is wrapped', () => {
  const lines = renderJson('{"name":"a \\"quoted\\" text that is too long","n":-1.5e3,"is":null}', 24);
  expect(lines.map(toText)).toEqual([
    '{',
    '  "name": "a \\"quoted\\"',
    '  text that is too',
    '  long",',
    '  "n": -1500,',
    '  "is": null',
    '}',
  ]);
  const tones = (at: number) => lines[at]?.filter(({ text }) => text.trim() !== '').map(({ text, tone }) => `${text.trim()} ${tone ?? ''}`);
  expect(tones(2)).toEqual(['text that is too good']);
  expect(tones(4)).toEqual(['"n" plain', ': dim', '-1500 warn', ', dim']);
  expect(tones(5)).toEqual(['"is" plain', ': dim', 'null warn']);
});

test('other text is shown as it is, without control characters', () => {
  expect(renderJson('not {json}\u001b[31m\nat all', 80)).toEqual([[{ text: 'not {json}\ufffd[31m' }], [{ text: 'at all' }]]);
});
