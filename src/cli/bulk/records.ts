/** Rows of a CSV or NDJSON file as they come, each with its line. */
import type { Options } from 'csv-parse';
import { EXIT } from '../exit-codes.ts';
import { Failure } from '../failure.ts';
import { BODY_MAX_BYTES } from '../../contract/limits.ts';

export const BULK_FORMATS = ['csv', 'ndjson'] as const;
export type BulkFormat = (typeof BULK_FORMATS)[number];

/** The first row of a CSV file. */
export interface Header {
  readonly names: readonly string[];
}

export interface Rec {
  /** Of the file, from 1: where the row begins. */
  readonly line: number;
  /** Cells of a CSV row, in the order of the header. */
  readonly cells?: readonly string[];
  /** One line of NDJSON. */
  readonly text?: string;
}

/** By the end of the name. */
export const formatOf = (path: string): BulkFormat | undefined =>
  /\.(?:csv|tsv|txt)$/iu.test(path) ? 'csv' : /\.(?:ndjson|jsonl)$/iu.test(path) ? 'ndjson' : undefined;

export async function* ndjsonRecords(texts: AsyncIterable<string>): AsyncGenerator<Rec> {
  let line = 0;
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > BODY_MAX_BYTES) throw malformed(line + 1, null, 'the line is longer than a request may be');
    for (const each of lines) {
      line += 1;
      if (each.trim() !== '') yield { line, text: each.trim() };
    }
  }
  if (rest.trim() !== '') yield { line: line + 1, text: rest.trim() };
}

interface Parsed {
  readonly record: string[];
  /** Lines of the file up to its end. */
  readonly lines: number;
}

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** The header first, then the rows. The delimiter is the one that the first line with anything in it has most of. */
export async function* csvRecords(texts: AsyncIterable<string>, given: string | undefined): AsyncGenerator<Header | Rec> {
  const [{ Parser }, { pipeline }] = [await import('csv-parse'), process.getBuiltinModule('node:stream')];
  const iterator = texts[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) return;
  const unquoted = first.value.replaceAll(/"(?:[^"]|"")*"/gu, '');
  const delimiter = given === undefined ? delimiterOf(unquoted) : given === 'tab' || given === String.raw`\t` ? '\t' : given;
  // What was parsed before an error: rows on their way to the loop below are lost with it.
  let names: readonly string[] | undefined;
  let parsedTo = 0;
  const isOld = /\r(?=[^\n])|\n/u.exec(unquoted)?.[0] === '\r';
  // Inside quotation marks the parser takes each half of a Windows line end for a line.
  let excess = 0;
  const options: Options<Parsed, string[]> = {
    delimiter,
    // Left to itself the parser knows only the first end of a line: rows that another program has appended would be one with their neighbours.
    record_delimiter: isOld ? '\r' : ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: BODY_MAX_BYTES,
    on_record(record: string[], { lines }) {
      names ??= record.map((name) => name.trim());
      if (!isOld) for (const cell of record) excess += countOf('\r', cell);
      parsedTo = lines - excess;
      return { record, lines: parsedTo };
    },
  };
  // The class is declared for records as they are read; `on_record` makes others of them, which its constructor has no parameter for.
  const parser = new Parser(options as unknown as Options);
  // What breaks the reading destroys the parser with the same error, and the loop throws it.
  pipeline(withFirst(first.value, iterator), parser, () => undefined);
  let header: readonly string[] | undefined;
  let lastLine = 0;
  try {
    for await (const { record, lines } of parser as AsyncIterable<Parsed>) {
      const line = Math.max(lastLine + 1, lines - record.reduce((sum, cell) => sum + countOf('\n', cell), 0));
      lastLine = lines;
      if (header) yield { line, cells: record };
      else yield { names: (header = names ?? []) };
    }
  } catch (error) {
    throw isCsvError(error) ? csvProblem(error, error.lines - excess, names, parsedTo, delimiter) : error;
  }
}

async function* withFirst(first: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

function countOf(char: string, cell: string): number {
  let count = 0;
  for (let at = cell.indexOf(char); at !== -1; at = cell.indexOf(char, at + 1)) count += 1;
  return count;
}

function delimiterOf(text: string): string {
  const line = text.split(/[\r\n]+/u, 2).find((each) => each !== '') ?? '';
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

interface CsvError extends Error {
  readonly code: string;
  readonly lines: number;
  /** Index of the column. */
  readonly column: number;
}
const isCsvError = (error: unknown): error is CsvError =>
  error instanceof Error && 'code' in error && /^(?:CSV_|INVALID_OPENING)/u.test(String(error.code));

function csvProblem(
  { code, column, message }: CsvError,
  lines: number,
  names: readonly string[] | undefined,
  lastLine: number,
  delimiter: string,
) {
  const name = `column ${String(column + 1)}${names?.[column] === undefined ? '' : ` (${names[column]})`}`;
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return malformed(lastLine + 1, name, 'a quotation mark is opened and never closed');
    case 'CSV_MAX_RECORD_SIZE':
      return malformed(lastLine + 1, name, 'the row is longer than a request may be; a quotation mark is probably never closed');
    case 'INVALID_OPENING_QUOTE':
      return malformed(lines, name, 'a quotation mark stands inside a value that does not begin with one');
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE':
      return malformed(
        lines,
        name,
        `something stands between a closing quotation mark and the next ${delimiter === '\t' ? 'tab' : delimiter}`,
      );
    default:
      return malformed(lines, name, message);
  }
}

export const malformed = (line: number, column: string | null, what: string): Failure =>
  new Failure('malformed_file', `line ${String(line)}${column === null ? '' : `, ${column}`}: ${what}`, {
    exit: EXIT.usage,
    hint:
      column === null || !column.startsWith('column')
        ? 'nothing was sent'
        : 'nothing was sent; inside quotation marks a quotation mark is written twice',
    details: { line },
  });
