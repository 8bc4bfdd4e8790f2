/** Files of tables, as RFC 4180 has them. */
import { toText } from './values.ts';

/** Spreadsheets execute a text that begins like a formula. */
const FORMULA = /^[=+\-@\t\r]/u;

const toCell = (value: unknown): string => {
  const text = toText(value);
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** `columns`: titles and values of a row. */
export const toCsv = <T>(rows: readonly T[], columns: readonly { readonly title: string; readonly value: (row: T) => unknown }[]): string =>
  [columns.map(({ title }) => toCell(title)), ...rows.map((row) => columns.map(({ value }) => toCell(value(row))))]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('');

export function download(name: string, text: string, type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
