/** Header names and values of the API, apart from those every HTTP message has. */
export const API_KEY = 'x-api-key';
export const IDEMPOTENCY_KEY = 'idempotency-key';
export const IDEMPOTENT_REPLAYED = 'idempotent-replayed';
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
