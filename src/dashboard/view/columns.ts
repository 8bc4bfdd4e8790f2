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
 * The columns that fit into `total`, by rank and in their order. Numbers are never cut: columns of a higher rank are hidden instead. The
 * remaining width goes to texts that are wider than their column, by rank, then to drawings. `measureText` returns the width of the widest
 * text of a column.
 */
export function layoutColumns<R>(
  columns: readonly Column<R>[],
  total: number,
  measureText: (column: Column<R>) => number,
): readonly PlacedColumn<R>[] {
  const chosen: { readonly column: Column<R>; readonly width: number }[] = [];
  for (const column of columns.toSorted((a, b) => a.rank - b.rank)) {
    const width = column.right ? Math.max(column.width, measureText(column)) : column.width;
    const needed = chosen.reduce((sum, { column: { comfortable, rank }, width: own }) => {
      return sum + GAP + (rank < column.rank ? (comfortable ?? own) : own);
    }, 0);
    if (needed + width > total && chosen.length > 0) break;
    chosen.push({ column, width });
  }
  let left = Math.max(0, total + GAP - chosen.reduce((sum, { width }) => sum + GAP + width, 0));
  const widths = new Map<Column<R>, number>();
  const isDrawing = ({ column: { grow } }: (typeof chosen)[number]): boolean => grow !== undefined;
  for (const { column, width } of [...chosen.filter((each) => !isDrawing(each)), ...chosen.filter(isDrawing)]) {
    const share = Math.min(left, Math.max(0, (column.grow ?? measureText(column)) - width));
    left -= share;
    widths.set(column, Math.min(total, width + share));
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
