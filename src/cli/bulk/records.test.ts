import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine } from '../formats.ts';
import { type Header, type Rec, csvRecords, ndjsonRecords } from './records.ts';

const SEED = 20_261_121;

const texts = async function* (...pieces: readonly string[]): AsyncGenerator<string> {
  for (const piece of pieces) yield await Promise.resolve(piece);
};
const all = async (records: AsyncIterable<Header | Rec>) => {
  const found: (Header | Rec)[] = [];
  for await (const record of records) found.push(record);
  return found;
};

test('what an export writes, an import reads: every text, however it is cut', async () => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll(/[\0\r]/gu, ''));
  const table = fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(table, fc.nat(), async (rows, cut) => {
      const text = [['a', 'b', 'c'], ...rows].map((row) => `${csvLine(row)}\n`).join('');
      // A decoder never ends a piece inside a pair of surrogates.
      const chars = Array.from(text);
      const at = 1 + (cut % chars.length);
      const [header, ...found] = await all(csvRecords(texts(chars.slice(0, at).join(''), chars.slice(at).join('')), ','));
      expect(header).toEqual({ names: ['a', 'b', 'c'] });
      expect(found.map((each) => (each as Rec).cells)).toEqual(rows);
    }),
    { seed: SEED, numRuns: 150 },
  );
});

test('lines may end in different ways in one file, and rows are cut and told by their lines all the same', async () => {
  const of = async (text: string) => {
    const [header, ...rows] = await all(csvRecords(texts(text), undefined));
    return [(header as Header).names, ...rows.map((row) => [(row as Rec).line, ...((row as Rec).cells ?? [])])];
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

test('the delimiter is found behind empty lines, and where lines end as on old machines', async () => {
  expect(await all(csvRecords(texts('\r\n\nname;sku\nA, B, C;1\n'), undefined))).toMatchObject([{ names: ['name', 'sku'] }, { line: 4 }]);
  expect(await all(csvRecords(texts('name;sku\rA, B, C;1\r'), undefined))).toMatchObject([{ names: ['name', 'sku'] }, { line: 2 }]);
});

test('a row is told by the line where it begins, also behind values of several lines and empty lines', async () => {
  const [, ...rows] = await all(csvRecords(texts('name,notes\nA,"one\ntwo"\n\nB,x\n"C\n",y\nD,z\n'), undefined));
  expect(rows.map((row) => [(row as Rec).line, (row as Rec).cells?.[0]])).toEqual([
    [2, 'A'],
    [5, 'B'],
    [6, 'C\n'],
    [8, 'D'],
  ]);
  const [, ...windows] = await all(csvRecords(texts('name,notes\r\nA,"one\r\ntwo\r\n"\r\nB,x\r\nC,"\r"\r\nD,z\r\n'), undefined));
  expect(windows.map((row) => (row as Rec).line)).toEqual([2, 5, 6, 7]);
  await expect(all(csvRecords(texts('name,notes\r\nA,"one\r\ntwo"\r\nB"x",y\r\n'), undefined))).rejects.toThrow('line 4, column 1 (name)');
});

test.for([
  ['name;sale price\nA;1,5\n', ['A', '1,5']],
  ['name\tnotes\nA\tx,y\n', ['A', 'x,y']],
  ['"a;b;c",name\nA,B\n', ['A', 'B']],
] as const)('the delimiter is what the header line has: %j', async ([text, cells]) => {
  const [, row] = await all(csvRecords(texts(text), undefined));
  expect((row as Rec).cells).toEqual(cells);
});

test.for([
  ['a,b\n1,"x\n2,y\n', 'line 2, column 2 (b): a quotation mark is opened and never closed'],
  ['a,b\n1,x"y"\n', 'line 2, column 2 (b): a quotation mark stands inside a value'],
  ['a,b\n1,x\n"1"z,2\n', 'line 3, column 1 (a): something stands between a closing quotation mark'],
] as const)('broken CSV is told by line and column: %j', async ([text, words]) => {
  await expect(all(csvRecords(texts(text), undefined))).rejects.toThrow(words);
});

test('NDJSON lines may be cut anywhere; empty ones count as lines and are no rows', async () => {
  expect(await all(ndjsonRecords(texts('{"a":1}\n\n{"b"', ':2}\n  {"c":3}')))).toEqual([
    { line: 1, text: '{"a":1}' },
    { line: 3, text: '{"b":2}' },
    { line: 4, text: '{"c":3}' },
  ]);
});
