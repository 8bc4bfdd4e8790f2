// A shop's copy of items and their available stock, exact also after a crash: first a copy, then every change in order. On any plan, without webhooks.
// STOCKROOM_URL and STOCKROOM_API_KEY say where and as whom: `node shop-sync.ts shop.json`. The file is written with its place in the events.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { ApiError, stockroomClient } from 'stockroom/client';

interface Copy {
  cursor: string;
  items: Record<string, { name: string; sku: string | null }>;
  available: Record<string, number>;
}

const [file = 'shop.json', ...flags] = process.argv.slice(2);
const isOnce = flags.includes('--once');
await using client = stockroomClient();
let copy = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Copy) : await makeFirstCopy();

for (;;) {
  try {
    // A long poll: it ends with the first change.
    const { data, pagination } = await client.events.list({ cursor: copy.cursor, limit: 200, wait: isOnce ? 0 : 30 });
    for (const { event, resourceId, data: body } of data) apply(event, resourceId, body);
    copy.cursor = pagination.nextCursor;
    save();
    if (isOnce && !pagination.hasMore) break;
  } catch (error) {
    // The place is older than what the service keeps: start again.
    if (!(error instanceof ApiError) || error.code !== 'CURSOR_EXPIRED') throw error;
    copy = await makeFirstCopy();
  }
}
console.log(`${Object.keys(copy.items).length} items, ${Object.keys(copy.available).length} levels`);

/** The place in the events is taken first, so that a change during the copy is applied again rather than missed. */
async function makeFirstCopy(): Promise<Copy> {
  const { pagination } = await client.events.list({ cursor: 'latest' });
  const fresh: Copy = { cursor: pagination.nextCursor, items: {}, available: {} };
  for await (const { id, name, sku } of client.items.list()) fresh.items[id] = { name, sku };
  for await (const { itemId, siteId, available } of client.stockLevels.list()) fresh.available[`${itemId} ${siteId}`] = available ?? 0;
  return fresh;
}

function apply(event: string, id: string, body: Readonly<Record<string, unknown>>): void {
  if (event === 'stock_level.updated') copy.available[`${String(body['itemId'])} ${String(body['siteId'])}`] = Number(body['available']);
  if (!event.startsWith('inventory.item.')) return;
  if ((body['changes'] as string[]).includes('deleted')) delete copy.items[id];
  else copy.items[id] = { name: String(body['name']), sku: body['sku'] as string | null };
}

/** The new file replaces the old one at once. */
function save(): void {
  writeFileSync(`${file}.new`, JSON.stringify(copy));
  renameSync(`${file}.new`, file);
}
