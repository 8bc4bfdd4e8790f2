/** Header names and values of the API, apart from those every HTTP message has. */
export const API_KEY = 'x-api-key';
export const IDEMPOTENCY_KEY = 'idempotency-key';
export const IDEMPOTENT_REPLAYED = 'idempotent-replayed';
/** On an answer that is a fault set on purpose. */
export const FAULT = 'x-stockroom-fault';
export const REQUEST_ID = 'x-request-id';
/** What a caller may choose as request id; anything else is replaced, and so is what looks like a key: the id goes into logs and audit rows. */
export const REQUEST_ID_PATTERN = /^(?!.*pk_(?:test|live)_)[\w.-]{1,64}$/u;
/** IETF draft-ietf-httpapi-ratelimit-headers-11, and the older trio beside it. */
export const RATE_LIMIT = {
  policy: 'ratelimit-policy',
  state: 'ratelimit',
  limit: 'x-ratelimit-limit',
  remaining: 'x-ratelimit-remaining',
  reset: 'x-ratelimit-reset',
} as const;
/** What a delivery carries. Contract part 6; decisions-api §1.6. Written as receivers see it documented. */
export const DELIVERY_HEADERS = {
  event: 'X-Service-Event',
  timestamp: 'X-Service-Timestamp',
  signature: 'X-Service-Signature',
  eventId: 'X-Service-Event-Id',
  deliveryId: 'X-Service-Delivery-Id',
  attempt: 'X-Service-Attempt',
} as const;
/** The trio of the Standard Webhooks specification 1.0.0, whose signature covers the event id too. */
export const STANDARD_WEBHOOKS_HEADERS = { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' } as const;
/** Before each signature of `X-Service-Signature`. */
export const SIGNATURE_PREFIX = 'v1=';

const WORDS: Readonly<Record<string, string>> = { api: 'API', ratelimit: 'RateLimit' };
/** A header's name as documents write it: `X-API-Key`. */
export const headerName = (name: string): string =>
  name
    .split('-')
    .map((word) => WORDS[word] ?? word.charAt(0).toUpperCase() + word.slice(1))
    .join('-');
