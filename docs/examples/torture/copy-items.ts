// Keeps a copy of the items by their webhooks, in copy.json. With --broken it trusts the order in which they come.
import { writeFileSync } from 'node:fs';
import { type List, createSend, receive, waitForDeliveries } from './service.ts';

interface Item {
  id: string;
  name: string;
}
const isBroken = process.argv.includes('--broken');
const send = createSend();
const copy = new Map<string, Item & { sequence: number }>();
const receiver = await receive(send, ({ event, data: { id, name, sequence } }) => {
  if (!event.startsWith('inventory.item.')) return;
  const isOlder = (copy.get(id)?.sequence ?? 0) > sequence;
  if (!isOlder || isBroken) copy.set(id, { id, name, sequence });
});
const { data: items } = await send<List<Item>>('GET', '/v1/items');
for (const { id, name } of items) if (!copy.has(id)) copy.set(id, { id, name, sequence: 0 });
for (const name of ['Bolt A', 'Bolt B', 'Bolt C']) await send('PATCH', `/v1/items/${items[0]!.id}`, { name });
await waitForDeliveries();
receiver.close();
writeFileSync('copy.json', JSON.stringify({ items: [...copy.values()] }));
