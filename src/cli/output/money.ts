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
  /** Decimals that amounts without a currency of their own have, and the most that one has. */
  readonly least: number;
  readonly most: number;
  /** The currency of all rows, if it is known and only one. */
  readonly currency: string | undefined;
}

/** Whether the unit of a column is a currency. */
export function isMoneyColumn(path: string, rows: readonly unknown[]): boolean {
  return MONEY.has(path.slice(path.lastIndexOf('.') + 1)) || isMovementValue(path, rows);
}

/** Whether amounts in these columns have the currency of the tenant, because their record names none. */
export const needsTenantCurrency = (paths: readonly string[], rows: readonly unknown[]): boolean =>
  paths.some((path) => isMoneyColumn(path, rows)) && rows.some((row) => getCurrency(row) === undefined);

/** How the amounts of a column are written; undefined for other columns. `tenantCurrency`: of rows that name none. */
export function toMoneyColumn(path: string, rows: readonly unknown[], tenantCurrency?: string): MoneyColumn | undefined {
  if (!isMoneyColumn(path, rows)) return undefined;
  const record = path.slice(0, path.lastIndexOf('.') + 1);
  const currencies = [...new Set(rows.map((row) => getCurrency(row) ?? tenantCurrency))];
  // Without a currency, amounts that are all whole are written so: it may have no decimals.
  const hasDecimals = () => MONEY_FIELDS.some((field) => countMostDecimals(record + field, rows) > 0);
  const count = (currency: string | undefined): number => (currency === undefined ? (hasDecimals() ? 2 : 0) : getDecimals(currency));
  const [currency, ...others] = currencies;
  const most = Math.max(countMostDecimals(path, rows), ...currencies.map(count));
  return { least: count(tenantCurrency ?? currency), most, currency: others.length === 0 ? currency : undefined };
}

/** `142.31`; with its currency if the column has several. */
export function formatMoney(amount: number, { least, most, currency }: MoneyColumn, row: unknown): string {
  const own = getCurrency(row);
  const decimals = Math.max(own === undefined ? least : getDecimals(own), countDecimals(amount));
  const text = amount.toFixed(decimals) + ' '.repeat(Math.max(0, getFractionWidth(most) - getFractionWidth(decimals)));
  return currency === undefined && own !== undefined ? `${text} ${own}` : text;
}

/** With the point. */
const getFractionWidth = (decimals: number): number => (decimals === 0 ? 0 : decimals + 1);

/** `142.31 EUR` */
export const formatAmount = (amount: number, currency: string): string => `${formatDecimals(amount, currency)} ${currency}`;

/** `142.31`, with at least the decimals of the currency. */
export const formatDecimals = (amount: number, currency: string): string =>
  amount.toFixed(Math.max(getDecimals(currency), countDecimals(amount)));

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

const knownDecimals = new Map<string, number>();

function getDecimals(currency: string): number {
  const decimals = knownDecimals.get(currency) ?? readDecimals(currency);
  knownDecimals.set(currency, decimals);
  return decimals;
}

/** Loaded only for currencies, because it takes longer than a request. */
function readDecimals(currency: string): number {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}
