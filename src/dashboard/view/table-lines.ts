/** The lines of a table: titles and rows. */
import { measureWidth } from '../../cli/output/text-width.ts';
import { sanitize } from '../../platform/terminal-text.ts';
import type { Sorting } from '../state/model.ts';
import { GAP, type PlacedColumn, layoutColumns } from './layout.ts';
import { type Line, type Span, measureLine, toCell, toText } from './lines.ts';
import { type Column, type RenderContext, getColumnLabel } from './table-types.ts';

/** Before each row: whether it is selected, and whether it is marked. */
export const SELECTION_MARK = '> ';

/** The columns that fit beside the mark, as wide as the rows need. */
export const layOutRows = <R>(
  columns: readonly Column<R>[],
  rows: readonly R[],
  width: number,
  context: RenderContext,
): readonly PlacedColumn<R>[] =>
  layoutColumns(columns, width - SELECTION_MARK.length, (column) =>
    rows.reduce((widest, row) => Math.max(widest, measureWidth(sanitize(column.text(row, context, column.width)))), 0),
  );

export function renderTitles<R>(layout: readonly PlacedColumn<R>[], sorting: Sorting | null, context: RenderContext): Line {
  const titles = layout.flatMap(({ column, width }, place): Span[] => {
    const text = (place === 0 ? '' : ' '.repeat(GAP)) + toCell(getColumnLabel(column, context), width, column.right);
    return [column.title === sorting?.by ? { text, bold: true } : { text, tone: 'dim' }];
  });
  return [{ text: '  ' }, ...titles];
}

interface RowState {
  readonly isSelected: boolean;
  readonly isMarked: boolean;
  readonly width: number;
}

/** The selected row is inverse over the whole width, which is readable with any colors; signs mark it without them. */
export function renderRow<R>(
  row: R,
  layout: readonly PlacedColumn<R>[],
  context: RenderContext,
  { isSelected, isMarked, width }: RowState,
): Line {
  const cells = layout.map(({ column, width: w }, place): Span => {
    const text = (place === 0 ? '' : ' '.repeat(GAP)) + toCell(column.text(row, context, w), w, column.right);
    const tone = column.tone?.(row, context);
    return tone === undefined || isSelected ? { text } : { text, tone };
  });
  const line: Line = [{ text: `${isSelected ? '>' : ' '}${isMarked ? '*' : ' '}` }, ...cells];
  if (!isSelected) return line;
  const filler = ' '.repeat(Math.max(0, width - measureLine(line)));
  return [{ text: toText(line) + filler, bold: true, inverse: true }];
}
