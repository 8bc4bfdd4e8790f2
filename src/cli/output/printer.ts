/** Prints records in the selected format, to a terminal or a pipe. */
import { type Failure, usageError } from '../errors/failure.ts';
import { parseColumns, toPlainText, getValueAt } from './fields.ts';
import { type Format, toCsvLine, indentJson, pickFields, toTsvLine, toYamlLines } from './formats.ts';
import type { Paint } from './style.ts';
import type { Sink } from './stdout.ts';
import { formatDetails } from './details.ts';
import { needsTenantCurrency } from './money.ts';
import { type Layout, formatHeader, layOutTable, formatRow } from './table.ts';

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
  /** Rows as they may follow, for which the table has room as well: the first page alone determines the widths otherwise. */
  readonly samples?: readonly unknown[];
  /** The currency of amounts whose record names none, if it is known. Default: that of the tenant. */
  readonly currency?: string;
  /** Whether titles name this currency: the record above the table may do. Default: true. */
  readonly namesCurrency?: boolean;
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
  /** The currency of amounts whose record names none; undefined if it is unknown. */
  readonly readTenantCurrency?: (() => Promise<string | undefined>) | undefined;
}

export interface PrintResult {
  /** Number of rows that were printed. */
  readonly count: number;
  /** Columns that did not fit the terminal, without ids: those with one value in all rows, with the value, and the others. */
  readonly hidden: Pick<Layout, 'constants' | 'missing'>;
}

const NOTHING_HIDDEN: PrintResult['hidden'] = { constants: [], missing: [] };

/** Prints one record. `text`: the body as received, for `--json`. */
export async function printRecord(record: unknown, text: string, view: View, options: PrinterOptions): Promise<void> {
  const { format, sink, paint, terminalWidth, isCsvSafe } = options;
  const selectedColumns = options.columns === undefined ? null : parseColumns(options.columns, listColumnNames(view));
  const columns = selectedColumns ?? view.columns;
  switch (format) {
    case 'json':
      return sink.write(`${formatJson(text, terminalWidth)}\n`, 'json');
    case 'yaml':
      return sink.write(`${toYamlLines(pickFields(record, selectedColumns)).join('\n')}\n`, 'json');
    case 'table': {
      const tenantCurrency = await getTenantCurrency(columns, [record], view, options);
      const details = { paint, terminalWidth, keepAll: selectedColumns !== null, tenantCurrency };
      return sink.write(`${formatDetails(columns, record, details).join('\n')}\n`);
    }
    default:
      return sink.write(
        formatPage(format, [record], { view, selectedColumns, isFirst: true, isCsvSafe }),
        isEscapedAsJson(format) ? 'json' : 'data',
      );
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
  const { format, sink, paint, terminalWidth } = options;
  let layout: Layout | undefined;
  let count = 0;
  let total: number | undefined;
  for await (const page of pages) {
    if (format === 'json' && page.text !== undefined) {
      await sink.write(`${formatJson(page.text, terminalWidth)}\n`, 'json');
      return { count: count + page.rows.length, hidden: NOTHING_HIDDEN };
    }
    if (format === 'table') {
      const rows = addDerived(page.rows, view.derived);
      // The first page determines the widths, so that a long list can be printed as it arrives.
      if (!layout && rows.length > 0) {
        layout = await layOutFirstPage(rows, view, selectedColumns, options);
        await sink.write(`${formatHeader(layout, paint)}\n`);
      }
      const knownLayout = layout;
      if (knownLayout) await sink.write(rows.map((row) => `${formatRow(knownLayout, row, paint)}\n`).join(''));
    } else {
      const text = formatPage(format, page.rows, { view, selectedColumns, isFirst: count === 0, isCsvSafe: options.isCsvSafe });
      await sink.write(text, isEscapedAsJson(format) ? 'json' : 'data');
    }
    count += page.rows.length;
    total = page.total ?? total;
  }
  if (format === 'json')
    await sink.write(
      `${count === 0 && !sink.started ? '{"data":[' : ''}],"pagination":${JSON.stringify(getPagination(count, total))}}\n`,
      'json',
    );
  return { count, hidden: layout ?? NOTHING_HIDDEN };
}

const isEscapedAsJson = (format: Format): boolean => format === 'json' || format === 'ndjson' || format === 'yaml';

interface PageOptions {
  readonly view: View;
  readonly selectedColumns: readonly string[] | null;
  readonly isFirst: boolean;
  readonly isCsvSafe: boolean | undefined;
}

/** The text of a page in a format whose lines do not depend on other rows. */
function formatPage(format: Exclude<Format, 'table'>, rows: readonly unknown[], options: PageOptions): string {
  const { view, selectedColumns, isFirst, isCsvSafe } = options;
  const listRecords = () => (selectedColumns ? addDerived(rows, view.derived) : rows).map((row) => pickFields(row, selectedColumns));
  switch (format) {
    case 'json':
      return (isFirst ? '{"data":[' : rows.length > 0 ? ',' : '') + rows.map((row) => JSON.stringify(row)).join(',');
    case 'ndjson':
      return toText(listRecords().map((record) => JSON.stringify(record)));
    case 'id':
      return toText(rows.map(getId));
    case 'yaml':
      return toText(listRecords().flatMap((record) => toYamlLines([record])));
    case 'csv':
    case 'tsv': {
      const columns = selectedColumns ?? view.columns;
      const line = format === 'csv' ? (values: readonly unknown[]) => toCsvLine(values, isCsvSafe) : toTsvLine;
      const lines = addDerived(rows, view.derived).map((row) => line(columns.map((path) => getValueAt(row, path))));
      return toText(isFirst ? [line(columns), ...lines] : lines);
    }
  }
}

const toText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

async function layOutFirstPage(
  rows: readonly unknown[],
  view: View,
  selectedColumns: readonly string[] | null,
  options: PrinterOptions,
): Promise<Layout> {
  const { columns, hiddenIfEmpty, neverTruncated, namesCurrency, samples = [] } = view;
  const hasValue = (path: string): boolean => rows.some((row) => toPlainText(getValueAt(row, path)) !== '');
  const visibleColumns = selectedColumns ?? columns.filter((path) => !hiddenIfEmpty?.includes(path) || hasValue(path));
  const tenantCurrency = await getTenantCurrency(visibleColumns, rows, view, options);
  const { terminalWidth } = options;
  const keepAll = selectedColumns !== null;
  return layOutTable(visibleColumns, [...rows, ...samples], { terminalWidth, keepAll, neverTruncated, tenantCurrency, namesCurrency });
}

/** Undefined if no amount needs it. */
const getTenantCurrency = async (
  columns: readonly string[],
  rows: readonly unknown[],
  { currency }: View,
  { readTenantCurrency }: PrinterOptions,
): Promise<string | undefined> => (needsTenantCurrency(columns, rows) ? (currency ?? readTenantCurrency?.()) : undefined);

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
