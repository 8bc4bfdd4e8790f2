import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toCsvLine } from '../../output/formats.ts';
import { type Header, type FileRecord, parseCsv, parseNdjson } from './records.ts';
import { checkProperty } from '../../../../test/support/property.ts';

const texts = async function* (...pieces: readonly string[]): AsyncGenerator<string> {
  for (const piece of pieces) yield await Promise.resolve(piece);
};
const all = async (records: AsyncIterable<Header | FileRecord>) => {
  const found: (Header | FileRecord)[] = [];
  for await (const record of records) found.push(record);
  return found;
};

test('parseCsv reads what an export writes, for any text in any blocks', async () => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll(/[\0\r]/gu, ''));
  const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 });
  await checkProperty(
    fc.asyncProperty(table, fc.nat(), async (rows, cut) => {
      const text = [['a', 'b', 'c'], ...rows].map((row) => `${toCsvLine(row)}\n`).join('');
      // A decoder never ends a piece inside a pair of surrogates.
      const chars = Array.from(text);
      const at = 1 + (cut % chars.length);
      const [header, ...found] = await all(parseCsv(texts(chars.slice(0, at).join(''), chars.slice(at).join('')), ','));
      expect(header).toEqual({ names: ['a', 'b', 'c'], delimiter: ',' });
      expect(found.map((each) => (each as FileRecord).cells)).toEqual(rows);
    }),
    { shortRuns: 50 },
  );
});

test('parseCsv accepts mixed line ends and reports the line numbers of rows', async () => {
  const of = async (text: string) => {
    const [header, ...rows] = await all(parseCsv(texts(text), undefined));
    return [(header as Header).names, ...rows.map((row) => [(row as FileRecord).line, ...((row as FileRecord).cells ?? [])])];
  };
  const rows = [
    ['name', 'sku'],
    [2, 'A', '1'],
    [3, 'B', '2'],
    [4, 'C', '3'],
  ];
  expect(await of('name,sku\r\nA,1\r\nB,2\nC,3\n')).toEqual(rows);
  expect(await of('name,sku\nA,1\r\n"B","2"\nC,3')).toEqual(rows);
  expect(await of('name,sku\r\n"A","1"\n"B","2"\r\n"C","3"\n')).toEqual(rows);
  expect(await of('name,sku\rA,1\rB,2\rC,3\r')).toEqual(rows);
  expect(await of('"na\rme",sku\r\nA,"1\n2"\n')).toEqual([
    ['na\rme', 'sku'],
    [2, 'A', '1\n2'],
  ]);
});

test('parseCsv detects the delimiter after empty lines and with CR line ends', async () => {
  expect(await all(parseCsv(texts('\r\n\nname;sku\nA, B, C;1\n'), undefined))).toMatchObject([{ names: ['name', 'sku'] }, { line: 4 }]);
  expect(await all(parseCsv(texts('name;sku\rA, B, C;1\r'), undefined))).toMatchObject([{ names: ['name', 'sku'] }, { line: 2 }]);
});

test('parseCsv reports the line where a row starts, also after multi-line values and empty lines', async () => {
  const [, ...rows] = await all(parseCsv(texts('name,notes\nA,"one\ntwo"\n\nB,x\n"C\n",y\nD,z\n'), undefined));
  expect(rows.map((row) => [(row as FileRecord).line, (row as FileRecord).cells?.[0]])).toEqual([
    [2, 'A'],
    [5, 'B'],
    [6, 'C\n'],
    [8, 'D'],
  ]);
  const [, ...windows] = await all(parseCsv(texts('name,notes\r\nA,"one\r\ntwo\r\n"\r\nB,x\r\nC,"\r"\r\nD,z\r\n'), undefined));
  expect(windows.map((row) => (row as FileRecord).line)).toEqual([2, 5, 6, 7]);
  await expect(all(parseCsv(texts('name,notes\r\nA,"one\r\ntwo"\r\nB"x",y\r\n'), undefined))).rejects.toThrow('Line 4, column 1 (name)');
});

test.for([
  ['name;sale price\nA;1,5\n', ['A', '1,5']],
  ['name\tnotes\nA\tx,y\n', ['A', 'x,y']],
  ['"a;b;c",name\nA,B\n', ['A', 'B']],
] as const)('parseCsv detects the delimiter of %j', async ([text, cells]) => {
  const [, row] = await all(parseCsv(texts(text), undefined));
  expect((row as FileRecord).cells).toEqual(cells);
});

test.for([
  ['a,b\n1,"x\n2,y\n', 'Line 2, column 2 (b): unclosed quotation mark'],
  ['a,b\n1,x"y"\n', 'Line 2, column 2 (b): quotation mark inside an unquoted value'],
  ['a,b\n1,x\n"1"z,2\n', 'Line 3, column 1 (a): unexpected text between a closing quotation mark'],
] as const)('parseCsv reports line and column of malformed CSV: %j', async ([text, words]) => {
  await expect(all(parseCsv(texts(text), undefined))).rejects.toThrow(words);
});

test('parseNdjson accepts lines in any blocks, and skips empty lines', async () => {
  expect(await all(parseNdjson(texts('{"a":1}\n\n{"b"', ':2}\n  {"c":3}')))).toEqual([
    { line: 1, text: '{"a":1}' },
    { line: 3, text: '{"b":2}' },
    { line: 4, text: '{"c":3}' },
  ]);
});

test('parseCsv takes the delimiter of a line sep=, which spreadsheets write first', async () => {
  expect(await all(parseCsv(texts('sep=;\r\nname;sku\r\nBolt, M6;B\r\n'), undefined))).toEqual([
    { names: ['name', 'sku'], delimiter: ';' },
    { line: 3, cells: ['Bolt, M6', 'B'] },
  ]);
  expect(await all(parseCsv(texts('SEP=\t\nname\tsku\nBolt\tB\n'), undefined))).toEqual([
    { names: ['name', 'sku'], delimiter: '\t' },
    { line: 3, cells: ['Bolt', 'B'] },
  ]);
});

test('parseCsv rejects a row that repeats the header, as joined files have, and names its line', async () => {
  const joined = 'name,sku\nBolt,B\nname,sku\nNut,N\n';
  await expect(all(parseCsv(texts(joined), undefined))).rejects.toThrow('Line 3: repeats the header');
  // A file with one column may have a record of that name.
  expect(await all(parseCsv(texts('name\nname\n'), undefined))).toEqual([
    { names: ['name'], delimiter: ',' },
    { line: 2, cells: ['name'] },
  ]);
});
