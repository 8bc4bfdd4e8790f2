import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCsvLine, indentJson, toTsvLine, toYamlLines } from './formats.ts';
import { checkProperty } from '../../../test/support/property.ts';

describe('tab-separated', () => {
  test('writes a record as one line, whatever it contains, that can be parsed again', async () => {
    const unescape = (text: string) =>
      text.replaceAll(/\\(?:x([\da-f]{2})|(.))/gu, (_all, hex: string | undefined, char: string) =>
        hex === undefined ? ({ t: '\t', n: '\n', r: '\r' }[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
      );
    await checkProperty(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (values) => {
        const line = toTsvLine(values);
        expect(line).not.toMatch(/\p{Control}(?<!\t)/u);
        expect(line.split('\t').map(unescape)).toEqual(values);
      }),
      { shortRuns: 100 },
    );
  });
});

describe('comma-separated', () => {
  test('quotes values that would be ambiguous', () => {
    expect(toCsvLine(['a', 'b,c', 'say "hi"', 'two\nlines', ' led', null, 1.5, true, ['x', 'y'], { a: 1 }])).toBe(
      'a,"b,c","say ""hi""","two\nlines"," led",,1.5,true,"x,y","{""a"":1}"\r',
    );
  });
});

describe('YAML', () => {
  test('quotes only strings that could be read as another type', () => {
    expect(
      toYamlLines({ a: 'Hex bolt M6', b: 'yes', c: '1.0', d: 'x: y', e: null, f: false, g: 0.35, h: '', i: '- x', j: 'null' }),
    ).toEqual(['a: Hex bolt M6', 'b: "yes"', 'c: "1.0"', 'd: "x: y"', 'e: null', 'f: false', 'g: 0.35', 'h: ""', 'i: "- x"', 'j: "null"']);
  });
  test('nests lists and objects', () => {
    expect(toYamlLines([{ id: 'a', tags: ['x', []], inner: { deep: {}, list: [] } }, 'b', [1, 2], []])).toEqual([
      '- id: a',
      '  tags:',
      '    - x',
      '    - []',
      '  inner:',
      '    deep: {}',
      '    list: []',
      '- b',
      '- - 1',
      '  - 2',
      '- []',
    ]);
  });
});

describe('indented JSON', () => {
  test('equals the output of JSON.stringify', async () => {
    await checkProperty(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
      { shortRuns: 100 },
    );
  });
  test('keeps the digits of numbers', () => {
    expect(indentJson('{"a":1.10}')).toBe('{\n  "a": 1.10\n}');
  });
});

test('safe CSV puts an apostrophe before texts that a spreadsheet could run as formulas', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '＝1', '＋1', '－1', '＠A'])
    expect(toCsvLine([text], true)).toContain(`'${text}`);
  expect(toCsvLine(['\r=1', '\n=1', '=HYPERLINK("http://x","y")'], true)).toBe(`"'\r=1","'\n=1","'=HYPERLINK(""http://x"",""y"")"\r`);
  expect(toCsvLine([-5, 'Bolt', '', null, true, ['=1'], 'a=b'], true)).toBe("-5,Bolt,,,true,'=1,a=b\r");
  expect(toCsvLine(['=1+1'])).toBe('=1+1\r');
});
