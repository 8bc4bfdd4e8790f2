/** The headers of a delivery. Contract part 6; decisions-api §1.6. Signed anew for every attempt, because the timestamp is part of it. */
import { type KeyObject, createHmac, createSecretKey } from 'node:crypto';
import { DELIVERY_HEADERS, SIGNATURE_PREFIX, STANDARD_WEBHOOKS_HEADERS } from '../contract/headers.ts';
import type { DeliveryRecord } from '../domain/deliveries.ts';

/** A key object signs six times as fast as the bytes of the secret. */
export const keyOf = (secretHex: string): KeyObject => createSecretKey(Buffer.from(secretHex, 'hex'));

/** The body is never joined to what stands before it: its bytes are there once, for every endpoint and both signatures. */
const sign = (key: KeyObject, before: string, body: Buffer, encoding: 'hex' | 'base64'): string =>
  createHmac('sha256', key).update(before).update(body).digest(encoding);

/** `v1=<hex>` for each key, the newest first. */
const signature = (keys: readonly KeyObject[], timestamp: string, body: Buffer): string =>
  keys.map((key) => SIGNATURE_PREFIX + sign(key, `${timestamp}.`, body, 'hex')).join(',');

/** Standard Webhooks 1.0.0: `v1,<base64>` parts with blanks between them; covers the event id, which our own signature does not. */
const standardSignature = (keys: readonly KeyObject[], eventId: string, timestamp: string, body: Buffer): string =>
  keys.map((key) => `v1,${sign(key, `${eventId}.${timestamp}.`, body, 'base64')}`).join(' ');

export type SignedHeaders = Readonly<Record<string, string>>;

/** Everything an attempt sends besides its body. `attempt` counts from 1. */
export function deliveryHeaders(
  delivery: Pick<DeliveryRecord, 'id' | 'eventId' | 'eventType'>,
  attempt: number,
  body: Buffer,
  keys: readonly KeyObject[],
  now: Date,
  userAgent: string,
): SignedHeaders {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const { id, eventId, eventType } = delivery;
  return {
    ...commonHeaders(userAgent),
    [DELIVERY_HEADERS.event]: eventType,
    [DELIVERY_HEADERS.timestamp]: timestamp,
    [DELIVERY_HEADERS.signature]: signature(keys, timestamp, body),
    [DELIVERY_HEADERS.eventId]: eventId,
    [DELIVERY_HEADERS.deliveryId]: id,
    [DELIVERY_HEADERS.attempt]: String(attempt),
    [STANDARD_WEBHOOKS_HEADERS.id]: eventId,
    [STANDARD_WEBHOOKS_HEADERS.timestamp]: timestamp,
    [STANDARD_WEBHOOKS_HEADERS.signature]: standardSignature(keys, eventId, timestamp, body),
  };
}

/** The connectivity check is unsigned and says only what it is. Contract part 6. */
export const testHeaders = (event: string, userAgent: string): SignedHeaders => ({
  ...commonHeaders(userAgent),
  [DELIVERY_HEADERS.event]: event,
});

const commonHeaders = (userAgent: string): SignedHeaders => ({
  'content-type': 'application/json; charset=utf-8',
  'user-agent': userAgent,
  accept: '*/*',
});
