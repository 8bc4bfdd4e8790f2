/** Prints records in the format asked for: one place decides what a reader gets, a terminal or a pipe. */
import { usage } from './failure.ts';
import { chosenColumns, plainText, valueAt } from './fields.ts';
import { type Format, csvLine, indentJson, pick, tsvLine, yamlLines } from './formats.ts';
import type { Paint } from './style.ts';
import type { Sink } from './stdout.ts';
import { type Layout, headerLine, layOut, recordLines, rowLine } from './table.ts';

/** How a kind of record is shown. */
export interface View {
  /** Every field there is: what `--columns` may name. */
  readonly fields: readonly string[];
  /** What is shown when nothing was asked for, most telling first: columns of a list that do not fit the screen are left out from the right. */
  readonly columns: readonly string[];
  /** Columns of a list that are of no use in part, and rather leave out others than being cut. */
  readonly whole?: readonly string[];
}

export interface Page {
  readonly rows: readonly unknown[];
  /** The body of the reply as it came, when this page is all there is to print. */
  readonly text?: string;
  /** Rows in the whole list, when known. */
  readonly total?: number;
}

export interface PrinterOptions {
  readonly format: Format;
  /** `--columns` */
  readonly columns: string | undefined;
  /** Columns of the screen; undefined: a pipe, which gets everything at full width. */
  readonly screen: number | undefined;
  readonly paint: Paint;
  readonly sink: Sink;
}

/** What a list did not show. */
export interface Shown {
  readonly count: number;
  readonly hidden: readonly string[];
}

/** Prints one record. `text` is its whole reply, printed by `--json` exactly as it came. */
export async function printRecord(record: unknown, text: string, view: View, options: PrinterOptions): Promise<void> {
  const { format, sink, paint, screen } = options;
  const asked = options.columns === undefined ? null : chosenColumns(options.columns, view.fields);
  const own = asked ?? view.columns;
  switch (format) {
    case 'json':
      return sink.write(`${jsonText(text, screen)}\n`);
    case 'ndjson':
      return sink.write(`${JSON.stringify(pick(record, asked))}\n`);
    case 'id':
      return sink.write(`${idOf(record)}\n`);
    case 'yaml':
      return sink.write(`${yamlLines(pick(record, asked)).join('\n')}\n`);
    case 'csv':
      return sink.write(`${csvLine(own)}\n${csvLine(own.map((path) => valueAt(record, path)))}\n`);
    case 'tsv':
      return sink.write(`${tsvLine(own)}\n${tsvLine(own.map((path) => valueAt(record, path)))}\n`);
    case 'table':
      return sink.write(`${recordLines(own, record, paint, screen).join('\n')}\n`);
  }
}

/** Prints pages as they come, holding one at a time. `paginationOf` tells what stands under `pagination` when they are printed as one JSON body. */
export async function printPages(
  pages: AsyncIterable<Page>,
  view: View,
  options: PrinterOptions,
  paginationOf: (count: number, total: number | undefined) => unknown = wholeOf,
): Promise<Shown> {
  const asked = options.columns === undefined ? null : chosenColumns(options.columns, view.fields);
  const columns = asked ?? view.columns;
  const { format, sink, paint, screen } = options;
  let layout: Layout | undefined;
  let count = 0;
  let total: number | undefined;
  for await (const page of pages) {
    const first = count === 0;
    const { rows } = page;
    count += rows.length;
    total = page.total ?? total;
    switch (format) {
      case 'json':
        if (page.text !== undefined) await sink.write(`${jsonText(page.text, screen)}\n`);
        else await sink.write((first ? '{"data":[' : rows.length > 0 ? ',' : '') + rows.map((row) => JSON.stringify(row)).join(','));
        if (page.text !== undefined) return { count, hidden: [] };
        break;
      case 'ndjson':
        await sink.write(rows.map((row) => `${JSON.stringify(pick(row, asked))}\n`).join(''));
        break;
      case 'id':
        await sink.write(rows.map((row) => `${idOf(row)}\n`).join(''));
        break;
      case 'yaml':
        await sink.write(
          rows
            .flatMap((row) => yamlLines([pick(row, asked)]))
            .map((line) => `${line}\n`)
            .join(''),
        );
        break;
      case 'csv':
      case 'tsv': {
        const line = format === 'csv' ? csvLine : tsvLine;
        const lines = rows.map((row) => line(columns.map((path) => valueAt(row, path))));
        await sink.write([...(first ? [line(columns)] : []), ...lines].map((text) => `${text}\n`).join(''));
        break;
      }
      case 'table': {
        // The first page sets the widths; later rows follow them, so that a long list needs no second look.
        if (!layout && rows.length > 0) {
          layout = layOut(columns, rows, { screen, keepAll: asked !== null, whole: view.whole });
          await sink.write(`${headerLine(layout, paint)}\n`);
        }
        const fixed = layout;
        if (fixed) await sink.write(rows.map((row) => `${rowLine(fixed, row)}\n`).join(''));
        break;
      }
    }
  }
  if (format === 'json')
    await sink.write(`${count === 0 && !sink.started ? '{"data":[' : ''}],"pagination":${JSON.stringify(paginationOf(count, total))}}\n`);
  return { count, hidden: layout?.hidden ?? [] };
}

/** Several pages told as the one page they are together. */
const wholeOf = (count: number, total = count): unknown => ({
  page: 1,
  pageSize: count,
  total,
  totalPages: count === 0 ? 0 : Math.ceil(total / count),
});

/** As it came for a program; indented for a person. */
export const jsonText = (text: string, screen: number | undefined): string => (screen === undefined ? text : indentJson(text));

function idOf(record: unknown): string {
  const id = valueAt(record, 'id');
  if (id === undefined) throw usage('-o id: what this command prints has no id', 'choose another format, or --columns');
  return plainText(id);
}
