/** Files of tables. */
import { toCsvLine } from '../../cli/output/formats.ts';

/** `columns`: titles and values of a row. */
export const toCsv = <T>(rows: readonly T[], columns: readonly { readonly title: string; readonly value: (row: T) => unknown }[]): string =>
  [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ value }) => value(row)))]
    .map((cells) => `${toCsvLine(cells, true)}\n`)
    .join('');

export function download(name: string, text: string, type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
