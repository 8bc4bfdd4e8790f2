/** Texts and metadata of the published documents. C-9 fixes the version of the document. */
import { API_KEY, IDEMPOTENCY_KEY, RATE_LIMIT, REQUEST_ID, formatHeaderName } from '../headers.ts';
import { IDEMPOTENCY_KEY_MAX_CHARS, IDEMPOTENCY_VALIDITY_H, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, RATE_WINDOW_S, TIERS } from '../limits.ts';

export const DOCUMENT_VERSION = '1.0.0';

const code = (name: string): string => `\`${formatHeaderName(name)}\``;

export const LICENSE = { name: 'MIT', identifier: 'MIT', url: 'https://opensource.org/license/mit' } as const;

export const API_DESCRIPTION = `Manage items, stock, orders and contacts of an organization, and receive webhooks when they change.

**Keys.** Send an API key with every request, as ${code(API_KEY)} or as \`Authorization: Bearer\`. \`stockroom keys create\` creates one. A key has scopes; each operation lists the scope it requires.

**Responses.** A single resource is returned as \`{ "data": … }\`, a list as \`{ "data": [ … ], "pagination": { … } }\`. Pages have ${String(PAGE_SIZE_DEFAULT)} rows; set \`page_size\` to get 1 to ${String(PAGE_SIZE_MAX)}. \`page\` is the number of the page, from 1: while it is less than \`totalPages\` of \`pagination\`, request the next one. The audit trail has no page numbers: while \`hasMore\` is true, send the fields of \`nextCursor\` as \`cursor_created_at\` and \`cursor_id\`.

**Errors** are returned as \`{ "error": { "code", "message", "status", "requestId" } }\`. Use \`code\` in programs; \`fields\` lists all invalid fields, \`details\` has further data depending on the code. Every response has an ${code(REQUEST_ID)} header.

**Idempotency.** POST and PATCH require an ${code(IDEMPOTENCY_KEY)} header: up to ${String(IDEMPOTENCY_KEY_MAX_CHARS)} characters, unique for each new change. For ${String(IDEMPOTENCY_VALIDITY_H)} hours, repeating a request with the same key returns the first response, also with a rotated API key or a new token of the same application; a different request with that key returns 409.

**Quantities, prices and costs** have up to six decimals, as posted values of document lines and stock values have; requests accept numbers below 10⁹. \`unitPrice\` of an order line is per unit of the line, \`unitCost\` of a stock document line per stock unit of the item: two dozens at \`unitPrice\` 12 are 24 pieces at \`unitCost\` 1. Amounts of order lines, order totals and \`totalCost\` of stock documents are rounded half away from zero to the minor unit of the currency: 3 × 0.335 EUR is 1.01.

**Rate limit.** A key can make ${String(TIERS.standard)} requests in ${String(RATE_WINDOW_S)} seconds (tier \`standard\`; \`elevated\`: ${String(TIERS.elevated)}). ${code(RATE_LIMIT.remaining)} is the number left; after a 429, wait for the time in \`Retry-After\`.

**Extensions** of the given contract are marked \`x-extension: true\`.`;

export const WEBHOOKS_DESCRIPTION = `Events that the service sends to endpoints created with \`POST /v1/webhooks\`.

**Verify the signature before parsing.** It is the hex HMAC-SHA256 of \`<timestamp>.<raw body>\`, keyed with the signing secret decoded from hex. During a secret rotation there is one signature per secret; accept the delivery if any of them matches. Deliveries also have the headers of the Standard Webhooks specification 1.0.0, whose signature also covers the event id.

**At-least-once delivery.** An event can arrive more than once: deduplicate by \`data.eventId\`. Order is not guaranteed.

**Respond quickly with any 2xx status.** Other responses are retried, redirects are not followed, and 410 disables the endpoint.`;

/** The tags of operations, by the first part of the operation id. */
export const TAGS: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  items: { name: 'Items', description: 'Products, materials and combos, with their ingredients and suppliers.' },
  orders: { name: 'Orders', description: 'Orders in the modules buy, sell, make, check and fix.' },
  stock_documents: {
    name: 'Stock documents',
    description: 'Receipts, issues, transfers, adjustments, counts and production.',
  },
  stock_levels: { name: 'Stock levels', description: 'Quantities on hand, committed and incoming.' },
  stock_movements: { name: 'Stock movements', description: 'The ledger: each change with the balance after it.' },
  reorder_points: { name: 'Reordering', description: 'Reorder points, and what to reorder.' },
  reorder_advice: { name: 'Reordering', description: 'Reorder points, and what to reorder.' },
  settings: { name: 'Settings', description: 'Sites, units, categories and users.' },
  contacts: { name: 'Contacts', description: 'Customers and suppliers.' },
  webhooks: { name: 'Webhooks', description: 'Webhook endpoints and deliveries.' },
  events: { name: 'Events', description: 'Every change, in the order of the commits.' },
  organization: { name: 'Organization', description: 'The profile of the tenant.' },
  usage: { name: 'Usage', description: 'API usage in the billing period and the state of the rate limit.' },
  audit: { name: 'Audit', description: 'The audit trail of changes.' },
  auth: { name: 'Key', description: 'The calling key, its tenant and its scopes.' },
  catalog: { name: 'Catalog', description: 'Operations that the calling key can call.' },
};

/** The tag of an operation. Throws if there is none. */
export function getTagName(id: string): string {
  const tag = TAGS[id.split('.', 1)[0] ?? ''];
  if (!tag) throw new Error(`${id} has no tag: add one to TAGS`);
  return tag.name;
}
