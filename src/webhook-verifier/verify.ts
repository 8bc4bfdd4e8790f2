/** Verifies that stockroom sent exactly these bytes, and recently. A receiver calls it before it parses a delivery. C-6. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isAnyArrayBuffer } from 'node:util/types';
import { DELIVERY_HEADERS, SIGNATURE_PREFIX } from '../contract/headers.ts';
import { SIGNATURE_TOLERANCE_S } from '../contract/limits.ts';

export interface VerifyOptions {
  /** Maximum age of a signature, and how far it may be in the future. Default: 300. */
  readonly toleranceSeconds?: number;
  /** The time, or a clock: `now` of `startStockroom()` when a test moves the clock of the service. Default: the system clock. */
  readonly now?: Date | (() => Date);
}

export interface VerifiedWebhook {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The same in every attempt and for every endpoint: store it to process an event only once. Read from the signed body. */
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

/** Checked before decoding, which would ignore everything after the first invalid character. */
const HEX_DIGEST = /^[0-9a-f]{64}$/iu;
const HEX_SECRET = /^(?:[0-9a-f]{2})+$/iu;

/**
 * Returns the verified delivery, or throws a `WebhookVerificationError` with the reason. `rawBody` is the body as it was received, before
 * any parsing; `secret` is the signing secret as it was shown. A missing secret is an error.
 *
 *     const { event, data, eventId } = verifyWebhook(rawBody, request.headers, process.env.SIGNING_SECRET);
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: Headers,
  secret: string | undefined,
  { toleranceSeconds = SIGNATURE_TOLERANCE_S, now = new Date() }: VerifyOptions = {},
): VerifiedWebhook {
  const timestamp = getRequiredHeader(headers, DELIVERY_HEADERS.timestamp);
  const signatures = parseSignatures(getRequiredHeader(headers, DELIVERY_HEADERS.signature));
  if (!/^\d{1,12}$/u.test(timestamp))
    throw createHeaderError(`${DELIVERY_HEADERS.timestamp} is not a Unix time in seconds: ${timestamp.slice(0, 40)}`);
  if (!secret) throw new WebhookVerificationError('secret_malformed', 'the signing secret is missing');
  if (!HEX_SECRET.test(secret))
    throw new WebhookVerificationError(
      'secret_malformed',
      'the signing secret is not hexadecimal: use the signingSecret exactly as it was shown',
    );
  const key = Buffer.from(secret, 'hex');
  if (typeof rawBody !== 'string' && !ArrayBuffer.isView(rawBody) && !isAnyArrayBuffer(rawBody)) throw createBodyChangedError();
  const bytes = Buffer.from(rawBody as string);
  if (!matchesAny(key, timestamp, bytes, signatures)) throw explainMismatch(key, timestamp, bytes, signatures);
  // After the signature, so that only a valid signature gives information about the clock.
  const time = typeof now === 'function' ? now() : now;
  const age = Math.round(time.getTime() / 1_000) - Number(timestamp);
  // A comparison with NaN is always false, so an invalid option would disable the check.
  if (Number.isNaN(age) || Number.isNaN(toleranceSeconds)) throw new TypeError('toleranceSeconds must be a number and now a valid date');
  if (Math.abs(age) > toleranceSeconds) {
    const text =
      age > 0 ? `stale by ${String(age - toleranceSeconds)} s: signed ${String(age)} s ago` : `signed ${String(-age)} s in the future`;
    throw new WebhookVerificationError('stale', `${text}; the tolerance is ${String(toleranceSeconds)} s`);
  }
  return parseBody(bytes, headers);
}

function matchesAny(key: Buffer, timestamp: string, body: Buffer, signatures: readonly Buffer[]): boolean {
  const expected = createHmac('sha256', key).update(`${timestamp}.`).update(body).digest();
  return signatures.some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
}

/** Recognizes the most common mistake: verifying a body that a framework has parsed and serialized again. */
function explainMismatch(key: Buffer, timestamp: string, body: Buffer, signatures: readonly Buffer[]): WebhookVerificationError {
  const text = body.toString('utf8');
  const variants = [text.trim(), text.replace(/\r?\n$/u, ''), reserialize(text)];
  if (variants.some((variant) => variant !== text && matchesAny(key, timestamp, Buffer.from(variant), signatures))) {
    return createBodyChangedError();
  }
  return new WebhookVerificationError('signature_mismatch', 'the signature does not match: the secret is wrong, or the body was changed');
}

const createBodyChangedError = (): WebhookVerificationError =>
  new WebhookVerificationError('body_changed', 'the body was reformatted after it was received: verify the raw bytes, before parsing them');

function reserialize(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

function parseBody(body: Buffer, headers: Headers): VerifiedWebhook {
  let parsed: Partial<VerifiedWebhook> | null = null;
  try {
    parsed = JSON.parse(body.toString('utf8')) as Partial<VerifiedWebhook> | null;
  } catch {
    // Reported below.
  }
  if (typeof parsed?.event !== 'string' || typeof parsed.data !== 'object' || parsed.data === null)
    throw new WebhookVerificationError('body_malformed', 'the signature is valid, but the body is not an object with "event" and "data"');
  const { event, data } = parsed;
  const attempt = getHeader(headers, DELIVERY_HEADERS.attempt);
  const eventId = data['eventId'];
  return {
    event,
    data,
    eventId: typeof eventId === 'string' ? eventId : null,
    deliveryId: getHeader(headers, DELIVERY_HEADERS.deliveryId) ?? null,
    attempt: attempt === undefined ? null : Number(attempt),
  };
}

function parseSignatures(header: string): readonly Buffer[] {
  const signatures = header
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(SIGNATURE_PREFIX))
    .map((part) => part.slice(SIGNATURE_PREFIX.length))
    .filter((digest) => HEX_DIGEST.test(digest))
    .map((digest) => Buffer.from(digest, 'hex'));
  if (signatures.length === 0)
    throw createHeaderError(`${DELIVERY_HEADERS.signature} has no signature of the form ${SIGNATURE_PREFIX}<64 hexadecimal digits>`);
  return signatures;
}

function getRequiredHeader(headers: Headers, name: string): string {
  const value = getHeader(headers, name);
  if (value === undefined) throw new WebhookVerificationError('header_missing', `missing header ${name}`);
  return value;
}

const createHeaderError = (message: string): WebhookVerificationError => new WebhookVerificationError('header_malformed', message);

function getHeader(headers: Headers, name: string): string | undefined {
  if (typeof headers.get === 'function') return (headers as { get(name: string): string | null }).get(name) ?? undefined;
  const record = headers as Readonly<Record<string, string | readonly string[] | undefined>>;
  const value = record[name.toLowerCase()] ?? Object.entries(record).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
  return typeof value === 'string' ? value : value?.[0];
}
