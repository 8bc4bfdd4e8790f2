// Prints all items, page by page. With --broken it does not renew a key that expires meanwhile.
import { type List, createSend } from './service.ts';

const send = createSend({ renewsKey: !process.argv.includes('--broken') });
for (let cursor: string | null = ''; cursor !== null;) {
  const { data, pagination }: List<{ sku: string | null; name: string }> = await send('GET', `/v1/items?page_size=2&cursor=${cursor}`);
  for (const { sku, name } of data) console.log(`${sku},${name}`);
  cursor = pagination.nextCursor;
}
