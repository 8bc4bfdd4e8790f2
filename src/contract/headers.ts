/** Names and values of the API's own headers. */
export const API_KEY = 'x-api-key';
export const IDEMPOTENCY_KEY = 'idempotency-key';
/** Every field value of RFC 9110 §5.5 except the empty one: no control characters, no white space around it. */
export const IDEMPOTENCY_KEY_PATTERN = '^[\\x21-\\x7e\\x80-\\xff](?:[\\t\\x20-\\x7e\\x80-\\xff]*[\\x21-\\x7e\\x80-\\xff])?$';
export const IDEMPOTENT_REPLAYED = 'idempotent-replayed';
/** Marks a response caused by an injected fault. */
export const INJECTED_FAULT = 'x-stockroom-fault';
export const REQUEST_ID = 'x-request-id';
/** Accepted client request ids; others are replaced. Values that look like a key are not accepted, because the id is written to logs and audit rows. */
export const REQUEST_ID_PATTERN = /^(?!.*pk_(?:test|live)_)[\w.-]{1,64}$/u;
/** IETF draft-ietf-httpapi-ratelimit-headers-11, and the older X-RateLimit-* headers. */
export const RATE_LIMIT = {
  policy: 'ratelimit-policy',
  state: 'ratelimit',
  limit: 'x-ratelimit-limit',
  remaining: 'x-ratelimit-remaining',
  reset: 'x-ratelimit-reset',
} as const;
/** Headers of a delivery, in the documented spelling. C-6; W-6. Written as receivers see it documented. */
export const DELIVERY_HEADERS = {
  event: 'X-Service-Event',
  timestamp: 'X-Service-Timestamp',
  signature: 'X-Service-Signature',
  eventId: 'X-Service-Event-Id',
  deliveryId: 'X-Service-Delivery-Id',
  attempt: 'X-Service-Attempt',
} as const;
/** Headers of the Standard Webhooks specification 1.0.0, whose signature also covers the event id. */
export const STANDARD_WEBHOOKS_HEADERS = { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' } as const;
/** Headers of a receiver's response that are recorded with a failed attempt; none of them carries a credential. */
export const RECORDED_RESPONSE_HEADERS = ['content-type', 'location', 'request-id', 'retry-after', 'server', 'x-request-id'] as const;
/** Prefix of each signature in `X-Service-Signature`. */
export const SIGNATURE_PREFIX = 'v1=';

const HEADER_ACRONYMS: Readonly<Record<string, string>> = { api: 'API', ratelimit: 'RateLimit' };
/** The documented spelling of a header name: `x-api-key` → `X-API-Key`. */
export const formatHeaderName = (name: string): string =>
  name
    .split('-')
    .map((word) => HEADER_ACRONYMS[word] ?? word.charAt(0).toUpperCase() + word.slice(1))
    .join('-');
