/** All error codes of the API with their HTTP status and meaning. C-7; A-2. */

export const errors = {
  VALIDATION_FAILED: { status: 400, meaning: 'The body, query, path or a header is invalid; `fields` lists each problem.' },
  MALFORMED_JSON: { status: 400, meaning: 'The body is not valid JSON.' },
  IDEMPOTENCY_KEY_REQUIRED: { status: 400, meaning: 'POST and PATCH require the Idempotency-Key header.' },
  IDEMPOTENCY_KEY_INVALID: {
    status: 400,
    meaning: 'The Idempotency-Key is empty, longer than 255 characters, or sent more than once.',
  },
  AMBIGUOUS_CREDENTIALS: {
    status: 400,
    meaning: 'X-API-Key and Authorization contain different keys, or the query string contains a key.',
  },
  UNAUTHENTICATED: { status: 401, meaning: 'The key is missing, unknown, malformed, revoked or expired.' },
  SCOPE_REQUIRED: { status: 403, meaning: 'The key lacks the scope that the operation requires.' },
  PLAN_REQUIRED: { status: 403, meaning: "The operation requires a higher plan than the tenant's." },
  APPLICATION_DISABLED: { status: 403, meaning: 'The key was issued to a partner application that is no longer approved or installed.' },
  ORIGIN_NOT_ALLOWED: { status: 403, meaning: 'The Host or Origin header is not allowed.' },
  NOT_FOUND: { status: 404, meaning: 'The route or resource does not exist in this tenant.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path does not support this method; the Allow header lists those it supports.' },
  NOT_ACCEPTABLE: { status: 406, meaning: 'No representation matches the Accept header.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The body was not received in time.' },
  CONFLICT: { status: 409, meaning: 'The Idempotency-Key was already used for a different request.' },
  IDEMPOTENCY_IN_PROGRESS: { status: 409, meaning: 'A request with the same Idempotency-Key is still in progress.' },
  INVALID_TRANSITION: { status: 409, meaning: 'The order cannot change from its current status to the requested one.' },
  INVALID_STATE: { status: 409, meaning: 'The current state of the resource does not allow the operation.' },
  FIELD_LOCKED: { status: 409, meaning: 'The field cannot change in the current status of the order.' },
  ORDER_HAS_POSTED_STOCK: { status: 409, meaning: 'Stock was posted for the order; cancel its stock documents first.' },
  INSUFFICIENT_STOCK: { status: 409, meaning: 'Not enough stock on hand; `details.shortages` lists every shortage.' },
  STALE_COUNT: { status: 409, meaning: 'The stock changed after it was counted.' },
  SAME_APPROVER: { status: 409, meaning: 'Someone other than the submitter must approve.' },
  DUPLICATE_VALUE: { status: 409, meaning: 'Another record already has this value, which must be unique.' },
  RESOURCE_IN_USE: {
    status: 409,
    meaning: 'Other records refer to this one; `details.references` counts them, `details.examples` names some.',
  },
  INACTIVE_REFERENCE: { status: 409, meaning: 'A referenced record is inactive.' },
  INVALID_ITEM_TYPE: { status: 409, meaning: 'An item of this type cannot be used here.' },
  BOM_CYCLE: { status: 409, meaning: 'The item would contain itself through this ingredient; `details.path` shows the cycle.' },
  LIMIT_REACHED: { status: 409, meaning: 'The maximum number is reached.' },
  SNAPSHOT_UNUSABLE: { status: 409, meaning: 'The snapshot is damaged or from an incompatible release; no data was changed.' },
  NOT_ENABLED: { status: 409, meaning: 'The service was started without the required option.' },
  CURSOR_EXPIRED: { status: 410, meaning: 'The cursor is from before the oldest kept row, or the data was replaced; start again.' },
  PRECONDITION_FAILED: { status: 412, meaning: 'The record changed after the version in If-Match.' },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is larger than 1 MiB.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, meaning: 'The body must be sent as application/json.' },
  RATE_LIMITED: { status: 429, meaning: 'The key exceeded its rate limit; retry after the time in Retry-After.' },
  INTERNAL_ERROR: { status: 500, meaning: 'Unexpected error in the service; search the log for the request id.' },
  UNAVAILABLE: { status: 503, meaning: 'The service is shutting down or has too many open connections.' },
  STORE_UNAVAILABLE: { status: 503, meaning: 'The change could not be written to disk and was not applied. Reads still work.' },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errors;

/** Values of `fields[].code`. */
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

/** One invalid value of a request. `path` is a JSON Pointer (RFC 6901) within `in`. */
export interface FieldProblem {
  readonly in: (typeof FIELD_PLACES)[number];
  readonly path: string;
  readonly code: FieldCode;
  readonly message: string;
}
