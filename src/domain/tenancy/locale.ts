/** Currencies and time zones, checked against those of the runtime (ISO 4217, IANA). */
import { invalidField } from '../kernel/errors.ts';

export function checkCurrency(code: string, path: string): void {
  if (Intl.supportedValuesOf('currency').includes(code)) return;
  throw invalidField(path, `${path.slice(1)} must be an ISO 4217 code such as EUR, not ${code}`, 'not_allowed');
}

/** The decimals of a currency: 2 for EUR, 0 for JPY. */
export const getCurrencyDecimals = (code: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions().maximumFractionDigits ?? 2;

/** The time zone in its canonical spelling. Throws 400 for `path` if it is unknown. */
export function checkTimezone(name: string, path: string): string {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // The runtime also accepts offsets such as +01:00, which ignore daylight saving time.
    if (/^[a-z]/iu.test(name)) return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    // Unknown: reported below.
  }
  throw invalidField(path, `${path.slice(1)} must be an IANA time zone such as Europe/Lisbon, not ${name}`, 'not_allowed');
}
