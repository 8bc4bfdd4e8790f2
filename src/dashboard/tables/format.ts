/** Formats times, durations, counts and error reasons for people. */
import { AUTO_DISABLE_H, DELIVERY_RESPONSE_MAX_BYTES, HELD_MAX_H, HELD_MAX_ROWS } from '../../contract/limits.ts';
import type { DELIVERY_ERRORS } from '../../contract/resources/webhooks.ts';

/** `14:03:09` in the local time zone. */
export function formatTime(timestamp: string): string {
  const date = new Date(timestamp);
  return Number.isNaN(date.getTime()) ? '–' : date.toTimeString().slice(0, 8);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const RECENT_MS = 12 * 3_600_000;

/** `14:03:09`, or `Nov 22` when it is more than 12 hours from `now`, so that a time never belongs to another day than it seems to. */
export function formatTimeOrDate(timestamp: string, now: number): string {
  const date = new Date(timestamp);
  if (!(Math.abs(date.getTime() - now) > RECENT_MS)) return formatTime(timestamp);
  return formatDay(date);
}

const formatDay = (date: Date): string => `${MONTHS[date.getMonth()]!} ${String(date.getDate()).padStart(2)}`;

/** `14:03:09`, or `Nov 22 14:03:09` on another day than `now`. */
export function formatTimeAndDate(timestamp: string, now: number): string {
  const date = new Date(timestamp);
  const isSameDay = Number.isNaN(date.getTime()) || date.toDateString() === new Date(now).toDateString();
  return isSameDay ? formatTime(timestamp) : `${formatDay(date)} ${formatTime(timestamp)}`;
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
  [1, 's'],
] as const;

/** `34s`, `5m`, `2h`: whole units, rounded down, at least zero. */
export function formatInterval(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const [size, name] = UNITS.find(([unit]) => seconds >= unit) ?? [1, 's'];
  return `${String(Math.floor(seconds / size))}${name}`;
}

/** Relative to `now`: `34s ago`, `in 5m`, `now`. */
export function formatRelative(timestamp: string, now: number): string {
  const distance = Date.parse(timestamp) - now;
  if (Number.isNaN(distance)) return '–';
  if (Math.abs(distance) < 1_000 && distance <= 0) return 'now';
  return distance <= 0 ? `${formatInterval(-distance)} ago` : `in ${formatInterval(distance + 999)}`;
}

/** `7 ms`, `1.2 s`. */
export function formatDuration(milliseconds: number | null): string {
  if (milliseconds === null) return '–';
  return milliseconds < 1_000 ? `${String(Math.round(milliseconds))} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}

const NUMBERS = new Intl.NumberFormat('en', { maximumFractionDigits: 20, signDisplay: 'negative' });

/** Also a quantity with decimals: 12345.5 → `12,345.5`. */
export const formatNumber = (value: number): string => NUMBERS.format(value);

/** `1 endpoint`, `2 endpoints`. */
export const formatCount = (count: number, one: string, many: string = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

const REASONS: Readonly<Record<(typeof DELIVERY_ERRORS)[number], string>> = {
  timeout: 'The receiver did not answer in time.',
  connection_refused: 'Nothing listens at this address: the receiver is down, or the port is wrong.',
  connection_reset: 'The receiver closed the connection before responding.',
  dns_not_found: 'The host name could not be resolved.',
  tls_error: 'The TLS handshake failed: check the receiver’s certificate.',
  redirect_not_followed: 'The receiver redirected, and redirects are not followed: use the final URL.',
  target_blocked:
    'Deliveries to this address are blocked: it is private, the machine of a published service, or http where https is required.',
  response_too_large: `The response was larger than ${formatNumber(DELIVERY_RESPONSE_MAX_BYTES)} bytes.`,
  endpoint_gone: 'The receiver answered 410 Gone, so the endpoint was disabled.',
  endpoint_disabled: 'The endpoint is disabled; open deliveries were discarded.',
  plan_required: 'The tenant’s plan no longer includes webhooks.',
  held_too_long: `The endpoint was paused for longer than ${String(HELD_MAX_H)} h.`,
  too_many_held: `The endpoint was paused and held more than ${formatNumber(HELD_MAX_ROWS)} deliveries.`,
  event_expired: 'The event has expired from the change log.',
};

/** Explains why an attempt or a delivery failed; null if it did not. */
export function explainError(error: string | null): string | null {
  if (error === null) return null;
  const status = /^http_(\d{3})$/u.exec(error)?.[1];
  if (status !== undefined) return explainStatus(Number(status));
  return (REASONS as Readonly<Record<string, string>>)[error] ?? error;
}

function explainStatus(status: number): string {
  const answered = `The receiver answered ${String(status)}`;
  if (status === 401 || status === 403) return `${answered}: check its signing secret and credentials.`;
  if (status === 404) return `${answered}: check the path of the URL.`;
  if (status === 429) return `${answered}: it is rate limited; the delivery is retried later.`;
  if (status >= 500) return `${answered}: it failed to handle the event.`;
  return `${answered}; only 2xx counts as delivered.`;
}

/** Shown for an endpoint that keeps failing. */
export const autoDisableNote = `It is disabled after ${String(AUTO_DISABLE_H)} h without success.`;

/** Indents JSON; returns other text unchanged. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
