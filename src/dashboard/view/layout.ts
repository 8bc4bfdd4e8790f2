/** Lays out columns and decides which rows are visible. */
import type { Column } from './tables.ts';

/** Spaces between two columns. */
export const GAP = 1;

export interface PlacedColumn<R> {
  readonly column: Column<R>;
  readonly width: number;
}

/** The columns that fit into `total`, by rank and in their order; growing columns share the remaining width. */
export function layoutColumns<R>(columns: readonly Column<R>[], total: number): readonly PlacedColumn<R>[] {
  const chosen = new Set<Column<R>>();
  let used = -GAP;
  for (const column of columns.toSorted((a, b) => a.rank - b.rank)) {
    if (used + GAP + column.width > total && chosen.size > 0) break;
    chosen.add(column);
    used += GAP + column.width;
  }
  let left = Math.max(0, total - used);
  return columns
    .filter((column) => chosen.has(column))
    .map((column, index, all) => {
      const growing = all.slice(index).filter(({ grow }) => grow !== undefined).length;
      const share = column.grow === undefined || growing === 0 ? 0 : Math.min(column.grow - column.width, Math.ceil(left / growing));
      left -= share;
      return { column, width: Math.min(total, column.width + share) };
    });
}

/** Index of the first visible row: centers the selected one and avoids empty lines. */
export const getFirstVisible = (selected: number, rows: number, height: number): number =>
  Math.min(Math.max(0, selected - Math.floor(height / 2)), Math.max(0, rows - height));
