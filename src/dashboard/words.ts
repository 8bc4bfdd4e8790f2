/** Times, durations, counts and reasons as people say them. */
import { AUTO_DISABLE_H, DELIVERY_RESPONSE_MAX_BYTES, HELD_MAX_H } from '../contract/limits.ts';
import type { DELIVERY_ERRORS } from '../contract/webhooks.ts';

const two = (number: number): string => String(number).padStart(2, '0');

/** `14:03:09`, where the reader is. */
export function clockTime(timestamp: string): string {
  const date = new Date(timestamp);
  return Number.isNaN(date.getTime()) ? '–' : `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
  [1, 's'],
] as const;

/** `34s`, `5m`, `2h`: whole units, rounded down, never less than nothing. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const [size, name] = UNITS.find(([unit]) => seconds >= unit) ?? [1, 's'];
  return `${String(Math.floor(seconds / size))}${name}`;
}

/** Before or after now: `34s ago`, `in 5m`, `now`. */
export function relative(timestamp: string, now: number): string {
  const distance = Date.parse(timestamp) - now;
  if (Number.isNaN(distance)) return '–';
  if (Math.abs(distance) < 1_000 && distance <= 0) return 'now';
  return distance <= 0 ? `${span(-distance)} ago` : `in ${span(distance + 999)}`;
}

/** `7 ms`, `1.2 s`. */
export function took(milliseconds: number | null): string {
  if (milliseconds === null) return '–';
  return milliseconds < 1_000 ? `${String(Math.round(milliseconds))} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}

/** 12345 → `12,345`. */
export const grouped = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');

/** `1 endpoint`, `2 endpoints`. */
export const counted = (count: number, one: string, many: string = `${one}s`): string => `${grouped(count)} ${count === 1 ? one : many}`;

const REASONS: Readonly<Record<(typeof DELIVERY_ERRORS)[number], string>> = {
  timeout: 'The receiver did not answer in time.',
  connection_refused: 'Nothing listens at the address: the receiver is down, or the port is wrong.',
  connection_reset: 'The receiver closed the connection before it had answered.',
  dns_not_found: 'The host name of the address is not known.',
  tls_error: 'No secure connection came about: look at the certificate of the receiver.',
  redirect_not_followed: 'The receiver answered with a redirect, which is never followed: set the final address.',
  target_blocked: 'The address is one that deliveries may not reach: a private network, or plain http where https is required.',
  response_too_large: `The answer was larger than ${grouped(DELIVERY_RESPONSE_MAX_BYTES)} bytes.`,
  endpoint_gone: 'The receiver answered 410 Gone, so the endpoint was disabled.',
  endpoint_disabled: 'The endpoint is disabled; what was open has been discarded.',
  plan_required: 'The plan of the tenant has no webhooks any more.',
  held_too_long: `The endpoint was paused for longer than ${String(HELD_MAX_H)} h, or held too much.`,
  event_expired: 'The event is no longer in the change log, so there was nothing to send.',
};

/** Why an attempt or a delivery failed, in a sentence. Null: it did not. */
export function reasonOf(error: string | null): string | null {
  if (error === null) return null;
  const status = /^http_(\d{3})$/u.exec(error)?.[1];
  if (status !== undefined) return answerReason(Number(status));
  return (REASONS as Readonly<Record<string, string>>)[error] ?? error;
}

function answerReason(status: number): string {
  const answered = `The receiver answered ${String(status)}`;
  if (status === 401 || status === 403) return `${answered}: it does not accept the request; does it check the right signing secret?`;
  if (status === 404) return `${answered}: nothing handles this path; is the address right?`;
  if (status === 429) return `${answered}: it is receiving too much, and will be asked again later.`;
  if (status >= 500) return `${answered}: it failed while handling the event.`;
  return `${answered}, and only 2xx counts as received.`;
}

/** What an operator should know about an endpoint that keeps failing. */
export const autoDisableNote = `It is disabled when nothing succeeds for ${String(AUTO_DISABLE_H)} h.`;
