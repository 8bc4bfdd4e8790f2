/** Every public number, named with its unit. Contract part 8; decisions-api §1.10, §3, §4; decisions-domain D-7 to D-11. */

export const RATE_WINDOW_S = 60;
/** Requests per minute of the built-in tiers; the daemon can add or change tiers. */
export const TIERS = { standard: 120, elevated: 600 } as const;
export const DEFAULT_TIER = 'standard';

export const PAGE_SIZE_DEFAULT = 50;
export const PAGE_SIZE_MAX = 200;
export const AUDIT_LIMIT_DEFAULT = 100;
export const AUDIT_LIMIT_MAX = 1_000;

export const IDEMPOTENCY_KEY_MAX_CHARS = 255;
export const IDEMPOTENCY_VALIDITY_H = 24;

export const BODY_MAX_BYTES = 1_048_576;
export const SEARCH_MAX_CHARS = 200;

/** Exclusive bound of every quantity and price on the wire (D-9). */
export const NUMBER_BOUND = 1_000_000_000;
/** Decimal places of every quantity and price (D-9). */
export const NUMBER_DECIMALS = 6;

export const NAME_MAX_CHARS = 200;
export const CODE_MAX_CHARS = 64;
export const NOTES_MAX_CHARS = 2_000;
export const INGREDIENTS_MAX_ROWS = 200;
export const INGREDIENTS_MAX_DEPTH = 32;
export const SUPPLIERS_MAX_ROWS = 200;
export const ORDER_LINES_MAX = 500;
export const ORDER_NUMBER_MAX_CHARS = 40;
export const REFERENCE_MAX_CHARS = 200;
export const DESCRIPTION_MAX_CHARS = 500;

/** The change log keeps this many events per tenant, and none longer than this. */
export const EVENT_LOG_MAX_ROWS = 10_000;
export const EVENT_LOG_DAYS = 30;
/** An event's `data` above this is cut to `{id, truncated: true}` beside the common fields. */
export const EVENT_MAX_BYTES = 262_144;
