/** Verifies that stockroom sent exactly these bytes, and recently. A receiver calls it before it parses a delivery. C-6. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isAnyArrayBuffer } from 'node:util/types';
import {
  type Headers,
  type SignatureParts,
  type VerifiedWebhook,
  checkAge,
  checkSecret,
  createBodyChangedError,
  createMismatchError,
  listReformatted,
  parseBody,
  readSignature,
} from './delivery.ts';

export { type VerifiedWebhook, WebhookVerificationError } from './delivery.ts';

export interface VerifyOptions {
  /** Maximum age of a signature, and how far it may be in the future. Default: 300. */
  readonly toleranceSeconds?: number;
  /** The time, or a clock: `now` of `startStockroom()` when a test moves the clock of the service. Default: the system clock. */
  readonly now?: Date | (() => Date);
}

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
  { toleranceSeconds, now = new Date() }: VerifyOptions = {},
): VerifiedWebhook {
  const parts = readSignature(headers);
  checkSecret(secret);
  const key = Buffer.from(secret, 'hex');
  if (typeof rawBody !== 'string' && !ArrayBuffer.isView(rawBody) && !isAnyArrayBuffer(rawBody)) throw createBodyChangedError();
  const bytes = Buffer.from(rawBody as string);
  const text = bytes.toString('utf8');
  if (!matches(key, parts, bytes))
    throw createMismatchError(listReformatted(text).some((other) => matches(key, parts, Buffer.from(other))));
  // After the signature, so that only a valid signature gives information about the clock.
  checkAge(parts.timestamp, typeof now === 'function' ? now() : now, toleranceSeconds);
  return parseBody(text, headers);
}

function matches(key: Buffer, { timestamp, digests }: SignatureParts, body: Buffer): boolean {
  const expected = createHmac('sha256', key).update(`${timestamp}.`).update(body).digest();
  return digests.some((digest) => timingSafeEqual(Buffer.from(digest, 'hex'), expected));
}
