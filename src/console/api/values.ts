/** Values as people read them: money in the currency, times in the time zone of the tenant. Without a known currency money is a number. */
import { LOCALE } from './locale.ts';

export type Format = ReturnType<typeof createFormat>;

/** Instead of a value that there is not. */
export const NONE = '–';

const DAY_S = 86_400;
/** Whole amounts stay whole, because the currency may have no decimals. */
const UNKNOWN_CURRENCY = { minimumFractionDigits: 2, maximumFractionDigits: 2, trailingZeroDisplay: 'stripIfInteger' } as const;

export function createFormat(currency?: string, timeZone = 'UTC', locale = LOCALE) {
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 6 });
  const changes = new Intl.NumberFormat(locale, { maximumFractionDigits: 6, signDisplay: 'exceptZero' });
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const times = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const hours = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone });
  const dates = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone });
  const clocks = new Intl.DateTimeFormat(locale, {
    month: 'short',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZone,
  });
  const amounts = new Intl.NumberFormat(locale, currency === undefined ? UNKNOWN_CURRENCY : { style: 'currency', currency });
  const monies = new Map<string, Intl.NumberFormat>();
  const getMoney = (code = ''): Intl.NumberFormat => {
    const style = code === '' ? UNKNOWN_CURRENCY : ({ style: 'currency', currency: code } as const);
    const found = monies.get(code) ?? new Intl.NumberFormat(locale, { ...style, maximumFractionDigits: 6 });
    monies.set(code, found);
    return found;
  };
  const orNone =
    <T>(format: (value: T) => string) =>
    (value: T | null | undefined): string =>
      value === null || value === undefined || value === '' ? NONE : format(value);
  return {
    /** With all decimals, as prices and costs have them. */
    money: (value: number | null | undefined, code = currency) => orNone(getMoney(code).format)(value),
    /** In the minor unit of the currency. */
    amount: orNone((value: number) => amounts.format(value)),
    number: orNone((value: number) => numbers.format(value)),
    /** A number with its sign. */
    change: orNone((value: number) => changes.format(value)),
    /** A day, `2026-11-25`, which has no time zone. */
    day: orNone((value: string) => days.format(new Date(`${value.slice(0, 10)}T00:00:00Z`))),
    time: orNone((value: string) => times.format(new Date(value))),
    /** With seconds, for logs. */
    clock: orNone((value: string) => clocks.format(new Date(value))),
    /** Labels of an axis, for epoch seconds: the day is below the first time of each, or alone if they are days apart. */
    ticks: (seconds: readonly number[], stepSeconds: number): string[] =>
      seconds.map((time, at) => {
        const day = dates.format(time * 1_000);
        if (stepSeconds >= DAY_S) return day;
        const before = seconds[at - 1];
        const isSameDay = before !== undefined && dates.format(before * 1_000) === day;
        return hours.format(time * 1_000) + (isSameDay ? '' : `\n${day}`);
      }),
    timeZone,
    today: new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(new Date()),
  };
}

/** `salePrice`, `in_progress` → `Sale price`, `In progress`. */
export function toLabel(name: string): string {
  const words = name
    .replaceAll(/[_.]/gu, ' ')
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2')
    .toLowerCase()
    .replace(/(?<!external) id$/u, '')
    .replaceAll(/\b(?:sku|mpn|url|ip|id|http)\b/gu, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
