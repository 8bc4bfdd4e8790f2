/** The headers of a delivery. C-6, W-6. Each attempt is signed again, because its timestamp is part of the signed text. */
import { type KeyObject, createHmac, createSecretKey } from 'node:crypto';
import { DELIVERY_HEADERS, SIGNATURE_PREFIX, STANDARD_WEBHOOKS_HEADERS } from '../contract/headers.ts';
import type { DeliveryRecord } from '../domain/events/records.ts';

/** A key object signs six times as fast as the bytes of the secret. */
export const createSigningKey = (secretHex: string): KeyObject => createSecretKey(Buffer.from(secretHex, 'hex'));

/** The prefix is hashed separately, so that the body, which all endpoints and both signatures share, is never copied. */
const computeHmac = (key: KeyObject, prefix: string, body: Buffer, encoding: 'hex' | 'base64'): string =>
  createHmac('sha256', key).update(prefix).update(body).digest(encoding);

/** `v1=<hex>` for each key, the newest first. */
const createSignature = (keys: readonly KeyObject[], timestamp: string, body: Buffer): string =>
  keys.map((key) => SIGNATURE_PREFIX + computeHmac(key, `${timestamp}.`, body, 'hex')).join(',');

/** Standard Webhooks 1.0.0: space-separated `v1,<base64>`. Covers the event id, which our own signature does not. */
const createStandardSignature = (keys: readonly KeyObject[], eventId: string, timestamp: string, body: Buffer): string =>
  keys.map((key) => `v1,${computeHmac(key, `${eventId}.${timestamp}.`, body, 'base64')}`).join(' ');

export type SignedHeaders = Readonly<Record<string, string>>;

/** The headers of an attempt. `attempt` counts from 1. */
export function createDeliveryHeaders(
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
    ...createCommonHeaders(userAgent),
    [DELIVERY_HEADERS.event]: eventType,
    [DELIVERY_HEADERS.timestamp]: timestamp,
    [DELIVERY_HEADERS.signature]: createSignature(keys, timestamp, body),
    [DELIVERY_HEADERS.eventId]: eventId,
    [DELIVERY_HEADERS.deliveryId]: id,
    [DELIVERY_HEADERS.attempt]: String(attempt),
    [STANDARD_WEBHOOKS_HEADERS.id]: eventId,
    [STANDARD_WEBHOOKS_HEADERS.timestamp]: timestamp,
    [STANDARD_WEBHOOKS_HEADERS.signature]: createStandardSignature(keys, eventId, timestamp, body),
  };
}

/** The headers of a connectivity check, which is not signed. C-6. */
export const createCheckHeaders = (event: string, userAgent: string): SignedHeaders => ({
  ...createCommonHeaders(userAgent),
  [DELIVERY_HEADERS.event]: event,
});

const createCommonHeaders = (userAgent: string): SignedHeaders => ({
  'content-type': 'application/json; charset=utf-8',
  'user-agent': userAgent,
  accept: '*/*',
});
