/** Which columns fit, how wide each is, and which rows are in sight. */
import type { Column } from './tables.ts';

/** Between two columns. */
export const GAP = 1;

export interface Placed<R> {
  readonly column: Column<R>;
  readonly width: number;
}

/** Columns in their order, as many as fit into `total`; what is left over is shared by those that can grow. */
export function placed<R>(columns: readonly Column<R>[], total: number): readonly Placed<R>[] {
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
      const hungry = all.slice(index).filter(({ grow }) => grow !== undefined).length;
      const share = column.grow === undefined || hungry === 0 ? 0 : Math.min(column.grow - column.width, Math.ceil(left / hungry));
      left -= share;
      return { column, width: Math.min(total, column.width + share) };
    });
}

/** The first row in sight: the selected one in the middle, and no line empty without need. */
export const windowStart = (selected: number, rows: number, height: number): number =>
  Math.min(Math.max(0, selected - Math.floor(height / 2)), Math.max(0, rows - height));
