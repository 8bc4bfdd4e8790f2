/** Tables that fit a terminal: numbers are right-aligned, wide characters count as two. */
import { RECORD_KINDS } from '../../contract/schema/record-kinds.ts';
import { toDisplayText, isId, isTimestamp, getValueAt } from './fields.ts';
import { toTitle } from './labels.ts';
import { type MoneyColumn, formatMoney, toMoneyColumn } from './money.ts';
import type { Paint, Style } from './style.ts';
import { truncate, truncateCell, pad, measureWidth } from './text-width.ts';
import { sanitize } from '../../platform/terminal-text.ts';

interface Column {
  readonly path: string;
  readonly title: string;
  readonly isRightAligned: boolean;
  readonly width: number;
  readonly money: MoneyColumn | undefined;
}

export interface Layout {
  readonly columns: readonly Column[];
  /** Paths of columns that did not fit. */
  readonly hidden: readonly string[];
  /** The columns among them that have one value in all rows, with this value: `is active yes`. */
  readonly constants: readonly string[];
  /** Paths of the others among them, without ids. */
  readonly missing: readonly string[];
}

const GAP = 2;
/** A column is not shortened below this. */
const MIN_COLUMN_WIDTH = 12;

/** Columns that are not taken out of the rows when they are equal: people look for a quantity in its row, and without its unit it says little. */
const ALWAYS_IN_ROWS = ['quantity', 'unit.symbol'];

/** Columns whose values commands accept instead of an id. */
const RECORD_NAMES: ReadonlySet<string> = new Set(Object.values(RECORD_KINDS).flatMap(({ fields }) => Object.keys(fields)));

export interface LayoutOptions {
  /** Undefined for no limit. */
  readonly terminalWidth: number | undefined;
  /** Whether all columns are shown, in the given order, because the user chose them. */
  readonly keepAll: boolean;
  /** Columns that are not shortened. */
  readonly neverTruncated?: readonly string[] | undefined;
  /** Of amounts whose row names no currency. Titles name it, unless that takes the room of a column. */
  readonly tenantCurrency?: string | undefined;
  readonly namesCurrency?: boolean | undefined;
}

/**
 * Computes the widths from the given rows. If the columns do not fit, ids and columns with one value in all rows are hidden. Then texts are
 * shortened, the longest first; columns that still do not fit are hidden from the right. Numbers, ids and timestamps are not shortened. Ids
 * come last; one in the first column is never hidden if no other column names the record.
 */
export function layOutTable(paths: readonly string[], rows: readonly unknown[], options: LayoutOptions): Layout {
  const layout = layOut(paths, rows, options);
  if (options.tenantCurrency === undefined || layout.missing.length === 0) return layout;
  const unnamed = layOut(paths, rows, { ...options, namesCurrency: false });
  return unnamed.missing.length < layout.missing.length ? unnamed : layout;
}

function layOut(paths: readonly string[], rows: readonly unknown[], options: LayoutOptions): Layout {
  const { terminalWidth, keepAll, neverTruncated = [], tenantCurrency, namesCurrency = true } = options;
  const measured = paths.map((path) => {
    const money = toMoneyColumn(path, rows, tenantCurrency);
    const isNamed = money?.currency !== undefined && (namesCurrency || money.currency !== tenantCurrency);
    return measureColumn(path, rows, { money, unit: isNamed ? ` (${money.currency})` : '', isFixed: neverTruncated.includes(path) });
  });
  // People read the other columns; the order of chosen columns stays.
  if (terminalWidth !== undefined && !keepAll) measured.splice(0, measured.length, ...moveIdsToEnd(measured, rows));
  const [first = ''] = paths;
  const isIdNeeded = rows.length > 0 && rows.every((row) => isId(getValueAt(row, first))) && !hasNameFor(first, paths);
  const pinned =
    terminalWidth !== undefined && !keepAll && isIdNeeded
      ? measured.splice(
          measured.findIndex(({ path }) => path === paths[0]),
          1,
        )
      : [];
  const room = () => (terminalWidth ?? Infinity) - GAP * (measured.length + pinned.length - 1);
  const sumUp = (key: 'width' | 'minWidth') => [...measured, ...pinned].reduce((sum, column) => sum + column[key], 0);
  const hasIds = isIdColumn(rows);
  const isConstant = ({ path, text }: { readonly path: string; readonly text: string | undefined }) =>
    text !== undefined && path !== first && !ALWAYS_IN_ROWS.includes(path);
  const dropped: typeof measured = [];
  const findDispensable = () => measured.findLastIndex((column) => hasIds(column) || isConstant(column));
  if (!keepAll) while (sumUp('width') > room() && findDispensable() !== -1) dropped.unshift(...measured.splice(findDispensable(), 1));
  const isTooWide = () => measured.length + pinned.length > 1 && sumUp('minWidth') > room();
  if (!keepAll) while (isTooWide()) measured.pop();
  const columns = [...measured, ...pinned];
  shrinkColumns(columns, room());
  const hidden = paths.filter((path) => !columns.some((column) => column.path === path));
  return {
    columns,
    hidden,
    constants: dropped.flatMap((column) => {
      const { text = NO_VALUE, title } = column;
      return hasIds(column) || text === NO_VALUE ? [] : [`${title.toLowerCase()} ${text}`];
    }),
    missing: hidden.filter((path) => !hasIds({ path }) && !dropped.some((column) => column.path === path)),
  };
}

interface Measuring {
  readonly money: MoneyColumn | undefined;
  /** Behind the title. */
  readonly unit: string;
  readonly isFixed: boolean;
}

function measureColumn(path: string, rows: readonly unknown[], { money, unit, isFixed }: Measuring) {
  const values = rows.map((row) => getValueAt(row, path));
  const title = sanitize(toTitle(path)) + unit;
  const cells = rows.map((row) => sanitize(toCellText(row, path, money)));
  const present = values.filter((value) => value !== null && value !== undefined);
  const width = Math.max(measureWidth(title), ...cells.map(measureWidth));
  const isWhole = isFixed || values.some((value) => typeof value === 'number' || isId(value) || isTimestamp(value));
  return {
    path,
    title,
    isRightAligned: present.length > 0 && present.every((value) => typeof value === 'number'),
    width,
    money,
    text: new Set(cells).size === 1 && rows.length > 1 ? cells[0] : undefined,
    minWidth: isWhole ? width : Math.min(width, MIN_COLUMN_WIDTH),
  };
}

const NO_VALUE = toDisplayText(null);

const toCellText = (row: unknown, path: string, money: MoneyColumn | undefined): string => {
  const value = getValueAt(row, path);
  return money !== undefined && typeof value === 'number' ? formatMoney(value, money, row) : toDisplayText(value);
};

/** Whether another column has what commands accept instead of the id: the name of the record, or `supplier.name` for `supplierId`. */
const hasNameFor = (id: string, paths: readonly string[]): boolean =>
  id === 'id' ? paths.some((path) => RECORD_NAMES.has(path)) : paths.includes(id.replace(/Id$/u, '.name'));

/** Whether a column has ids, by its name or all its values. */
const isIdColumn =
  (rows: readonly unknown[]) =>
  ({ path }: { readonly path: string }): boolean => {
    if (/(?:^id|Id)$/u.test(path)) return true;
    const values = rows.map((row) => getValueAt(row, path)).filter((value) => value !== null && value !== undefined);
    return values.length > 0 && values.every(isId);
  };

function moveIdsToEnd<C extends { readonly path: string }>(columns: readonly C[], rows: readonly unknown[]): C[] {
  const hasIds = isIdColumn(rows);
  return [...columns.filter((column) => !hasIds(column)), ...columns.filter(hasIds)];
}

/** Narrows the widest column step by step until the columns fit or none can be narrowed. */
function shrinkColumns(columns: { width: number; minWidth: number }[], room: number): void {
  let excess = columns.reduce((sum, column) => sum + column.width, 0) - room;
  while (excess > 0) {
    let widest: { width: number; minWidth: number } | undefined;
    for (const column of columns) if (column.width > column.minWidth && column.width > (widest?.width ?? 0)) widest = column;
    if (!widest) return;
    widest.width -= 1;
    excess -= 1;
  }
}

export function formatHeader({ columns }: Layout, paint: Paint): string {
  return paint(
    'dim',
    columns
      .map(({ title, width, isRightAligned }) => pad(truncate(title, width), width, isRightAligned))
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
}

/** Quantities that should not be negative, unlike differences. */
const STOCK_QUANTITIES: ReadonlySet<string> = new Set(['onHand', 'available', 'projected', 'onHandAfter']);

/** Statuses that people look for, of deliveries and endpoints, keys, jobs and daemons. */
const STATUS_STYLES: Readonly<Record<string, Style>> = {
  delivered: 'green',
  active: 'green',
  running: 'green',
  retrying: 'yellow',
  paused: 'yellow',
  failed: 'red',
  disabled: 'red',
};

export function formatRow({ columns }: Layout, row: unknown, paint: Paint = (_style, text) => text): string {
  const cells = columns.map(({ path, width, isRightAligned, money }) => {
    const value = getValueAt(row, path);
    const cell = pad(truncateCell(sanitize(toCellText(row, path, money)), width), width, isRightAligned);
    const style = getStyle(path, value);
    return style === undefined ? cell : cell.replace(/\S+/u, (text) => paint(style, text));
  });
  return cells.join(' '.repeat(GAP)).trimEnd();
}

function getStyle(path: string, value: unknown): Style | undefined {
  if (path === 'status' && typeof value === 'string') return STATUS_STYLES[value];
  return typeof value === 'number' && value < 0 && STOCK_QUANTITIES.has(path) ? 'red' : undefined;
}
