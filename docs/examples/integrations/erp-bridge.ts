// Keeps items as an ERP has them, by its own numbers, and reports what changed here since the last run, deletions included.
// `node erp-bridge.ts items.json [SINCE]`; the file is a list of { number, name, sku, salePrice }.
import { readFileSync } from 'node:fs';
import { stockroomClient } from 'stockroom/client';

interface ErpItem {
  number: string;
  name: string;
  sku: string;
  salePrice: number;
}

const [file = 'items.json', since = '1970-01-01T00:00:00Z'] = process.argv.slice(2);
await using client = stockroomClient();

// Created or updated: a repetition changes nothing.
for (const { number, ...fields } of JSON.parse(readFileSync(file, 'utf8')) as ErpItem[]) {
  const { data: item } = await client.items.put(number, fields);
  console.log(`${number} is ${item.sku}`);
}

// Each page once and each change at least once, also while others write.
let cursor: string | null = '';
while (cursor !== null) {
  const {
    data,
    deleted = [],
    pagination,
  } = await client.items.list({ cursor, updated_since: since, sort: 'updated_at', include_deleted: true });
  for (const { externalId, sku, updatedAt } of data) console.log(`changed ${externalId ?? sku} at ${updatedAt}`);
  for (const { id, deletedAt } of deleted) console.log(`deleted ${id} at ${deletedAt}`);
  cursor = (pagination as unknown as { nextCursor: string | null }).nextCursor;
}
