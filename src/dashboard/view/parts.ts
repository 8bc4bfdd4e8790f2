/** What detail views consist of, and its lines. Long text is wrapped. */
import { formatHeader, formatRow, layOutTable } from '../../cli/output/table.ts';
import { measureWidth } from '../../cli/output/text-width.ts';
import { sanitize } from '../../platform/terminal-text.ts';
import { formatRelative } from './format.ts';
import { renderJson } from './json.ts';
import { type Line, breakText, plain } from './lines.ts';
import type { RenderContext } from './table-types.ts';

/** A label with its value, a heading, a paragraph, or a table of records. */
export type Part =
  | readonly [label: string, value: string]
  | { readonly head: string }
  | { readonly text: string; readonly tone?: 'bad' | 'dim' }
  | { readonly table: readonly unknown[]; readonly columns: readonly string[] }
  /** Indented and colored if it is JSON. */
  | { readonly json: string }
  | { readonly render: (width: number) => readonly Line[] };

export const formatMoment = (timestamp: string | null, { serviceNow }: RenderContext): string =>
  timestamp === null ? '–' : `${timestamp}  (${formatRelative(timestamp, serviceNow)})`;

const LABEL_WIDTH = 16;
const LABEL_GAP = 2;

export function renderParts(parts: readonly Part[], width: number): readonly Line[] {
  const labelWidth = Math.max(LABEL_WIDTH, ...parts.map((part) => ('length' in part ? measureWidth(part[0]) + LABEL_GAP : 0)));
  return parts.flatMap((part) => renderPart(part, width, labelWidth));
}

function renderPart(part: Part, width: number, labelWidth: number): readonly Line[] {
  if ('head' in part) return [[], [{ text: part.head, bold: true }]];
  if ('json' in part) return renderJson(part.json, width);
  if ('render' in part) return part.render(width);
  if ('table' in part) return renderTable(part.table, part.columns, width);
  if ('text' in part)
    return part.text.split('\n').flatMap((line) => breakText(sanitize(line), width).map((text) => plain(text, part.tone)));
  const [label, value] = part;
  return breakText(sanitize(value), Math.max(10, width - labelWidth)).map((text, index) => [
    { text: (index === 0 ? sanitize(label) : '').padEnd(labelWidth), tone: 'dim' as const },
    { text },
  ]);
}

/** Columns that do not fit are hidden. */
function renderTable(rows: readonly unknown[], columns: readonly string[], width: number): readonly Line[] {
  const layout = layOutTable(columns, rows, { terminalWidth: width, keepAll: false });
  return [
    plain(
      formatHeader(layout, (_style, text) => text),
      'dim',
    ),
    ...rows.map((row) => plain(formatRow(layout, row))),
  ];
}
