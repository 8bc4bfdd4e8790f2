// Copies all items to copy.json, then what changed meanwhile. With --broken it reads numbered pages: a row that is removed from an earlier page
// shifts the others, and one is missed.
import { writeFileSync } from 'node:fs';
import { type Event, type List, createSend } from './service.ts';

interface Item {
  id: string;
  name: string;
}
const isBroken = process.argv.includes('--broken');
const send = createSend();
const copy = new Map<string, Item>();
// Before the first page, so that no change is missed.
const { pagination: start } = await send<List<Event>>('GET', '/v1/events?cursor=latest');
for (let [page, cursor]: [number, string | null] = [1, '']; cursor !== null; page += 1) {
  const query: string = isBroken ? `page=${page}` : `cursor=${cursor}`;
  const { data, pagination }: List<Item> = await send('GET', `/v1/items?page_size=2&${query}`);
  for (const { id, name } of data) copy.set(id, { id, name });
  cursor = isBroken ? (data.length === 2 ? 'more' : null) : pagination.nextCursor;
}
for (let [cursor, hasMore] = [start.nextCursor, true]; hasMore;) {
  const { data, pagination }: List<Event> = await send('GET', `/v1/events?cursor=${cursor}`);
  for (const { event, resourceId, data: item } of data) {
    if (!event.startsWith('inventory.item.')) continue;
    if (item.changes.includes('deleted')) copy.delete(resourceId);
    else copy.set(resourceId, { id: resourceId, name: item.name });
  }
  ({ nextCursor: cursor, hasMore } = pagination);
}
writeFileSync('copy.json', JSON.stringify({ items: [...copy.values()] }));
