/** Every error code of the API: its HTTP status and what it means. Contract part 7; decisions-api §2. */

export const errors = {
  VALIDATION_FAILED: { status: 400, meaning: 'The body, the query or a header breaks the schema; `fields` names each problem.' },
  MALFORMED_JSON: { status: 400, meaning: 'The body is not JSON.' },
  IDEMPOTENCY_KEY_REQUIRED: { status: 400, meaning: 'POST and PATCH need the header Idempotency-Key.' },
  IDEMPOTENCY_KEY_INVALID: {
    status: 400,
    meaning: 'The Idempotency-Key is empty, longer than 255 characters, repeated, or not visible ASCII.',
  },
  AMBIGUOUS_CREDENTIALS: {
    status: 400,
    meaning: 'X-API-Key and Authorization are both there and differ, or a key stands in the query string.',
  },
  UNAUTHENTICATED: { status: 401, meaning: 'No key, or one that is unknown, malformed, revoked or expired.' },
  SCOPE_REQUIRED: { status: 403, meaning: 'The key lacks the scope of the operation.' },
  PLAN_REQUIRED: { status: 403, meaning: 'The operation belongs to a higher plan than the tenant has.' },
  APPLICATION_DISABLED: { status: 403, meaning: 'The key was issued to a partner application that is no longer approved or installed.' },
  ORIGIN_NOT_ALLOWED: { status: 403, meaning: 'The request names a foreign Host or Origin.' },
  NOT_FOUND: { status: 404, meaning: 'There is no such route or resource in this tenant.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path exists, with other methods; see the Allow header.' },
  NOT_ACCEPTABLE: { status: 406, meaning: 'No representation fits the Accept header.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The body came too slowly.' },
  CONFLICT: { status: 409, meaning: 'The Idempotency-Key was used before with another request.' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, meaning: 'A request with the same Idempotency-Key is still running.' },
  INVALID_TRANSITION: { status: 409, meaning: 'The order cannot go from its status to the requested one.' },
  INVALID_STATE: { status: 409, meaning: 'The stock document or delivery is not in a state that allows the operation.' },
  FIELD_LOCKED: { status: 409, meaning: 'The field cannot change in the present status of the order.' },
  ORDER_HAS_POSTED_STOCK: { status: 409, meaning: 'Stock has been posted for the order; reverse its documents first.' },
  INSUFFICIENT_STOCK: { status: 409, meaning: 'Not enough on hand; `details.shortages` lists every shortage.' },
  STALE_COUNT: { status: 409, meaning: 'The stock moved since it was counted.' },
  SAME_APPROVER: { status: 409, meaning: 'Somebody other than the submitter has to approve.' },
  DUPLICATE_VALUE: { status: 409, meaning: 'Another record has this value, which must be unique.' },
  RESOURCE_IN_USE: { status: 409, meaning: 'Other records refer to this one; `details.references` counts them.' },
  INACTIVE_REFERENCE: { status: 409, meaning: 'The record referred to is inactive.' },
  INVALID_ITEM_TYPE: { status: 409, meaning: 'An item of this type cannot play this part.' },
  BOM_CYCLE: { status: 409, meaning: 'The ingredient would make an item contain itself; `details.path` shows how.' },
  LIMIT_REACHED: { status: 409, meaning: 'The tenant has as many of these as it may have.' },
  SNAPSHOT_UNUSABLE: { status: 409, meaning: 'The snapshot is damaged, or another release made it; the data stayed as they were.' },
  NOT_ENABLED: { status: 409, meaning: 'The service was started without the option that this needs.' },
  PRECONDITION_FAILED: { status: 412, meaning: 'The record changed since the version named by If-Match.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is larger than 1 MiB.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The body must be sent as application/json.' },
  RATE_LIMITED: { status: 429, meaning: 'The key used up its requests of this minute; wait for Retry-After.' },
  INTERNAL_ERROR: { status: 500, meaning: 'A bug in the service; the request id finds it in the log.' },
  UNAVAILABLE: { status: 503, meaning: 'The service is shutting down.' },
  STORE_UNAVAILABLE: { status: 503, meaning: 'The change cannot be written to disk now; nothing of it was kept. Reads still work.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errors;

/** Short codes of `fields[].code`. */
export const FIELD_CODES = [
  'required',
  'unknown_field',
  'not_allowed',
  'wrong_type',
  'empty',
  'too_small',
  'too_big',
  'bad_format',
  'invalid',
] as const;
export type FieldCode = (typeof FIELD_CODES)[number];

export const FIELD_PLACES = ['body', 'query', 'path', 'header'] as const;

/** One problem of a request. `path` is a JSON Pointer (RFC 6901) into the place. */
export interface FieldProblem {
  readonly in: (typeof FIELD_PLACES)[number];
  readonly path: string;
  readonly code: FieldCode;
  readonly message: string;
}
