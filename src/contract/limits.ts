/** All public limits, named with their unit. C-8; W-10, A-3, A-4; D-7 to D-11. */

export const RATE_WINDOW_S = 60;
/** Requests per minute of the built-in tiers; the daemon can add or change tiers. */
export const TIERS = { standard: 120, elevated: 600 } as const;
export const DEFAULT_TIER = 'standard';

export const PAGE_SIZE_DEFAULT = 50;
export const PAGE_SIZE_MAX = 200;
/** Values of one query parameter, joined by commas. */
export const QUERY_VALUES_MAX = 100;
export const AUDIT_LIMIT_DEFAULT = 100;
export const AUDIT_LIMIT_MAX = 1_000;

export const IDEMPOTENCY_KEY_MAX_CHARS = 255;
export const IDEMPOTENCY_VALIDITY_H = 24;

/** Requests per minute and IP address that no API key accounts for. Health checks do not count. */
export const ADDRESS_REQUESTS_PER_MIN = 600;
export const CONNECTIONS_MAX = 1_024;
/** The part of them that one address may have, unless only this machine can connect, or it is a trusted proxy. */
export const ADDRESS_CONNECTIONS_FRACTION = 1 / 4;
/** How long a connection may take to send the header of a request. */
export const REQUEST_HEADER_TIMEOUT_S = 15;
export const BODY_MAX_BYTES = 1_048_576;
/** The public part of an API key: `pk_test_` and 8 characters. */
export const KEY_PREFIX_CHARS = 16;
/** Requests that are recorded with headers and bodies. */
export const RECORDED_REQUESTS_MAX = 10_000;
/** The longest wait of a test. */
export const WAIT_MAX_S = 60;
export const SCENARIO_FAULTS_MAX = 20;
/** Of a document of fixtures. */
export const FIXTURES_MAX_BYTES = 16 * BODY_MAX_BYTES;
/** Maximum nesting of arrays and objects; far more than any operation uses. */
export const BODY_MAX_DEPTH = 200;
/** Maximum number of fields and list entries together; more than the largest order has. Most operations accept far fewer. */
export const BODY_MAX_VALUES = 10_000;
/** Largest response that the client reads by default. */
export const RESPONSE_MAX_BYTES = 67_108_864;
/** Maximum nesting of a response; more than a stored body of maximum nesting needs. */
export const RESPONSE_MAX_DEPTH = 500;
/** Up to this many problems of one list, and unknown fields of one body, are reported individually. */
export const PROBLEMS_MAX = 100;
export const SEARCH_MAX_CHARS = 200;

/** Exclusive bound of every quantity and price on the wire (D-9). */
export const NUMBER_BOUND = 1_000_000_000;
/** Decimal places of every quantity and price (D-9). */
export const NUMBER_DECIMALS = 6;

export const NAME_MAX_CHARS = 200;
export const CODE_MAX_CHARS = 64;
export const EXTERNAL_ID_MAX_CHARS = 255;
export const METADATA_KEYS_MAX = 20;
export const METADATA_KEY_MAX_CHARS = 40;
export const METADATA_VALUE_MAX_CHARS = 500;
export const NOTES_MAX_CHARS = 2_000;
export const INGREDIENTS_MAX_ROWS = 200;
export const INGREDIENTS_MAX_DEPTH = 32;
export const SUPPLIERS_MAX_ROWS = 200;
export const ORDER_LINES_MAX = 500;
export const ORDER_NUMBER_MAX_CHARS = 40;
export const REFERENCE_MAX_CHARS = 200;
export const DESCRIPTION_MAX_CHARS = 500;
export const REASON_MAX_CHARS = 500;
/** Exclusive bound of every amount of money, in minor units: at most 15 digits, a safe integer (D-9). */
export const AMOUNT_BOUND_MINOR = 1_000_000_000_000_000;
/** Decimal places of a percentage (D-8). */
export const PERCENT_DECIMALS = 4;
/** RFC 5321: the longest address, and the part before the `@`. */
export const EMAIL_MAX_CHARS = 254;
export const EMAIL_LOCAL_MAX_CHARS = 64;
export const PHONE_MAX_CHARS = 40;
export const CONTACT_GROUP_MAX_CHARS = 100;
export const LEAD_TIME_MAX_DAYS = 3_650;

/** Deliveries per second of a replay. */
export const REPLAY_RATE_DEFAULT = 10;
export const REPLAY_RATE_MAX = 100;
/** Replays of an endpoint that are kept. */
export const REPLAYS_KEPT = 20;

export const SLUG_MAX_CHARS = 63;
export const NUMBER_PREFIX_MAX_CHARS = 12;
export const UNIT_SYMBOL_MAX_CHARS = 20;
/** Upper bound of numerator and denominator of a unit's factor. */
export const UNIT_FACTOR_MAX = 1_000_000_000;
export const CATEGORIES_MAX_DEPTH = 32;
export const TIER_NAME_MAX_CHARS = 40;
export const TIER_MAX_PER_MINUTE = 1_000_000;
export const DURATION_MAX_CHARS = 40;
export const DURATION_MAX_DAYS = 36_525;
/** Range of the test clock: times derived from it, up to the longest duration later, keep a four-digit year. */
export const CLOCK_FIRST = '1970-01-01T00:00:00.000Z';
export const CLOCK_LAST = '9799-12-31T23:59:59.999Z';

/** By default the change log keeps this many events per tenant, for this long; the ceilings bound the daemon's settings. */
export const EVENT_LOG_MAX_ROWS = 1_000_000;
export const EVENT_LOG_MAX_ROWS_CEILING = 100_000_000;
export const EVENT_LOG_DAYS = 30;
export const EVENT_LOG_DAYS_CEILING = 3_650;
export const EVENTS_LIMIT_DEFAULT = 100;
export const EVENTS_LIMIT_MAX = 200;
export const EVENTS_WAIT_MAX_S = 30;
/** Events that one request reads to find those that match. */
export const EVENTS_SCANNED_MAX = 5_000;
/** Audit rows that one request reads to find those that match. */
export const AUDIT_SCANNED_MAX = 10_000;
/** A name of the maximum length with its encoding. */
export const CURSOR_MAX_CHARS = 3_000;
/** Larger event data is replaced by the common fields and `truncated: true`. */
export const EVENT_MAX_BYTES = 262_144;
/** Lines of a stock document (D-13). */
export const STOCK_LINES_MAX = 500;
/** Stock effects listed in a response or an event of a posting (D-23). */
export const STOCK_EFFECTS_MAX = 500;
/** Simulated business events per minute of `demo --live`. */
export const LIVE_DEMO_PER_MIN_DEFAULT = 6;
export const LIVE_DEMO_PER_MIN_MAX = 600;
/** Items that one run of the generator can create. */
export const SEED_ITEMS_MAX = 1_000_000;

/** Webhooks. W-1. */
export const WEBHOOK_NAME_MAX_CHARS = 120;
export const WEBHOOK_DESCRIPTION_MAX_CHARS = 1_000;
export const TARGET_URL_MAX_CHARS = 2_048;
/** Default maximum of endpoints per tenant; the ceiling bounds the daemon's setting. */
export const WEBHOOKS_MAX = 100;
export const WEBHOOKS_CEILING = 1_000;
/** Maximum age of a signature for the verifier. C-6. */
export const SIGNATURE_TOLERANCE_S = 300;
/** How long deliveries are also signed with the previous secret. */
export const ROTATION_OVERLAP_H = 24;
export const SIGNING_SECRET_BYTES = 32;
/** Seconds before the second and each later attempt; the first is made immediately. */
export const RETRY_SCHEDULE_S = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000] as const;
/** For demonstrations: all retries within a minute. */
export const DEMO_RETRY_SCHEDULE_S = [1, 2, 5, 10, 30] as const;
export const RETRY_SCHEDULE_MAX_ENTRIES = 20;
export const RETRY_DELAY_MAX_S = 86_400;
/** Minimum delay after 429, 502, 504 and timeouts. */
export const OVERLOAD_DELAY_S = 60;
export const RETRY_AFTER_MAX_H = 24;
export const DELIVERY_TIMEOUT_S = 15;
export const DELIVERY_TIMEOUT_MAX_S = 30;
export const DELIVERY_CONNECT_TIMEOUT_S = 5;
/** Latest requests that the daemon keeps in memory for the dashboard. */
export const RECENT_REQUESTS_MAX = 1_000;
/** Bytes of a receiver's response that are read. */
export const DELIVERY_RESPONSE_MAX_BYTES = 65_536;
/** Bytes of the response to a failed attempt that are recorded. */
export const DELIVERY_RESPONSE_RECORDED_BYTES = 1_024;
/** Characters of each recorded response header. */
export const DELIVERY_RESPONSE_HEADER_CHARS = 200;
export const DELIVERY_CONCURRENCY = 32;
export const ENDPOINT_DELIVERY_CONCURRENCY = 4;
/** An endpoint is disabled after this long without success and at least this many failed attempts. */
export const AUTO_DISABLE_H = 120;
export const AUTO_DISABLE_MIN_ATTEMPTS = 10;
/** Limits of the deliveries held for a paused endpoint. */
export const HELD_MAX_H = 72;
export const HELD_MAX_ROWS = 1_000;
export const DELIVERY_LOG_DAYS = 30;
export const DELIVERY_LOG_MAX_ROWS = 10_000;
export const WEBHOOK_TEST_TIMEOUT_S = 5;
/** Connections to the receivers of the demo endpoints; the service itself uses one per attempt in progress. */
export const DEMO_RECEIVER_CONNECTIONS_MAX = 32;

/** OAuth. A-6. */
export const REDIRECT_URIS_MAX = 10;
export const REDIRECT_URI_MAX_CHARS = 2_048;
/** Lifetime of a consent page and of a login code. */
export const CONSENT_LIFETIME_MIN = 10;
/** Of a session of the console. */
export const CONSOLE_SESSION_H = 12;
/** Pending consents of all applications, and of one of them. */
export const PENDING_CONSENTS_MAX = 200;
export const PENDING_CONSENTS_PER_APPLICATION_MAX = 20;
export const OAUTH_CODE_LIFETIME_S = 60;
/** How long a used code is kept, so that its replay revokes the keys it issued. */
export const OAUTH_CODE_RETENTION_H = 24;
/** Lifetime of keys by grant. */
export const AUTHORIZATION_CODE_KEY_DAYS = 30;
export const CLIENT_CREDENTIALS_KEY_H = 24;
/** Active keys per application and tenant; creating more revokes the oldest. */
export const ISSUED_KEYS_MAX = 50;
/** How long an issued key is kept after it expired or was revoked. */
export const ISSUED_KEY_RETENTION_DAYS = 7;
export const OAUTH_BODY_MAX_BYTES = 16_384;
/** Requests to the token and revoke endpoints per minute, by client and address; and failed authentications among them. */
/** Applications that registered themselves and wait for their first consent, and how long they may wait. */
export const SELF_REGISTERED_MAX = 20;
export const SELF_REGISTRATION_LIFETIME_MIN = 60;
/** Of the document that a URL as `client_id` names; as the draft recommends. */
export const CLIENT_DOCUMENT_MAX_BYTES = 5 * 1_024;
export const CLIENT_DOCUMENT_URL_MAX_CHARS = 500;
export const CLIENT_DOCUMENT_TIMEOUT_S = 5;
export const OAUTH_REQUESTS_PER_MIN = 30;
export const OAUTH_FAILURES_PER_MIN = 10;
/** Injected faults. */
export const FAULTS_MAX = 100;
export const FAULT_TARGET_MAX_CHARS = 2_100;
export const FAULT_BODY_MAX_CHARS = 10_000;
export const FAULT_LATENCY_MAX_S = 60;
export const FAULT_RETRY_AFTER_MAX_S = 86_400;
export const FAULT_TIMES_MAX = 1_000_000;

export const SNAPSHOT_NAME_MAX_CHARS = 64;
