/** One record at a terminal: lines of label and value. */
import { sanitize } from '../../platform/terminal-text.ts';
import { getValueAt, isId, toDisplayText, toPlainText } from './fields.ts';
import { toLabel } from './labels.ts';
import { formatAmount, formatMoney, toMoneyColumn } from './money.ts';
import type { Paint } from './style.ts';
import { measureWidth, pad, wrapText } from './text-width.ts';

const GAP = 2;
const EMPTY_LABEL = 'Not set';

export interface DetailOptions {
  readonly paint: Paint;
  readonly terminalWidth: number | undefined;
  /** Whether all fields are shown, in the given order, because the user chose them. */
  readonly keepAll: boolean;
  /** Of amounts whose record names no currency. */
  readonly tenantCurrency?: string | undefined;
}

/** Formats a record; values longer than the terminal is wide are wrapped. Ids come last, and empty fields share a line. */
export function formatDetails(
  paths: readonly string[],
  record: unknown,
  { paint, terminalWidth, keepAll, tenantCurrency }: DetailOptions,
): readonly string[] {
  const own = keepAll ? paths : listIdsLast(paths, record);
  const empty = keepAll ? [] : own.filter((path) => ['', '{}'].includes(toPlainText(getValueAt(record, path))));
  const shown = own.filter((path) => !empty.includes(path));
  const entries = shown.map((path): readonly [label: string, text: string] => [toLabel(path), formatValue(record, path, tenantCurrency)]);
  const all = empty.length === 0 ? entries : [...entries, [EMPTY_LABEL, empty.map(toLabel).map(lowerFirst).join(', ')] as const];
  const width = Math.max(0, ...all.map(([label]) => measureWidth(sanitize(label)))) + GAP;
  return all.flatMap(([label, text]) => {
    const [first = '', ...rest] = wrapText(sanitize(text), (terminalWidth ?? Infinity) - width);
    return [paint('dim', pad(sanitize(label), width)) + first, ...rest.map((line) => ' '.repeat(width) + line)];
  });
}

const formatValue = (record: unknown, path: string, tenantCurrency: string | undefined): string => {
  const value = getValueAt(record, path);
  const money = typeof value === 'number' ? toMoneyColumn(path, [record], tenantCurrency) : undefined;
  if (money === undefined || typeof value !== 'number') return toDisplayText(value);
  return money.currency === undefined ? formatMoney(value, money, record) : formatAmount(value, money.currency);
};

/** People read the other fields. The id of a record that is named is not needed. */
function listIdsLast(paths: readonly string[], record: unknown): readonly string[] {
  const others = paths.filter((path) => !(path.endsWith('Id') && NAMES.some((name) => paths.includes(path.replace(/Id$/u, name)))));
  const isIdField = (path: string): boolean => isId(getValueAt(record, path));
  return [...others.filter((path) => !isIdField(path)), ...others.filter(isIdField)];
}

const NAMES = ['.name', '.symbol', '.orderNumber'];

/** `Sale price` → `sale price`; `SKU` stays. */
const lowerFirst = (label: string): string => (/^[A-Z]{2}/u.test(label) ? label : label.replace(/^./u, (first) => first.toLowerCase()));
