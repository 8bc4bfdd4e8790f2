/** A table for a terminal: fits the width, numbers to the right, wide characters counted as two. */
import { displayText, isId, isTimestamp, valueAt } from './fields.ts';
import type { Paint } from './style.ts';
import { fit, pad, visible, widthOf, wrap } from './width.ts';

interface Column {
  readonly path: string;
  readonly title: string;
  readonly right: boolean;
  readonly width: number;
}

export interface Layout {
  readonly columns: readonly Column[];
  /** Paths that did not fit the screen. */
  readonly hidden: readonly string[];
}

const GAP = 2;
/** A column is never squeezed below this, unless its content is shorter. */
const SQUEEZED = 12;

export interface LayoutOptions {
  /** The number of columns there are; undefined for no limit. */
  readonly screen: number | undefined;
  /** The columns were asked for: all of them, in this order. */
  readonly keepAll: boolean;
  /** Columns that are of no use in part. */
  readonly whole?: readonly string[] | undefined;
}

/**
 * Widths from the rows at hand. Texts are shortened first, longest first; what still does not fit is left out from the right.
 * Ids and times are never cut, half an id is of no use; the id that rows begin with goes behind everything that people read, and is never left out.
 */
export function layOut(paths: readonly string[], rows: readonly unknown[], { screen, keepAll, whole = [] }: LayoutOptions): Layout {
  const measured = paths.map((path) => {
    const values = rows.map((row) => valueAt(row, path));
    const title = titleOf(path);
    const texts = values.map((value) => widthOf(visible(displayText(value))));
    const numbers = values.filter((value) => value !== null && value !== undefined);
    const width = Math.max(widthOf(title), ...texts);
    const rigid = whole.includes(path) || values.some((value) => typeof value === 'number' || isId(value) || isTimestamp(value));
    return {
      path,
      title,
      right: numbers.length > 0 && numbers.every((value) => typeof value === 'number'),
      width,
      least: rigid ? width : Math.min(width, SQUEEZED),
    };
  });
  const pinned = screen !== undefined && !keepAll && rows.every((row) => isId(valueAt(row, paths[0] ?? ''))) ? measured.splice(0, 1) : [];
  const room = () => (screen ?? Infinity) - GAP * (measured.length + pinned.length - 1);
  const least = () => [...measured, ...pinned].reduce((sum, column) => sum + column.least, 0);
  const isTooWide = () => measured.length + pinned.length > 1 && least() > room();
  if (!keepAll) while (isTooWide()) measured.pop();
  const columns = [...measured, ...pinned];
  squeeze(columns, room());
  return { columns, hidden: paths.filter((path) => !columns.some((column) => column.path === path)) };
}

/** Takes from the widest column, one step at a time, until the sum fits or nothing more can give. */
function squeeze(columns: { width: number; least: number }[], room: number): void {
  let excess = columns.reduce((sum, column) => sum + column.width, 0) - room;
  while (excess > 0) {
    let widest: { width: number; least: number } | undefined;
    for (const column of columns) if (column.width > column.least && column.width > (widest?.width ?? 0)) widest = column;
    if (!widest) return;
    widest.width -= 1;
    excess -= 1;
  }
}

export function headerLine({ columns }: Layout, paint: Paint): string {
  return paint(
    'dim',
    columns
      .map(({ title, width, right }) => pad(fit(title, width), width, right))
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
}

export function rowLine({ columns }: Layout, row: unknown): string {
  const cells = columns.map(({ path, width, right }) => pad(fit(visible(displayText(valueAt(row, path))), width), width, right));
  return cells.join(' '.repeat(GAP)).trimEnd();
}

/** One record as `name  value` lines; long values go on below themselves when the screen has an edge. */
export function recordLines(paths: readonly string[], record: unknown, paint: Paint, screen: number | undefined): readonly string[] {
  const width = Math.max(0, ...paths.map((path) => path.length)) + GAP;
  return paths.flatMap((path) => {
    const [first = '', ...rest] = wrap(visible(displayText(valueAt(record, path))), (screen ?? Infinity) - width);
    return [paint('dim', pad(path, width)) + first, ...rest.map((line) => ' '.repeat(width) + line)];
  });
}

/** `salePrice` → `SALE PRICE`, `supplier.name` → `SUPPLIER`, `order.orderNumber` → `ORDER`: the column says the rest. */
function titleOf(path: string): string {
  const words = path
    .replace(/^(\w+)\.(?=\1[A-Z])/u, '')
    .replace(/\.(?:name|symbol)$|(?<=[a-z])Number$/u, '')
    .replaceAll('.', ' ')
    .replaceAll('_', ' ');
  return words.replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2').toUpperCase();
}
