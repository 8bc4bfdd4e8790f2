/** What the published documents say about themselves. Contract part 9 fixes the version of the document. */
import { API_KEY, IDEMPOTENCY_KEY, RATE_LIMIT, REQUEST_ID, headerName } from '../headers.ts';
import { IDEMPOTENCY_KEY_MAX_CHARS, IDEMPOTENCY_VALIDITY_H, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, RATE_WINDOW_S, TIERS } from '../limits.ts';

export const DOCUMENT_VERSION = '1.0.0';

const code = (name: string): string => `\`${headerName(name)}\``;

export const LICENCE = { name: 'MIT', identifier: 'MIT', url: 'https://opensource.org/license/mit' } as const;

export const ABOUT_API = `Items, stock, orders and contacts of an organization, and webhooks about what happens to them.

**Keys.** Send a key on every request, as ${code(API_KEY)} or as \`Authorization: Bearer\`. \`stockroom keys create\` makes one. A key carries scopes; each operation names the one it needs.

**Answers.** One resource comes as \`{ "data": … }\`, a list as \`{ "data": [ … ], "pagination": { … } }\` with ${String(PAGE_SIZE_DEFAULT)} rows a page unless \`page_size\` (1 to ${String(PAGE_SIZE_MAX)}) says otherwise.

**Errors** are \`{ "error": { "code", "message", "status", "requestId" } }\`. Programs read \`code\`; \`fields\` names every problem of a request, \`details\` holds what belongs to the code. Every answer has an ${code(REQUEST_ID)}.

**Repeating writes.** POST and PATCH need an ${code(IDEMPOTENCY_KEY)}: any text of up to ${String(IDEMPOTENCY_KEY_MAX_CHARS)} visible characters, new for every new change. For ${String(IDEMPOTENCY_VALIDITY_H)} hours the same key with the same request gives the first answer again, and with another request a 409.

**Rate limit.** A key has ${String(TIERS.standard)} requests in ${String(RATE_WINDOW_S)} seconds (tier \`standard\`; \`elevated\` has ${String(TIERS.elevated)}). ${code(RATE_LIMIT.remaining)} says what is left; after a 429 wait for \`Retry-After\`.

**Extensions.** What goes beyond the given contract is marked \`x-extension: true\`.`;

export const ABOUT_WEBHOOKS = `What the service sends to the endpoints that were registered with \`POST /v1/webhooks\`.

**Verify before you parse.** The signature is the hex HMAC-SHA256 of \`<timestamp>.<raw body>\` under the signing secret, decoded from hex. During a rotation there is one signature for each secret, and one that fits is enough. The headers of the Standard Webhooks specification 1.0.0 come along; their signature covers the event id too.

**At least once.** An event can arrive twice: dedupe by \`data.eventId\`. The order is not guaranteed.

**Answer quickly with any 2xx.** Everything else is tried again, redirects are not followed, and 410 disables the endpoint.`;

/** The groups of operations, by the first part of their ids. */
export const TAGS: Readonly<Record<string, { readonly name: string; readonly description: string }>> = {
  items: { name: 'Items', description: 'Products, materials and combos, with their ingredients and suppliers.' },
  orders: { name: 'Orders', description: 'Buying, selling, making, checking and fixing.' },
  stock_documents: {
    name: 'Stock documents',
    description: 'What moves stock: receipts, issues, transfers, adjustments, counts, production.',
  },
  stock_levels: { name: 'Stock levels', description: 'What is on hand, promised and expected.' },
  contacts: { name: 'Contacts', description: 'Customers and suppliers.' },
  webhooks: { name: 'Webhooks', description: 'Endpoints that are told about events, and their deliveries.' },
  organization: { name: 'Organization', description: 'The profile of the tenant.' },
  usage: { name: 'Usage', description: 'Requests of the billing period and the state of the rate limit.' },
  audit: { name: 'Audit', description: 'Who changed what.' },
  auth: { name: 'Key', description: 'What the calling key is and may do.' },
  catalog: { name: 'Catalog', description: 'The operations that the calling key can use.' },
};

/** The group of an operation. */
export function tagOf(id: string): string {
  const tag = TAGS[id.split('.', 1)[0] ?? ''];
  if (!tag) throw new Error(`${id} belongs to no group: add it to the tags`);
  return tag.name;
}
