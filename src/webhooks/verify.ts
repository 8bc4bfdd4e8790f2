/** What a receiver does before it reads a delivery: prove that stockroom sent exactly these bytes, and lately. Contract part 6. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isAnyArrayBuffer } from 'node:util/types';
import { DELIVERY_HEADERS, SIGNATURE_PREFIX } from '../contract/headers.ts';
import { SIGNATURE_TOLERANCE_S } from '../contract/limits.ts';

export interface VerifyOptions {
  /** How old, or how far in the future, a signature may be. */
  readonly toleranceSeconds?: number;
  /** For tests. */
  readonly now?: Date;
}

export interface VerifiedWebhook {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The same for every attempt and endpoint: remember it to handle an event once. Taken from the signed body. */
  readonly eventId: string | null;
  readonly deliveryId: string | null;
  readonly attempt: number | null;
}

export type VerificationFailure =
  | 'header_missing'
  | 'header_malformed'
  | 'stale'
  | 'secret_malformed'
  | 'body_changed'
  | 'signature_mismatch'
  | 'body_malformed';

export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly reason: VerificationFailure;
  constructor(reason: VerificationFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null };

const SECRET = /^(?:[0-9a-f]{2})+$/iu;

/**
 * The verified delivery, or throws a `WebhookVerificationError` that says why not.
 * `rawBody` is what came, before any parsing; `secret` is the signing secret as it was shown. Without a secret nothing is verified.
 *
 *     const { event, data, eventId } = verifyWebhook(rawBody, request.headers, process.env.SIGNING_SECRET);
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: Headers,
  secret: string | undefined,
  { toleranceSeconds = SIGNATURE_TOLERANCE_S, now = new Date() }: VerifyOptions = {},
): VerifiedWebhook {
  const timestamp = required(headers, DELIVERY_HEADERS.timestamp);
  const signatures = partsOf(required(headers, DELIVERY_HEADERS.signature));
  if (!/^\d{1,12}$/u.test(timestamp))
    throw malformed(`${DELIVERY_HEADERS.timestamp} is not a number of unix seconds: ${timestamp.slice(0, 40)}`);
  if (!secret) throw new WebhookVerificationError('secret_malformed', 'there is no secret to verify with');
  if (!SECRET.test(secret))
    throw new WebhookVerificationError('secret_malformed', 'the secret is not hexadecimal: use the signingSecret exactly as it was shown');
  const key = Buffer.from(secret, 'hex');
  if (typeof rawBody !== 'string' && !ArrayBuffer.isView(rawBody) && !isAnyArrayBuffer(rawBody)) throw bodyChanged();
  const bytes = Buffer.from(rawBody as string);
  if (!matches(key, timestamp, bytes, signatures)) throw mismatch(key, timestamp, bytes, signatures);
  // Only now: whoever cannot sign learns nothing about the clock, and the reason is the true one.
  const age = Math.round(now.getTime() / 1_000) - Number(timestamp);
  // No age is more than NaN, so that a setting which is missing would switch the check off.
  if (Number.isNaN(age) || Number.isNaN(toleranceSeconds))
    throw new TypeError('toleranceSeconds and now must be a number and a valid date');
  if (Math.abs(age) > toleranceSeconds) {
    const text =
      age > 0 ? `stale by ${String(age - toleranceSeconds)} s: signed ${String(age)} s ago` : `signed ${String(-age)} s in the future`;
    throw new WebhookVerificationError('stale', `${text}, and ${String(toleranceSeconds)} s are allowed`);
  }
  return verified(bytes, headers);
}

function matches(key: Buffer, timestamp: string, body: Buffer, signatures: readonly Buffer[]): boolean {
  const expected = createHmac('sha256', key).update(`${timestamp}.`).update(body).digest();
  return signatures.some((given) => given.length === expected.length && timingSafeEqual(given, expected));
}

/** The commonest mistake is to verify a body that a framework has parsed and written again: that can be told from a wrong secret. */
function mismatch(key: Buffer, timestamp: string, body: Buffer, signatures: readonly Buffer[]): WebhookVerificationError {
  const text = body.toString('utf8');
  const variants = [text.trim(), text.replace(/\r?\n$/u, ''), rewritten(text)];
  if (variants.some((variant) => variant !== text && matches(key, timestamp, Buffer.from(variant), signatures))) {
    return bodyChanged();
  }
  return new WebhookVerificationError(
    'signature_mismatch',
    'the signature does not match: the secret is another one, or the body is not what was sent',
  );
}

const bodyChanged = (): WebhookVerificationError =>
  new WebhookVerificationError(
    'body_changed',
    'the body was changed on the way: verify the raw bytes, before anything parses or reformats them',
  );

function rewritten(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function verified(body: Buffer, headers: Headers): VerifiedWebhook {
  let parsed: Partial<VerifiedWebhook> | null = null;
  try {
    parsed = JSON.parse(body.toString('utf8')) as Partial<VerifiedWebhook> | null;
  } catch {
    // Told below.
  }
  if (typeof parsed?.event !== 'string' || typeof parsed.data !== 'object' || parsed.data === null)
    throw new WebhookVerificationError('body_malformed', 'the signature is right, but the body is not {"event", "data"}');
  const { event, data } = parsed;
  const attempt = headerOf(headers, DELIVERY_HEADERS.attempt);
  const eventId = data['eventId'];
  return {
    event,
    data,
    eventId: typeof eventId === 'string' ? eventId : null,
    deliveryId: headerOf(headers, DELIVERY_HEADERS.deliveryId) ?? null,
    attempt: attempt === undefined ? null : Number(attempt),
  };
}

function partsOf(header: string): readonly Buffer[] {
  const parts = header
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(SIGNATURE_PREFIX))
    .map((part) => Buffer.from(part.slice(SIGNATURE_PREFIX.length), 'hex'));
  if (parts.length === 0) throw malformed(`${DELIVERY_HEADERS.signature} has no part of the form ${SIGNATURE_PREFIX}<hex>`);
  return parts;
}

function required(headers: Headers, name: string): string {
  const value = headerOf(headers, name);
  if (value === undefined) throw new WebhookVerificationError('header_missing', `the header ${name} is missing`);
  return value;
}

const malformed = (message: string): WebhookVerificationError => new WebhookVerificationError('header_malformed', message);

function headerOf(headers: Headers, name: string): string | undefined {
  if (typeof headers.get === 'function') return (headers as { get(name: string): string | null }).get(name) ?? undefined;
  const record = headers as Readonly<Record<string, string | readonly string[] | undefined>>;
  const found = record[name.toLowerCase()] ?? Object.entries(record).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  return typeof found === 'string' ? found : found?.[0];
}
