/** The parts of a signed delivery and what can be wrong with them; without the signature itself, so that browsers use it, too. C-6. */
import { DELIVERY_HEADERS, SIGNATURE_PREFIX } from '../contract/headers.ts';
import { SIGNATURE_TOLERANCE_S } from '../contract/limits.ts';

export interface VerifiedWebhook {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** The same in every attempt and for every endpoint: store it to process an event only once. Read from the signed body. */
  readonly eventId: string | null;
  readonly deliveryId: string | null;
  readonly attempt: number | null;
}

type VerificationFailure =
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

export type Headers = Readonly<Record<string, string | readonly string[] | undefined>> | { get(name: string): string | null };

/** Checked before decoding, which would ignore everything after the first invalid character. */
const HEX_DIGEST = /^[0-9a-f]{64}$/iu;
const HEX_SECRET = /^(?:[0-9a-f]{2})+$/iu;

/** The time in seconds that the signature covers, and the digests, of which one must match. */
export interface SignatureParts {
  readonly timestamp: string;
  readonly digests: readonly string[];
}

export function readSignature(headers: Headers): SignatureParts {
  const timestamp = getRequiredHeader(headers, DELIVERY_HEADERS.timestamp);
  const digests = parseDigests(getRequiredHeader(headers, DELIVERY_HEADERS.signature));
  if (!/^\d{1,12}$/u.test(timestamp))
    throw createHeaderError(`${DELIVERY_HEADERS.timestamp} is not a Unix time in seconds: ${timestamp.slice(0, 40)}`);
  return { timestamp, digests };
}

/** Throws unless it is a secret as it was shown, in hexadecimal digits. */
export function checkSecret(secret: string | undefined): asserts secret is string {
  if (!secret) throw new WebhookVerificationError('secret_malformed', 'the signing secret is missing');
  if (!HEX_SECRET.test(secret))
    throw new WebhookVerificationError(
      'secret_malformed',
      'the signing secret is not hexadecimal: use the signingSecret exactly as it was shown',
    );
}

/** Throws if it was signed too long ago. */
export function checkAge(timestamp: string, time: Date, toleranceSeconds = SIGNATURE_TOLERANCE_S): void {
  const age = Math.round(time.getTime() / 1_000) - Number(timestamp);
  // A comparison with NaN is always false, so an invalid option would disable the check.
  if (Number.isNaN(age) || Number.isNaN(toleranceSeconds)) throw new TypeError('toleranceSeconds must be a number and now a valid date');
  if (Math.abs(age) > toleranceSeconds) {
    const text =
      age > 0 ? `stale by ${String(age - toleranceSeconds)} s: signed ${String(age)} s ago` : `signed ${String(-age)} s in the future`;
    throw new WebhookVerificationError('stale', `${text}; the tolerance is ${String(toleranceSeconds)} s`);
  }
}

/** Bodies that a framework may have made of the one that was signed: the most common mistake. */
export const listReformatted = (text: string): readonly string[] =>
  [text.trim(), text.replace(/\r?\n$/u, ''), reserialize(text)].filter((variant) => variant !== text);

export const createMismatchError = (isReformatted: boolean): WebhookVerificationError =>
  isReformatted
    ? createBodyChangedError()
    : new WebhookVerificationError('signature_mismatch', 'the signature does not match: the secret is wrong, or the body was changed');

export const createBodyChangedError = (): WebhookVerificationError =>
  new WebhookVerificationError('body_changed', 'the body was reformatted after it was received: verify the raw bytes, before parsing them');

function reserialize(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

export function parseBody(text: string, headers: Headers): VerifiedWebhook {
  let parsed: Partial<VerifiedWebhook> | null = null;
  try {
    parsed = JSON.parse(text) as Partial<VerifiedWebhook> | null;
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

function parseDigests(header: string): readonly string[] {
  const digests = header
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(SIGNATURE_PREFIX))
    .map((part) => part.slice(SIGNATURE_PREFIX.length))
    .filter((digest) => HEX_DIGEST.test(digest));
  if (digests.length === 0)
    throw createHeaderError(`${DELIVERY_HEADERS.signature} has no signature of the form ${SIGNATURE_PREFIX}<64 hexadecimal digits>`);
  return digests;
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
