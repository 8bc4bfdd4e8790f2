/** Prints records in the selected format, to a terminal or a pipe. */
import { type Failure, usageError } from '../errors/failure.ts';
import { parseColumns, toPlainText, getValueAt } from './fields.ts';
import { type Format, toCsvLine, indentJson, pickFields, toTsvLine, toYamlLines } from './formats.ts';
import type { Paint } from './style.ts';
import type { Sink } from './stdout.ts';
import { type Layout, formatHeader, layOutTable, formatRecord, formatRow } from './table.ts';

/** The columns of a kind of record. */
export interface View {
  /** All fields, for `--columns`. */
  readonly fields: readonly string[];
  /** Default columns, most important first: tables hide columns from the right if the terminal is too narrow. */
  readonly columns: readonly string[];
  /** Columns that the table of a list hides if they are empty in all rows of the first page. */
  readonly hiddenIfEmpty?: readonly string[];
  /** Columns computed from the record. Formats that print complete records omit them. */
  readonly derived?: Readonly<Record<string, (row: unknown) => string | null>>;
  /** Columns of a list that are not shortened: the table hides other columns instead. */
  readonly neverTruncated?: readonly string[];
}

/** Lists the names that `--columns` accepts. */
export const listColumnNames = ({ fields, derived = {} }: View): readonly string[] => [...fields, ...Object.keys(derived)];

export interface Page {
  readonly rows: readonly unknown[];
  /** The body as received, if this page is the complete output. */
  readonly text?: string;
  /** Number of rows in the list, if known. */
  readonly total?: number;
}

export interface PrinterOptions {
  readonly format: Format;
  /** `--columns` */
  readonly columns: string | undefined;
  /** `--csv-safe` */
  readonly isCsvSafe?: boolean | undefined;
  /** Undefined if the output is no terminal: nothing is shortened then. */
  readonly terminalWidth: number | undefined;
  readonly paint: Paint;
  readonly sink: Sink;
}

export interface PrintResult {
  /** Number of rows that were printed. */
  readonly count: number;
  /** Columns that did not fit the terminal. */
  readonly hidden: readonly string[];
}

/** Prints one record. `text`: the body as received, for `--json`. */
export async function printRecord(record: unknown, text: string, view: View, options: PrinterOptions): Promise<void> {
  const { format, sink, paint, terminalWidth, isCsvSafe } = options;
  const selectedColumns = options.columns === undefined ? null : parseColumns(options.columns, listColumnNames(view));
  const columns = selectedColumns ?? view.columns;
  switch (format) {
    case 'json':
      return sink.write(`${formatJson(text, terminalWidth)}\n`, 'json');
    case 'ndjson':
      return sink.write(`${JSON.stringify(pickFields(record, selectedColumns))}\n`, 'json');
    case 'id':
      return sink.write(`${getId(record)}\n`);
    case 'yaml':
      return sink.write(`${toYamlLines(pickFields(record, selectedColumns)).join('\n')}\n`, 'json');
    case 'csv':
      return sink.write(
        `${toCsvLine(columns, isCsvSafe)}\n${toCsvLine(
          columns.map((path) => getValueAt(record, path)),
          isCsvSafe,
        )}\n`,
      );
    case 'tsv':
      return sink.write(`${toTsvLine(columns)}\n${toTsvLine(columns.map((path) => getValueAt(record, path)))}\n`);
    case 'table':
      return sink.write(`${formatRecord(columns, record, paint, terminalWidth).join('\n')}\n`);
  }
}

/** Prints pages as they arrive, holding one at a time. `getPagination` returns the `pagination` of the JSON body that combines them. */
export async function printPages(
  pages: AsyncIterable<Page>,
  view: View,
  options: PrinterOptions,
  getPagination: (count: number, total: number | undefined) => unknown = toSinglePage,
): Promise<PrintResult> {
  const selectedColumns = options.columns === undefined ? null : parseColumns(options.columns, listColumnNames(view));
  const columns = selectedColumns ?? view.columns;
  const { format, sink, paint, terminalWidth, isCsvSafe } = options;
  let layout: Layout | undefined;
  let count = 0;
  let total: number | undefined;
  for await (const page of pages) {
    const isFirst = count === 0;
    const { rows } = page;
    const rowsWithDerived = addDerived(rows, view.derived);
    count += rows.length;
    total = page.total ?? total;
    switch (format) {
      case 'json':
        if (page.text !== undefined) await sink.write(`${formatJson(page.text, terminalWidth)}\n`, 'json');
        else
          await sink.write((isFirst ? '{"data":[' : rows.length > 0 ? ',' : '') + rows.map((row) => JSON.stringify(row)).join(','), 'json');
        if (page.text !== undefined) return { count, hidden: [] };
        break;
      case 'ndjson':
        await sink.write(
          (selectedColumns ? rowsWithDerived : rows).map((row) => `${JSON.stringify(pickFields(row, selectedColumns))}\n`).join(''),
          'json',
        );
        break;
      case 'id':
        await sink.write(rows.map((row) => `${getId(row)}\n`).join(''));
        break;
      case 'yaml':
        await sink.write(
          (selectedColumns ? rowsWithDerived : rows)
            .flatMap((row) => toYamlLines([pickFields(row, selectedColumns)]))
            .map((line) => `${line}\n`)
            .join(''),
          'json',
        );
        break;
      case 'csv':
      case 'tsv': {
        const line = format === 'csv' ? (values: readonly unknown[]) => toCsvLine(values, isCsvSafe) : toTsvLine;
        const lines = rowsWithDerived.map((row) => line(columns.map((path) => getValueAt(row, path))));
        await sink.write([...(isFirst ? [line(columns)] : []), ...lines].map((text) => `${text}\n`).join(''));
        break;
      }
      case 'table': {
        // The first page determines the widths, so that a long list can be printed as it arrives.
        if (!layout && rows.length > 0) {
          const visibleColumns =
            selectedColumns ??
            columns.filter(
              (path) => !view.hiddenIfEmpty?.includes(path) || rowsWithDerived.some((row) => toPlainText(getValueAt(row, path)) !== ''),
            );
          layout = layOutTable(visibleColumns, rowsWithDerived, {
            terminalWidth,
            keepAll: selectedColumns !== null,
            neverTruncated: view.neverTruncated,
          });
          await sink.write(`${formatHeader(layout, paint)}\n`);
        }
        const knownLayout = layout;
        if (knownLayout) await sink.write(rowsWithDerived.map((row) => `${formatRow(knownLayout, row)}\n`).join(''));
        break;
      }
    }
  }
  if (format === 'json')
    await sink.write(
      `${count === 0 && !sink.started ? '{"data":[' : ''}],"pagination":${JSON.stringify(getPagination(count, total))}}\n`,
      'json',
    );
  return { count, hidden: layout?.hidden ?? [] };
}

const addDerived = (rows: readonly unknown[], derived: View['derived']): readonly unknown[] =>
  derived === undefined
    ? rows
    : rows.map((row) => ({ ...(row as object), ...Object.fromEntries(Object.entries(derived).map(([name, of]) => [name, of(row)])) }));

/** The pagination of several pages printed as one. */
const toSinglePage = (count: number, total = count): unknown => ({
  page: 1,
  pageSize: count,
  total,
  totalPages: count === 0 ? 0 : Math.ceil(total / count),
});

/** Indents JSON for a terminal; in a pipe it stays as received. */
export const formatJson = (text: string, screen: number | undefined): string => (screen === undefined ? text : indentJson(text));

/** The error for `-o id` if the output has no ids. */
export const createNoIdError = (): Failure => usageError('This command does not support -o id', 'Use another format, or --columns');

function getId(record: unknown): string {
  const id = getValueAt(record, 'id');
  if (id === undefined) throw createNoIdError();
  return toPlainText(id);
}
