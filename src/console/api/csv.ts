/** Files of tables. */
import { toCsvLine } from '../../cli/output/formats.ts';

export const toCsv = (lines: readonly (readonly unknown[])[]): string => lines.map((cells) => `${toCsvLine(cells, true)}\n`).join('');

export function download(name: string, text: string, type = 'text/csv'): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
