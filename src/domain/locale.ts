/** Currencies and time zones, checked against what the runtime knows (ISO 4217, IANA). */
import { invalidField } from './errors.ts';

export function checkCurrency(code: string, path: string): void {
  if (Intl.supportedValuesOf('currency').includes(code)) return;
  throw invalidField(path, `${path.slice(1)} must be an ISO 4217 code such as EUR; there is no ${code}`, 'not_allowed');
}

/** Decimals of the currency's minor unit: 2 for EUR, 0 for JPY. */
export const currencyDecimals = (code: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions().maximumFractionDigits ?? 2;

/** The zone in its usual spelling. */
export function checkTimezone(name: string, path: string): string {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // The runtime also takes offsets such as +01:00, which know nothing of summer time.
    if (/^[a-z]/iu.test(name)) return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    // Unknown: told below.
  }
  throw invalidField(path, `${path.slice(1)} must be an IANA time zone such as Europe/Lisbon; there is no ${name}`, 'not_allowed');
}
