/** Lays out the columns of a table. */
import stringWidth from 'string-width';
import { sanitize } from '../../platform/terminal-text.ts';
import type { Column, RenderContext } from '../tables/table.ts';

/** Spaces between two columns. */
export const GAP = 1;
/** Before each row: whether it is selected, and whether it is marked. */
export const MARK_WIDTH = 2;

export interface PlacedColumn<R> {
  readonly column: Column<R>;
  readonly width: number;
}

/**
 * The columns that fit into `total`, by rank and in their order. The remaining width goes to texts that are wider than their column, by
 * rank, then to drawings. `measureText` returns the width of the widest text of a column.
 */
export function layoutColumns<R>(
  columns: readonly Column<R>[],
  total: number,
  measureText: (column: Column<R>) => number,
): readonly PlacedColumn<R>[] {
  const chosen: Column<R>[] = [];
  for (const column of columns.toSorted((a, b) => a.rank - b.rank)) {
    const needed = chosen.reduce((sum, { width, comfortable = width, rank }) => sum + GAP + (rank < column.rank ? comfortable : width), 0);
    if (needed + column.width > total && chosen.length > 0) break;
    chosen.push(column);
  }
  let left = Math.max(0, total + GAP - chosen.reduce((sum, { width }) => sum + GAP + width, 0));
  const widths = new Map<Column<R>, number>();
  const texts = chosen.filter(({ grow }) => grow === undefined);
  for (const column of [...texts, ...chosen.filter(({ grow }) => grow !== undefined)]) {
    const share = Math.min(left, Math.max(0, (column.grow ?? measureText(column)) - column.width));
    left -= share;
    widths.set(column, Math.min(total, column.width + share));
  }
  return columns.flatMap((column) => {
    const width = widths.get(column);
    return width === undefined ? [] : [{ column, width }];
  });
}

/** The columns that fit beside the mark, as wide as the rows need. */
export const layOutRows = <R>(
  columns: readonly Column<R>[],
  rows: readonly R[],
  width: number,
  context: RenderContext,
): readonly PlacedColumn<R>[] =>
  layoutColumns(columns, width - MARK_WIDTH, (column) =>
    rows.reduce((widest, row) => Math.max(widest, stringWidth(sanitize(column.text(row, context, column.width)))), 0),
  );

/** Index of the first visible row: centers the selected one and avoids empty lines. */
export const getFirstVisible = (selected: number, rows: number, height: number): number =>
  Math.min(Math.max(0, selected - Math.floor(height / 2)), Math.max(0, rows - height));
