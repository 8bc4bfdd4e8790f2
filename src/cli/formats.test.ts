import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvLine, indentJson, tsvLine, yamlLines } from './formats.ts';

const SEED = 20_261_121;

describe('tab-separated', () => {
  test('one record is one line whatever stands in it, and can be read back', () => {
    const unescape = (text: string) =>
      text.replaceAll(/\\(?:x([\da-f]{2})|(.))/gu, (_all, hex: string | undefined, char: string) =>
        hex === undefined ? ({ t: '\t', n: '\n', r: '\r' }[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
      );
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (values) => {
        const line = tsvLine(values);
        expect(line).not.toMatch(/\p{Control}(?<!\t)/u);
        expect(line.split('\t').map(unescape)).toEqual(values);
      }),
      { seed: SEED },
    );
  });
});

describe('comma-separated', () => {
  test('quotes what would be misread', () => {
    expect(csvLine(['a', 'b,c', 'say "hi"', 'two\nlines', ' led', null, 1.5, true, ['x', 'y'], { a: 1 }])).toBe(
      'a,"b,c","say ""hi""","two\nlines"," led",,1.5,true,"x,y","{""a"":1}"\r',
    );
  });
});

describe('YAML', () => {
  test('plain words stay plain, what could be read as something else is quoted', () => {
    expect(yamlLines({ a: 'Hex bolt M6', b: 'yes', c: '1.0', d: 'x: y', e: null, f: false, g: 0.35, h: '', i: '- x', j: 'null' })).toEqual([
      'a: Hex bolt M6',
      'b: "yes"',
      'c: "1.0"',
      'd: "x: y"',
      'e: null',
      'f: false',
      'g: 0.35',
      'h: ""',
      'i: "- x"',
      'j: "null"',
    ]);
  });
  test('lists and objects nest', () => {
    expect(yamlLines([{ id: 'a', tags: ['x', []], inner: { deep: {}, list: [] } }, 'b', [1, 2], []])).toEqual([
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
  test('is what JSON.stringify makes of it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
      { seed: SEED },
    );
  });
  test('keeps the digits', () => {
    expect(indentJson('{"a":1.10}')).toBe('{\n  "a": 1.10\n}');
  });
});
