/** Parses CSV and NDJSON files to records with line numbers. */
import type { Options } from 'csv-parse';
import { Failure } from '../../errors/failure.ts';
import { BODY_MAX_BYTES } from '../../../contract/limits.ts';

export const BULK_FORMATS = ['csv', 'ndjson'] as const;
export type BulkFormat = (typeof BULK_FORMATS)[number];

/** The first row of a CSV file. */
export interface Header {
  readonly names: readonly string[];
  readonly delimiter?: string;
}

export interface FileRecord {
  /** Line of the file where the record starts, from 1. */
  readonly line: number;
  /** Cells of a CSV row, in the order of the header. */
  readonly cells?: readonly string[];
  /** One line of NDJSON. */
  readonly text?: string;
}

/** Detects the format from the extension. */
export const detectFormat = (path: string): BulkFormat | undefined =>
  /\.(?:csv|tsv|txt)$/iu.test(path) ? 'csv' : /\.(?:ndjson|jsonl)$/iu.test(path) ? 'ndjson' : undefined;

export async function* parseNdjson(texts: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  let line = 0;
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > BODY_MAX_BYTES) throw createMalformedFileError(line + 1, null, 'the line exceeds the maximum size of a request');
    for (const each of lines) {
      line += 1;
      if (each.trim() !== '') yield { line, text: each.trim() };
    }
  }
  if (rest.trim() !== '') yield { line: line + 1, text: rest.trim() };
}

interface Parsed {
  readonly record: string[];
  /** Number of lines of the file up to its end. */
  readonly lines: number;
}

/** The first line that spreadsheets write to name the delimiter. */
const SEPARATOR_LINE = /^sep=(.)(?=\r|\n)/iu;

const DELIMITERS = [',', ';', '\t', '|'] as const;

/** Yields the header, then the rows. The default delimiter is the most frequent one in the first non-empty line. */
export async function* parseCsv(texts: AsyncIterable<string>, delimiterOption: string | undefined): AsyncGenerator<Header | FileRecord> {
  const [{ Parser }, { pipeline }] = [await import('csv-parse'), process.getBuiltinModule('node:stream')];
  const iterator = texts[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) return;
  const named = SEPARATOR_LINE.exec(first.value)?.[1];
  const unquoted = first.value.replaceAll(/"(?:[^"]|"")*"/gu, '');
  const delimiter =
    delimiterOption === undefined
      ? (named ?? detectDelimiter(unquoted))
      : delimiterOption === 'tab' || delimiterOption === String.raw`\t`
        ? '\t'
        : delimiterOption;
  // What was parsed before an error, which discards the rows that the loop below has not received yet.
  let names: readonly string[] | undefined;
  let parsedTo = 0;
  const usesCarriageReturns = /\r(?=[^\n])|\n/u.exec(unquoted)?.[0] === '\r';
  // Inside quotes the parser counts CR LF as two lines.
  let extraLines = 0;
  const options: Options<Parsed, string[]> = {
    delimiter,
    // By default the parser accepts only the first kind of line end that it finds. Rows appended by another program may have another kind.
    record_delimiter: usesCarriageReturns ? '\r' : ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    from_line: named === undefined ? 1 : 2,
    max_record_size: BODY_MAX_BYTES,
    on_record(record: string[], { lines }) {
      names ??= record.map((name) => name.trim());
      if (!usesCarriageReturns) for (const cell of record) extraLines += countCharacter('\r', cell);
      parsedTo = lines - extraLines;
      return { record, lines: parsedTo };
    },
  };
  // `on_record` changes the type of the records, for which the constructor has no type parameter.
  const parser = new Parser(options as unknown as Options);
  // A read error destroys the parser with the same error, which the loop throws.
  pipeline(prepend(first.value, iterator), parser, () => undefined);
  let header: readonly string[] | undefined;
  let lastLine = 0;
  try {
    for await (const { record, lines } of parser as AsyncIterable<Parsed>) {
      const line = Math.max(lastLine + 1, lines - record.reduce((sum, cell) => sum + countCharacter('\n', cell), 0));
      lastLine = lines;
      if (header && isHeader(record, header))
        throw createMalformedFileError(line, null, 'repeats the header; files that were joined have one each');
      if (header) yield { line, cells: record };
      else yield { names: (header = names ?? []), delimiter };
    }
  } catch (error) {
    throw isCsvError(error) ? toMalformedFileError(error, error.lines - extraLines, names, parsedTo, delimiter) : error;
  }
}

/** In one column, a record may have the name of the column. */
const isHeader = (record: readonly string[], header: readonly string[]): boolean =>
  header.length > 1 && record.length === header.length && record.every((cell, at) => cell.trim() === header[at]);

async function* prepend(first: string, rest: AsyncIterator<string>): AsyncGenerator<string> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

function countCharacter(char: string, cell: string): number {
  let count = 0;
  for (let at = cell.indexOf(char); at !== -1; at = cell.indexOf(char, at + 1)) count += 1;
  return count;
}

function detectDelimiter(text: string): string {
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

function toMalformedFileError(
  { code, column, message }: CsvError,
  lines: number,
  names: readonly string[] | undefined,
  lastLine: number,
  delimiter: string,
) {
  const name = `column ${String(column + 1)}${names?.[column] === undefined ? '' : ` (${names[column]})`}`;
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return createMalformedFileError(lastLine + 1, name, 'unclosed quotation mark');
    case 'CSV_MAX_RECORD_SIZE':
      return createMalformedFileError(
        lastLine + 1,
        name,
        'the row exceeds the maximum size of a request; probably an unclosed quotation mark',
      );
    case 'INVALID_OPENING_QUOTE':
      return createMalformedFileError(lines, name, 'quotation mark inside an unquoted value');
    case 'CSV_INVALID_CLOSING_QUOTE':
    case 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE':
      return createMalformedFileError(
        lines,
        name,
        `unexpected text between a closing quotation mark and the next ${delimiter === '\t' ? 'tab' : delimiter}`,
      );
    default:
      return createMalformedFileError(lines, name, message);
  }
}

export const createMalformedFileError = (line: number, column: string | null, problem: string): Failure =>
  new Failure('MALFORMED_FILE', `Line ${String(line)}${column === null ? '' : `, ${column}`}: ${problem}`, {
    hint:
      column === null || !column.startsWith('column')
        ? 'Nothing was sent'
        : 'Nothing was sent. Inside quotes, write a quotation mark twice',
    details: { line },
  });
