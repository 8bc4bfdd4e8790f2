/** Amounts of money in tables and details: at least as many decimals as the currency has, and aligned at the point. */
import { getValueAt } from './fields.ts';

/** The fields whose unit is the currency of the order or of the tenant. */
export const MONEY_FIELDS: readonly string[] = [
  'salePrice',
  'purchasePrice',
  'unitPrice',
  'subtotal',
  'discountTotal',
  'taxTotal',
  'total',
  'lineSubtotal',
  'lineDiscount',
  'lineTax',
  'lineTotal',
  'unitCost',
  'totalCost',
  'averageCost',
  'stockValue',
  'postedUnitCost',
  'postedValue',
  'reversedValue',
  'postedVariance',
  'reversedVariance',
  'totalVariance',
  'stockValueAfter',
  'averageCostAfter',
];
const MONEY: ReadonlySet<string> = new Set(MONEY_FIELDS);

export interface MoneyColumn {
  /** Decimals that every amount has, and the most that one has. */
  readonly least: number;
  readonly most: number;
  /** The currency of all rows, if they name one and only one. */
  readonly currency: string | undefined;
}

/** How the amounts of a column are written; undefined for other columns. */
export function toMoneyColumn(path: string, rows: readonly unknown[]): MoneyColumn | undefined {
  const record = path.slice(0, path.lastIndexOf('.') + 1);
  if (!MONEY.has(path.slice(record.length)) && !isMovementValue(path, rows)) return undefined;
  const [currency, ...others] = new Set(rows.map(getCurrency));
  const used = countMostDecimals(path, rows);
  // Without a currency, amounts that are all whole are written so: it may have no decimals.
  const hasDecimals = () => MONEY_FIELDS.some((field) => countMostDecimals(record + field, rows) > 0);
  const least = currency === undefined ? (hasDecimals() ? 2 : 0) : getDecimals(currency);
  return { least, most: Math.max(least, used), currency: others.length === 0 ? currency : undefined };
}

/** `142.31`; with its currency if the column has several. */
export function formatMoney(amount: number, { least, most, currency }: MoneyColumn, row: unknown): string {
  const decimals = Math.max(least, countDecimals(amount));
  const text = amount.toFixed(decimals) + ' '.repeat(Math.max(0, most - decimals));
  const own = getCurrency(row);
  return currency === undefined && own !== undefined ? `${text} ${own}` : text;
}

/** `142.31 EUR` */
export const formatAmount = (amount: number, currency: string): string =>
  `${amount.toFixed(Math.max(getDecimals(currency), countDecimals(amount)))} ${currency}`;

/** Of a stock movement; `value` of other records is no money. */
const isMovementValue = (path: string, rows: readonly unknown[]): boolean =>
  path === 'value' && rows.some((row) => typeof getValueAt(row, 'stockValueAfter') === 'number');

const getCurrency = (row: unknown): string | undefined => {
  const currency = getValueAt(row, 'currency');
  return typeof currency === 'string' ? currency : undefined;
};

const countMostDecimals = (path: string, rows: readonly unknown[]): number =>
  rows.reduce<number>((most, row) => {
    const amount = getValueAt(row, path);
    return typeof amount === 'number' ? Math.max(most, countDecimals(amount)) : most;
  }, 0);

const countDecimals = (amount: number): number => (String(amount).split('.')[1] ?? '').length;

/** Loaded only for currencies, because it takes longer than a request. */
function getDecimals(currency: string): number {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}
